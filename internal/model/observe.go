package model

import (
	"fmt"
	"slices"
)

// NothingFound begins what is said of a look-up that found nothing.
const NothingFound = "The provider knows nothing under our reference."

// Look is one finished observation of the outside world: a query, or an object
// read because a webhook named it.
type Look struct {
	Observation
	Source     Source
	By         string // worker, or the person who asked
	EvidenceID string
	Began      Time // when the look began
	// Single: one object was read by its own id, so that its absence or failure
	// says nothing about others.
	Single bool
	// Generation is the one whose key the look went by; 0 is the present one.
	Generation int
	// Taken is the step key of another step that the object already belongs to.
	Taken string
	// Document is the bank's file that it was read from, DocSHA256 that file's digest
	// in hex and Dated the day of the booking; of FromBankFile alone.
	Document  string
	DocSHA256 string
	Dated     Time
}

// Observe records what a look found and moves the step where that is legal. It
// never trusts absence before the moment from which absence is proof.
func (c *Case) Observe(s *Step, look Look, t Timing, spread float64, now Time) (Evidence, error) {
	e := Evidence{ID: look.EvidenceID, IntentID: s.IntentID, Step: s.Name, Source: look.Source, Says: Inconclusive,
		BeganAt: look.Began, At: now, By: look.By, Ref: look.ExternalRef, WireKey: s.WireKey,
		Amount: look.Amount, Currency: look.Currency, Status: look.Status, Final: look.Failed || look.Finding == FoundFailed, Detail: look.Detail,
		Document: look.Document, DocSHA256: look.DocSHA256, Dated: look.Dated}
	if s.Uncertain() && look.Source == FromQuery {
		s.Checks++
	}
	err := c.weigh(s, look, &e, now)
	s.Evidence = append(s.Evidence, e)
	if err == nil {
		c.schedule(s, t, spread, now)
	}
	return e, err
}

// weigh decides what an observation says, and applies it.
func (c *Case) weigh(s *Step, look Look, e *Evidence, now Time) error {
	c.takeGeneration(s, look)
	if look.Generation != 0 && look.Generation != s.Generation {
		return c.weighOlder(s, look, e, now)
	}
	switch {
	case look.Taken != "":
		return c.contradict(s, e, "The object "+look.ExternalRef+belongsTo+look.Taken+".", now)
	case look.Finding == FoundOther:
		return c.contradict(s, e, s.unlikeMark(look), now)
	case look.Finding == FoundSeveral:
		return c.contradict(s, e, look.Detail, now)
	case look.Finding == FoundHappened:
		return c.weighHappened(s, look, e, now)
	case look.Finding == FoundSettling:
		return c.weighSettling(s, look, e, now)
	case look.Finding == FoundFailed:
		return c.weighFailed(s, look, e, now)
	case look.Finding == FoundReturned:
		return c.weighReturned(s, look, e, now)
	case look.Finding == FoundNone:
		return c.weighNone(s, look, e, now)
	}
	return nil
}

// weighOlder takes news about an older generation as evidence only: its key was
// left because nothing stood under it. Something that does is a contradiction.
func (c *Case) weighOlder(s *Step, look Look, e *Evidence, now Time) error {
	if look.Finding == FoundHappened || look.Finding == FoundSettling || look.Finding == FoundReturned {
		return c.contradict(s, e, fmt.Sprintf("The provider shows %s under generation %d, which had ended without effect.", look.ExternalRef, look.Generation), now)
	}
	return nil
}

// ended reports whether the step is known to have had no effect.
func (s *Step) ended() bool { return s.State == FailedSafely || s.State == NotNeeded }

func (c *Case) weighHappened(s *Step, look Look, e *Evidence, now Time) error {
	switch {
	case s.another(look):
		return c.contradict(s, e, fmt.Sprintf("The provider shows %s beside %s, which is this step's.", look.ExternalRef, s.ExternalRef), now)
	case s.ended() && look.Source == FromBankFile:
		return c.contradict(s, e, look.Detail+" This step had ended without effect.", now)
	case s.ended():
		return c.contradict(s, e, fmt.Sprintf("The provider shows %s done, though this step had ended without effect.", look.ExternalRef), now)
	}
	e.Says, e.Final = Happened, true
	if s.State == Confirmed {
		s.ExternalRef = look.ExternalRef // a mark may have named a bank's line; this is the object itself
		return nil
	}
	return c.confirm(s, look.ExternalRef, look.Amount, WhoProvider, e.ID, look.Detail, now)
}

