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
	case s != nil && s.State == model.InProgress:
		return "being sent"
	case s != nil && s.Operation == model.DisputeRespond:
		return "disputed, uncertain"
	}
	return "uncertain"
}

// exposure is an intent's money that is out or may be, in minor units of its
// currency, by how it stands.
type exposure struct {
	currency                              string
	confirmed, transit, flying, uncertain int64 // flying is being sent now
}

// exposureOf reads an intent's exposure off its steps: what settles in time and
// what is being sent is not uncertain, as everywhere in the console.
func exposureOf(c *model.Case) exposure {
	e := exposure{currency: c.Currency, confirmed: c.Confirmed, uncertain: c.Uncertain}
	for _, s := range c.Steps {
		switch {
		case s.State != model.InProgress:
		case s.Settling:
			e.transit, e.uncertain = e.transit+s.Open, e.uncertain-s.Open
		default:
			e.flying, e.uncertain = e.flying+s.Open, e.uncertain-s.Open
		}
	}
	return e
}

// line is the exposure as a line of its own; nil where the intent has no money.
func (e exposure) line() templates.Text {
	if e.currency == "" {
		return nil
	}
	return say("Exposure: ", e.text())
}

// text says how much of the exposure stands in which way.
func (e exposure) text() templates.Text {
	money := func(amount int64) model.Money { return model.Money{Amount: amount, Currency: e.currency} }
	parts, text, last := 0, say(), ""
	for _, part := range []struct {
		amount int64
		word   string
	}{{e.confirmed, "confirmed"}, {e.transit, "in transit"}, {e.flying, "being sent"}, {e.uncertain, "uncertain"}} {
		if part.amount == 0 {
			continue
		}
		if parts++; parts > 1 {
			text = say(text, ", ")
		}
		text, last = say(text, money(part.amount), " ", part.word), part.word
	}
	switch all := money(e.confirmed + e.transit + e.flying + e.uncertain); parts {
	case 0:
		return say(money(0))
	case 1:
		return say(all, ", all of it ", last)
	default:
		return say(all, " — ", text)
	}
}
