package web

import (
	"net/http"
	"slices"

	"countersign/internal/authz"
	"countersign/internal/model"
	"countersign/internal/store"
	"countersign/web/templates"
)

// rowsPerPage keeps a page of the queue well under its weight.
const rowsPerPage = 25

// queueData is what one page of the queue reads.
type queueData struct {
	cases      []*model.Case
	more       bool
	matching   store.Counted
	sums       []store.Uncertain
	capped     bool
	currencies []string
	open, mine store.Counted
}

// queue lists what needs somebody, or what was searched for.
func (v *visit) queue() error {
	q := readQueueQuery(v.r.URL.Query())
	f, faults, err := q.filter(v)
	if err != nil {
		return err
	}
	if q.cursor != "" {
		if f.From, err = decodeCursor(v.DB.Installation, q.address(), q.cursor); err != nil {
			return err
		}
	}
	var d queueData
	if err := v.read(func(tx *store.Tx) error { return d.read(tx, v, q, f) }); err != nil {
		return err
	}
	view := v.queueView(q, f, faults, d)
	if q.address() == "/" && q.cursor == "" {
		if view.Signing, err = v.forSigning(); err != nil {
			return err
		}
	}
	return v.show(http.StatusOK, templates.Queue(view))
}

func (d *queueData) read(tx *store.Tx, v *visit, q queueQuery, f store.ListFilter) (err error) {
	var rows []model.Intent
	if q.text != "" {
		rows, d.more, err = tx.Search(q.text, f)
		d.matching = store.Counted{N: len(rows), Capped: d.more}
	} else {
		rows, d.more, err = tx.List(f)
	}
	if err != nil {
		return err
	}
	if d.cases, err = tx.Cases(rows); err != nil {
		return err
	}
	if q.text == "" {
		if d.matching, err = tx.Count(f); err != nil {
			return err
		}
	}
	if d.open, err = tx.Count(store.ListFilter{Accounts: v.actor.Accounts()}); err != nil {
		return err
	}
	if d.mine, err = tx.Count(store.ListFilter{Accounts: v.actor.Accounts(), Owner: v.actor.ID}); err != nil {
		return err
	}
	if d.currencies, err = tx.Currencies(f.Accounts); err != nil {
		return err
	}
	d.sums, d.capped, err = tx.Uncertainty(v.actor.Accounts())
	return err
}

func (v *visit) queueView(q queueQuery, f store.ListFilter, faults templates.FieldErrors, d queueData) templates.QueueView {
	view := templates.QueueView{Page: v.titled("Queue"), Heading: "Queue", Sums: v.sums(d.sums, d.capped),
		Filter: q.form(v, f, faults, d.currencies), Matched: matches(d.matching), Orders: q.orders(f)}
	view.Page.Query = q.text
	view.Summary = v.summary(d)
	view.Views = []templates.Choice{{Href: "/?owner=me", Label: "Mine " + count(d.mine), Current: q.owner == "me"},
		{Href: "/?owner=none", Label: "Unowned", Current: q.owner == store.Nobody}}
	for _, c := range d.cases {
		view.Rows = append(view.Rows, v.queueRow(c))
	}
	if len(view.Rows) == 0 {
		view.Empty = v.emptyQueue(q)
	}
	if q.text == "" {
		view.Prev, view.Next = v.neighbours(q, f, d)
	}
	return view
}

// neighbours are the addresses of the pages before and after.
func (v *visit) neighbours(q queueQuery, f store.ListFilter, d queueData) (prev, next string) {
	if len(d.cases) == 0 {
		return "", ""
	}
	at := func(c *model.Case, back bool) string {
		p := store.Position{Key: f.Key(&c.Intent), ID: c.ID, Back: back}
		return q.address("cursor", encodeCursor(v.DB.Installation, q.address(), p))
	}
	back := f.From != nil && f.From.Back
	if f.From != nil && (!back || d.more) {
		prev = at(d.cases[0], true)
	}
	if back || d.more {
		next = at(d.cases[len(d.cases)-1], false)
	}
	return prev, next
}

