package actions

import (
	"context"
	"errors"

	"countersign/internal/authz"
	"countersign/internal/model"
	"countersign/internal/store"
)

// ConfirmBulk takes a list's plans for decided, once: its items are carried out
// one after the other, by this process or another one, or another person is
// asked to sign the list as it stands. A repeat with the same contents gives the
// list as it is now. Errors carry the problem's name as code, as those of
// Confirm; every refusal and denial leaves one entry. What moved since shows
// only when an item is reached, and stops that item alone.
func (r *Runner) ConfirmBulk(ctx context.Context, actor authz.Actor, id string, in Confirmation) (List, error) {
	if err := in.checkSealed(); err != nil {
		return List{}, err
	}
	kept := func(b model.Bulk) bool { return b.UsedAt != 0 && b.UsedWith == in.contents() }
	return r.onBulk(ctx, actor, id, kept, func(tx *store.Tx) (refusal, err error) {
		t := &confirmingList{Runner: r, tx: tx, actor: actor, in: in}
		err = t.run(id)
		return t.refusal, err
	})
}

// onBulk takes a person's word on a list in one transaction, and gives the list
// as it is then; a refusal is committed as its entry. After a commit of which the
// database did not say whether it was kept, the list itself tells.
func (r *Runner) onBulk(ctx context.Context, actor authz.Actor, id string, kept func(model.Bulk) bool, do func(*store.Tx) (refusal, err error)) (List, error) {
	var refusal error
	err := r.db.Update(ctx, func(tx *store.Tx) (err error) { refusal, err = do(tx); return err })
	if doubt := err; errors.Is(doubt, model.Unknown) {
		err = r.db.View(ctx, func(tx *store.Tx) error {
			b, err := tx.Bulk(id)
			if err == nil && !kept(b) {
				err = doubt
			}
			return err
		})
	}
	if err == nil {
		err = refusal
	}
	if err != nil {
		return List{}, err
	}
	r.carryOn()
	return r.GetBulk(ctx, actor, id)
}

// confirmingList is one run of one confirmation of a list in one transaction.
type confirmingList struct {
	*Runner
	tx      *store.Tx
	actor   authz.Actor
	in      Confirmation
	b       model.Bulk
	refusal error // committed as an entry: the transaction did nothing else
}

func (t *confirmingList) run(id string) (err error) {
	if t.b, err = t.tx.LockBulk(id); err != nil {
		return err
	}
	if !ownsBulk(t.actor, t.b) {
		return notFound("list", id)
	}
	if t.b.UsedAt != 0 && t.b.UsedWith == t.in.contents() {
		return nil
	}
	if err := t.may(); err != nil {
		return t.refuse(err)
	}
	t.b.State, t.b.UsedAt, t.b.UsedWith, t.b.Reason = model.BulkRunning, t.tx.Now(), t.in.contents(), t.in.Reason
	event, result := "confirmed", "done"
	if t.b.People > 1 {
		t.b.State, t.b.ExpiresAt = model.BulkOpen, t.tx.Now().Add(t.timing.Approval)
		event, result = "requested", AwaitingApproval
	}
	entry := listEntry(t.actor, t.b, event, result, "", t.in.Reason)
	entry.Detail["intents"] = t.planned()
	if t.b.Entry, err = t.log.Append(t.tx, entry); err != nil {
		return err
	}
	return t.tx.UseBulk(t.b)
}

// planned lists the intents that have a plan: the log says which they were.
func (t *confirmingList) planned() []string {
	ids := []string{}
	for _, item := range t.b.Items {
		if item.Included() {
			ids = append(ids, item.IntentID)
		}
	}
	return ids
}

// may checks that the list is unused, rights as they are now, time and digest.
func (t *confirmingList) may() error {
	if t.b.UsedAt != 0 {
		return model.Errorf(model.Conflict, "preview-consumed", "This list was confirmed already, with other contents; that confirmation stands.")
	}
	err := t.entitled(t.tx, t.actor, t.b.Account, authz.ForAction(t.b.Action), notFound("list", t.b.ID))
	switch {
	case err != nil:
		return err
	case t.tx.Now() > t.b.ExpiresAt:
		return model.Errorf(model.Conflict, "preview-expired", "This preview has expired; make a new one.")
	case t.in.Digest != t.b.Digest:
		return model.Errorf(model.Conflict, "digest-mismatch", "The digest is not that of this list: something else was looked at.")
	case t.b.Planned == 0:
		return refused(&model.Refusal{Rule: "bulk.nothing-left", Because: "Every intent of this list is excluded: there is nothing to do."})
	}
	return nil
}

// refuse ends the run with an entry and nothing else.
func (t *confirmingList) refuse(why error) error {
	event, err := refusalEvent(why)
	if err != nil {
		return err
	}
	t.refusal = why
	_, err = t.log.Append(t.tx, listEntry(t.actor, t.b, event, codeOf(why), ruleOf(why), t.in.Reason))
	return err
}
