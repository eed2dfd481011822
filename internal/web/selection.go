package web

import (
	"maps"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"countersign/internal/actions"
	"countersign/internal/authz"
	"countersign/internal/model"
	"countersign/internal/store"
	"countersign/web/templates"
)

// selectedPerPage is how many of what is selected one page shows.
const selectedPerPage = 50

// selection shows what the viewer has selected, over all pages of the queue.
func (v *visit) selection() error {
	var s model.Selection
	var rows []model.Intent
	err := v.read(func(tx *store.Tx) error {
		id := v.c.Param("id")
		return tx.Together(
			func() (err error) { s, err = tx.Selection(v.actor.ID, id); return err },
			func() (err error) {
				rows, err = tx.SelectedIntents(v.actor.ID, id, v.permitted(authz.Reconcile))
				return err
			})
	})
	if err != nil {
		return err
	}
	return v.show(http.StatusOK, templates.Selection(v.selectionView(s, rows)))
}

func (v *visit) selectionView(s model.Selection, rows []model.Intent) templates.SelectionView {
	list := v.c.QueryParam("list")
	if list != "" {
		list = localPath(list)
	}
	view := templates.SelectionView{Page: v.titled("What is selected"), ID: s.ID, List: carrying(orQueue(list), s.ID), Sums: selectedSums(rows), Actions: bulkChoices()}
	view.Several = slices.ContainsFunc(rows, func(i model.Intent) bool { return i.Account != rows[0].Account })
	if n := len(rows); n > 0 {
		view.Selected = counted(n, "intent") + ", ticked on " + counted(s.Pages, "page")
	}
	view.Gone = len(s.Intents) - len(rows)
	at := 0
	if n, err := strconv.Atoi(v.c.QueryParam("from")); err == nil && n > 1 && n <= len(rows) {
		at = n - 1
	}
	until := min(at+selectedPerPage, len(rows))
	for _, i := range rows[at:until] {
		view.Rows = append(view.Rows, v.selectedRow(i))
	}
	if len(view.Rows) < len(rows) {
		view.Shown = "Intents " + strconv.Itoa(at+1) + "–" + strconv.Itoa(until) + " of " + grouped(int64(len(rows)))
	}
	view.Here = selectionPath(s.ID, list, at)
	if at > 0 {
		view.Prev = selectionPath(s.ID, list, max(at-selectedPerPage, 0))
	}
	if until < len(rows) {
		view.Next = selectionPath(s.ID, list, until)
	}
	return view
}

// selectedRow is an intent as its own row tells it.
func (v *visit) selectedRow(i model.Intent) templates.SelectedRow {
	row := templates.SelectedRow{Href: "/intents/" + i.ID, Who: i.Who(), What: kindTitle(i.Kind), ID: i.ID, Account: i.Account, Money: money(i.Amount, i.Currency),
		State: templates.State(i.State), Stuck: i.Stuck, Since: v.at(i.StuckSince)}
	if i.UncertainSince != 0 {
		row.State, row.Since = templates.State(model.OutcomeUnknown), v.at(i.UncertainSince)
	}
	if i.Period != "" {
		row.What += " " + i.Period
	}
	return row
}

// selectedSums is the money of the selected intents, by currency.
func selectedSums(rows []model.Intent) templates.Sums {
	s := templates.Sums{Heading: "Selected", Figure: counted(len(rows), "intent"), Calm: true, Note: say("nothing is done to them yet")}
	many, moneyless := map[string]int{}, 0
	sums := map[string]int64{}
	for _, i := range rows {
		if i.Currency == "" || i.Amount == 0 {
			moneyless++
			continue
		}
		many[i.Currency]++
		sums[i.Currency] += i.Amount
	}
	for _, currency := range slices.Sorted(maps.Keys(sums)) {
		s.Columns = append(s.Columns, templates.SumColumn{Money: model.Money{Amount: sums[currency], Currency: currency}, Note: say(counted(many[currency], "intent"))})
	}
	if moneyless > 0 && len(s.Columns) > 0 {
		s.Note = say(s.Note, "; ", grouped(int64(moneyless)), " without money")
	}
	return s
}

// orQueue is the list that the rows were ticked in, or the queue.
func orQueue(list string) string {
	if list == "" {
		return "/"
	}
	return list
}

// selectionPath is the address of a page of the selection, from a place on; list
// is the list to go back to.
func selectionPath(id, list string, from int) string {
	values := url.Values{}
	if from > 0 {
		values.Set("from", strconv.Itoa(from+1))
	}
	if list != "" {
		values.Set("list", list)
	}
	return strings.TrimSuffix("/selections/"+id+"?"+values.Encode(), "?")
}

// bulkChoices are the actions that may be taken on many.
func bulkChoices() (list []templates.Choice) {
	for _, action := range actions.BulkActions() {
		list = append(list, templates.Choice{Value: action, Label: title(action)})
	}
	return list
}
