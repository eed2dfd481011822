package actions

import (
	"fmt"
	"strings"

	"countersign/internal/model"
)

// sealed is what a digest covers: all that decides what would be done, and
// nothing that merely passes, such as times and looks that found nothing.
type sealed struct {
	Action        string
	Intent        string
	Step          string
	Steps         []sealedStep
	Calls         []sealedCall
	Changes       []string
	Conflicts     []string
	Compensations []string
	Abandoned     bool
	People        int
	Input         any
}

type sealedStep struct {
	Key, WireKey string
	State        model.StepState
	Failure      model.Failure
	Settling     bool
	Attempts     int
	Ordered      bool
	Returned     int64
}

type sealedCall struct {
	StepKey, WireKey        string
	Class                   model.Class
	Method, URL, BodySHA256 string
}

// seal is the digest of a plan on the case as it is.
func seal(action, step string, c *model.Case, plan Plan) string {
	s := sealed{Action: action, Intent: c.ID, Step: step, Abandoned: c.Abandonment != nil, People: plan.People, Input: plan.Input}
	for _, step := range c.Steps {
		s.Steps = append(s.Steps, sealedStep{step.Key(), step.WireKey, step.State, step.Failure, step.Settling, len(step.Attempts),
			step.Ordered == model.OrderRetry, step.Returned})
	}
	for _, call := range plan.Calls {
		s.Calls = append(s.Calls, sealedCall{call.StepKey, call.WireKey, call.Class, call.Method, call.URL, call.BodySHA256})
	}
	for _, change := range plan.Changes {
		s.Changes = append(s.Changes, change.Subject+" "+change.To)
	}
	for _, k := range c.Conflicts {
		if k.ClosedAt == 0 {
			s.Conflicts = append(s.Conflicts, k.ID)
		}
	}
	for _, k := range c.Compensations {
		s.Compensations = append(s.Compensations, k.ID+" "+string(k.State))
	}
	return model.Digest(s)
}

// PlanCode is the short form of a digest that a person types where an act could
// lead to a second payment or cannot be taken back: "3F22 FD28".
func PlanCode(digest string) string {
	if len(digest) < 8 {
		return ""
	}
	code := strings.ToUpper(digest[:8])
	return code[:4] + " " + code[4:]
}

// differences says in sentences what moved between two plans of one action.
func differences(before, after model.Plan) []string {
	list := []string{}
	was, is := standing(before), standing(after)
	for _, name := range order(before, after) {
		a, b := was[name], is[name]
		switch {
		case a.state != b.state:
			list = append(list, fmt.Sprintf("%s was %s and is %s now.", name, orNothing(a.state), orNothing(b.state)))
		case a.sent != b.sent:
			list = append(list, fmt.Sprintf("%s had been sent %d times and has been sent %d times now.", name, a.sent, b.sent))
		case a.wireKey != b.wireKey:
			list = append(list, name+" would go out under another key.")
		case a.body != b.body:
			list = append(list, name+" would go out with another body.")
		}
	}
	return list
}

// place is where a step stands in a plan.
type place struct {
	state, wireKey, body string
	sent                 int
}

// standing finds every step or subject of a plan by name.
func standing(p model.Plan) map[string]place {
	all := map[string]place{}
	for _, list := range [][]model.PlannedStep{p.Untouched, p.Then} {
		for _, s := range list {
			all[s.Step] = place{state: string(s.State)}
		}
	}
	for _, c := range p.Changes {
		all[subject(c.Subject)] = place{state: c.From}
	}
	for _, c := range p.Calls {
		all[c.Step] = place{string(c.State), c.WireKey, c.BodySHA256, c.SentBefore}
	}
	return all
}

// order lists the names in two plans, each once.
func order(plans ...model.Plan) []string {
	var names []string
	seen := map[string]bool{}
	add := func(name string) {
		if !seen[name] {
			seen[name] = true
			names = append(names, name)
		}
	}
	for _, p := range plans {
		for _, c := range p.Calls {
			add(c.Step)
		}
		for _, c := range p.Changes {
			add(subject(c.Subject))
		}
		for _, s := range append(append([]model.PlannedStep{}, p.Untouched...), p.Then...) {
			add(s.Step)
		}
	}
	return names
}

// subject is the step's name where a change is about one.
func subject(key string) string {
	if _, step, _, err := model.SplitStepKey(key); err == nil {
		return step
	}
	return "the intent"
}

func orNothing(state string) string {
	if state == "" {
		return "not part of the plan"
	}
	return state
}
