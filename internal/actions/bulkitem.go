package actions

import (
	"errors"
	"strings"

	"countersign/internal/authz"
	"countersign/internal/model"
	"countersign/internal/store"
)

// listed is an item of a confirmed list that is being carried out. Its methods
// take nil for a preview that is confirmed by itself, and then do nothing.
type listed struct {
	bulk model.Bulk
	item model.BulkItem
}

// over reports whether the item has its result: it is asked under the lock of the
// intent, so that two processes never both find it open.
func (l *listed) over(tx *store.Tx) (bool, error) {
	if l == nil {
		return false, nil
	}
	open, err := tx.BulkItemOpen(l.item.BulkID, l.item.Position)
	return !open, err
}

// mayCarryOut checks that whoever confirmed the list may still do so, and that
// whoever signed it may still sign. Time, digest and a fresh sign-in were checked
// when they did.
func (t *confirming) mayCarryOut() error {
	account := t.preview.Account
	now, err := t.tx.PersonActor(t.actor.ID)
	if err != nil {
		return err
	}
	t.actor = authz.Actor(now)
	if may := t.actor.May(account, t.action.Needs); !may.Allowed {
		return lostRight(t.actor, may, rightsRule(t.action.Needs))
	}
	for _, d := range t.list.bulk.Decisions {
		if d.Says != sayApprove {
			continue
		}
		signer, err := t.tx.PersonActor(d.Person)
		if err != nil {
			return err
		}
		if may := authz.Actor(signer).May(account, authz.Decide); !may.Allowed {
			return lostRight(authz.Actor(signer), may, rightsRule(authz.Decide))
		}
	}
	return nil
}

// lostRight says who may not any more.
func lostRight(who authz.Actor, may authz.Decision, rule string) error {
	if may.Code == authz.CodeNotFound {
		may.Because = who.Name + " has no role in the account any more."
	}
	may.Code, may.Rule = authz.CodeDenied, rule
	return may.Err()
}

// detail names the list in the item's entry, who signed it, and the bank's file with
// what its line says.
func (l *listed) detail(d map[string]any) {
	if l == nil {
		return
	}
	d["bulk"], d["item"] = l.bulk.ID, l.item.Position
	if l.bulk.BankFile != "" {
		d["bank_file"], d["because"] = l.bulk.BankFile, l.item.Because
	}
	if signed := names(l.bulk.Decisions); signed != "" {
		d["approved_by"] = signed
	}
}

// refused records why the item was not done.
func (l *listed) refused(tx *store.Tx, why error, entry string) error {
	if l == nil {
		return nil
	}
	l.item.Outcome, l.item.Said = model.ItemRefused, why.Error()
	switch kind := model.KindOf(why); {
	case kind == model.Denied, kind == model.Unauthenticated, kind == model.NotFound:
		l.item.Outcome = model.ItemDenied
	case kind == model.Stale:
		l.item.Outcome = model.ItemStale
		var moved *model.Error
		if errors.As(why, &moved) {
			changes, _ := moved.Extra["changes"].([]string)
			l.item.Said = strings.Join(changes, " ")
		}
	}
	return l.end(tx, entry)
}

// executed records that the item was done.
func (l *listed) executed(tx *store.Tx, r Receipt) error {
	if l == nil {
		return nil
	}
	l.item.Outcome = model.ItemExecuted
	if r.Attempt != nil {
		l.item.Attempt = *r.Attempt
	}
	return l.end(tx, r.Audit)
}

func (l *listed) end(tx *store.Tx, entry string) error {
	l.item.Entry, l.item.At = entry, tx.Now()
	return tx.EndBulkItem(l.item)
}
