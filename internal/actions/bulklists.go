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
	f := store.BulkFilter{State: model.ApprovalState(q.State), Accounts: readsRequests(actor), Limit: min(q.Limit, maxLimit)}
	if f.Limit <= 0 {
		f.Limit = defaultLimit
	}
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
		page.NextCursor = optional(cursorOf(model.Approval{CreatedAt: last.UsedAt, ID: last.ID}))
	}
	return page, err
}

// AllRequests is Approvals with the requests about lists that belong on its page:
// from the place of the page before it to the last of its own.
func (r *Runner) AllRequests(ctx context.Context, actor authz.Actor, q ApprovalQuery) (page ApprovalPage, beside BulkPage, err error) {
	f := store.BulkFilter{State: model.ApprovalState(q.State), Accounts: readsRequests(actor), Limit: maxLimit}
	if f.From, err = parseCursor(q.Cursor); err != nil {
		return page, beside, err
	}
	err = r.db.View(ctx, func(tx *store.Tx) error {
		return tx.Together(
			func() (err error) { page, err = ApprovalsIn(tx, actor, q); return err },
			func() (err error) { beside, err = bulkPageOf(tx, f); return err })
	})
	if err != nil || page.NextCursor == nil {
		return page, beside, err
	}
	down, err := parseCursor(*page.NextCursor)
	beside.Items = slices.DeleteFunc(beside.Items, func(b model.Bulk) bool {
		return b.UsedAt < down.CreatedAt || b.UsedAt == down.CreatedAt && b.ID <= down.ID
	})
	return page, beside, err
}

// OpenBulksIn gives the newest open requests about lists, as a transaction sees
// them.
func OpenBulksIn(tx *store.Tx, actor authz.Actor, limit int) (BulkPage, error) {
	return bulkPageOf(tx, store.BulkFilter{State: model.ApprovalOpen, Accounts: readsRequests(actor), Limit: limit})
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
