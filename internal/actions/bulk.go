package actions

import (
	"context"
	"errors"
	"slices"

	"countersign/internal/audit"
	"countersign/internal/authz"
	"countersign/internal/model"
	"countersign/internal/store"
)

// MaxBulk is how many intents one list may hold: a page lists them all, a person
// can still read them before signing, and the whole run takes seconds.
const MaxBulk = 500

// bulkActions are the actions that may be taken on many intents at once.
var bulkActions = []*Action{reconcile, retry, abandon}

// BulkActions names the actions that may be taken on many intents at once, in
// the order in which pages offer them.
func BulkActions() []string {
	names := make([]string, len(bulkActions))
	for i, a := range bulkActions {
		names[i] = a.Name
	}
	return names
}

// oneByOne says why an action is never taken on many intents at once.
var oneByOne = map[string]string{
	model.MarkExternalResult: "A mark states what a document proves of one step, so each is recorded by itself, on the page of its intent.",
	model.Compensate:         "What is undone is looked at one by one: a compensation is asked for on the page of its intent.",
}

// bulkAction finds the action that a list is about. The error is of kind Conflict
// for one of the five that is never taken on many, Invalid for any other word.
func bulkAction(name string) (*Action, error) {
	if because, known := oneByOne[name]; known {
		return nil, refused(&model.Refusal{Rule: "bulk.one-by-one", Because: because})
	}
	if a := find(name); slices.Contains(bulkActions, a) {
		return a, nil
	}
	return nil, invalid("/action", "is none of the actions that may be taken on many")
}

// List is a list as its reader sees it.
type List struct {
	model.Bulk
	Creators []string   // ids of the people who answer for its intents
	Moved    []int      // positions of what moved since it was planned and would not be done
	Now      model.Time // when it was read
	// Stands tells, by position, where what each planned item acts on stands now.
	Stands map[int]model.BulkStand
}

// GetBulk gives a list. Before it is confirmed it is its own actor's alone; then
// it is a record that whoever sees the account's requests may read. Else the
// error is of kind NotFound.
func (r *Runner) GetBulk(ctx context.Context, actor authz.Actor, id string) (l List, err error) {
	err = r.db.View(ctx, func(tx *store.Tx) error {
		l.Now, l.Stands = tx.Now(), map[int]model.BulkStand{}
		err := tx.Together(
			func() (err error) { l.Bulk, err = tx.Bulk(id); return err },
			func() (err error) { l.Moved, err = tx.BulkMoved(id); return err },
			func() error {
				stands, err := tx.BulkStands(id)
				for _, s := range stands {
					l.Stands[s.Position] = s
				}
				return err
			})
		if err == nil && !readsBulk(actor, l.Bulk) {
			l, err = List{}, notFound("list", id)
		}
		return err
	})
	return l, err
}

// Plans gives the sealed plans of some items of a list that GetBulk gave, by
// preview id; excluded items have none.
func (r *Runner) Plans(ctx context.Context, items []model.BulkItem) (plans map[string]Preview, err error) {
	err = r.db.View(ctx, func(tx *store.Tx) error {
		plans, err = PlansIn(tx, items)
		return err
	})
	return plans, err
}

// PlansIn is Plans, as a transaction sees them.
func PlansIn(tx *store.Tx, items []model.BulkItem) (map[string]Preview, error) {
	var ids []string
	for i := range items {
		if items[i].Included() {
			ids = append(ids, items[i].PreviewID)
		}
	}
	plans := map[string]Preview{}
	rows, err := tx.Previews(ids)
	for id, row := range rows {
		p, bad := previewOf(row)
		plans[id], err = p, errors.Join(err, bad)
	}
	return plans, err
}

// ownsBulk reports whether the list is the actor's own, who alone may confirm it.
func ownsBulk(actor authz.Actor, b model.Bulk) bool {
	return actor.Type == model.ActorPerson && actor.ID == b.Actor && actor.Sees(b.Account)
}

func readsBulk(actor authz.Actor, b model.Bulk) bool {
	return ownsBulk(actor, b) || b.UsedAt != 0 && actor.May(b.Account, authz.ReadApprovals).Allowed
}

// BulkAsked is what matters about a list for who may sign it.
func BulkAsked(b model.Bulk) authz.Request {
	return authz.Request{Account: b.Account, Requester: b.Actor, Creators: b.Creators(), Decisions: b.Decisions}
}

// listEntry is an entry about a whole list.
func listEntry(actor authz.Actor, b model.Bulk, event, result, policy, reason string) audit.Entry {
	detail := map[string]any{"bulk": b.ID, "action": b.Action, "digest": b.Digest, "items": b.Planned, "excluded": len(b.Items) - b.Planned}
	if b.BankFile != "" {
		detail["bank_file"] = b.BankFile
	}
	return audit.Entry{Actor: entryActor(actor, b.Account), Event: "bulk." + event, Account: b.Account, Reason: reason, Result: result, Policy: policy, Detail: detail}
}
