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
const rowsPerPage = 20

// queueData is what one page of the queue reads.
type queueData struct {
	cases      []*model.Case
	beside     map[string]store.Beside
	more       bool
	matching   store.Counted
	tally      store.Tally
	sums       []store.Uncertain
	capped     bool
	currencies []string
	providers  []string
	views      []store.View
	selected   model.Selection // what is ticked over pages
	needs      needs
	// Where the list is empty: what the same filter finds in any state.
	outside []model.Intent
	further bool // there are more of them
}

// queue lists what needs somebody, or what was searched for.
func (v *visit) queue() error {
	return v.list(readQueueQuery(v.r.URL.Query()), nil, http.StatusOK, nil)
}

// list shows the list that a query selects. saved is the view that it was opened
// by, or nil; faults are those of a form of the page that was not taken.
func (v *visit) list(q queueQuery, saved *store.View, status int, unsaved *templates.SaveView) error {
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
	v.named(&view, q, saved, unsaved, d.views)
	if q.plain() && q.cursor == "" {
		v.forYou(&view, d)
	}
	v.selecting(q, &view, d.selected)
	return v.show(status, templates.Queue(view))
}

// read asks for everything at once: the list with what hangs on its rows, and
// what stands around it.
func (d *queueData) read(tx *store.Tx, v *visit, q queueQuery, f store.ListFilter) error {
	parts := []func() error{func() error { return d.readRows(tx, q, f) }}
	if q.text == "" {
		parts = append(parts, func() (err error) { d.matching, err = tx.Count(f); return err })
	}
	accounts := v.actor.Accounts()
	parts = append(parts,
		func() (err error) {
			d.tally, err = tx.Tally(accounts, v.actor.ID, v.now().Add(deadlineSoon))
			return err
		},
		func() (err error) { d.currencies, err = tx.Currencies(f.Accounts); return err },
		func() (err error) { d.providers, err = tx.CurrentProviders(); return err },
		func() (err error) { d.views, err = tx.Views(accounts, v.actor.ID); return err },
		func() (err error) { d.sums, d.capped, err = tx.Uncertainty(accounts); return err })
	if q.selection != "" && v.selects() {
		parts = append(parts, func() (err error) { d.selected, err = tx.Selection(v.actor.ID, q.selection); return err })
	}
	if q.plain() && q.cursor == "" {
		parts = append(parts, func() error { return d.needs.read(tx, v) })
	}
	return tx.Together(parts...)
}

// readRows reads the rows and what hangs on them.
func (d *queueData) readRows(tx *store.Tx, q queueQuery, f store.ListFilter) (err error) {
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
	if len(rows) == 0 && q.narrow() {
		d.outside, d.further, err = d.anyState(tx, q, f)
		return err
	}
	ids := make([]string, len(rows))
	for i, row := range rows {
		ids[i] = row.ID
	}
	return tx.Together(func() (err error) { d.cases, err = tx.Outlines(rows); return err },
		func() (err error) { d.beside, err = tx.Beside(ids); return err })
}

// anyState finds what an empty list leaves out for its state alone.
func (d *queueData) anyState(tx *store.Tx, q queueQuery, f store.ListFilter) ([]model.Intent, bool, error) {
	f.State, f.Acting, f.From = store.AnyState, false, nil
	if q.text != "" {
		return tx.Search(q.text, f)
	}
	return tx.Newest(f)
}

func (v *visit) queueView(q queueQuery, f store.ListFilter, faults templates.FieldErrors, d queueData) templates.QueueView {
	view := templates.QueueView{Page: v.titled("Queue"), Heading: "Queue", Sums: v.sums(d.sums, d.capped), Back: q.here(),
		Filter: q.form(v, d, faults), Matched: matches(d.matching), Orders: q.orders(f), Summary: v.summary(d)}
	view.Page.Query = q.again()
	mine := store.Counted{N: d.tally.Mine, Capped: d.tally.Capped}
	view.Views = []templates.Choice{{Href: "/?owner=me", Label: "Mine " + count(mine), Current: q.at == "" && q.owner == "me"},
		{Href: "/?owner=none", Label: "Unowned", Current: q.at == "" && q.owner == store.Nobody}}
	if f.Acting && d.tally.Waiting > 0 {
		view.Waiting = v.waiting(d.tally)
	}
	for _, c := range d.cases {
		view.Rows = append(view.Rows, v.queueRow(c, d.beside[c.ID]))
	}
	if len(view.Rows) == 0 {
		view.Empty = v.emptyQueue(q, d)
	}
	if q.text == "" {
		view.Prev, view.Next = v.neighbours(q, f, d)
	}
	return view
}

// waiting names what the list leaves out because approvers are asked about it.
func (v *visit) waiting(t store.Tally) templates.Text {
	verb := " more waits"
	if t.Waiting != 1 {
		verb = " more wait"
	}
	return say(count(store.Counted{N: t.Waiting, Capped: t.Capped}), verb, " for ", templates.Link("/approvals", "approvers"), "; ",
		templates.Link("/?state="+stateOpen, "list everything open"))
}

// neighbours are the addresses of the pages before and after.
func (v *visit) neighbours(q queueQuery, f store.ListFilter, d queueData) (prev, next string) {
	if len(d.cases) == 0 {
		return "", ""
	}
	at := func(c *model.Case, back bool) string {
		p := store.Position{Key: f.Key(&c.Intent), ID: c.ID, Back: back}
		return q.page(encodeCursor(v.DB.Installation, q.address(), p))
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
		return templates.Choice{Href: q.carry(q.address("sort", string(order))), Label: label, Current: f.Order == order}
	}
	list := []templates.Choice{choice(store.OldestUncertainty, "oldest uncertainty")}
	if q.currency != "" && q.currency != store.NoMoney {
		list = append(list, choice(store.LargestAmount, "amount"))
	}
	list = append(list, choice(store.OldestIntent, "age"))
	if !slices.ContainsFunc(list, func(c templates.Choice) bool { return c.Current }) {
		list[0].Current = true // an order that this list cannot have falls back to the first
	}
	return list
}

