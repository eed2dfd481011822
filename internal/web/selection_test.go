package web

import (
	"regexp"
	"strings"
	"testing"

	"countersign/internal/actions"
	"countersign/internal/model"
	"countersign/internal/store"
)

var tickBox = regexp.MustCompile(`name="intent" value="([^"]+)"`)

// tickable are the rows of a page that can be ticked, by id.
func tickable(p page) (ids []string) {
	for _, m := range tickBox.FindAllStringSubmatch(p.body, -1) {
		ids = append(ids, m[1])
	}
	return ids
}

// tick sends the boxes of a page with what else is given in pairs.
func (b *browser) tick(p page, ticked []string, more ...string) page {
	b.Helper()
	at := func(name string) string {
		m := regexp.MustCompile(`name="` + name + `" value="([^"]*)"`).FindStringSubmatch(p.body[strings.Index(p.body, `id="selecting"`):])
		return strings.ReplaceAll(m[1], "&amp;", "&")
	}
	fields := append([]string{"selection", at("selection"), "here", at("here")}, more...)
	fields = append(fields, "shown", strings.Join(tickable(p), " "))
	for _, id := range ticked {
		fields = append(fields, "intent", id)
	}
	return b.post("/selections", fields...)
}

func TestSelectionIsKeptOverPages(t *testing.T) {
	w := newWorld(t)
	w.update(func(tx *store.Tx) error { return manyStuck(tx, "acme", rowsPerPage+3) })
	foreign := w.unknown("globex", "run-1", 50_000)
	olga := w.browse("Olga")
	rows, send := tickable, olga.tick
	first := olga.get("/")
	all := rows(first)
	next := strings.ReplaceAll(found(t, regexp.MustCompile(`name="go" value="([^"]+)">Next rows`), first), "&amp;", "&")
	second := olga.follow(send(first, append(all[:2:2], foreign), "go", next))
	olga.wants(second, 200, "2 selected on 1 page", "Stuck 21")
	back := olga.follow(send(second, rows(second)[:1], "go", strings.ReplaceAll(found(t, regexp.MustCompile(`name="go" value="([^"]+)">Previous rows`), second), "&amp;", "&")))
	olga.wants(back, 200, "3 selected on 2 pages", "Stuck 01")
	if n := strings.Count(back.body, " checked"); n != 2 {
		t.Errorf("%d rows are ticked, want 2", n)
	}
	fewer := olga.follow(send(back, all[:1], "do", "keep"))
	olga.wants(fewer, 200, "2 selected on 2 pages")
	olga.wants(olga.follow(send(fewer, all[:1], "do", "all")), 200, "21 selected on 2 pages")
	olga.wants(olga.follow(send(fewer, all[:1], "do", "preview", "action", "reconcile")), 200, "Nothing can be done: every intent is left out", "reconcile.nothing-to-check")
	cleared := olga.follow(send(fewer, nil, "do", "clear"))
	if strings.Contains(cleared.text(), "selected on") {
		t.Error("the selection is not cleared")
	}
	olga.wants(olga.follow(send(cleared, nil, "do", "preview", "action", "reconcile")), 200, "Nothing is selected, and nothing was done.", "Stuck 01", "Preview each")
	if p := olga.get("/"); strings.Contains(p.text(), "What you typed before") || strings.Contains(p.text(), "Nothing is selected") {
		t.Errorf("the queue goes on about it: %s", p.text())
	}
	otto := w.browse("Otto")
	otto.wants(otto.get("/?selection="+found(t, regexp.MustCompile(`name="selection" value="(selection-[^"]+)"`), back)), 404)
	audrey := w.browse("Audrey")
	if strings.Contains(audrey.get("/").body, `id="selecting"`) {
		t.Error("an auditor is offered to act")
	}
}

