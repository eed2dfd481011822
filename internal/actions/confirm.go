package actions

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"unicode/utf8"

	"countersign/internal/audit"
	"countersign/internal/authz"
	"countersign/internal/model"
	"countersign/internal/store"
)

// minReason is how long a reason is at least, in characters that are seen;
// maxReason bounds it.
const (
	minReason = 8
	maxReason = 2000
)

// Confirm carries out exactly the previewed plan, or nothing, once. A repeat
// with the same contents gets the first receipt. Errors carry the problem's
// name as code: "preview-consumed", "preview-expired", "digest-mismatch",
// "preview-stale" (with "changes" and "preview", a fresh one's id or nil),
// "denied", "step-up-required", "not-found", "invalid-params", "busy",
// "outcome-unknown". Every refusal and denial leaves one entry.
func (r *Runner) Confirm(ctx context.Context, actor authz.Actor, id string, in Confirmation) (Receipt, error) {
	if err := in.checkSealed(); err != nil {
		return Receipt{}, err
	}
	var t *confirming
	err := patiently(ctx, func(last bool) error {
		return r.db.Update(ctx, func(tx *store.Tx) error {
			t = &confirming{Runner: r, tx: tx, actor: actor, in: in, last: last}
			return t.run(id)
		})
	})
	switch {
	case errors.Is(err, model.Unknown):
		return r.whatWasConfirmed(ctx, actor, id, in, err)
	case err != nil:
		return Receipt{}, err
	case codeOf(t.refusal) == "preview-stale":
		return Receipt{}, r.withFreshPreview(ctx, actor, t)
	}
	return t.receipt, t.refusal
}

// CheckReason says what is wrong with a reason by itself, without the space around
// it: kind Invalid with the location /reason, or nil.
func CheckReason(reason string) error {
	reason = proseOf(reason)
	fault := disturbance(reason)
	switch {
	case model.Visible(reason) < minReason:
		return invalid("/reason", "is shorter than 8 characters")
	case utf8.RuneCountInString(reason) > maxReason:
		return invalid("/reason", "is longer than 2,000 characters")
	case fault != "":
		return invalid("/reason", fault)
	}
	return nil
}

// check takes the reason as it is kept and refuses one that says too little.
func (in *Confirmation) check() error {
	in.Reason = proseOf(in.Reason)
	return CheckReason(in.Reason)
}

// checkSealed is check for what has a digest: one that is missing is named beside
// the reason. A digest alone is compared later, where a wrong one leaves an entry.
func (in *Confirmation) checkSealed() error {
	err := in.check()
	var faults *model.Error
	if in.Digest == "" && errors.As(err, &faults) {
		return faults.WithFields(model.Field{Location: "/digest", Message: "is missing"})
	}
	return err
}

// contents is a digest of what a confirmation says.
func (in Confirmation) contents() string { return model.Digest([]string{in.Reason, in.Digest}) }

// confirming is one run of one confirmation in one transaction. Its results are
// read after the commit; a second run begins anew.
type confirming struct {
	*Runner
	tx    *store.Tx
	actor authz.Actor
	in    Confirmation
	last  bool
	list  *listed // the list that it is an item of; nil for a preview by itself

	preview store.Preview
	c       *model.Case
	action  *Action
	plan    *Plan // what was carried out or asked for; nil after a refusal
	receipt Receipt
	refusal error // committed as an entry: the transaction did nothing else
}

// run decides and applies. An error rolls everything back; a refusal commits
// its entry alone.
func (t *confirming) run(id string) error {
	if err := t.lock(id); err != nil {
		return err
	}
	if t.action = find(t.preview.Action); t.action == nil {
		return fmt.Errorf("preview %s is of the unknown action %s", id, t.preview.Action)
	}
	if over, err := t.list.over(t.tx); over || err != nil {
		return err
	}
	if t.preview.UsedAt != 0 {
		return t.repeat()
	}
	if err := t.mayConfirm(); err != nil {
		return t.refuse(err)
	}
	if t.action != reconcile && onlyLooking(t.c, t.tx.Now()) {
		if !t.last {
			return errLooking
		}
		r, _ := flying(t.c, t.tx.Now())
		return t.refuse(asProblem(r.err()))
	}
	p, plan, err := t.replan()
	if model.KindOf(err) == model.Stale {
		return t.refuse(err)
	}
	if err != nil {
		return err
	}
	return t.apply(p, plan)
}

