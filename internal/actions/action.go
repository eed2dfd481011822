package actions

import (
	"bytes"
	"encoding/json"
	"slices"

	"countersign/internal/authz"
	"countersign/internal/model"
	"countersign/internal/store"
	"countersign/internal/workflow"
)

// Action is one of the five things that an operator may do. It plans and
// applies; rights, audit and the end of the transaction are the runner's.
type Action struct {
	Name  string
	Needs authz.Permission
	// Plan says exactly what would be done. It changes nothing. A
	// *model.Refusal is a verdict; errors of kind Invalid are about the input.
	Plan func(*Planning) (Plan, error)
	// Request does what the mere request for a second person brings about; nil
	// is nothing.
	Request func(*Applying) error
	// Apply writes down what was planned, on the locked case.
	Apply func(*Applying) error
}

// actions are the five, in the order in which pages show them.
var actions = []*Action{retry, reconcile, mark, compensate, abandon}

// find gives an action by its name; nil is none.
func find(name string) *Action {
	for _, a := range actions {
		if a.Name == name {
			return a
		}
	}
	return nil
}

// Planning is all that a plan may look at.
type Planning struct {
	Case   *model.Case
	Step   *model.Step // nil where none was named
	Input  json.RawMessage
	Timing model.Timing
	Tiers  authz.Tiers
	Now    model.Time
	Book   *workflow.Book
	tx     *store.Tx
}

// decode reads the input strictly into a struct.
func (p *Planning) decode(into any) error {
	if text := bytes.TrimSpace(p.Input); len(text) == 0 || string(text) == "null" {
		return nil
	}
	return within("/input", model.DecodeStrict(p.Input, into))
}

// named refuses a request that names none of the steps that the action could
// concern; where there are none, the verdict tells that better.
func (p *Planning) named(concerns func(*model.Step) bool) error {
	if p.Step == nil && slices.ContainsFunc(p.Case.Steps, concerns) {
		return invalid("/step", "is missing: this action is about one step")
	}
	return nil
}

// Applying is a plan that is carried out, and what comes of it.
type Applying struct {
	*Planning
	Plan       Plan
	PreviewID  string
	ApprovalID string // "" where one person suffices
	ByID       string // the person who asked for it
	ByName     string
	Reason     string // theirs

	Attempt      *int   // number of the attempt that the engine is to make
	Compensation string // id of the intent that was made

	accepted func(*model.Case) error // records that an intent was made
}

// order leaves the engine an order on a step. The case's version moves, so that
// nothing else that was planned before is carried out beside it.
func (a *Applying) order(s *model.Step, what model.Order, bodyDigest []byte) {
	s.Ordered, s.OrderID, s.OrderBy, s.OrderAt, s.OrderDigest = what, a.PreviewID, a.ByName, a.Now, bodyDigest
	a.Case.Version++
}
