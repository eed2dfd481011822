package web

import (
	"net/url"
	"strings"
	"testing"

	"countersign/internal/audit"
	"countersign/internal/model"
	"countersign/internal/store"
)

// TestSavedViews: a filter under a name, the same to everybody of the account and
// to nobody else.
func TestSavedViews(t *testing.T) {
	w := newWorld(t)
	w.unknown("acme", "run-1", 90_050)
	w.unknown("acme", "run-2", 10_000)
	olga, otto, ada, gus := w.browse("Olga"), w.browse("Otto"), w.browse("Ada"), w.browse("Gus")
	filter := url.Values{"currency": {"EUR"}, "min": {"500"}, "from": {"2026-11-01"}}.Encode()
	saving := olga.get("/?" + filter)
	olga.wants(saving, 200, "Save this filter as a view", "1 match")
	if !strings.Contains(saving.body, "zone=UTC") {
		t.Error("the days of the saved filter have no zone")
	}
	made := olga.post("/views", "query", filter+"&q=run-1&cursor=x&foreign=text", "name", "Large ones", "for", "account")
	path := made.header.Get("Location")
	olga.wants(olga.follow(made), 200, "Large ones", "1 match", "Your view, acme, listed for everybody of the account")
	if again := olga.post("/views", "query", filter, "name", "Large ones", "for", "account").header.Get("Location"); again != path {
		t.Errorf("saved twice: %s and %s", path, again)
	}
	olga.wants(olga.post("/views", "query", "kind=payout", "name", "Large ones"), 422, "The name is that of another view of yours", "Nothing was saved")
	olga.wants(olga.post("/views", "query", "kind=payout", "name", "  "), 422, "The name is empty")
	olga.wants(olga.post("/views", "query", "kind=nothing", "name", "Nothing"), 422, "is none of those offered")
	otto.wants(otto.get("/"), 200, "Large ones · Olga")
	otto.wants(otto.get(path), 200, "Large ones", "View of Olga", "1 match")
	otto.wants(otto.post(path, "do", "delete"), 403)
	gus.wants(gus.get(path), 404)
	gus.wants(gus.post(path, "do", "delete"), 404)
	olga.wants(olga.follow(olga.post(path, "do", "change", "name", "محمد ≥ 500", "for", "me")), 200, "محمد ≥ 500", "listed for its maker alone")
	otto.wants(otto.get(path), 200, "1 match")
	if strings.Contains(otto.get("/").text(), "محمد ≥ 500") {
		t.Error("a view of one's own is offered to others")
	}
	ada.wants(ada.follow(ada.post(path, "do", "delete")), 200, "Queue")
	olga.wants(olga.get(path), 404)
	if got := w.eventsOf("view."); got != "view.created view.denied view.changed view.deleted" {
		t.Errorf("entries: %s", got)
	}
}

// TestViewsPage: the pages of a view stay under its address.
func TestViewsPage(t *testing.T) {
	w := newWorld(t)
	for _, key := range strings.Fields(strings.Repeat("k ", rowsPerPage+1)) {
		w.accept("rep", "acme", key+w.db.Now().String(), 10_000)
		w.wait(1e9)
	}
	olga := w.browse("Olga")
	made := olga.post("/views", "query", "state=all", "name", "All")
	p := olga.follow(made)
	next := found(t, nextPage, p)
	if !strings.HasPrefix(next, made.header.Get("Location")+"?cursor=") {
		t.Fatalf("the next page is %s", next)
	}
	olga.wants(olga.get(next), 200, "21 match", "Previous rows")
}

// eventsOf lists the events that begin so, in order.
func (w *world) eventsOf(prefix string) string {
	w.Helper()
	w.work()
	var list []string
	w.must(w.db.View(w.Context(), func(tx *store.Tx) error {
		items, err := w.log.List(tx, audit.Filter{Accounts: audit.Everything(), Event: prefix})
		for _, item := range items {
			list = append(list, item.Event)
		}
		return err
	}))
	return strings.Join(list, " ")
}

// TestAViewOfAFilterThatCannotBeRead: it is not offered to be saved, and a name
// that was sent with one stands again, with what is to be mended.
func TestAViewOfAFilterThatCannotBeRead(t *testing.T) {
	w := newWorld(t)
	olga := w.browse("Olga")
	for filter, offered := range map[string]bool{"min=abc&currency=EUR": false, "from=2026-02-30": false, "min=1&currency=EUR": true} {
		if got := formOn(olga.get("/?"+filter), "/views") != nil; got != offered {
			t.Errorf("%s is offered to be saved: %v", filter, got)
		}
	}
	p := olga.post("/views", "query", "min=abc&currency=EUR", "name", "My very own", "for", "account")
	olga.wants(p, 422, "Nothing was saved", "First mend the filter")
	if !strings.Contains(p.body, `value="My very own"`) || !strings.Contains(p.body, `<option value="account" selected>`) || !strings.Contains(p.body, `<a href="#f-min">First mend`) {
		t.Errorf("the name is lost, or where to mend: %s", p.text())
	}
	w.update(func(tx *store.Tx) error { return tx.Grant(w.ids["Olga"], "globex", model.RoleOperator) })
	p = olga.post("/views", "query", "kind=payout&account=acme", "name", "", "account", "globex")
	if !strings.Contains(p.body, `<option value="globex" selected>`) {
		t.Error("the account that was chosen is lost")
	}
}
