package actions

import (
	"context"

	"countersign/internal/audit"
	"countersign/internal/authz"
	"countersign/internal/model"
	"countersign/internal/store"
)

// Take makes the actor the owner of an intent, whoever was before. Errors: kind
// NotFound behind an account wall, Denied.
func (r *Runner) Take(ctx context.Context, actor authz.Actor, intent string) error {
	return r.own(ctx, actor, intent, "owner.taken", actor.ID, actor.Name)
}

// Release gives an intent back to the account's operators. Errors are those of Take.
func (r *Runner) Release(ctx context.Context, actor authz.Actor, intent string) error {
	return r.own(ctx, actor, intent, "owner.released", "", "")
}

// own changes the owner. Nothing that a plan's digest covers moves, and an owner
// who stays leaves no entry.
func (r *Runner) own(ctx context.Context, actor authz.Actor, intent, event, owner, name string) error {
	var denial error
	err := r.db.Update(ctx, func(tx *store.Tx) error {
		denial = nil
		c, err := tx.LockCase(intent)
		if err != nil {
			return err
		}
		entry := audit.Entry{Actor: entryActor(actor, c.Account), Event: event, Account: c.Account, Intent: c.ID, Result: "done",
			Detail: map[string]any{"from": c.OwnerName, "to": name}}
		if err := r.entitled(tx, actor, c.Account, authz.TakeOwnership, notFound("intent", intent)); err != nil {
			if model.KindOf(err) != model.Denied {
				return err
			}
			denial = err
			entry.Event, entry.Result, entry.Policy = "owner.denied", authz.CodeDenied, ruleOf(err)
			_, err = r.log.Append(tx, entry)
			return err
		}
		if c.Owner == owner {
			return nil
		}
		c.Owner, c.OwnerName = owner, name
		if err := r.log.Record(tx, c, entryActor(actor, c.Account), r.timing); err != nil {
			return err
		}
		_, err = r.log.Append(tx, entry)
		return err
	})
	if err != nil {
		return err
	}
	return denial
}
