package actions

import (
	"countersign/internal/model"
)

// ruling is a verdict on one action and step before anybody's rights: a rule's
// name and its sentence.
type ruling struct {
	allowed       bool
	rule, because string
}

func yes(rule, because string) ruling { return ruling{true, rule, because} }
func no(rule, because string) ruling  { return ruling{false, rule, because} }

// by turns a refusal of the model's rules into a ruling.
func by(r *model.Refusal) ruling { return no(r.Rule, r.Because) }

// err is nil when allowed, else the refusal.
func (r ruling) err() error {
	if r.allowed {
		return nil
	}
	return &model.Refusal{Rule: r.rule, Because: r.because}
}

// refused is what a refusal looks like from outside.
func refused(r *model.Refusal) *model.Error {
	return model.Errorf(model.Conflict, "action-refused", "%s", r.Because).With("rule", r.Rule).With("because", r.Because)
}

// inFlight is the rule that stands before every action but reconcile: what is on
// its way must have ended, or its result could not be told from the action's own.
const inFlight = "send.in-flight"

// flying rules out an action while a worker sends, or holds the intent.
func flying(c *model.Case, now model.Time) (ruling, bool) {
	if s, a := c.OpenAttempt(); a != nil {
		return no(inFlight, "A send is in flight: "+s.Name+" has an attempt that has not ended; its result must be known first."), true
	}
	if c.LeaseLive(now, "") {
		return no(inFlight, "A send is in flight, or about to be: worker "+c.LeaseWorker+" holds the intent."), true
	}
	return ruling{}, false
}

// onlyLooking reports whether a worker holds the intent without an open attempt:
// that is over in a moment.
func onlyLooking(c *model.Case, now model.Time) bool {
	_, open := c.OpenAttempt()
	return open == nil && c.LeaseLive(now, "")
}

// settling reports whether the provider took the step's effect and has not said
// how it ended.
func settling(s *model.Step) bool { return s.State == model.InProgress && s.Settling }
