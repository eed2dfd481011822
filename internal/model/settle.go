package model

import "fmt"

// Settle records what an attempt came back as and moves its step. The attempt
// must be the open one. It returns the evidence to store, to which the caller
// gives its ID beforehand.
func (c *Case) Settle(s *Step, out Outcome, evidenceID string, t Timing, spread float64, now Time) (Evidence, error) {
	a := s.OpenAttempt()
	if a == nil {
		return Evidence{}, fmt.Errorf("step %s has no open attempt", s.Key())
	}
	a.finish(out, now)
	e := evidenceOf(s, a, out, evidenceID, now)
	s.Evidence = append(s.Evidence, e)
	c.Version++
	if err := c.settleStep(s, a, out, e.ID, now); err != nil {
		return e, err
	}
	c.schedule(s, t, spread, now)
	if s.State == Confirmed && out.Replayed && s.Contract.Queryable() {
		s.NextCheckAt = now.Add(t.Checks[0]) // a replayed success is not the present state
	}
	if out.Result == ResultThrottled && s.NextTryAt != 0 && out.RetryAfter > 0 {
		s.NextTryAt = now.Add(out.RetryAfter)
	}
	return e, nil
}

func (a *Attempt) finish(out Outcome, now Time) {
	a.FinishedAt, a.Result, a.Code, a.Reason = now, out.Result, out.Code, out.Detail
	a.Connections, a.BytesOut, a.Status, a.Replayed = out.Connections, out.BytesOut, out.HTTPStatus, out.Replayed
}

// evidenceOf says in one observation what an answer proves about the step.
func evidenceOf(s *Step, a *Attempt, out Outcome, id string, now Time) Evidence {
	source := FromResponse
	if out.ByRule {
		source = FromRule
	}
	e := Evidence{ID: id, IntentID: s.IntentID, Step: s.Name, Attempt: a.Number, Source: source, Says: Inconclusive,
		BeganAt: a.StartedAt, At: now, By: a.Worker, Ref: out.ExternalRef, WireKey: a.WireKey,
		Amount: out.Amount, Currency: out.Currency, Status: out.Status, Final: out.Final, Detail: out.Detail}
	switch out.Result {
	case ResultConfirmed, ResultDone:
		e.Says = Happened
	case ResultNotSent, ResultPermanent, ResultCurable, ResultFailed, ResultThrottled:
		e.Says = DidNotHappen // this attempt; others keep their own outcome
	}
	return e
}

// settleStep moves the step after one of its attempts was finished.
func (c *Case) settleStep(s *Step, a *Attempt, out Outcome, cause string, now Time) error {
	if s.State == Confirmed {
		return nil // evidence was faster than the answer, and it stands
	}
	by := WhoProvider
	if !s.Class.Effect() {
		by = WhoEngine
	}
	switch out.Result {
	case ResultConfirmed, ResultDone:
		return c.confirm(s, out.ExternalRef, out.Amount, by, cause, out.Detail, now)
	case ResultAccepted:
		return c.accept(s, out.ExternalRef, cause, out.Detail, now)
	case ResultUnknown:
		return c.doubt(s, WhoProvider, cause, out.Detail, now)
	}
	if open := c.UnknownAttempts(s); len(open) > 0 {
		detail := fmt.Sprintf("%s That answers attempt %d only: attempt %d may have acted.", out.Detail, a.Number, open[0].Number)
		return c.doubt(s, WhoProvider, cause, detail, now)
	}
	if out.Result == ResultFailed && out.ExternalRef != "" {
		s.ExternalRef = out.ExternalRef // the failed object; the next generation leaves it
	}
	return c.fail(s, failureOf(out.Result), by, out.Code, cause, out.Detail, now)
}

func failureOf(r Result) Failure {
	switch r {
	case ResultPermanent:
		return Permanent
	case ResultCurable:
		return Curable
	case ResultFailed:
		return FailedObject
	}
	return Retryable
}

// confirm moves a step to confirmed. amount is what really moved; 0 means as asked.
func (c *Case) confirm(s *Step, ref string, amount int64, by Who, cause, reason string, now Time) error {
	if err := c.move(s, Confirmed, by, cause, reason, now); err != nil {
		return err
	}
	if ref != "" {
		s.ExternalRef = ref
	}
	if s.HasMoney() {
		s.Moved = s.Amount
		if amount != 0 {
			s.Moved = amount
		}
	}
	return nil
}

// accept moves a step to settling: the provider has it, and says later how it ends.
func (c *Case) accept(s *Step, ref, cause, reason string, now Time) error {
	if err := c.move(s, InProgress, WhoProvider, cause, reason, now); err != nil {
		return err
	}
	s.Settling, s.Checks = true, 0
	if ref != "" {
		s.ExternalRef = ref
	}
	s.SettlesBy = now.Add(s.Contract.SettleLimit)
	return nil
}

// doubt moves a step to outcome_unknown, or leaves it there with the newest reason.
func (c *Case) doubt(s *Step, by Who, cause, reason string, now Time) error {
	if s.State == OutcomeUnknown {
		s.Reason = reason
		return nil
	}
	return c.move(s, OutcomeUnknown, by, cause, reason, now)
}

// MakeMoot makes a pending step unnecessary: a decision left nothing to do.
func (c *Case) MakeMoot(s *Step, reason string, now Time) error {
	return c.move(s, NotNeeded, WhoEngine, "moot", reason, now)
}

// Lose closes an attempt whose worker did not report: work inside our own
// database was rolled back and did nothing, anything else is unknown.
func (c *Case) Lose(s *Step, evidenceID string, t Timing, spread float64, now Time) (Evidence, error) {
	a := s.OpenAttempt()
	out := Outcome{Result: ResultUnknown, Code: "worker_lost", Detail: fmt.Sprintf("Worker %s did not report back; its request may have been sent.", a.Worker)}
	if !s.Class.Effect() {
		out.Result, out.Detail = ResultNothing, "The worker was lost before its transaction was kept: nothing happened."
	}
	a.finish(out, now)
	a.Lost = true
	e := evidenceOf(s, a, out, evidenceID, now)
	s.Evidence = append(s.Evidence, e)
	c.Version++
	if s.State == Confirmed {
		return e, nil
	}
	var err error
	if s.Class.Effect() {
		err = c.doubt(s, WhoEngine, e.ID, out.Detail, now)
	} else {
		err = c.move(s, Pending, WhoEngine, e.ID, out.Detail, now)
	}
	c.schedule(s, t, spread, now)
	return e, err
}

// Overdue moves a settling step past its limit to outcome_unknown.
func (c *Case) Overdue(s *Step, cause string, t Timing, spread float64, now Time) error {
	err := c.doubt(s, WhoEngine, cause, fmt.Sprintf("The provider took it, should have finished by %s, and has not said how it ended.", s.SettlesBy.Std().Format("2006-01-02 15:04:05 UTC")), now)
	if err == nil {
		c.schedule(s, t, spread, now)
	}
	return err
}
