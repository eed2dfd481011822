package actions

import (
	"encoding/hex"
	"fmt"

	"countersign/internal/authz"
	"countersign/internal/model"
)

// retry sends the first unfinished step once more, exactly once.
var retry = &Action{Name: model.RetryUnfinished, Needs: authz.RetryUnfinished, Plan: planRetry, Apply: applyRetry}

// mayRetry rules on a step; nil is an intent without an unfinished one.
func mayRetry(c *model.Case, s *model.Step, t model.Timing, now model.Time) ruling {
	if s == nil {
		return no("retry.nothing-unfinished", "Every step is confirmed or not needed: there is nothing to retry.")
	}
	if r, busy := flying(c, now); busy {
		return r
	}
	switch {
	case s.Returned > 0:
		return no("retry.already-back", "The money of "+s.Name+" came back; paying anew is a new intent.")
	case s.State.Done():
		return no("retry.confirmed", s.Name+" is "+string(s.State)+": finished steps are never touched.")
	case s.Ordered == model.OrderRetry:
		return no("retry.ordered", "A retry was ordered by "+s.OrderBy+" already; the engine is about to carry it out.")
	case s.Ordered == model.OrderReconcile:
		return no("reconcile.ordered", "A look was ordered by "+s.OrderBy+"; its answer comes first.")
	case settling(s):
		return no("send.object-known", "The provider took it and has not said how it ended; it is only asked about until it is final.")
	}
	if r := c.MaySend(s, model.ByOperator, t, now); r != nil {
		return by(r)
	}
	if s.State == model.Pending {
		return mayRetryPending(c, s, t, now)
	}
	return mayRetryTried(c, s)
}

// mayRetryPending allows only what nothing is scheduled for.
func mayRetryPending(c *model.Case, s *model.Step, t model.Timing, now model.Time) ruling {
	if open := c.OpenRequest(); open != nil && open.Action == model.ApproveIntent {
		return no("approval.waiting", s.Name+" waits for people to approve it.")
	}
	if review := c.Review(t, now); review != nil && review.Propose == model.RetryUnfinished {
		return yes("retry.ask-again", review.Because)
	}
	return no("retry.scheduled", "The engine is about to run "+s.Name+" by itself.")
}

// mayRetryTried says on what grounds a step that was tried may be tried again.
func mayRetryTried(c *model.Case, s *model.Step) ruling {
	if number, opens := c.NextGeneration(s); opens {
		return yes("retry.next-generation", fmt.Sprintf(
			"Nothing happened, and the provider keeps that answer under the old key: the retry goes out under a new one, generation %d.", number))
	}
	if s.State == model.OutcomeUnknown {
		return yes("retry.same-key", "The outcome is unknown, but the provider surely recognises the key: a repeat cannot act twice.")
	}
	return yes("retry.failed-safely", "It is known that nothing happened: "+s.Reason)
}

func planRetry(p *Planning) (Plan, error) {
	s := p.Step
	if s == nil {
		s = p.Case.Unfinished()
	}
	if err := mayRetry(p.Case, s, p.Timing, p.Now).err(); err != nil {
		return Plan{}, err
	}
	number, _ := p.Case.NextGeneration(s)
	call, err := p.call(p.Case, s, number)
	if err != nil {
		return Plan{}, err
	}
	plan := newPlan(1)
	if s.State == model.OutcomeUnknown {
		plan.Until = call.SafeUntil
	}
	plan.Calls = append(plan.Calls, call)
	plan.sort(p.Case, s)
	return plan, nil
}

// applyRetry orders the one attempt; the engine makes it, if the bytes are
// still those that were previewed.
func applyRetry(a *Applying) error {
	call := a.Plan.Calls[0]
	s := a.Case.Step(call.Step)
	digest, err := hex.DecodeString(call.BodySHA256)
	if err != nil {
		return fmt.Errorf("body digest of %s: %w", call.StepKey, err)
	}
	a.order(s, model.OrderRetry, digest)
	a.Case.Fence++
	number := len(s.Attempts) + 1
	a.Attempt = &number
	return nil
}
