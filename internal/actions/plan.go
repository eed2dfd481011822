package actions

import (
	"crypto/sha256"
	"encoding/hex"

	"countersign/internal/model"
	"countersign/internal/workflow"
)

// Plan is a plan with what is sealed beside it.
type Plan struct {
	model.Plan
	People int // 1, or 2 where somebody else must approve
	Input  any // what the person stated; part of the digest
	// Until is when the action stops being possible though nothing moves, such as
	// the end of a key's window; 0 is never.
	Until model.Time
}

func newPlan(people int) Plan { return Plan{Plan: model.NewPlan(), People: people} }

// sort puts every step that the plan does not act on where it belongs: later
// unfinished ones go on afterwards, everything else stays untouched. acted may
// be nil; undone are the steps whose effects the plan takes back.
func (p *Plan) sort(c *model.Case, acted *model.Step, undone ...*model.Step) {
	changed := map[string]bool{}
	for _, change := range p.Changes {
		changed[change.Subject] = true
	}
	for _, s := range undone {
		changed[s.Key()] = true
	}
	passed := false
	for _, s := range c.Steps {
		switch {
		case s == acted:
			passed = true
		case changed[s.Key()]:
		case passed && s.State == model.Pending:
			p.Then = append(p.Then, s.Planned())
		default:
			p.Untouched = append(p.Untouched, s.Planned())
		}
	}
}

// call describes the next send of a step under a generation: the frozen bytes,
// or those that would be frozen now.
func (p *Planning) call(c *model.Case, s *model.Step, generation int) (model.PlannedCall, error) {
	next := *s
	if generation != s.Generation {
		next.Generation, next.ExternalRef = generation, ""
	}
	next.WireKey = workflow.WireKey(&next)
	call := describe(&next)
	call.State = s.State
	if !s.Class.Effect() {
		return call, nil
	}
	call.SafeUntil, _ = next.SafeUntil(p.Timing.Call)
	if g := next.Frozen(); g != nil {
		call.Method, call.URL, call.Body, call.BodySHA256 = g.Method, g.URL, string(g.Body), hex.EncodeToString(g.BodySHA256)
		return call, nil
	}
	request, err := p.Book.Request(c, &next)
	if err != nil {
		return call, impossible(err)
	}
	sum := sha256.Sum256(request.Body)
	call.Method, call.URL, call.Body, call.BodySHA256 = request.Method, request.URL, string(request.Body), hex.EncodeToString(sum[:])
	return call, nil
}

// look describes a question to the provider.
func look(s *model.Step, address string) model.PlannedCall {
	call := describe(s)
	call.WireKey, call.KeyHeader = "", "" // it asks by our reference, or for the object
	call.Method, call.URL, call.State = "GET", address, s.State
	call.OnRepeat = "It answers again: asking changes nothing."
	return call
}

// describe tells what is known of a step's calls in its present generation.
func describe(s *model.Step) model.PlannedCall {
	call := model.PlannedCall{Step: s.Name, StepKey: s.Key(), WireKey: s.WireKey, KeyHeader: s.Contract.KeyHeader(), Generation: s.Generation, Class: s.Class, OnRepeat: s.Contract.OnRepeat}
	for i := range s.Attempts {
		if a := &s.Attempts[i]; a.Generation == s.Generation {
			call.SentBefore++
			call.LastSentAt = max(call.LastSentAt, a.StartedAt)
		}
	}
	return call
}
