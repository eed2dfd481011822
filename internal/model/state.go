package model

import (
	"fmt"
	"slices"
	"strings"
)

// The names of the five actions, as they stand in addresses and entries.
const (
	RetryUnfinished    = "retry_unfinished"
	Reconcile          = "reconcile"
	MarkExternalResult = "mark_external_result"
	Compensate         = "compensate"
	Abandon            = "abandon"
)

// ActionNames lists the five in the order in which pages show them.
var ActionNames = []string{RetryUnfinished, Reconcile, MarkExternalResult, Compensate, Abandon}

// Review is a decision that only a person can take.
type Review struct {
	Rule    string
	Because string
	Propose string // one of the five actions
}

// Review tells whether the first unfinished step waits for a person, and why.
func (c *Case) Review(t Timing, now Time) *Review {
	if k := c.OpenConflict(); k != nil {
		return &Review{"conflict.open", k.Reason, MarkExternalResult}
	}
	if k := c.BrokenOff(); k != nil && c.Abandonment == nil {
		return &Review{"compensation.broken-off", "The compensation of " + k.Step + " ended part-way: some of it was undone, and some still stands.", c.undoOrLeave(now)}
	}
	if s := c.StaleEntry(); s != nil && c.Abandonment == nil {
		return &Review{"returned.entry-stands", "The money came back, and the ledger entry of " + s.Name + " still stands.", c.undoOrLeave(now)}
	}
	u := c.Unfinished()
	if u == nil || c.Abandonment != nil || c.StandingCompensation() != nil || u.OpenAttempt() != nil || u.Ordered != NoOrder {
		return nil
	}
	if c.ParentReturned && u.MovesMoney() {
		return &Review{"parent.returned", "The money came back by itself, so this reversal must not be sent.", Abandon}
	}
	if c.tooLate(u, now) && (u.State == Pending || u.State == FailedSafely && u.Failure != Permanent) {
		return &Review{"send.due-date-passed", "The date by which it had to be sent has passed; sending it now could not help.", Abandon}
	}
	switch u.State {
	case Pending:
		return c.reviewPending(u)
	case FailedSafely:
		return c.reviewFailed(u, now)
	case OutcomeUnknown:
		return c.reviewUnknown(u, t, now)
	}
	return nil
}

func (c *Case) reviewPending(u *Step) *Review {
	if c.approvalLapsed(u) {
		return &Review{"approval.lapsed", "Nobody approved it in time. Retrying asks again.", RetryUnfinished}
	}
	return nil
}

func (c *Case) reviewFailed(u *Step, now Time) *Review {
	switch {
	case u.NextTryAt != 0:
		return nil
	case u.Failure == Permanent && c.SomethingHappened() && c.Kind == KindCompensation:
		return &Review{"partial.refused", "Refused for good after part of it was undone: " + u.Reason, Abandon}
	case u.Failure == Permanent && c.SomethingHappened():
		return &Review{"partial.refused", "Refused for good after earlier effects: " + u.Reason, c.undoOrLeave(now)}
	case u.Failure == Permanent:
		return nil // a terminal failure, no decision left
	case u.Failure == Curable:
		return &Review{"refused.curable", "Refused until a person cures the cause: " + u.Reason, RetryUnfinished}
	case u.Failure == FailedObject:
		return &Review{"object.failed", "The provider took it and then it failed: " + u.Reason, RetryUnfinished}
	case u.PersonOnly:
		return &Review{"retry.by-a-person", "Nothing happened; a person decides about the next try. " + u.Reason, RetryUnfinished}
	}
	return &Review{"budget.spent", fmt.Sprintf("All %d tries are spent; nothing happened. %s", u.Tries, u.Reason), RetryUnfinished}
}

// undoOrLeave proposes to undo what stands where any of it can be undone, else to
// leave it as it is: what is proposed must be allowed.
func (c *Case) undoOrLeave(now Time) string {
	if slices.ContainsFunc(c.Steps, func(s *Step) bool { return c.MayUndo(s, now) == nil }) {
		return Compensate
	}
	return Abandon
}

