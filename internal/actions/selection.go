package actions

import (
	"context"

	"countersign/internal/authz"
	"countersign/internal/model"
	"countersign/internal/store"
)

// Ticks are what a page of a list sends: which of its rows are ticked now.
type Ticks struct {
	Selection string   // id; "" begins one
	Page      string   // names the page
	Shown     []string // the intents that the page showed
	Ticked    []string // of them, those ticked
	Clear     bool     // everything out, on every page
}

// Tick keeps what is ticked on one page of a list in the person's selection, and
// what was ticked on others as it was. Only intents of accounts whose people may
// act on them get in. Errors: kind NotFound for another's selection, Denied for
// who may not act anywhere (with an entry), Invalid with code "too-large" where the selection
// would hold more than MaxBulk; then it stays as it was.
func (r *Runner) Tick(ctx context.Context, actor authz.Actor, in Ticks) (s model.Selection, err error) {
	accounts, err := actsIn(actor)
	if err != nil {
		return s, r.noteDenials(ctx, actor, "selection.denied", oneAccount(actor), err)
	}
	err = r.db.Update(ctx, func(tx *store.Tx) (err error) {
		if in.Selection == "" {
			if in.Selection, err = tx.NewSelection(actor.ID); err != nil {
				return err
			}
		}
		if s, err = tx.LockSelection(actor.ID, in.Selection); err != nil {
			return err
		}
		if err := retick(tx, s, accounts, in); err != nil {
			return err
		}
		if s, err = tx.Selection(actor.ID, in.Selection); err != nil {
			return err
		}
		if len(s.Intents) > MaxBulk {
			return model.Errorf(model.Invalid, "too-large", "A selection holds at most %d intents; what was ticked on this page was not added.", MaxBulk)
		}
		return nil
	})
	return s, err
}

func retick(tx *store.Tx, s model.Selection, accounts []string, in Ticks) error {
	if in.Clear {
		return tx.ClearSelection(s.ID)
	}
	ticked := map[string]bool{}
	for _, id := range in.Ticked {
		ticked[id] = true
	}
	var out []string
	for _, id := range in.Shown {
		if !ticked[id] {
			out = append(out, id)
		}
	}
	if err := tx.UnselectIntents(s.ID, out); err != nil {
		return err
	}
	return tx.SelectIntents(s, in.Page, accounts, in.Ticked)
}

// actsIn lists the accounts in which the actor may act on intents.
func actsIn(actor authz.Actor) (accounts []string, err error) {
	err = model.Errorf(model.Denied, authz.CodeDenied, "Only operators select intents to act on.").With("rule", rightsRule(authz.Reconcile))
	for _, account := range actor.Accounts() {
		if actor.May(account, authz.Reconcile).Allowed {
			accounts, err = append(accounts, account), nil
		}
	}
	return accounts, err
}
