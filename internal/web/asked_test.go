package web

import (
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"

	"countersign/internal/store"
	"countersign/internal/store/storetest"
)

// statements is how many a page may send to the database, its frame included:
// the session with what every page shows, the page's lists, and what hangs on
// their rows.
const statements = 3

// more are the routes that may send more, and how many.
var more = map[string]int{
	"/audit/export/file": 100, // it reads the log in pieces
	"/uncertain/file":    100, // in pieces too
}

// asked opens a page twice, and gives the statements that the second took: at the
// first the process learns statements and contracts.
func (b *browser) asked(path string) (sent []store.Statement, status int) {
	b.Helper()
	address, err := url.Parse(b.url)
	b.must(err)
	for range 2 {
		ctx, asked := store.Asked(b.Context())
		request := httptest.NewRequestWithContext(ctx, http.MethodGet, b.url+path, nil)
		for _, cookie := range b.client.Jar.Cookies(address) {
			request.AddCookie(cookie)
		}
		answer := httptest.NewRecorder()
		b.web.Handler().ServeHTTP(answer, request)
		sent, status = asked.Sent(), answer.Code
	}
	return sent, status
}

// openPages opens every page as everybody, with data on it, and hands over what
// each sent.
func openPages(t *testing.T, check func(w *world, route, page string, sent []store.Statement)) {
	t.Helper()
	w := newWorld(t)
	example := w.examples()
	id := w.unknown("acme", "run-4", 90_050)
	browsers := map[string]*browser{}
	for _, name := range viewers[1:] {
		browsers[name] = w.browse(name)
	}
	for _, r := range w.web.routes() {
		if r.method != get || strings.Contains(r.path, "/static/") {
			continue
		}
		for name, b := range browsers {
			path := example(r.path) + matrix[r.method+" "+r.path].query
			if sent, status := b.asked(path); status == http.StatusOK {
				check(w, r.path, path+" for "+name, sent)
			}
		}
	}
	ticked := browsers["Olga"].post("/selections", "here", "/", "shown", id, "intent", id, "do", "keep").header.Get("Location")
	for _, list := range append([]string{ticked}, lists...) {
		if sent, status := browsers["Olga"].asked(list); status == http.StatusOK {
			check(w, "", list, sent)
		} else {
			t.Errorf("%s: status %d", list, status)
		}
	}
}

// lists are filtered and searched as their addresses say.
var lists = []string{"/?state=open", "/?state=all&kind=payout", "/?owner=me", "/?due=past", "/?provider=bank", "/?currency=EUR&sort=amount&min=1&max=9000", "/?from=2026-01-01&before=2026-12-31",
	"/?q=po_1", "/?q=Ada", "/?q=intent-0000000", "/?state=completed", "/?state=needs_review&kind=statement", "/?state=outcome_unknown&sort=age", "/approvals?state=all", "/approvals?state=executed", "/approvals?state=expired",
	"/uncertain?provider=bank", "/orphans?show=all"}

// TestPagesAskThreeTimes holds every page to its statements, with data on it. A
// page that fails reads in turn what it could read with store.Tx.Together.
func TestPagesAskThreeTimes(t *testing.T) {
	openPages(t, func(_ *world, route, page string, sent []store.Statement) {
		if most := max(statements, more[route]); len(sent) > most {
			t.Errorf("%s takes %d statements, more than %d", page, len(sent), most)
		}
	})
}

// fewRows are indexes of rows that are few however large their tables grow, and
// those that a page reads in their order up to its limit.
var fewRows = []string{"orphans_open", "attempts_lost", "conflicts_one_open", "orphans_list",
	"sqlite_autoindex_audit_checkpoints_1", "sqlite_autoindex_audit_waiting_1"}

// TestPagesReadNoTableWhole holds the statements of every page to indexes: what a
// page costs does not grow with the tables.
func TestPagesReadNoTableWhole(t *testing.T) {
	if storetest.Postgres() {
		t.Log("plans are read on SQLite")
		return
	}
	whole := store.Statement{Query: "SELECT * FROM intents i JOIN evidence e ON e.intent_id = i.id WHERE e.detail = ? ORDER BY e.at", Args: []any{"x"}}
	openPages(t, func(w *world, _, page string, sent []store.Statement) {
		err := w.db.View(t.Context(), func(tx *store.Tx) error {
			if len(storetest.Scans(t, tx, whole, fewRows...)) == 0 {
				t.Error("this test would not notice a whole table")
			}
			for _, s := range sent {
				for _, line := range storetest.Scans(t, tx, s, fewRows...) {
					t.Errorf("%s: %s", page, line)
				}
			}
			return nil
		})
		w.must(err)
	})
}