// orders are the orders of the list as links.
func (q queueQuery) orders(f store.ListFilter) []templates.Choice {
	if q.text != "" || f.Finished() {
		return []templates.Choice{{Label: "newest", Current: true}}
	}
	choice := func(order store.Order, label string) templates.Choice {
		return templates.Choice{Href: q.address("sort", string(order)), Label: label, Current: f.Order == order}
	}
	list := []templates.Choice{choice(store.OldestUncertainty, "oldest uncertainty")}
	if q.currency != "" {
		list = append(list, choice(store.LargestAmount, "amount"))
	}
	list = append(list, choice(store.OldestIntent, "age"))
	if !slices.ContainsFunc(list, func(c templates.Choice) bool { return c.Current }) {
		list[0].Current = true // an order that this list cannot have falls back to the first
	}
	return list
}

// queueRow is one intent of a list.
func (v *visit) queueRow(c *model.Case) templates.QueueRow {
	n := narrator{c: c, timing: v.Timing, clock: v.page.Clock}
	r := templates.QueueRow{Href: "/intents/" + c.ID, Who: c.Payee, What: kindTitle(c.Kind), ID: c.ID, Since: v.at(n.since()),
		Owner: c.OwnerName, Mine: c.Owner != "" && c.Owner == v.actor.ID}
	if c.Period != "" {
		r.What += " " + c.Period
	}
	v.deadline(c, &r)
	n.stakeOf(&r)
	r.State, r.Stuck = n.stuckState()
	r.Proposed, r.Why = n.proposal()
	if open := c.OpenRequest(); open != nil && !authz.MayApprove(v.actor, requestOf(*open, c.Creator)).Allowed {
		r.Proposed = say(templates.Link("/approvals/"+open.ID, "An approver decides"))
	}
	return r
}

// deadline says until when a review is to be decided, and aloud that it was not.
func (v *visit) deadline(c *model.Case, r *templates.QueueRow) {
	switch {
	case c.ReviewDue == 0:
	case c.ReviewDue <= v.now():
		r.Overdue, r.Until = true, say("since ", templates.Clocktime(v.at(c.ReviewDue)))
	default:
		r.Until = say("decide by ", templates.Clocktime(v.at(c.ReviewDue)))
	}
}

// emptyQueue says why there is nothing, and that it was read.
func (v *visit) emptyQueue(q queueQuery) *templates.EmptyView {
	switch {
	case q.text != "":
		return &templates.EmptyView{Title: "Nothing is found", Text: say("Searched by intent id and key, step key, wire key, provider reference, request id, the ids of previews, requests for approval, uploads and audit entries, addresses of this console, and any word of the payee’s name from its beginning. What belongs to another account is not found either.")}
	case q.address("sort", "") != "/":
		return &templates.EmptyView{Title: "Nothing matches this filter", Text: say(templates.Link("/", "Show everything that needs somebody"))}
	}
	e := &templates.EmptyView{Title: "Nothing needs anybody", Text: say("No filter is set, and nothing of your accounts is hidden. "), Facts: []templates.Fact{
		{Label: "Finished work", Text: say(templates.Link("/?state=all", "Show all intents"))}}}
	if v.counts.Approvals.N > 0 {
		e.Facts = append(e.Facts, templates.Fact{Label: "Waiting for approvers", Text: say(templates.Link("/approvals", counted(v.counts.Approvals.N, "request")))})
	}
	return e
}

// sums is the ledger line of what is uncertain now.
func (v *visit) sums(list []store.Uncertain, capped bool) templates.Sums {
	s := templates.Sums{Heading: "Uncertain now", Href: "/uncertain"}
	effects, oldest := 0, model.Time(0)
	for _, u := range list {
		effects += u.Effects
		if oldest == 0 || u.Oldest < oldest {
			oldest = u.Oldest
		}
		if u.Currency != "" {
			s.Columns = append(s.Columns, templates.SumColumn{Money: model.Money{Amount: u.Amount, Currency: u.Currency},
				Note: say(counted(u.Effects, "effect"), " · oldest ", templates.Ago(v.at(u.Oldest)))})
		}
	}
	if effects == 0 {
		s.Calm, s.Figure, s.Note = true, "Nothing", say("every effect that was sent is certain")
		return s
	}
	s.Figure, s.Note = counted(effects, "effect"), say("oldest ", templates.Ago(v.at(oldest)))
	if capped {
		s.Note = say("more than ", grouped(store.MaxCount), "; the sums are of the first")
	}
	return s
}
