package web

import (
	"context"
	"errors"
	"net/http"
	"slices"
	"strconv"

	"countersign/internal/actions"
	"countersign/internal/authz"
	"countersign/internal/model"
	"countersign/internal/store"
	"countersign/web/templates"
)

// How many items of a list a page shows: each with its plan, or only why not.
const (
	plansPerPage    = 20
	excludedPerPage = 50
)

// bulkPage is a list with what its page shows of it, and what was typed.
type bulkPage struct {
	actions.List
	rows     []model.BulkItem // the planned ones of this page
	excluded []model.BulkItem // of this page
	planned  int              // place of the first row among the planned ones
	out      int              // and of the first excluded one
	plans    map[string]actions.Preview
	intents  map[string]model.Intent
	beside   map[string]store.Beside
	apart    []model.Intent // of other accounts, which its maker asked for too
	cases    []*model.Case  // before it is confirmed, of what only acknowledging keeps out; then of the rows that were carried out
	people   []model.Person
	file     store.BankFile // that the list was made of; none where Bulk.BankFile is ""
	form     confirmFields
	errors   templates.FieldErrors
}

// openBulk reads a list that the viewer may see.
func (v *visit) openBulk() (p bulkPage, err error) {
	if p.List, err = v.Runner.GetBulk(v.r.Context(), v.actor, v.c.Param("id")); err != nil {
		return p, err
	}
	var planned, excluded []model.BulkItem
	for _, item := range p.Items {
		if item.Included() {
			planned = append(planned, item)
		} else {
			excluded = append(excluded, item)
		}
	}
	p.planned, p.rows = pageOf(planned, v.c.QueryParam("from"), plansPerPage)
	p.out, p.excluded = pageOf(excluded, v.c.QueryParam("out"), excludedPerPage)
	return p, v.read(func(tx *store.Tx) error {
		return tx.Together(
			func() error { return p.read(tx) },
			func() (err error) { p.apart, err = v.elsewhere(tx, p.List); return err })
	})
}

// pageOf cuts a page out of a list: from the place that the address names, or
// from the first where it names none.
func pageOf(list []model.BulkItem, from string, size int) (at int, part []model.BulkItem) {
	if n, err := strconv.Atoi(from); err == nil && n > 1 && n <= len(list) {
		at = n - 1
	}
	return at, list[at:min(at+size, len(list))]
}

// read reads what the page shows of its items: their plans, and their intents
// where they are of the list's account.
func (p *bulkPage) read(tx *store.Tx) error {
	var ids []string
	for _, item := range append(slices.Clone(p.rows), p.excluded...) {
		ids = append(ids, item.IntentID)
	}
	var rows []model.Intent
	err := tx.Together(
		func() (err error) { p.people, err = tx.People(p.Account); return err },
		func() (err error) { return p.readFile(tx) },
		func() (err error) { p.plans, err = actions.PlansIn(tx, p.rows); return err },
		func() (err error) { p.beside, err = tx.Beside(ids); return err },
		func() (err error) { p.cases, err = tx.OutlinesBy(p.looked()); return err },
		func() (err error) { rows, err = tx.Intents(ids); return err })
	p.intents = map[string]model.Intent{}
	for _, row := range rows {
		if row.Account == p.Account {
			p.intents[row.ID] = row
		}
	}
	p.cases = slices.DeleteFunc(p.cases, func(c *model.Case) bool { return c.Account != p.Account })
	return err
}

// readFile reads what bank's file the list was made of.
func (p *bulkPage) readFile(tx *store.Tx) (err error) {
	if p.BankFile != "" {
		p.file, err = tx.BankFile(p.BankFile)
	}
	return err
}

// looked are the ids of the intents of which the page tells more than their rows.
func (p *bulkPage) looked() (ids []string) {
	for _, item := range append(slices.Clone(p.rows), p.excluded...) {
		if p.UsedAt == 0 && item.Rule == "abandon.acknowledge" || item.Outcome == model.ItemExecuted {
			ids = append(ids, item.IntentID)
		}
	}
	return ids
}

// bulk shows a list: its preview, the request about it, or its results.
func (v *visit) bulk() error {
	p, err := v.openBulk()
	if err != nil {
		return err
	}
	return v.show(http.StatusOK, templates.Bulk(v.bulkView(p)))
}

// typed reports whether the list's code is typed in: the act opens the way to a
// second payment, or leaves effects as they are for good.
func (p bulkPage) typed() bool {
	doubt := slices.ContainsFunc(p.Items, func(i model.BulkItem) bool { return i.Included() && i.Twice })
	return p.Action == model.RetryUnfinished && doubt || p.People > 1
}

