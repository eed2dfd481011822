package actions

import (
	"context"
	"errors"

	"countersign/internal/audit"
	"countersign/internal/authz"
	"countersign/internal/model"
	"countersign/internal/store"
)

// NoteExportDenial records, in the log of each of the accounts, that the actor was
// denied an export of it, and gives the denial back. Other errors leave no entry.
func (r *Runner) NoteExportDenial(ctx context.Context, actor authz.Actor, accounts []string, denial error) error {
	return r.noteDenials(ctx, actor, "audit.export.denied", accounts, denial)
}

// noteDenials records, in the log of each of the accounts, that rights stopped an
// act, and gives the denial back. Other errors leave no entry.
func (r *Runner) noteDenials(ctx context.Context, actor authz.Actor, event string, accounts []string, denial error) error {
	if model.KindOf(denial) != model.Denied {
		return denial
	}
	err := r.db.Update(ctx, func(tx *store.Tx) error {
		for _, account := range accounts {
			entry := audit.Entry{Actor: entryActor(actor, account), Event: event, Account: account, Result: authz.CodeDenied, Reason: denial.Error(), Policy: ruleOf(denial)}
			if _, err := r.log.Append(tx, entry); err != nil {
				return err
			}
		}
		return nil
	})
	return errors.Join(denial, err)
}

// oneAccount is where the entry of an act stands that a person may do in none of
// their accounts; "", the installation's own log, where they have no account.
func oneAccount(actor authz.Actor) []string {
	return append(actor.Accounts(), "")[:1]
}

// refusalEvent is how the log calls a refusal; the database's own troubles are
// none, and are given back.
func refusalEvent(why error) (string, error) {
	switch kind := model.KindOf(why); {
	case kind == model.Internal, kind == model.Busy:
		return "", why
	case kind == model.Denied && codeOf(why) != authz.CodeStepUp, kind == model.Unauthenticated, kind == model.NotFound:
		return "denied", nil
	}
	return "refused", nil
}
