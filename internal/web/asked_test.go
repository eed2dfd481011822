package web

import (
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"

	"countersign/internal/store"
)

// statements is how many a page may send to the database, its frame included:
// the session with what every page shows, the page's lists, and what hangs on
// their rows.
const statements = 3

// more are the routes that may send more, and how many.
var more = map[string]int64{
	"/audit/export/file": 100, // it reads the log in pieces
	"/uncertain/file":    100, // in pieces too
}

// asked opens a page twice, and gives how many statements the second took: at
// the first the process learns statements and contracts.
func (b *browser) asked(path string) (n int64, status int) {
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
		n, status = asked.Load(), answer.Code
	}
	return n, status
}

// TestPagesAskThreeTimes holds every page to its statements, with data on it. A
// page that fails reads in turn what it could read with store.Tx.Together.
func TestPagesAskThreeTimes(t *testing.T) {
	w := newWorld(t)
	example := w.examples()
	w.unknown("acme", "run-4", 90_050)
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
			n, status := b.asked(path)
			if most := max(statements, more[r.path]); status == http.StatusOK && n > most {
				t.Errorf("%s for %s takes %d statements, more than %d", path, name, n, most)
			}
		}
	}
}
