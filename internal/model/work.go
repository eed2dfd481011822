package model

import "slices"

// Do is a piece of the engine's work.
type Do string

// The pieces of work.
const (
	DoNothing Do = ""
	DoRun     Do = "run"     // a pure or local step
	DoSend    Do = "send"    // an effect
	DoCheck   Do = "check"   // a query
	DoOverdue Do = "overdue" // a settlement past its limit
	DoRecover Do = "recover" // an attempt whose worker was lost
	DoExpire  Do = "expire"  // an approval request past its time
)

// Work is what the engine does next with an intent, and when.
type Work struct {
	Do      Do
	Step    *Step
	At      Time // zero with DoNothing
	Trigger Trigger
}

// Work finds the earliest thing that the engine has to do, by itself or because
// a person ordered it.
func (c *Case) Work(t Timing, now Time) Work {
	if s, a := c.OpenAttempt(); a != nil {
		return Work{Do: DoRecover, Step: s, At: max(c.LeaseUntil, a.StartedAt)}
	}
	var first Work
	add := func(w Work) {
		if first.Do == DoNothing || w.At < first.At {
			first = w
		}
	}
	for _, s := range c.Steps {
		c.addOrdered(s, add)
		c.addWatched(s, add)
	}
	if u := c.Unfinished(); u != nil && c.blocked(u, now) == nil {
		c.addUnfinished(u, now, add)
	}
	for i := range c.Requests {
		if r := &c.Requests[i]; r.State == ApprovalOpen {
			add(Work{Do: DoExpire, At: r.ExpiresAt})
		}
	}
	return first
}

// addOrdered adds what a person asked for.
func (c *Case) addOrdered(s *Step, add func(Work)) {
	switch s.Ordered {
	case OrderReconcile:
		add(Work{Do: DoCheck, Step: s, At: s.OrderAt, Trigger: ByOperator})
	case OrderRetry:
		add(Work{Do: s.doing(), Step: s, At: s.OrderAt, Trigger: ByOperator})
	}
}

// addWatched adds the checks and limits of an effect that is not certain.
func (c *Case) addWatched(s *Step, add func(Work)) {
	if s.State == InProgress && s.Settling && s.SettlesBy != 0 {
		add(Work{Do: DoOverdue, Step: s, At: s.SettlesBy})
	}
	if s.NextCheckAt != 0 && (s.Uncertain() || s.State == Confirmed) {
		add(Work{Do: DoCheck, Step: s, At: s.NextCheckAt, Trigger: ByEngine})
	}
}

// addUnfinished adds the next run or send of the first unfinished step.
func (c *Case) addUnfinished(s *Step, now Time, add func(Work)) {
	switch {
	case s.State == Pending && !c.waitsForApproval(s) && !c.approvalLapsed(s):
		add(Work{Do: s.doing(), Step: s, At: max(s.ChangedAt, c.CreatedAt), Trigger: ByEngine})
	case s.NextTryAt != 0:
		add(Work{Do: s.doing(), Step: s, At: s.NextTryAt, Trigger: ByRetry})
	}
}

// doing is how the step is carried out.
func (s *Step) doing() Do {
	if s.Class.Effect() {
		return DoSend
	}
	return DoRun
}

// ApprovalStep is the operation of the steps that rule or people approve.
const ApprovalStep = "approve"

// waitsForApproval reports whether the step is one that people are asked about now.
func (c *Case) waitsForApproval(s *Step) bool {
	return s.Operation == ApprovalStep && c.openRequest(ApproveIntent) != nil
}

// approvalLapsed reports whether people were asked and did not answer in time;
// asking again is a person's decision.
func (c *Case) approvalLapsed(s *Step) bool {
	if s.Operation != ApprovalStep || s.PeopleNeeded == 0 || s.Ordered == OrderRetry {
		return false
	}
	for i := len(c.Requests) - 1; i >= 0; i-- {
		if r := &c.Requests[i]; r.Action == ApproveIntent {
			return r.State != ApprovalOpen
		}
	}
	return false
}

// openRequest is the open approval request for an action, or nil.
func (c *Case) openRequest(action string) *Approval {
	for i := range c.Requests {
		if r := &c.Requests[i]; r.State == ApprovalOpen && r.Action == action {
			return r
		}
	}
	return nil
}

// schedule sets when the engine tries and looks again, after something was
// learnt about the step. spread is in [0, 1).
func (c *Case) schedule(s *Step, t Timing, spread float64, now Time) {
	s.NextTryAt, s.NextCheckAt = 0, 0
	if s.OpenAttempt() != nil || c.Contradicted(s) {
		return // a person looks and decides; asking on would only repeat itself
	}
	if (s.Uncertain() || s.ConfirmedByMark()) && s.Contract.Queryable() {
		c.scheduleCheck(s, t, now)
	}
	switch s.State {
	case FailedSafely:
		if s.mayFollowFailure(ByRetry, t) == nil {
			s.NextTryAt = now.Add(t.Backoff(s.Tries, spread))
		}
	case OutcomeUnknown:
		c.scheduleRepeat(s, t, spread, now)
	}
}

// Contradicted reports whether the step has an open conflict.
func (c *Case) Contradicted(s *Step) bool {
	return slices.ContainsFunc(c.Conflicts, func(k Contradiction) bool { return k.Step == s.Name && k.ClosedAt == 0 })
}

// scheduleCheck plans the next look, and one at the moment from which "not
// found" is proof.
func (c *Case) scheduleCheck(s *Step, t Timing, now Time) {
	if wait, ok := t.CheckAfter(now.Sub(s.ChangedAt)); ok { // each phase of doubt is watched anew
		s.NextCheckAt = now.Add(wait)
	}
	if final, ok := c.NotFoundFinalAt(s); ok && final > now && s.State == OutcomeUnknown && s.ExternalRef == "" {
		s.NextCheckAt = earliest(s.NextCheckAt, final)
	}
}

// scheduleRepeat plans sending again while unknown, with a look before it.
func (c *Case) scheduleRepeat(s *Step, t Timing, spread float64, now Time) {
	at := now.Add(t.Backoff(s.Tries, spread))
	if r := c.mayRepeat(s, ByRetry, t, now); r != nil {
		if r.Rule != reconcileFirst || s.NextCheckAt == 0 {
			return
		}
		if len(t.Checks) > 0 {
			at = max(at, now.Add(t.Checks[0])) // a provider needs a moment to show what it did
		}
		s.NextCheckAt = min(s.NextCheckAt, at)
		at = s.NextCheckAt + 1
	}
	if until, ok := s.SafeUntil(t.Call); ok && at < until {
		s.NextTryAt = at
	}
}
