package api

import "countersign/internal/actions"

// Approval is a request for other people's signatures.
type Approval struct {
	ID          string     `json:"id"`
	State       string     `json:"state" enum:"open,approved,rejected,withdrawn,dismissed,expired,executed"`
	Action      string     `json:"action" enum:"retry_unfinished,reconcile,mark_external_result,compensate,abandon,approve_intent"`
	Intent      string     `json:"intent"`
	StepKey     *string    `json:"step_key"`
	Digest      string     `json:"digest" doc:"Seals the plan; a decision names it."`
	Plan        Plan       `json:"plan"`
	RequestedBy string     `json:"requested_by"`
	Needed      int        `json:"needed" doc:"How many signatures."`
	Decisions   []Decision `json:"decisions" nullable:"false"`
	MayApprove  []string   `json:"may_approve" nullable:"false" doc:"Names of those who may still sign."`
	ExpiresAt   *string    `json:"expires_at" format:"date-time"`
}

// Decision is one person's word on a request.
type Decision struct {
	By     string  `json:"by"`
	At     *string `json:"at" format:"date-time"`
	Says   string  `json:"says" enum:"approve,reject,withdraw"`
	Reason string  `json:"reason"`
}

func approvalOf(a actions.Approval) (Approval, error) {
	plan, err := storedPlan(a.Plan)
	shape := Approval{ID: a.ID, State: a.State, Action: a.Action, Intent: a.Intent, StepKey: a.StepKey, Digest: a.Digest, Plan: plan,
		RequestedBy: a.RequestedBy, Needed: a.Needed, Decisions: []Decision{}, MayApprove: append([]string{}, a.MayApprove...),
		ExpiresAt: moment(a.ExpiresAt)}
	for _, d := range a.Decisions {
		shape.Decisions = append(shape.Decisions, Decision{By: d.By, At: moment(d.At), Says: d.Says, Reason: d.Reason})
	}
	return shape, err
}