// lock locks the intent, and only then reads whether the preview is used: the
// other half of a double click may have had the lock before.
func (t *confirming) lock(id string) error {
	preview, err := ownPreview(t.tx, t.actor, id)
	if err != nil {
		return err
	}
	if t.c, err = t.tx.LockCase(preview.IntentID); err != nil {
		return err
	}
	t.preview, err = ownPreview(t.tx, t.actor, id)
	return err
}

// repeat answers a preview that is used already.
func (t *confirming) repeat() error {
	if t.list != nil || t.preview.UsedWith != t.in.contents() {
		return t.refuse(model.Errorf(model.Conflict, "preview-consumed", "This preview was confirmed already, with other contents; that confirmation stands."))
	}
	if err := json.Unmarshal(t.preview.Receipt, &t.receipt); err != nil {
		return fmt.Errorf("read the receipt of %s: %w", t.preview.ID, err)
	}
	return nil
}

// mayConfirm checks rights as they are now, then time and digest.
func (t *confirming) mayConfirm() error {
	if t.list != nil {
		return t.mayCarryOut()
	}
	err := t.entitled(t.tx, t.actor, t.preview.Account, t.action.Needs, notFound("preview", t.preview.ID))
	switch {
	case err != nil:
		return err
	case t.tx.Now() > t.preview.ExpiresAt:
		return model.Errorf(model.Conflict, "preview-expired", "This preview has expired; make a new one.")
	case t.in.Digest != t.preview.Digest:
		return model.Errorf(model.Conflict, "digest-mismatch", "The digest is not that of this preview: something else was looked at.")
	}
	return t.byItself()
}

// byItself refuses a plan that stands for what a bank's file says: its list holds
// together what was read, under which names of columns, and who answers for it.
func (t *confirming) byItself() error {
	list, err := t.tx.OfBankFile(t.preview.IntentID, t.preview.ID)
	if err == nil && list != "" {
		err = refused(&model.Refusal{Rule: "bankfile.list", Because: "This plan is part of a list that was made of a bank's file, and is confirmed with that list alone. Nothing was done."})
	}
	return err
}

// replan plans again on the locked intent. The error is of kind Stale where the
// plan is not the previewed one any more.
func (t *confirming) replan() (*Planning, Plan, error) {
	p, err := t.planning(t.tx, t.c, t.preview.Step, t.preview.Input)
	if err != nil {
		return nil, Plan{}, err
	}
	plan, err := t.action.plan(p)
	var refusal *model.Refusal
	switch {
	case errors.As(err, &refusal):
		return p, plan, stale([]string{refusal.Because}).With("rule", refusal.Rule).With("because", refusal.Because)
	case err != nil:
		return p, plan, err
	case seal(t.action.Name, t.preview.Step, t.c, plan) != t.preview.Digest:
		return p, plan, stale(changesSince(t.preview.Plan, plan, t.c))
	}
	return p, plan, nil
}

func stale(changes []string) *model.Error {
	return model.Errorf(model.Stale, "preview-stale", "The intent moved since this was previewed; nothing was done. %s", strings.Join(changes, " ")).
		With("changes", changes).With("preview", nil)
}

// changesSince tells what moved since a stored plan was made.
func changesSince(before []byte, after Plan, c *model.Case) []string {
	var old model.Plan
	if err := json.Unmarshal(before, &old); err == nil {
		if list := differences(old, after.Plan); len(list) > 0 {
			return list
		}
	}
	return []string{"The intent has moved: it is " + string(c.State) + " now."}
}

// refuse ends the run with an entry and nothing else.
func (t *confirming) refuse(why error) error {
	event, err := refusalEvent(why)
	if err != nil {
		return err
	}
	t.refusal = why
	entry, err := t.append(event, codeOf(why), ruleOf(why))
	if err != nil {
		return err
	}
	return t.list.refused(t.tx, why, entry)
}

// append writes the action's entry.
func (t *confirming) append(event, result, policy string) (string, error) {
	return t.log.Append(t.tx, audit.Entry{Actor: entryActor(t.actor, t.c.Account), Event: "action." + t.action.Name + "." + event,
		Account: t.c.Account, Intent: t.c.ID, StepKey: t.stepKey(), Preview: t.preview.ID, Reason: t.in.Reason,
		Result: result, Policy: policy, Detail: t.detail()})
}

// detail is what an entry of a receipt points to.
func (t *confirming) detail() map[string]any {
	d := map[string]any{"digest": t.preview.Digest}
	if t.receipt.Approval != nil {
		d["approval"] = *t.receipt.Approval
	}
	t.list.detail(d)
	if t.plan != nil {
		d["calls"] = sealedCalls(*t.plan)
	}
	return d
}