// TestSelectionCanBeLookedAt: what is ticked over pages is seen together, with
// its sums, and taken out again; the list is gone back to as it was.
func TestSelectionCanBeLookedAt(t *testing.T) {
	w := newWorld(t)
	ids := []string{w.unknown("acme", "run-1", 90_050), w.unknown("acme", "run-2", 70_000), w.unknown("acme", "run-3", 1_000)}
	w.update(func(tx *store.Tx) error {
		_, err := tx.Exec("UPDATE intents SET amount = 1250, currency = 'JPY' WHERE id = ?", ids[2])
		return err
	})
	olga := w.browse("Olga")
	looked := olga.tick(olga.get("/?kind=payout"), ids, "do", "look")
	address := looked.header.Get("Location")
	seen := olga.follow(looked)
	olga.wants(seen, 200, "What is selected", "3 intents, ticked on 1 page", "Nothing is done by selecting", "1,600.50 EUR", "2 intents", "1,250 JPY", "Outcome unknown", "create-payout")
	if strings.Count(seen.body, " checked") != 3 || !strings.Contains(seen.body, `href="/?kind=payout&amp;selection=selection-`) {
		t.Errorf("not all is ticked, or there is no way back to the list:\n%s", seen.body)
	}
	kept := olga.tick(seen, ids[:2], "do", "keep")
	if got := kept.header.Get("Location"); got != address {
		t.Errorf("unticking leads to %s, not to %s", got, address)
	}
	fewer := olga.follow(kept)
	olga.wants(fewer, 200, "2 intents, ticked on 1 page")
	if strings.Contains(fewer.text(), "JPY") {
		t.Error("what was taken out is still counted")
	}
	olga.wants(olga.follow(olga.tick(fewer, ids[:1], "do", "preview", "action", "reconcile")), 200, "Preview: ask about 1 intent")
	olga.wants(olga.follow(olga.tick(fewer, nil, "do", "clear")), 200, "Nothing is selected", "Tick intents in")
	for _, name := range []string{"Otto", "Audrey"} {
		other := w.browse(name)
		other.wants(other.get(address), 404)
	}
}

// TestADeniedSelectionHasAnEntry: who may act on nothing ticks nothing.
func TestADeniedSelectionHasAnEntry(t *testing.T) {
	w := newWorld(t)
	id := w.unknown("acme", "run-1", 90_050)
	audrey := w.browse("Audrey")
	audrey.wants(audrey.post("/selections", "do", "keep", "shown", id, "intent", id), 403, "Only operators select")
	if got := w.eventsOf("selection."); got != "selection.denied" {
		t.Errorf("entries: %s", got)
	}
}

// TestALongSelectionComesInPages: unticking on one page leaves the others.
func TestALongSelectionComesInPages(t *testing.T) {
	w := newWorld(t)
	const all = selectedPerPage + 3
	w.update(func(tx *store.Tx) error { return manyStuck(tx, "acme", all) })
	olga := w.browse("Olga")
	var ids []string
	w.must(w.db.View(w.Context(), func(tx *store.Tx) error {
		rows, _, err := tx.List(store.ListFilter{Accounts: []string{"acme"}, Limit: all})
		for _, i := range rows {
			ids = append(ids, i.ID)
		}
		return err
	}))
	s, err := w.run.Tick(w.Context(), w.actor("Olga"), actions.Ticks{Page: ids[0], Shown: ids, Ticked: ids})
	w.must(err)
	first := olga.get("/selections/" + s.ID)
	olga.wants(first, 200, "53 intents", "Intents 1–50 of 53")
	if len(first.body) > 60_000 {
		t.Errorf("the page has %d bytes", len(first.body))
	}
	next := strings.ReplaceAll(found(t, regexp.MustCompile(`name="go" value="([^"]+)">Next intents`), first), "&amp;", "&")
	second := olga.follow(olga.tick(first, ids[1:selectedPerPage], "go", next))
	olga.wants(second, 200, "52 intents", "Intents 51–52 of 52", "Previous intents")
	olga.wants(olga.follow(olga.tick(second, nil, "do", "keep")), 200, "50 intents, ticked on 1 page")
	olga.wants(olga.get("/selections/"+s.ID+"?from=-7&list=https://elsewhere.example/"), 200, "50 intents")
}

// TestSelectionOfLostRights: what is not the viewer's to act on any more is
// counted and not shown.
func TestSelectionOfLostRights(t *testing.T) {
	w := newWorld(t)
	id := w.unknown("acme", "run-1", 90_050)
	olga := w.browse("Olga")
	seen := olga.follow(olga.tick(olga.get("/"), []string{id}, "do", "look"))
	olga.wants(seen, 200, "1 intent, ticked on 1 page")
	address := olga.tick(seen, []string{id}, "do", "keep").header.Get("Location")
	w.update(func(tx *store.Tx) error {
		_, err := tx.Exec("UPDATE memberships SET role = ? WHERE person = ? AND account = 'acme'", model.RoleAuditor, w.ids["Olga"])
		return err
	})
	lost := olga.get(address)
	olga.wants(lost, 200, "1 more of what was ticked cannot be acted on by you any more", "Nothing is selected")
	if strings.Contains(lost.body, id) {
		t.Error("it is shown all the same")
	}
}
