package actions

import (
	"context"
	"slices"

	"countersign/internal/authz"
	"countersign/internal/model"
	"countersign/internal/store"
)

// BulkQuery picks requests about lists. State "" is every state; Cursor is that
// of the page before; Limit is 1 to 200, 0 is 50.
type BulkQuery struct {
	State  string
	Cursor string
	Limit  int
}

// BulkPage is one page of the requests about lists, the newest first. Its items
// have no items of their own loaded.
type BulkPage struct {
	Items      []model.Bulk
	NextCursor *string
	Count      store.Counted
	Now        model.Time
}

// BulkRequests lists the lists that people were asked to sign, of all accounts in
// which the actor may see requests. The error is of kind Invalid for a cursor
// that is none.
func (r *Runner) BulkRequests(ctx context.Context, actor authz.Actor, q BulkQuery) (page BulkPage, err error) {
	f := store.BulkFilter{State: model.ApprovalState(q.State), Accounts: readsRequests(actor), Limit: pageLength(q.Limit)}
	if f.From, err = parseCursor(q.Cursor); err != nil {
		return page, err
	}
	f.Limit++ // one more tells whether there is a next page
	err = r.db.View(ctx, func(tx *store.Tx) (err error) {
		page, err = bulkPageOf(tx, f)
		return err
	})
	if len(page.Items) == f.Limit {
		page.Items = page.Items[:f.Limit-1]
		last := page.Items[len(page.Items)-1]
		page.NextCursor = optional(cursorOf(bulkMark(last, false)))
	}
	return page, err
}

func bulkMark(b model.Bulk, yours bool) store.ApprovalMark {
	if yours {
		return store.ApprovalMark{At: b.ExpiresAt, ID: b.ID}
	}
	return store.ApprovalMark{At: b.UsedAt, ID: b.ID}
}

func bulkPageOf(tx *store.Tx, f store.BulkFilter) (page BulkPage, err error) {
	page.Now = tx.Now()
	err = tx.Together(
		func() (err error) { page.Items, err = tx.BulkRequests(f); return err },
		func() (err error) { page.Count, err = tx.CountBulkRequests(f); return err })
	return page, err
}

// readsRequests lists the accounts in which the actor may see requests.
func readsRequests(actor authz.Actor) (accounts []string) {
	for _, account := range actor.Accounts() {
		if actor.May(account, authz.ReadApprovals).Allowed {
			accounts = append(accounts, account)
		}
	}
	return accounts
}

// signs lists the accounts in which the actor may sign requests.
func signs(actor authz.Actor) []string {
	return slices.DeleteFunc(readsRequests(actor), func(account string) bool { return !actor.May(account, authz.Decide).Allowed })
}
