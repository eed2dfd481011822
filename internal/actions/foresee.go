package actions

import (
	"countersign/internal/model"
	"countersign/internal/store"
)

// Foresee gives the requests that approving an intent lets the engine make, in
// their order, as they would go out if nothing changes before. A request whose
// bytes cannot be built yet comes without them. It is empty for a request that
// is not about a whole intent. Whose they are to see is the caller's question.
func (r *Runner) Foresee(tx *store.Tx, c *model.Case, request model.Approval) (calls []model.PlannedCall, err error) {
	if request.Action != model.ApproveIntent {
		return nil, nil
	}
	p, err := r.planning(tx, c, request.Step, nil)
	if err != nil {
		return nil, err
	}
	return p.foreseen(), nil
}

// foreseen describes every request to come after the approval step.
func (p *Planning) foreseen() (calls []model.PlannedCall) {
	passed := false
	for _, s := range p.Case.Steps {
		if passed && s.State != model.NotNeeded {
			call, err := p.call(p.Case, s, s.Generation)
			if err != nil {
				call = describe(s)
				call.State = s.State
			}
			calls = append(calls, call)
		}
		passed = passed || s == p.Step
	}
	return calls
}
