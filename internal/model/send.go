package model

import "slices"

// Refusal says why something may not be done: a rule's name and a sentence.
type Refusal struct{ Rule, Because string }

// Error makes a Refusal an error for those who only pass it on.
func (r *Refusal) Error() string { return r.Because }

// MaySend decides whether the step may be sent now, by the engine or by a
// person's retry; nil is yes. Every reservation asks it again on the locked
// case, so that nothing which a person decided on meanwhile can be overrun.
func (c *Case) MaySend(s *Step, by Trigger, t Timing, now Time) *Refusal {
	if r := c.blocked(s, now); r != nil {
		return r
	}
	switch s.State {
	case Pending:
		return nil
	case FailedSafely:
		return s.mayFollowFailure(by, t)
	case OutcomeUnknown:
		return c.mayRepeat(s, by, t, now)
	}
	return &Refusal{"send.state", "The step is " + string(s.State) + "; there is nothing to send."}
}

// blocked tells what stops every send of the step, whatever its own state.
func (c *Case) blocked(s *Step, now Time) *Refusal {
	_, open := c.OpenAttempt()
	switch k := c.OpenConflict(); {
	case c.Held:
		return &Refusal{"hold.restored", "The database was restored from a backup; nothing is sent until two administrators lift the hold."}
	case c.Abandonment != nil:
		return &Refusal{"intent.abandoned", "The intent was abandoned: nothing is sent any more."}
	case c.StandingCompensation() != nil:
		return &Refusal{"intent.compensated", "A compensation is asked for, open or done: nothing more runs under this intent."}
	case c.BrokenOff() != nil:
		return &Refusal{"intent.compensated", "A compensation ended part-way: nothing more runs until a person decides about the rest."}
	case k != nil:
		return &Refusal{"conflict.open", "Two observations contradict each other on " + k.Step + ": " + k.Reason + " Only a mark by a person closes that."}
	case c.ParentReturned && s.MovesMoney():
		return &Refusal{"parent.returned", "The money already came back by itself; undoing it too would take it twice."}
	case open != nil:
		return &Refusal{"send.in-flight", "A send is in flight; its result must be known first."}
	case s != c.Unfinished():
		return &Refusal{"send.order", "Another step comes first."}
	case c.tooLate(s, now):
		return &Refusal{"send.due-date-passed", "The due date has passed; sending it now could not help any more."}
	}
	return nil
}

// tooLate reports whether the date has passed by which the step must be sent.
// What follows from it later, a credit for a dispute that was won, is not bound.
func (c *Case) tooLate(s *Step, now Time) bool {
	return s.Operation == DisputeRespond && c.DueBy != 0 && now > c.DueBy
}

// mayFollowFailure decides on a step of which it is known that nothing happened.
func (s *Step) mayFollowFailure(by Trigger, t Timing) *Refusal {
	person := by == ByOperator
	switch {
	case s.Failure == Permanent:
		return &Refusal{"send.refused-for-good", "It was refused for good (" + s.Code + "); repeating it cannot change that."}
	case person:
		return nil
	case s.Failure == Curable, s.Failure == FailedObject, s.PersonOnly:
		return &Refusal{"send.by-a-person", "A person decides about the next try."}
	case s.Tries >= t.Tries:
		return &Refusal{"send.budget-spent", "The engine's tries are spent."}
	}
	return nil
}

// mayRepeat decides on sending again while the outcome is unknown: only what
// the provider surely recognises, and only while it does.
func (c *Case) mayRepeat(s *Step, by Trigger, t Timing, now Time) *Refusal {
	until, ok := s.SafeUntil(t.Call)
	switch {
	case s.Class == Message:
		return &Refusal{"send.message-unknown", "A message whose outcome is unknown is never sent again; reconcile first."}
	case s.Class == Unkeyed:
		return &Refusal{"send.unkeyed-unknown", "The provider takes no key here, so a repeat could act twice; reconcile first."}
	case s.ExternalRef != "":
		return &Refusal{"send.object-known", "The provider's object " + s.ExternalRef + " is known; it is only asked about until it is final."}
	case !s.Contract.ActsAreStored:
		return &Refusal{"send.not-stored", "The provider does not promise to keep what it did with what it answered, so a repeat could act twice; reconcile first."}
	case !ok || now >= until:
		return &Refusal{"send.window-closed", "The time in which the provider surely recognises the key is over; a repeat could act twice."}
	case by != ByOperator && s.PersonOnly:
		return &Refusal{"send.by-a-person", "A person decides about the next try."}
	case by != ByOperator && s.Tries >= t.Tries:
		return &Refusal{"send.budget-spent", "The engine's tries are spent."}
	case s.Contract.Queryable() && s.lastLook() < s.lastFinish():
		return &Refusal{reconcileFirst, "The provider has not been asked since the last try; reconcile first."}
	}
	return nil
}

// reconcileFirst is the rule that a query must stand between two sends.
const reconcileFirst = "send.reconcile-first"

// lastLook is when the newest query about the step was made.
func (s *Step) lastLook() (at Time) {
	for i := range s.Evidence {
		if e := &s.Evidence[i]; e.Source == FromQuery {
			at = max(at, e.At)
		}
	}
	return at
}

// lastFinish is when the newest attempt ended.
func (s *Step) lastFinish() (at Time) {
	for i := range s.Attempts {
		at = max(at, s.Attempts[i].FinishedAt)
	}
	return at
}

// NextGeneration tells under which generation the next send goes. It opens a
// new one only where the old key could do nothing but replay a definite
// refusal, or belongs to an object that failed; never while anything under an
// older key is unknown.
func (c *Case) NextGeneration(s *Step) (number int, opens bool) {
	if s.Class != Keyed || s.State != FailedSafely || len(c.UnknownAttempts(s)) > 0 {
		return s.Generation, false
	}
	stored := s.Failure == Curable && slices.Contains(s.Contract.StoredCodes, s.Code)
	if s.Failure == FailedObject || stored {
		return s.Generation + 1, true
	}
	return s.Generation, false
}

// Reserve opens an attempt of the step: it is stored before the first byte
// leaves. The caller has asked MaySend under the intent's lock.
func (c *Case) Reserve(s *Step, a Attempt, now Time) (*Attempt, error) {
	a.IntentID, a.Account, a.Step, a.Number = s.IntentID, c.Account, s.Name, len(s.Attempts)+1
	a.Generation, a.WireKey, a.StartedAt = s.Generation, s.WireKey, now
	if a.Trigger == ByOperator {
		a.OrderedBy = s.OrderBy
		s.PersonOnly = true // what a person sent fails back to a person
	} else {
		s.Tries++
	}
	s.Attempts = append(s.Attempts, a)
	s.NextTryAt = 0
	c.Version++
	if s.State == OutcomeUnknown {
		return s.OpenAttempt(), nil // stays unknown: in flight is an open attempt, never a state
	}
	return s.OpenAttempt(), c.move(s, InProgress, WhoEngine, "attempt", "", now)
}
