package actions

import (
	"context"

	"countersign/internal/authz"
	"countersign/internal/model"
	"countersign/internal/store"
)

// Foresee gives the requests that approving an intent lets the engine make, in
// their order, as they would go out if nothing changes before. A request whose
// bytes cannot be built yet comes without them. It is empty for a request that
// is not about a whole intent. The error is of kind NotFound behind an account
// wall.
func (r *Runner) Foresee(ctx context.Context, actor authz.Actor, approval string) (calls []model.PlannedCall, err error) {
	err = r.db.View(ctx, func(tx *store.Tx) error {
		row, err := tx.Approval(approval)
		if err != nil {
			return err
		}
		if !actor.Sees(row.Account) {
			return notFound("approval request", approval)
		}
		c, err := tx.Case(row.IntentID)
		if err != nil || row.Action != model.ApproveIntent {
			return err
		}
		p, err := r.planning(tx, c, row.Step, nil)
		if err == nil {
			calls = p.foreseen()
		}
		return err
	})
	return calls, err
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