// newBulk makes a list: of what was selected, or again of what another list had.
func (v *visit) newBulk() error {
	var form struct {
		Of          string   `form:"of"`
		Action      string   `form:"action"`
		Intents     []string `form:"intent"`
		Acknowledge []string `form:"acknowledge"`
	}
	if err := v.bind(&form); err != nil {
		return err
	}
	req := actions.BulkRequest{Action: form.Action, Intents: form.Intents, Acknowledge: form.Acknowledge}
	if form.Of != "" {
		old, err := v.Runner.GetBulk(v.r.Context(), v.actor, form.Of)
		if err != nil {
			return err
		}
		if req, err = v.likeBefore(old, form.Acknowledge); err != nil {
			return err
		}
	}
	return v.makeBulk(req)
}

// likeBefore asks for what an older list asked for, with what was acknowledged
// then and now.
func (v *visit) likeBefore(old actions.List, acknowledged []string) (req actions.BulkRequest, err error) {
	req = actions.BulkRequest{Action: old.Action, Acknowledge: acknowledged}
	plans, err := v.Runner.Plans(v.r.Context(), old.Items)
	for _, item := range old.Items {
		req.Intents = append(req.Intents, item.IntentID)
		if p, ok := plans[item.PreviewID]; ok {
			req.Acknowledge = append(req.Acknowledge, planner{input: p.Input}.stated().Acknowledge...)
		}
	}
	return req, err
}

// makeBulk makes a list and leads to it. A session that must confirm first is led
// there and back to the queue: the selection is kept.
func (v *visit) makeBulk(req actions.BulkRequest) error {
	b, elsewhere, err := v.Runner.PreviewBulk(v.r.Context(), v.actor, req)
	if err == nil && len(elsewhere) > 0 {
		err = v.noteElsewhere(b.ID, elsewhere)
	}
	if err != nil {
		return err
	}
	return v.to("/bulk/" + b.ID)
}

func (v *visit) confirmBulk() error  { return v.bulkWord("confirm", v.Runner.ConfirmBulk) }
func (v *visit) approveBulk() error  { return v.bulkWord("approve", v.Runner.ApproveBulk) }
func (v *visit) rejectBulk() error   { return v.bulkWord("reject", v.Runner.RejectBulk) }
func (v *visit) withdrawBulk() error { return v.bulkWord("withdraw", v.Runner.WithdrawBulk) }

// bulkAct does what a word on a list means.
type bulkAct func(context.Context, authz.Actor, string, actions.Confirmation) (actions.List, error)

// bulkWord takes a person's word on a list; what was typed is kept.
func (v *visit) bulkWord(word string, do bulkAct) error {
	p, err := v.openBulk()
	if err != nil {
		return err
	}
	if err := v.bind(&p.form); err != nil {
		return err
	}
	if p.asksForCode(v.actor, word) && !sameCode(p.form.PlanCode, actions.PlanCode(p.Digest)) {
		p.errors = p.form.faults("list")
		return v.show(http.StatusUnprocessableEntity, templates.Bulk(v.bulkView(p)))
	}
	l, err := do(v.r.Context(), v.actor, p.ID, actions.Confirmation{Reason: p.form.Reason, Digest: p.form.Digest})
	if err != nil {
		return v.notSaid(p, err)
	}
	v.awaitBulk(l)
	return v.to("/bulk/" + p.ID)
}

// asksForCode reports whether the word needs the list's code beside it. What is
// refused anyway is refused for its own reason.
func (p bulkPage) asksForCode(actor authz.Actor, word string) bool {
	switch word {
	case "confirm":
		return p.typed() && p.State == model.BulkPreviewed
	case "approve":
		return p.typed() && p.Standing(p.Now) == model.BulkOpen && authz.MayApprove(actor, actions.BulkAsked(p.Bulk)).Allowed
	}
	return false
}

// notSaid shows a refusal beside the form where it is about the form.
func (v *visit) notSaid(p bulkPage, err error) error {
	var e *model.Error
	if !errors.As(err, &e) {
		return err
	}
	status := http.StatusConflict
	switch e.Code {
	case "invalid-params":
		status = http.StatusUnprocessableEntity
		p.errors = reasonFaults(err)
	case "preview-consumed", "preview-expired":
		if p, err = v.openBulk(); err != nil {
			return err
		}
	case authz.CodeStepUp:
		view := v.bulkView(p)
		view.Page.Flash = stepUpNote(err, "Nothing was done.", "/bulk/"+p.ID)
		return v.show(http.StatusForbidden, templates.Bulk(view))
	default:
		return err
	}
	return v.show(status, templates.Bulk(v.bulkView(p)))
}

// goOn asks that a list be carried on with at once.
func (v *visit) goOn() error {
	if err := v.Runner.GoOnWith(v.r.Context(), v.actor, v.c.Param("id")); err != nil {
		return err
	}
	return v.to("/bulk/" + v.c.Param("id"))
}