func (c *Case) reviewUnknown(u *Step, t Timing, now Time) *Review {
	r := c.mayRepeat(u, ByRetry, t, now)
	spent := r != nil && (r.Rule == "send.budget-spent" || r.Rule == "send.by-a-person")
	switch {
	case u.NextTryAt != 0:
		return nil
	case spent && c.mayRepeat(u, ByOperator, t, now) == nil:
		return &Review{"budget.spent", "Unknown, and the engine's tries are spent. The provider still recognises the key.", RetryUnfinished}
	case spent:
		return &Review{"budget.spent", "Unknown, and the engine's tries are spent.", Reconcile}
	case u.NextCheckAt != 0:
		return nil
	case u.Contract.Queryable():
		return &Review{"unknown.checks-spent", "Unknown, and asking the provider did not settle it: " + u.Reason, Reconcile}
	}
	return &Review{"unknown.cannot-be-asked", "Unknown, and the provider cannot be asked: " + u.Reason, MarkExternalResult}
}

// StaleEntry is a ledger entry that still stands though the money it is about
// came back by itself, or nil: reversing it is a person's decision.
func (c *Case) StaleEntry() *Step {
	back := false
	for _, s := range c.Steps {
		back = back || s.Returned > 0
		if back && s.Operation == LedgerPost && s.State == Confirmed && c.StandingCompensation() == nil {
			return s
		}
	}
	return nil
}

// SomethingHappened reports whether anything stands that would have to be
// undone: a confirmed effect, or confirmed local work that has an undo.
func (c *Case) SomethingHappened() bool {
	for _, s := range c.Steps {
		if s.State == Confirmed && (s.Class.Effect() || s.HasUndo()) {
			return true
		}
	}
	return false
}

// Derive computes everything that is stored about the intent but follows from
// its rows: state, reason, exposure, place in the queue and the next wake-up.
// It is the one place where an intent's state comes from.
func (c *Case) Derive(t Timing, now Time) {
	before := c.State
	c.State, c.Reason = c.state(t, now)
	if c.Held && (c.State == Received || c.State == Processing || c.State == RetryableFailure) {
		c.Reason = strings.TrimSpace("Nothing is sent until the restore hold is lifted. " + c.Reason)
	}
	c.exposure()
	c.Stuck, c.UncertainSince = "", 0
	if u := c.Unfinished(); u != nil {
		c.Stuck = u.Name
	}
	unknown := false
	for _, s := range c.Steps {
		if s.InDoubt() {
			unknown = true
			c.UncertainSince = earliest(c.UncertainSince, s.UncertainSince)
		}
	}
	if c.State != before || c.StuckSince == 0 {
		c.StuckSince = now
	}
	if c.State != NeedsReview {
		c.ReviewDue = 0
	} else if c.ReviewDue == 0 {
		c.ReviewDue = now.Add(t.Review)
	}
	c.SortOpen = c.sortOpen(unknown)
	c.WakeAt = c.Work(t, now).At
	if c.WakeAt != 0 && c.LeaseWorker != "" {
		c.WakeAt = max(c.WakeAt, c.LeaseUntil) // whoever holds it goes on by itself
	}
	c.UpdatedAt = now
}

// BehindUncertain is added to a place in the queue: it puts what is merely stuck behind everything uncertain.
const BehindUncertain = 1 << 56

// sortOpen is the queue's order: the oldest uncertainty first, then what has
// been stuck longest; 0 keeps an intent out of the queue.
func (c *Case) sortOpen(unknown bool) int64 {
	switch {
	case unknown:
		return int64(c.UncertainSince)
	case c.State == NeedsReview, c.State == RetryableFailure, c.State == AwaitingApproval:
		return BehindUncertain + int64(c.StuckSince)
	}
	return 0
}

