package actions

import (
	"context"

	"countersign/internal/audit"
	"countersign/internal/authz"
	"countersign/internal/model"
	"countersign/internal/store"
)

// NoteLabDenial records that the fault lab was denied to the actor, and gives the
// denial back. Other errors leave no entry.
func (r *Runner) NoteLabDenial(ctx context.Context, actor authz.Actor, denial error) error {
	return r.noteDenials(ctx, actor, "lab.denied", oneAccount(actor), denial)
}

// NoteDisarm records that the actor is about to take a fault back that is armed
// for an intent, or for all where the intent has no id; several are named with
// commas between them. The provider is asked
// afterwards, and may not answer: the entry says what was asked for.
func (r *Runner) NoteDisarm(ctx context.Context, actor authz.Actor, about model.Intent, fault string) error {
	return r.db.Update(ctx, func(tx *store.Tx) error {
		_, err := r.log.Append(tx, audit.Entry{Actor: entryActor(actor, about.Account), Event: "lab.disarm.requested", Account: about.Account, Intent: about.ID,
			Result: "requested", Detail: map[string]any{"fault": fault}})
		return err
	})
}