// queueRow is one intent of a list.
func (v *visit) queueRow(c *model.Case, b store.Beside) templates.QueueRow {
	n := narrator{c: c, timing: v.Timing, clock: v.page.Clock}
	r := templates.QueueRow{Href: "/intents/" + c.ID, Who: c.Who(), What: kindTitle(c.Kind), ID: c.ID, Since: v.at(n.since()),
		Owner: c.OwnerName, Mine: c.Owner != "" && c.Owner == v.actor.ID, Alike: alikeRow(b), Noted: v.noted(b)}
	r.Take = c.Owner == "" && c.SortOpen > 0 && v.actor.May(c.Account, authz.TakeOwnership).Allowed
	if c.Period != "" {
		r.What += " " + c.Period
	}
	v.deadline(c, &r)
	n.stakeOf(&r)
	r.State, r.Stuck = n.stuckState()
	r.Proposed, r.Why = n.proposal()
	r.Why = r.Why.InColumn()
	if open := c.OpenRequest(); open != nil && !authz.MayApprove(v.actor, requestOf(*open, c.Creator)).Allowed {
		r.Proposed = say(templates.Link("/approvals/"+open.ID, "An approver decides"))
	}
	return r
}

// alikeRow names the others that look the same; nil is none.
func alikeRow(b store.Beside) templates.Text {
	switch {
	case b.Alike == 0:
		return nil
	case b.Alike == 1:
		return say(templates.Link("/intents/"+b.Other, "1 other"), " has the same payee, amount and period")
	}
	others := count(store.Counted{N: min(b.Alike, store.MaxAlike), Capped: b.Alike > store.MaxAlike}) + " others"
	return say(templates.Link("/intents/"+b.ID+"#links", others), " have the same payee, amount and period")
}

// noted is the newest note of a row, cut to one line; nil is none.
func (v *visit) noted(b store.Beside) templates.Text {
	if b.Note == "" {
		return nil
	}
	return say(templates.Name(b.NoteBy), ", ", templates.Ago(v.at(b.NoteAt)), ": ", templates.Name(oneLine(b.Note, 90)))
}

// deadline says until when a review is to be decided, and aloud that it was not.
func (v *visit) deadline(c *model.Case, r *templates.QueueRow) {
	switch {
	case c.ReviewDue == 0:
	case c.ReviewDue <= v.now():
		r.Overdue, r.Until = true, say("since ", v.at(c.ReviewDue)).InColumn()
	default:
		r.Until = say("decide by ", v.at(c.ReviewDue)).InColumn()
	}
}

// outsideOf names what the filter finds in other states.
func (d queueData) outsideOf(q queueQuery) templates.Text {
	n, all := len(d.outside), q.address("state", store.AnyState)
	if n > 1 || d.further {
		return say(templates.Link(all, count(store.Counted{N: n, Capped: d.further})+" in other states"), " match.")
	}
	one := d.outside[0]
	first := "1 "
	if one.State.Final() {
		first = "1 finished "
	}
	text := say(first, words(one.Kind), " matches: ", templates.LinkText("/intents/"+one.ID, templates.Name(one.Who())))
	if m, ok := one.Money(); ok {
		text = say(text, ", ", m)
	}
	return say(text, ", ", stateWords(one.State), ".")
}

// searchFinds is what the search looks for.
const searchFinds = "intent id and key, step key, wire key, a provider’s reference or event (also one that only the evidence names), request id, the Message-ID of a mail, " +
	"the link of a document, the ids of previews, requests for approval, lists, uploads, evidence and audit entries, addresses of this console, the account and the e-mail address that it goes to, an amount as it is written, with its currency or without, and the words of the payee’s name, in any order, each from its beginning"

// emptyQueue says why there is nothing, and that it was read. crowded is a search
// that looked at a part of what begins so.
func (v *visit) emptyQueue(q queueQuery, d queueData) *templates.EmptyView {
	switch {
	case q.unsearchable() != "":
		return &templates.EmptyView{Title: "This cannot be searched for", Text: say(q.unsearchable(), " Nothing was looked up.")}
	case len(d.outside) > 0:
		return &templates.EmptyView{Title: "Nothing matches in this state", Text: d.outsideOf(q)}
	case q.text != "" && d.more:
		return &templates.EmptyView{Title: "Too much begins like this", Text: say("More begins with these words than is looked through, and none of what was is in the list that you asked for. There may be others: write more of the name, or paste a key or a reference.")}
	case q.text != "":
		return &templates.EmptyView{Title: "Nothing is found", Text: say("Searched by ", searchFinds, ". What belongs to another account is not found either.")}
	case q.address("sort", "") != "/":
		return &templates.EmptyView{Title: "Nothing matches this filter", Text: say(templates.Link("/", "Show everything that needs somebody"))}
	}
	e := &templates.EmptyView{Title: "Nothing needs an operator", Text: say("No filter is set, and nothing of your accounts is hidden but what waits for approvers. "), Facts: []templates.Fact{
		{Label: "Finished work", Text: say(templates.Link("/?state=all", "Show all intents"))}}}
	if v.counts.Approvals.N > 0 {
		e.Facts = append(e.Facts, templates.Fact{Label: "Waiting for approvers", Text: say(templates.Link("/approvals", counted(v.counts.Approvals.N, "request")))})
	}
	return e
}
