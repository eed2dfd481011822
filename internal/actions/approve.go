package actions

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"

	"countersign/internal/audit"
	"countersign/internal/authz"
	"countersign/internal/model"
	"countersign/internal/store"
)

// The words that a person can say on a request.
const (
	sayApprove  = "approve"
	sayReject   = "reject"
	sayWithdraw = "withdraw"
)

// Approve signs a request. The last signature that is needed carries it out in
// the same transaction: exactly what was sealed, or nothing. Errors carry the
// problem's name as code: "self-approval" (whatever else is missing), "denied",
// "step-up-required", "not-found", "approval-closed" with "state" (and "changes"
// where the intent moved and the request was dismissed), "digest-mismatch",
// "invalid-params", "busy", "outcome-unknown".
func (r *Runner) Approve(ctx context.Context, actor authz.Actor, id string, in Confirmation) (Receipt, error) {
	return r.decide(ctx, actor, id, sayApprove, in)
}

// Reject refuses a request for good; the intent goes on as if it had not been
// made, but a rejected intent ends. Errors are those of Approve.
func (r *Runner) Reject(ctx context.Context, actor authz.Actor, id string, in Confirmation) (Receipt, error) {
	return r.decide(ctx, actor, id, sayReject, in)
}

// Withdraw takes back one's own request. Errors are those of Approve.
func (r *Runner) Withdraw(ctx context.Context, actor authz.Actor, id string, in Confirmation) (Receipt, error) {
	return r.decide(ctx, actor, id, sayWithdraw, in)
}

func (r *Runner) decide(ctx context.Context, actor authz.Actor, id, says string, in Confirmation) (Receipt, error) {
	if err := in.checkSealed(); err != nil {
		return Receipt{}, err
	}
	var t *deciding
	err := patiently(ctx, func(last bool) error {
		return r.db.Update(ctx, func(tx *store.Tx) error {
			t = &deciding{Runner: r, tx: tx, actor: actor, says: says, in: in, last: last}
			return t.run(id)
		})
	})
	if errors.Is(err, model.Unknown) {
		return r.whatWasDecided(ctx, id, t, err)
	}
	if err != nil {
		return Receipt{}, err
	}
	return t.receipt, t.refusal
}

// whatWasDecided reads again after a commit of which the database did not say
// whether it was kept.
func (r *Runner) whatWasDecided(ctx context.Context, id string, t *deciding, doubt error) (Receipt, error) {
	err := r.db.View(ctx, func(tx *store.Tx) error {
		a, err := tx.Approval(id)
		if err != nil {
			return err
		}
		for _, d := range a.Decisions {
			if d.Person == t.actor.ID && d.Says == t.says && d.Reason == t.in.Reason {
				return nil
			}
		}
		return doubt
	})
	if err != nil {
		return Receipt{}, err
	}
	return t.receipt, t.refusal
}

// deciding is one run of one decision in one transaction. Its results are read
// after the commit; a second run begins anew.
type deciding struct {
	*Runner
	tx    *store.Tx
	actor authz.Actor
	says  string
	in    Confirmation
	last  bool

	request *model.Approval // of the locked case
	c       *model.Case
	receipt Receipt
	refusal error
}

func (t *deciding) run(id string) error {
	a, err := t.tx.Approval(id)
	if err != nil {
		return err
	}
	if !t.actor.Sees(a.Account) {
		return notFound("approval request", id)
	}
	if t.c, err = t.tx.LockCase(a.IntentID); err != nil {
		return err
	}
	t.request = t.c.Request(id)
	if first := t.first(); first != nil {
		return json.Unmarshal(first, &t.receipt)
	}
	if err := t.mayDecide(); err != nil {
		return t.refuse(err)
	}
	if !t.last && t.says == sayApprove && onlyLooking(t.c, t.tx.Now()) {
		return errLooking
	}
	if r, busy := flying(t.c, t.tx.Now()); busy && t.says == sayApprove {
		return t.refuse(asProblem(r.err()))
	}
	t.receipt = Receipt{Outcome: Recorded, Intent: t.c.ID, Approval: optional(id)}
	if err := t.decide(); err != nil || t.refusal != nil {
		return err
	}
	body, err := json.Marshal(t.receipt)
	if err != nil {
		return fmt.Errorf("encode the receipt: %w", err)
	}
	return t.tx.KeepReceipt(id, t.actor.ID, body)
}

// first is the answer to the same decision made before: a double click, or a
// repeat after a lost answer, gets it again.
func (t *deciding) first() []byte {
	for _, d := range t.request.Decisions {
		if d.Person == t.actor.ID && d.Says == t.says && d.Reason == t.in.Reason && t.in.Digest == t.request.Digest {
			return d.Receipt
		}
	}
	return nil
}

func (t *deciding) decide() error {
	switch t.says {
	case sayApprove:
		return t.approve()
	case sayReject:
		return t.end(model.ApprovalRejected, "approval.rejected")
	}
	return t.end(model.ApprovalWithdrawn, "approval.withdrawn")
}

// mayDecide checks the decision on the request as it stands.
func (t *deciding) mayDecide() error {
	standing := t.request.AsOf(t.tx.Now())
	asked := authz.Request{Account: t.request.Account, Requester: t.request.RequestedBy, Creator: t.c.Creator, Decisions: t.request.Decisions}
	return question{asked, standing.State, t.request.Digest}.mayDecide(t.tx, t.actor, t.says, t.in)
}

// refuse ends the run with an entry and nothing else.
func (t *deciding) refuse(why error) error {
	event, err := refusalEvent(why)
	if err != nil {
		return err
	}
	t.refusal = why
	_, err = t.append("approval."+event, codeOf(why), ruleOf(why))
	return err
}

