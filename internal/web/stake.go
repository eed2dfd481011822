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
	case s.Open > 0:
		return money(n.c.Uncertain, s.Currency), "", false // all that the row's intent has open
	case s.Uncertain():
		return m, "taken back", true
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
		if s.Uncertain() || s.InDoubt() {
			return s
		}
		if first == nil {
			first = s
		}
	}
	return first
}

// stakeOf fills in the money of a row, and how it stands: every row says what of
// it is uncertain, what confirmed, and what was never sent.
func (n narrator) stakeOf(r *templates.QueueRow) {
	m, note, quiet := n.stake()
	r.Money, r.Quiet = m, quiet
	switch {
	case m == nil:
	case note != "":
		r.Stake = say(note)
	case n.c.Uncertain > 0:
		r.Stake = say(n.openWords())
	default:
		r.Stake = say("not sent yet")
	}
	if n.c.Uncertain > 0 && n.c.Confirmed > 0 && !quiet {
		r.Stake = say(r.Stake, "; ", model.Money{Amount: n.c.Confirmed, Currency: n.c.Currency}, " confirmed")
	}
}

// openWords says in what way the open money is open.
func (n narrator) openWords() string {
	s := n.moneyStep()
	switch {
	case s != nil && s.Settling:
		return "in transit"
	case s != nil && s.Operation == model.DisputeRespond:
		return "disputed, uncertain"
	}
	return "uncertain"
}

// exposure is an intent's exposure as a line of its own; nil where it has no money.
func exposure(i *model.Intent) templates.Text {
	if i.Currency == "" {
		return nil
	}
	return say("Exposure: ", exposed(i))
}

// exposed says how much of an intent's money is confirmed and how much uncertain.
func exposed(i *model.Intent) templates.Text {
	money := func(amount int64) model.Money { return model.Money{Amount: amount, Currency: i.Currency} }
	switch {
	case i.Exposure() == 0:
		return say(money(0))
	case i.Uncertain == 0:
		return say(money(i.Confirmed), ", all of it confirmed")
	case i.Confirmed == 0:
		return say(money(i.Uncertain), ", all of it uncertain")
	}
	return say(money(i.Exposure()), " — ", money(i.Confirmed), " confirmed, ", money(i.Uncertain), " uncertain")
}
