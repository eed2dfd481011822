package web

import (
	"countersign/internal/model"
	"countersign/web/templates"
)

// stake is the money of a row of the list, and in a word how it stands; quiet is
// money of which nothing is uncertain or still to move.
func (n narrator) stake() (m *model.Money, note string, quiet bool) {
	s := n.moneyStep()
	if s == nil {
		return nil, "", false
	}
	m = money(s.Amount, s.Currency)
	ended := n.c.State.Final() || n.c.StandingCompensation() != nil
	switch {
	case s.Uncertain():
		return money(max(s.Amount, n.c.Uncertain), s.Currency), "", false // the larger amount, where another one was seen
	case s.State == model.Confirmed && s.Returned > 0:
		return money(s.Returned, s.Currency), "came back", true
	case s.State == model.Confirmed && n.c.State == model.Compensated && n.c.Confirmed == 0:
		return m, "taken back", true
	case s.State == model.Confirmed:
		return money(s.Moved, s.Currency), doneWord(s), true
	case s.State == model.FailedSafely || ended:
		return m, "not " + doneWord(s), true
	}
	return m, "", false
}

// moneyStep is the step whose money a list shows: an uncertain one first, then
// the first that has any; nil where the intent moves none.
func (n narrator) moneyStep() (first *model.Step) {
	for _, s := range n.c.Steps {
		if !s.HasMoney() || !s.Class.Effect() {
			continue
		}
		if s.Uncertain() {
			return s
		}
		if first == nil {
			first = s
		}
	}
	return first
}

// stakeOf fills in the money of a row.
func (n narrator) stakeOf(r *templates.QueueRow) {
	r.Money, r.Stake, r.Quiet = n.stake()
}