// sealedCalls names the requests of a plan by key and digest, never by content.
func sealedCalls(plan Plan) []map[string]string {
	calls := []map[string]string{}
	for _, c := range plan.Calls {
		calls = append(calls, map[string]string{"step_key": c.StepKey, "wire_key": c.WireKey, "body_sha256": c.BodySHA256})
	}
	return calls
}

// stepKey is the key of the step that the action is about, "" where it is about
// the whole intent.
func (t *confirming) stepKey() string {
	if u := t.c.Unfinished(); t.action == retry && u != nil {
		return u.Key()
	}
	return keyOf(t.c, t.preview.Step)
}

func keyOf(c *model.Case, step string) string {
	if s := c.Step(step); s != nil {
		return s.Key()
	}
	return ""
}

// apply carries the plan out, or asks for a second person.
func (t *confirming) apply(p *Planning, plan Plan) error {
	a := &Applying{Planning: p, Plan: plan, PreviewID: t.preview.ID, ByID: t.actor.ID, ByName: t.actor.Name, Reason: t.in.Reason}
	t.receipt = Receipt{Outcome: Executed, Intent: t.c.ID}
	t.plan = &plan
	event := "executed"
	var err error
	if plan.People > 1 && t.list == nil { // a list was signed as a whole
		t.receipt.Outcome, event = AwaitingApproval, "requested"
		err = t.request(a)
	} else if err = t.action.Apply(a); err == nil {
		err = t.dismissMoved(t.tx, t.c, "")
	}
	if err != nil {
		return fmt.Errorf("%s of %s: %w", t.action.Name, t.c.ID, err)
	}
	t.receipt.Attempt = a.Attempt
	by := entryActor(t.actor, t.c.Account)
	if err := t.log.Record(t.tx, t.c, by, t.timing); err != nil {
		return err
	}
	if t.receipt.Audit, err = t.append(event, t.receipt.Outcome, ""); err != nil {
		return err
	}
	body, err := json.Marshal(t.receipt)
	if err != nil {
		return fmt.Errorf("encode the receipt: %w", err)
	}
	if err := t.tx.ConsumePreview(t.preview.ID, t.in.contents(), body); err != nil {
		return err
	}
	return t.list.executed(t.tx, t.receipt)
}

// request asks for another person under the same seal.
func (t *confirming) request(a *Applying) error {
	a.ApprovalID = t.tx.NewID("approval")
	t.receipt.Approval = optional(a.ApprovalID)
	if t.action.Request != nil {
		if err := t.action.Request(a); err != nil {
			return err
		}
	}
	request := model.Approval{ID: a.ApprovalID, State: model.ApprovalOpen, Action: t.action.Name, IntentID: t.c.ID, Account: t.c.Account,
		Step: t.preview.Step, PreviewID: t.preview.ID, Digest: t.preview.Digest, Plan: t.preview.Plan, Input: t.preview.Input,
		Reason: t.in.Reason, RequestedBy: t.actor.ID, RequesterName: t.actor.Name, Needed: a.Plan.People - 1,
		CreatedAt: t.tx.Now(), ExpiresAt: t.tx.Now().Add(t.timing.Approval), Version: t.c.Version}
	t.c.Requests = append(t.c.Requests, request)
	return t.tx.OpenApproval(request)
}

// withFreshPreview makes the preview of what the action would do now, where it
// may still be done.
func (r *Runner) withFreshPreview(ctx context.Context, actor authz.Actor, t *confirming) error {
	p := t.preview
	fresh, err := r.Preview(ctx, actor, PreviewRequest{Intent: p.IntentID, Action: p.Action, Step: p.Step, Input: p.Input})
	var why *model.Error
	if errors.As(t.refusal, &why) && err == nil {
		why.With("preview", fresh.ID)
	}
	return t.refusal
}

// whatWasConfirmed reads again by the preview's id after a commit of which the
// database did not say whether it was kept.
func (r *Runner) whatWasConfirmed(ctx context.Context, actor authz.Actor, id string, in Confirmation, doubt error) (receipt Receipt, err error) {
	err = r.db.View(ctx, func(tx *store.Tx) error {
		row, err := ownPreview(tx, actor, id)
		switch {
		case err != nil:
			return err
		case row.UsedAt == 0 || row.UsedWith != in.contents():
			return doubt
		}
		return json.Unmarshal(row.Receipt, &receipt)
	})
	return receipt, err
}