// exposure sums what is confirmed and what is uncertain, of which each step keeps
// its own part. What was taken back counts no more; where observations contradict
// each other, the larger counts. What is in doubt beside a confirmed effect, or of
// one that had come to nothing, is so since the contradiction.
func (c *Case) exposure() {
	c.Confirmed, c.Uncertain = 0, 0
	for _, s := range c.Steps {
		s.Open = 0
		switch {
		case s.Uncertain() && c.UndoneBy(s) == "", s.State == OutcomeUnknown:
			s.Open = max(s.Amount, c.observed(s))
		case s.State == Confirmed && s.MovesMoney():
			s.Open = c.besides(s)
			if c.UndoneBy(s) == "" {
				c.Confirmed += s.Moved - s.Returned
			}
		case s.State != InProgress && s.MovesMoney():
			s.Open = c.observed(s)
		}
		if s.MovesMoney() && !s.Uncertain() {
			s.UncertainSince = 0
			if s.Open > 0 {
				s.UncertainSince = c.contradictedSince(s)
			}
		}
		c.Uncertain += s.Open
	}
}

// observed is the largest amount that was seen under an open contradiction, in
// minor units of the step's currency.
func (c *Case) observed(s *Step) (amount int64) {
	if !c.Contradicted(s) {
		return 0
	}
	for i := range s.Evidence {
		if e := &s.Evidence[i]; e.Says == Conflicting && e.Currency == s.Currency {
			amount = max(amount, e.Amount)
		}
	}
	return amount
}

// contradictedSince is when the step's open contradiction began; 0 is none.
func (c *Case) contradictedSince(s *Step) (since Time) {
	for i := range c.Conflicts {
		if k := &c.Conflicts[i]; k.Step == s.Name && k.ClosedAt == 0 {
			since = earliest(since, k.OpenedAt)
		}
	}
	return since
}

// besides is what an open contradiction shows beside what confirmed the step: a
// second object, or the difference to a larger amount. An object that has neither
// the amount nor the reference of a person's mark counts as a second one: nothing
// says that both are the same payment.
func (c *Case) besides(s *Step) (amount int64) {
	if !c.Contradicted(s) {
		return 0
	}
	for i := range s.Evidence {
		e := &s.Evidence[i]
		if e.Says != Conflicting || e.Currency != s.Currency {
			continue
		}
		extra := e.Amount
		if e.Ref == s.ExternalRef || e.Status == Several {
			extra -= s.Moved
		}
		amount = max(amount, extra)
	}
	return amount
}

// state is the first row of the table that fits, with its sentence.
func (c *Case) state(t Timing, now Time) (IntentState, string) {
	if k := c.OpenConflict(); k != nil {
		return NeedsReview, k.Reason
	}
	if k := c.StandingCompensation(); k != nil && c.BrokenOff() == nil {
		return c.compensationState(k)
	}
	if c.Abandonment != nil {
		return Abandoned, "Abandoned by " + c.Abandonment.By + ": " + c.Abandonment.Reason
	}
	if r := c.Review(t, now); r != nil {
		return NeedsReview, r.Because
	}
	u := c.Unfinished()
	switch {
	case u != nil && u.State == Pending && c.waitsForApproval(u):
		return AwaitingApproval, fmt.Sprintf("%s waits for people to approve: %d needed.", u.Name, u.PeopleNeeded)
	case c.Fence == 0:
		return Received, "Accepted; no worker has taken it yet."
	case u == nil:
		return Completed, "Every step is confirmed or not needed."
	case u.State == FailedSafely && u.Failure == Permanent:
		return TerminalFailure, "Refused for good, and nothing happened: " + u.Reason
	case u.State == FailedSafely:
		return RetryableFailure, "Nothing happened yet, and it will be tried again: " + u.Reason
	}
	return Processing, u.Reason
}

func (c *Case) compensationState(k *Compensation) (IntentState, string) {
	switch k.State {
	case CompensationDone:
		return Compensated, "Undone from " + k.Step + " on by " + k.ChildID + "."
	case CompensationAsked:
		return Compensating, "A compensation of " + k.Step + undoAsked
	}
	return Compensating, "Being undone by " + k.ChildID + "."
}

// undoAsked ends the sentence of an intent whose undo waits to be signed.
const undoAsked = " waits for a second person; nothing else runs."

// UndoAsked reports whether the intent stands still because its undo is asked for
// and not signed: nothing of it has been undone.
func (i *Intent) UndoAsked() bool {
	return i.State == Compensating && strings.HasSuffix(i.Reason, undoAsked)
}
