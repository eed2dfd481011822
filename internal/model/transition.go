package model

import "fmt"

// Who says on whose word a step changes its state.
type Who string

// The four voices.
const (
	WhoEngine   Who = "engine"
	WhoProvider Who = "provider" // an answer, a query, a webhook
	WhoOperator Who = "operator" // a mark, a file
	WhoApprover Who = "approver"
)

// Transition is one permitted change of a step's state, and what it records.
type Transition struct {
	From, To StepState
	By       Who
	Records  string
}

// Transitions is the whole table. A change that is not here cannot be written.
var Transitions = []Transition{
	{Pending, InProgress, WhoEngine, "attempt"},
	{Pending, Confirmed, WhoEngine, "attempt"},            // pure and local work, or a rule's approval
	{Pending, Confirmed, WhoApprover, "approval"},         // people approved
	{Pending, Confirmed, WhoProvider, "evidence"},         // found by a sweep after a restore
	{Pending, FailedSafely, WhoEngine, "attempt"},         // pure or local work refused
	{Pending, FailedSafely, WhoApprover, "approval"},      // people rejected
	{Pending, NotNeeded, WhoEngine, "attempt"},            // nobody to write to, nothing to credit
	{Pending, NotNeeded, WhoApprover, "compensation"},     // a compensation makes the rest moot
	{Pending, OutcomeUnknown, WhoEngine, "evidence"},      // restored from a backup
	{InProgress, Confirmed, WhoEngine, "attempt"},         // pure and local work done
	{InProgress, FailedSafely, WhoEngine, "attempt"},      // pure and local work refused
	{InProgress, Confirmed, WhoProvider, "evidence"},      // final at the provider
	{InProgress, Confirmed, WhoOperator, "evidence"},      // overdue, marked
	{InProgress, InProgress, WhoProvider, "evidence"},     // accepted, settling
	{InProgress, FailedSafely, WhoProvider, "evidence"},   // refused, or the object failed
	{InProgress, FailedSafely, WhoOperator, "evidence"},   // overdue, marked
	{InProgress, OutcomeUnknown, WhoProvider, "evidence"}, // no answer that says what happened
	{InProgress, OutcomeUnknown, WhoEngine, "attempt"},    // worker lost, or settlement overdue
	{InProgress, Pending, WhoEngine, "attempt"},           // a lost attempt of local work did nothing
	{OutcomeUnknown, Confirmed, WhoProvider, "evidence"},
	{OutcomeUnknown, Confirmed, WhoOperator, "evidence"},
	{OutcomeUnknown, InProgress, WhoProvider, "evidence"}, // there, settling
	{OutcomeUnknown, FailedSafely, WhoProvider, "evidence"},
	{OutcomeUnknown, FailedSafely, WhoOperator, "evidence"},
	{FailedSafely, InProgress, WhoEngine, "attempt"},
	{FailedSafely, FailedSafely, WhoOperator, "evidence"}, // a conflict closed: it did not happen
	{FailedSafely, Confirmed, WhoOperator, "evidence"},    // a conflict closed: it did happen
	{FailedSafely, NotNeeded, WhoApprover, "compensation"},
	{FailedSafely, OutcomeUnknown, WhoEngine, "evidence"}, // restored from a backup
	{Pending, Confirmed, WhoOperator, "evidence"},         // a conflict closed: it did happen
	{NotNeeded, Confirmed, WhoOperator, "evidence"},       // a conflict closed: it did happen
	{Confirmed, Confirmed, WhoOperator, "evidence"},       // a conflict closed: it happened
	{Confirmed, FailedSafely, WhoOperator, "evidence"},    // a conflict closed: it did not
}

// Allowed reports whether the table has such a row.
func Allowed(from, to StepState, by Who) bool {
	for _, t := range Transitions {
		if t.From == from && t.To == to && t.By == by {
			return true
		}
	}
	return false
}

// Change is one state change that a Case went through in memory; whoever stores
// the case writes one audit entry for each.
type Change struct {
	Step     string
	StepKey  string
	From, To StepState
	By       Who
	Cause    string // attempt number, evidence id or audit event
	Reason   string
	Event    string // the entry's event; "" is "step." and the new state
}

// move changes a step's state along the table and remembers the change.
func (c *Case) move(s *Step, to StepState, by Who, cause, reason string, now Time) error {
	if !Allowed(s.State, to, by) {
		return fmt.Errorf("step %s: no transition from %s to %s by %s", s.Key(), s.State, to, by)
	}
	before := s.Uncertain()
	c.Changes = append(c.Changes, Change{Step: s.Name, StepKey: s.Key(), From: s.State, To: to, By: by, Cause: cause, Reason: reason})
	s.State, s.Reason, s.ChangedAt = to, reason, now
	s.Settling, s.SettlesBy = false, 0
	s.Failure, s.Code = NoFailure, ""
	s.NextTryAt, s.NextCheckAt = 0, 0
	s.UncertainSince = 0
	if to == OutcomeUnknown { // there it stays until it is left: doubt does not begin anew
		s.UncertainSince = now
	}
	if !before || !s.Uncertain() {
		s.Checks = 0
	}
	c.Version++
	return nil
}

// fail moves a step to failed_safely with what may follow.
func (c *Case) fail(s *Step, failure Failure, by Who, code, cause, reason string, now Time) error {
	if err := c.move(s, FailedSafely, by, cause, reason, now); err != nil {
		return err
	}
	s.Failure, s.Code = failure, code
	return nil
}
