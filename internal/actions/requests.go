package actions

import (
	"cmp"
	"context"
	"slices"

	"countersign/internal/authz"
	"countersign/internal/model"
	"countersign/internal/store"
)

// Request is a request for signatures: one of the two is set.
type Request struct {
	One  *Approval   // about one intent
	Many *model.Bulk // about a list of them, without its items
}

// mark is the place of the request among those of both sorts.
func (r Request) mark(yours bool) store.ApprovalMark {
	if r.Many != nil {
		return bulkMark(*r.Many, yours)
	}
	return approvalMark(r.One.Stored, yours)
}

// RequestPage is one page of the requests of both sorts, the newest first, or of
// what the actor may sign the soonest ending.
type RequestPage struct {
	Items      []Request
	NextCursor *string
	Count      store.Counted
	Now        model.Time // when it was read
}

// Requests lists the requests about single intents and about lists in one order,
// of all accounts in which the actor may see them. The error is of kind Invalid
// for a cursor that is none.
func (r *Runner) Requests(ctx context.Context, actor authz.Actor, q ApprovalQuery) (page RequestPage, err error) {
	err = r.db.View(ctx, func(tx *store.Tx) (err error) { page, err = RequestsIn(tx, actor, q); return err })
	return page, err
}

// RequestsIn is Requests, as a transaction sees them.
func RequestsIn(tx *store.Tx, actor authz.Actor, q ApprovalQuery) (page RequestPage, err error) {
	q.Limit = pageLength(q.Limit)
	f := store.BulkFilter{State: model.ApprovalState(q.State), Accounts: readsRequests(actor), Limit: q.Limit + 1}
	if q.Yours {
		f.Accounts, f.Signer = signs(actor), actor.ID
	}
	if f.From, err = parseCursor(q.Cursor); err != nil {
		return page, err
	}
	var one ApprovalPage
	var many BulkPage
	err = tx.Together(
		func() (err error) { one, err = ApprovalsIn(tx, actor, q); return err },
		func() (err error) { many, err = bulkPageOf(tx, f); return err })
	if err != nil {
		return page, err
	}
	n := one.Count + many.Count.N
	page = RequestPage{Count: store.Counted{N: min(n, store.MaxCount), Capped: one.CountCapped || many.Count.Capped || n > store.MaxCount}, Now: tx.Now()}
	page.merge(one, many, q)
	return page, nil
}

// merge puts the first rows of both sorts into one order, and keeps as many as a
// page has.
func (p *RequestPage) merge(one ApprovalPage, many BulkPage, q ApprovalQuery) {
	for i := range one.Items {
		p.Items = append(p.Items, Request{One: &one.Items[i]})
	}
	for i := range many.Items {
		p.Items = append(p.Items, Request{Many: &many.Items[i]})
	}
	slices.SortFunc(p.Items, func(a, b Request) int {
		x, y := a.mark(q.Yours), b.mark(q.Yours)
		if !q.Yours {
			x, y = y, x
		}
		return cmp.Or(cmp.Compare(x.At, y.At), cmp.Compare(x.ID, y.ID))
	})
	if one.NextCursor == nil && len(p.Items) <= q.Limit {
		return
	}
	p.Items = p.Items[:q.Limit]
	p.NextCursor = optional(cursorOf(p.Items[q.Limit-1].mark(q.Yours)))
}
