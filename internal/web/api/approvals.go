package api

import (
	"context"
	"net/http"

	"countersign/internal/actions"
	"countersign/internal/authz"
)

func (a *api) approvalRoutes() {
	route(a, operation("list-approvals", http.MethodGet, "/approvals", "Approval requests, newest first."), a.listApprovals)
	route(a, operation("get-approval", http.MethodGet, "/approvals/{id}", "One approval request with its sealed plan."), a.getApproval)
	for _, d := range []struct {
		word, does string
		do         decide
	}{
		{"approve", "Signs the request; the last signature that is needed carries it out.", a.Runner.Approve},
		{"reject", "Refuses the request, with a reason.", a.Runner.Reject},
		{"withdraw", "Takes one's own request back, with a reason.", a.Runner.Withdraw},
	} {
		route(a, operation(d.word+"-approval", http.MethodPost, "/approvals/{id}/"+d.word, d.does, http.StatusConflict), a.decideBy(d.do))
	}
}

type listApprovalsInput struct {
	State  string `query:"state" enum:"open,approved,rejected,withdrawn,dismissed,expired,executed"`
	Cursor string `query:"cursor" maxLength:"512"`
	Limit  int    `query:"limit" minimum:"1" maximum:"200" default:"50"`
}

func (a *api) listApprovals(ctx context.Context, in *listApprovalsInput) (*listAnswer[Approval], error) {
	if _, err := accountsWith(actorOf(ctx), "", authz.ReadApprovals); err != nil {
		return nil, err
	}
	page, err := a.Runner.Approvals(ctx, actorOf(ctx), actions.ApprovalQuery{State: in.State, Cursor: in.Cursor, Limit: in.Limit})
	if err != nil {
		return nil, err
	}
	out := &listAnswer[Approval]{List[Approval]{Items: []Approval{}, NextCursor: page.NextCursor, Count: page.Count, CountCapped: page.CountCapped}}
	for _, item := range page.Items {
		shape, err := approvalOf(item)
		if err != nil {
			return nil, err
		}
		out.Body.Items = append(out.Body.Items, shape)
	}
	return out, nil
}

type approvalAnswer struct{ Body Approval }

func (a *api) getApproval(ctx context.Context, in *byID) (*approvalAnswer, error) {
	found, err := a.Runner.Approval(ctx, actorOf(ctx), in.ID)
	if err != nil {
		return nil, err
	}
	shape, err := approvalOf(found)
	return &approvalAnswer{shape}, err
}

// decide is one of the three things that a person can say on a request.
type decide func(context.Context, authz.Actor, string, actions.Confirmation) (actions.Receipt, error)

func (a *api) decideBy(do decide) func(context.Context, *confirmInput) (*receiptAnswer, error) {
	return func(ctx context.Context, in *confirmInput) (*receiptAnswer, error) {
		receipt, err := do(ctx, actorOf(ctx), in.ID, actions.Confirmation(in.Body.value))
		if err != nil {
			return nil, err
		}
		a.Wake() // also a rejection lets work go on
		return a.carriedOut(ctx, receipt), nil
	}
}