// weighSettling takes "in transit" only where nothing newer is known.
func (c *Case) weighSettling(s *Step, look Look, e *Evidence, now Time) error {
	switch {
	case s.another(look):
		return c.contradict(s, e, fmt.Sprintf("The provider shows %s under way beside %s.", look.ExternalRef, s.ExternalRef), now)
	case s.State == FailedSafely && s.Failure == FailedObject && s.ExternalRef == look.ExternalRef, s.State == Confirmed:
		return nil // read before the object became final
	case s.ended():
		return c.contradict(s, e, fmt.Sprintf("The provider shows %s under way, though this step had ended without effect.", look.ExternalRef), now)
	case s.State == InProgress && s.Settling:
		s.Reason = look.Detail
		return nil
	case s.State == OutcomeUnknown && s.overdue(now) && s.ExternalRef == look.ExternalRef:
		return nil // no news: it should have been final long ago
	}
	return c.accept(s, look.ExternalRef, e.ID, look.Detail, now)
}

// overdue reports whether the step's object was taken so long ago that another
// "in transit" is no news.
func (s *Step) overdue(now Time) bool {
	for i := range s.Evidence {
		e := &s.Evidence[i]
		if e.Ref != "" && e.Ref == s.ExternalRef && e.At.Add(s.Contract.SettleLimit) < now {
			return true
		}
	}
	return false
}

// weighFailed decides the attempt whose answer named the failed object. Other
// unknown attempts may have made another one: only a look that could have been
// final, and showed none, answers for them.
func (c *Case) weighFailed(s *Step, look Look, e *Evidence, now Time) error {
	if s.another(look) {
		return nil // it came to nothing, and another object is the step's
	}
	if s.State == Confirmed {
		return c.contradict(s, e, fmt.Sprintf("The provider now shows %s as failed.", look.ExternalRef), now)
	}
	if s.State != InProgress && s.State != OutcomeUnknown {
		return nil
	}
	final, known := c.NotFoundFinalAt(s)
	conclusive := known && look.Began >= final && !look.Single
	if len(c.UnknownAttempts(s)) > 0 && !conclusive {
		e.Detail += " Another attempt may have made another object; that is not known yet."
		s.ExternalRef = ""
		return c.doubt(s, WhoProvider, e.ID, e.Detail, now)
	}
	e.Says, e.Final = DidNotHappen, true
	s.ExternalRef = look.ExternalRef
	return c.fail(s, FailedObject, WhoProvider, look.Status, e.ID, look.Detail, now)
}

// weighReturned keeps the step confirmed, lowers the exposure, and asks a
// person to look: money that came back is never sent again under this intent.
func (c *Case) weighReturned(s *Step, look Look, e *Evidence, now Time) error {
	if s.another(look) {
		return c.contradict(s, e, fmt.Sprintf("The provider shows %s, which came back, beside %s.", look.ExternalRef, s.ExternalRef), now)
	}
	known := s.cameBack()
	e.Says, e.Amount, e.Final = CameBack, look.Returned, true
	if s.State == Confirmed && known == look.Returned {
		return nil // nothing new; a person may have recorded it otherwise
	}
	if s.State == InProgress || s.State == OutcomeUnknown {
		if err := c.confirm(s, look.ExternalRef, look.Amount, WhoProvider, e.ID, look.Detail, now); err != nil {
			return err
		}
	}
	if s.Moved == 0 {
		s.Moved, s.ExternalRef = max(look.Amount, look.Returned), look.ExternalRef
	}
	s.Returned = look.Returned
	c.openConflict(s, e, fmt.Sprintf("The money came back: the provider returned %s.", Money{Amount: look.Returned, Currency: s.Currency}), now)
	return nil
}

// weighNone takes absence as proof only from the moment at which it is one.
func (c *Case) weighNone(s *Step, look Look, e *Evidence, now Time) error {
	final, known := c.NotFoundFinalAt(s)
	conclusive := known && look.Began >= final && !look.Single
	e.Final = conclusive
	switch {
	case s.State == Confirmed && conclusive && s.ConfirmedByMark():
		return c.contradict(s, e, "A person marked this as happened; the provider does not know it, and would by now.", now)
	case s.State == OutcomeUnknown && s.ExternalRef == "" && conclusive:
		e.Says = DidNotHappen
		return c.fail(s, Retryable, WhoProvider, "not_found", e.ID, "The provider does not know it, and would by now: it did not happen.", now)
	case known && look.Began < final:
		e.Detail += fmt.Sprintf(" Not final before %s.", final.Std().Format("2006-01-02 15:04:05 UTC"))
	case !known:
		e.Detail += " When that becomes final is not known."
	}
	return nil
}

