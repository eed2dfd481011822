package model

import "fmt"

// Mark is what a person states about an effect, with a document.
type Mark struct {
	Happened    bool
	ExternalRef string
	Amount      int64 // minor units that really moved; 0 without money
	Currency    string
	Dated       Time
	Document    string
	DocSHA256   string
	Reason      string
	By          string
	EvidenceID  string
}

// ApplyMark records a person's statement, moves the step on it and closes the
// step's open conflict. Rights and rules are the caller's business.
func (c *Case) ApplyMark(s *Step, m Mark, t Timing, spread float64, now Time) (Evidence, error) {
	e := Evidence{ID: m.EvidenceID, IntentID: s.IntentID, Step: s.Name, Source: FromOperator, Says: DidNotHappen, BeganAt: now, At: now,
		By: m.By, Ref: m.ExternalRef, WireKey: s.WireKey, Amount: m.Amount, Currency: m.Currency, Detail: m.Reason,
		Document: m.Document, DocSHA256: m.DocSHA256, Dated: m.Dated}
	var err error
	switch {
	case m.Happened && s.Returned > 0:
		e.Says, s.Returned = CameBack, m.Amount // what was paid stays as it was
		err = c.move(s, Confirmed, WhoOperator, e.ID, m.Reason, now)
	case m.Happened:
		ref := s.Known() // the provider's object stays the step's; what a document names stands in the evidence
		if ref == "" {
			ref = m.ExternalRef
		}
		e.Says = Happened
		err = c.confirm(s, ref, m.Amount, WhoOperator, e.ID, m.Reason, now)
	case s.State != Pending && s.State != NotNeeded: // those did nothing anyway
		s.PersonOnly, s.ExternalRef, s.Moved = true, "", 0
		err = c.fail(s, Retryable, WhoOperator, "marked", e.ID, m.Reason, now)
	}
	if err != nil {
		return e, err
	}
	s.Evidence = append(s.Evidence, e)
	for i := range c.Conflicts {
		if k := &c.Conflicts[i]; k.Step == s.Name && k.ClosedAt == 0 {
			k.ClosedAt, k.ClosedBy = now, e.ID
			c.Changes = append(c.Changes, Change{Step: s.Name, StepKey: s.Key(), From: s.State, To: s.State, By: WhoOperator, Cause: e.ID, Reason: m.Reason, Event: "conflict.closed"})
			c.Version++
		}
	}
	c.schedule(s, t, spread, now)
	return e, nil
}

// ConfirmedByMark reports whether only a person's word confirms the step.
func (s *Step) ConfirmedByMark() bool {
	marked := false
	if s.State != Confirmed {
		return false
	}
	for i := range s.Evidence {
		if e := &s.Evidence[i]; e.Says == Happened {
			if e.Source != FromOperator {
				return false
			}
			marked = true
		}
	}
	return marked
}

// unlikeMark says in which way what was found is not the step's. Where a person
// marked what moved, that is neither what was asked for nor what the provider said.
func (s *Step) unlikeMark(look Look) string {
	m := s.Marked()
	if m == nil || look.Currency == "" || look.Amount == m.Amount && look.Currency == m.Currency {
		return look.Detail
	}
	in := func(amount int64, currency string) Money { return Money{Amount: amount, Currency: currency} }
	return fmt.Sprintf("A person marked %s (%s); the provider shows %s as %s; %s was asked for.",
		in(m.Amount, m.Currency), m.Ref, in(look.Amount, look.Currency), look.ExternalRef, in(s.Amount, s.Currency))
}

// Marked is the person's word that says what the confirmed step moved, or nil where
// no person said it.
func (s *Step) Marked() *Evidence {
	for i := len(s.Evidence) - 1; i >= 0; i-- {
		e := &s.Evidence[i]
		if e.Source == FromOperator && e.Says == Happened {
			if s.State != Confirmed || s.Moved == 0 || e.Amount != s.Moved {
				return nil
			}
			return e
		}
	}
	return nil
}
