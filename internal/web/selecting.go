package web

import (
	"net/url"
	"slices"
	"strings"

	"countersign/internal/actions"
	"countersign/internal/authz"
	"countersign/internal/model"
	"countersign/web/templates"
)

// selectionsPath takes what is ticked on a page of a list.
const selectionsPath = "/selections"

// carry adds to an address of the list what is selected over its pages.
func (q queueQuery) carry(address string) string { return carrying(address, q.selection) }

// carrying is an address of a list with a selection in place of any other.
func carrying(address, selection string) string {
	at, err := url.Parse(address)
	if err != nil || selection == "" {
		return address
	}
	values := at.Query()
	values.Set("selection", selection)
	at.RawQuery = values.Encode()
	return at.String()
}

// selects reports whether the viewer may tick rows to act on them.
func (v *visit) selects() bool { return len(v.permitted(authz.Reconcile)) > 0 }

// selecting lets who may act tick rows, and ticks what is selected already.
func (v *visit) selecting(q queueQuery, view *templates.QueueView, selected model.Selection) {
	if !v.selects() || len(view.Rows) == 0 {
		return
	}
	for i := range view.Rows {
		view.Rows[i].Ticked = slices.Contains(selected.Intents, view.Rows[i].ID)
	}
	view.Selecting = &templates.Selecting{ID: q.selection, Here: q.here(), Actions: bulkChoices()}
	if n := len(selected.Intents); n > 0 {
		view.Selecting.Selected = grouped(int64(n)) + " selected on " + counted(selected.Pages, "page")
	}
}

// tick keeps what is ticked on one page, and goes on: to another page, to the
// same one, to all that is selected, or to the preview of an action on it.
func (v *visit) tick() error {
	var form struct {
		Selection string   `form:"selection"`
		Here      string   `form:"here"`
		Shown     string   `form:"shown"` // ids, parted by spaces
		Intents   []string `form:"intent"`
		Action    string   `form:"action"`
		Do        string   `form:"do"`
		Go        string   `form:"go"`
	}
	if err := v.bind(&form); err != nil {
		return err
	}
	shown := strings.Fields(form.Shown)
	in := actions.Ticks{Selection: form.Selection, Shown: shown, Ticked: form.Intents, Clear: form.Do == "clear"}
	if len(shown) > 0 {
		in.Page = shown[0] // a page is the same by whatever cursor it was reached
	}
	if form.Do == "all" {
		in.Ticked = shown
	}
	if len(in.Page) > 64 || len(in.Shown) > actions.MaxBulk || len(in.Ticked) > actions.MaxBulk {
		return model.Errorf(model.Invalid, "invalid-params", "This is no page of the list.")
	}
	s, err := v.Runner.Tick(v.r.Context(), v.actor, in)
	if err != nil {
		return err
	}
	switch {
	case form.Do == "preview" && len(s.Intents) == 0:
		return v.to(withSaid(onward(form.Here, s.ID), "nothing-ticked"))
	case form.Do == "preview":
		return v.makeBulk(actions.BulkRequest{Action: form.Action, Intents: s.Intents})
	case form.Do == "look":
		return v.to(selectionPath(s.ID, localPath(form.Here), 0))
	case form.Go != "":
		return v.to(onward(form.Go, s.ID))
	}
	return v.to(onward(form.Here, s.ID))
}

// onward is a page of the console with a selection: one of the selection itself
// has it already.
func onward(address, selection string) string {
	address = localPath(address)
	if strings.HasPrefix(address, "/selections/") {
		return address
	}
	return carrying(address, selection)
}