// Known is the provider's object of the step, by which it can be read and undone.
// It is "" where none is known, or where only a person's document or a bank's file
// names one: that may be a bank's line.
func (s *Step) Known() string {
	marked := false
	for i := range s.Evidence {
		if e := &s.Evidence[i]; e.Ref == s.ExternalRef && s.ExternalRef != "" {
			if e.Source != FromOperator && e.Source != FromBankFile {
				return s.ExternalRef
			}
			marked = true
		}
	}
	if marked {
		return ""
	}
	return s.ExternalRef
}

// another reports whether a look is about an object beside the step's own. A bank's
// line is none: it has a reference of the bank's.
func (s *Step) another(look Look) bool {
	known := s.Known()
	return look.Source != FromBankFile && known != "" && look.ExternalRef != "" && look.ExternalRef != known
}

// cameBack is what the provider last said had come back, in minor units.
func (s *Step) cameBack() (amount int64) {
	for i := range s.Evidence {
		if e := &s.Evidence[i]; e.Says == CameBack && e.Source != FromOperator {
			amount = e.Amount
		}
	}
	return amount
}

// decided reports whether a person has closed a conflict over this very
// observation already. That nothing happened decides over no object that the
// provider has: an amount that nobody recorded must not pass in silence.
func (c *Case) decided(s *Step, e *Evidence) bool {
	var closed Time
	denied := false
	for i := range c.Conflicts {
		if k := &c.Conflicts[i]; k.Step == s.Name && k.ClosedAt > closed {
			closed, denied = k.ClosedAt, s.denies(k.ClosedBy)
		}
	}
	if denied && e.shows() {
		return false
	}
	return slices.ContainsFunc(s.Evidence, func(old Evidence) bool {
		return old.Says == Conflicting && old.At < closed && old.Ref == e.Ref && old.Amount == e.Amount && old.Status == e.Status
	})
}

// contradict keeps the state and opens a conflict, unless a person has decided
// on the same observation before.
func (c *Case) contradict(s *Step, e *Evidence, reason string, now Time) error {
	e.Detail = reason
	if c.decided(s, e) {
		e.Says, e.Detail = Inconclusive, reason+" A person has decided on this before."
		return nil
	}
	e.Says = Conflicting
	c.openConflict(s, e, reason, now)
	return nil
}

// openConflict adds a conflict unless the step has an open one.
func (c *Case) openConflict(s *Step, e *Evidence, reason string, now Time) {
	if c.Contradicted(s) {
		return
	}
	c.Conflicts = append(c.Conflicts, Contradiction{ID: "conflict-" + e.ID, IntentID: c.ID, Step: s.Name, EvidenceID: e.ID, Reason: reason, OpenedAt: now})
	s.NextTryAt, s.NextCheckAt = 0, 0
	c.Changes = append(c.Changes, Change{Step: s.Name, StepKey: s.Key(), From: s.State, To: s.State, By: WhoProvider, Cause: e.ID, Reason: reason, Event: "conflict.opened"})
	c.Version++
}

// Late keeps the result that an old fence's worker brings after its attempt
// was closed. It never changes the state by itself; where it contradicts the
// state, a conflict opens.
func (c *Case) Late(s *Step, a *Attempt, out Outcome, evidenceID string, now Time) Evidence {
	e := Evidence{ID: evidenceID, IntentID: s.IntentID, Step: s.Name, Attempt: a.Number, Source: FromLate, Says: Inconclusive,
		BeganAt: a.StartedAt, At: now, By: a.Worker, Ref: out.ExternalRef, WireKey: a.WireKey,
		Amount: out.Amount, Currency: out.Currency, Status: out.Status, Detail: "Late: " + out.Detail}
	if out.Result == ResultConfirmed || out.Result == ResultAccepted {
		e.Says = Happened
		other := s.State == Confirmed && s.ExternalRef != "" && out.ExternalRef != "" && s.ExternalRef != out.ExternalRef
		if other || s.State == FailedSafely || s.State == NotNeeded {
			e.Says = Conflicting
			c.openConflict(s, &e, "A late answer says that it happened: "+out.Detail, now)
		}
		if s.State == OutcomeUnknown && s.ExternalRef == "" && out.ExternalRef != "" {
			s.ExternalRef, s.NextTryAt, s.NextCheckAt = out.ExternalRef, 0, now // asked about from now on, never sent again
			c.Version++
		}
	}
	s.Evidence = append(s.Evidence, e)
	c.askOnceFinal(s, now)
	return e
}

// askOnceFinal plans a look for the moment at which finding nothing is proof,
// which a late word can have made known.
func (c *Case) askOnceFinal(s *Step, now Time) {
	if final, ok := c.NotFoundFinalAt(s); ok && s.State == OutcomeUnknown && s.ExternalRef == "" && !c.Contradicted(s) {
		s.NextCheckAt = earliest(s.NextCheckAt, max(final, now))
	}
}