func (t *deciding) append(event, result, policy string) (string, error) {
	return t.log.Append(t.tx, audit.Entry{Actor: entryActor(t.actor, t.c.Account), Event: event, Account: t.c.Account, Intent: t.c.ID,
		StepKey: keyOf(t.c, t.request.Step), Preview: t.request.PreviewID, Reason: t.in.Reason, Result: result, Policy: policy,
		Detail: map[string]any{"approval": t.request.ID, "action": t.request.Action, "digest": t.request.Digest, "requested_by": t.request.RequesterName}})
}

// approve signs, and carries the request out when enough have signed.
func (t *deciding) approve() error {
	changes, err := t.moved(t.tx, t.c, t.request)
	if err != nil {
		return err
	}
	if len(changes) > 0 {
		return t.dismissed(changes)
	}
	if err := t.sign(); err != nil {
		return err
	}
	entry, err := t.append("approval.approved", "approved", "")
	if err != nil {
		return err
	}
	if t.receipt.Audit = entry; t.signatures() < t.request.Needed {
		t.receipt.Outcome = AwaitingApproval
		return nil
	}
	return t.execute()
}

// dismissed ends the request because the intent moved; the signature is void.
func (t *deciding) dismissed(changes []string) error {
	if err := t.dismiss(t.tx, t.c, t.request, changes); err != nil {
		return err
	}
	t.refusal = model.Errorf(model.Conflict, "approval-closed", "The intent moved since this was asked for, so the request was dismissed.").
		With("state", string(model.ApprovalDismissed)).With("changes", changes)
	if _, err := t.append("approval.refused", "approval-closed", ""); err != nil {
		return err
	}
	return t.log.Record(t.tx, t.c, entryActor(t.actor, t.c.Account), t.timing)
}

func (t *deciding) sign() error {
	d := model.ApprovalDecision{ApprovalID: t.request.ID, Person: t.actor.ID, Name: t.actor.Name, Says: t.says, Reason: t.in.Reason, At: t.tx.Now()}
	t.request.Decisions = append(t.request.Decisions, d)
	return t.tx.InsertDecision(d)
}

// signatures counts the people who approved.
func (t *deciding) signatures() (n int) {
	for _, d := range t.request.Decisions {
		if d.Says == sayApprove {
			n++
		}
	}
	return n
}

// execute carries out what enough people have signed.
func (t *deciding) execute() error {
	c, request := t.c, t.request
	if err := t.tx.CloseApproval(c, request.ID, model.ApprovalExecuted, "Approved by "+names(request.Decisions)+"."); err != nil {
		return err
	}
	err := t.applyRequest()
	if err == nil {
		err = t.dismissMoved(t.tx, c, request.ID)
	}
	if err != nil {
		return fmt.Errorf("%s of %s: %w", request.Action, c.ID, err)
	}
	if err := t.log.Record(t.tx, c, entryActor(t.actor, c.Account), t.timing); err != nil {
		return err
	}
	t.receipt.Outcome = Executed
	t.receipt.Audit, err = t.append("action."+request.Action+".executed", Executed, "")
	return err
}

// applyRequest does what was asked for.
func (t *deciding) applyRequest() error {
	c, request := t.c, t.request
	if request.Action == model.ApproveIntent {
		c.Fence++
		return c.DecideApproval(c.Step(request.Step), true, request.ID, "Approved by "+names(request.Decisions)+".", t.tx.Now())
	}
	_, plan, err := t.replanRequest(t.tx, c, request)
	if err != nil {
		return err
	}
	p, err := t.planning(t.tx, c, request.Step, request.Input)
	if err != nil {
		return err
	}
	a := &Applying{Planning: p, Plan: plan, PreviewID: request.PreviewID, ApprovalID: request.ID,
		ByID: request.RequestedBy, ByName: request.RequesterName, Reason: request.Reason, accepted: t.childAccepted}
	err = find(request.Action).Apply(a)
	t.receipt.Attempt, t.receipt.Compensation = a.Attempt, optional(a.Compensation)
	return err
}

// childAccepted records that a compensation's own intent was made.
func (t *deciding) childAccepted(child *model.Case) error {
	_, err := t.log.Append(t.tx, acceptedEntry(child, entryActor(t.actor, child.Account)))
	return err
}

// end closes the request without carrying it out.
func (t *deciding) end(to model.ApprovalState, event string) error {
	if err := t.sign(); err != nil {
		return err
	}
	if err := t.tx.CloseApproval(t.c, t.request.ID, to, t.in.Reason); err != nil {
		return err
	}
	if err := t.tx.SettleAsked(t.c, t.request.ID, "", model.CompensationWithdrawn); err != nil {
		return err
	}
	if s := t.c.Step(t.request.Step); t.request.Action == model.ApproveIntent && to == model.ApprovalRejected && s != nil && s.State == model.Pending {
		reason := "Rejected by " + t.actor.Name + ": " + t.in.Reason
		if err := t.c.DecideApproval(s, false, t.request.ID, reason, t.tx.Now()); err != nil {
			return err
		}
		t.c.Fence++
	}
	if err := t.log.Record(t.tx, t.c, entryActor(t.actor, t.c.Account), t.timing); err != nil {
		return err
	}
	var err error
	t.receipt.Audit, err = t.append(event, string(to), "")
	return err
}

// names joins who approved.
func names(decisions []model.ApprovalDecision) string {
	text := ""
	for _, d := range decisions {
		if d.Says != sayApprove {
			continue
		}
		if text != "" {
			text += " and "
		}
		text += d.Name
	}
	return text
}
