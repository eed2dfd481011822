package actions

import (
	"encoding/json"
	"errors"
	"strings"

	"countersign/internal/audit"
	"countersign/internal/authz"
	"countersign/internal/model"
	"countersign/internal/store"
)

// dismissMoved dismisses the open request about an intent that was just changed,
// where what it asks for is not what would be done now. except is the request
// that is being carried out.
func (r *Runner) dismissMoved(tx *store.Tx, c *model.Case, except string) error {
	open := c.OpenRequest()
	if open == nil || open.ID == except {
		return nil
	}
	changes, err := r.moved(tx, c, open)
	if err != nil || len(changes) == 0 {
		return err
	}
	return r.dismiss(tx, c, open, changes)
}

// moved tells what is different from when the request was made; nothing where
// it still asks for what would be done.
func (r *Runner) moved(tx *store.Tx, c *model.Case, request *model.Approval) ([]string, error) {
	if request.Action == model.ApproveIntent {
		return intentMoved(c, request), nil
	}
	if lost, err := requesterLost(tx, request); lost != "" || err != nil {
		return []string{lost}, err
	}
	_, plan, err := r.replanRequest(tx, c, request)
	var refusal *model.Refusal
	switch {
	case errors.As(err, &refusal):
		return []string{refusal.Because}, nil
	case err != nil:
		return nil, err
	case seal(request.Action, request.Step, c.Without(request.ID), plan) != request.Digest:
		return changesSince(request.Plan, plan, c), nil
	}
	return nil, nil
}

// intentMoved tells why an intent cannot be approved any more as it was asked.
func intentMoved(c *model.Case, request *model.Approval) []string {
	s := c.Step(request.Step)
	switch {
	case c.Abandonment != nil:
		return []string{"The intent was abandoned."}
	case c.StandingCompensation() != nil:
		return []string{"The intent is being undone."}
	case s == nil || s.State != model.Pending:
		return []string{request.Step + " does not wait for approval any more."}
	case c.ApproveIntentRequest(request.ID, model.Timing{}, 0).Digest != request.Digest:
		return []string{"The intent is not what people were asked to approve."}
	}
	return nil
}

// requesterLost says that who asked may not ask any more, or "".
func requesterLost(tx *store.Tx, request *model.Approval) (string, error) {
	person, err := tx.PersonActor(request.RequestedBy)
	switch {
	case errors.Is(err, model.Unauthenticated):
		return request.RequesterName + ", who asked for this, can no longer sign in.", nil
	case err != nil:
		return "", err
	}
	if may := authz.Actor(person).May(request.Account, authz.ForAction(request.Action)); !may.Allowed {
		return request.RequesterName + ", who asked for this, may no longer do so. " + may.Because, nil
	}
	return "", nil
}

// replanRequest plans a request's action again, as if it had not been asked for.
func (r *Runner) replanRequest(tx *store.Tx, c *model.Case, request *model.Approval) (*Planning, Plan, error) {
	action := find(request.Action)
	p, err := r.planning(tx, c.Without(request.ID), request.Step, json.RawMessage(request.Input))
	if err != nil || action == nil {
		return p, Plan{}, err
	}
	plan, err := action.Plan(p)
	return p, plan, err
}

// dismiss ends a request because the intent moved, with the difference.
func (r *Runner) dismiss(tx *store.Tx, c *model.Case, request *model.Approval, changes []string) error {
	id, account := request.ID, c.Account
	because := strings.Join(changes, " ")
	if err := tx.CloseApproval(c, id, model.ApprovalDismissed, because); err != nil {
		return err
	}
	if err := tx.SettleAsked(c, id, "", model.CompensationWithdrawn); err != nil {
		return err
	}
	_, err := r.log.Append(tx, audit.Entry{Actor: audit.Actor{Type: "engine", ID: "engine", Name: "engine"}, Event: "approval.dismissed", Account: account,
		Intent: c.ID, StepKey: keyOf(c, request.Step), Preview: request.PreviewID, Reason: because, Result: string(model.ApprovalDismissed),
		Detail: map[string]any{"approval": id, "action": request.Action}})
	return err
}
