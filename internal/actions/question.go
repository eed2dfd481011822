package actions

import (
	"countersign/internal/authz"
	"countersign/internal/model"
	"countersign/internal/store"
)

// question is what people decide on: a request about one intent, or about a list.
type question struct {
	authz.Request
	state  model.ApprovalState // as it stands now
	digest string
}

// mayDecide checks rights as they are now, then that the request is open and is
// the one that was looked at. One's own approval is refused as such first.
func (q question) mayDecide(tx *store.Tx, actor authz.Actor, says string, in Confirmation) error {
	if says == sayApprove {
		if own := authz.MayApprove(actor, q.Request); own.Code == authz.CodeSelfApproval {
			return own.Err()
		}
	}
	fresh, err := tx.Refresh(model.Actor(actor))
	if err != nil {
		return err
	}
	now := authz.Actor(fresh)
	rule := map[string]func(authz.Actor, authz.Request) authz.Decision{sayApprove: authz.MayApprove, sayReject: authz.MayReject, sayWithdraw: authz.MayWithdraw}
	may := rule[says](now, q.Request)
	switch {
	case q.state != model.ApprovalOpen:
		return model.Errorf(model.Conflict, "approval-closed", "This request is %s; nothing more can be decided on it.", q.state).With("state", string(q.state))
	case !may.Allowed:
		if may.Code == authz.CodeNotFound {
			may.Code = authz.CodeDenied // they saw it when they began
		}
		return may.Err()
	case in.Digest != q.digest:
		return model.Errorf(model.Conflict, "digest-mismatch", "The digest is not that of this request: something else was looked at.")
	case says == sayWithdraw:
		return nil
	}
	return authz.StepUpNeeded(now, authz.Decide, tx.Now()).Err()
}
