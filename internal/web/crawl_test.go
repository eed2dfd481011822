package web

import (
	"html"
	"regexp"
	"strings"
	"testing"

	"countersign/internal/store"
)

var hrefs = regexp.MustCompile(`<a [^>]*href="([^"]+)"`)

// maxPage is what a page may weigh, stylesheet and script included.
const maxPage = 100_000

// TestLinksLeadSomewhereAndChangeNothing follows every link as each role.
func TestLinksLeadSomewhereAndChangeNothing(t *testing.T) {
	w := newWorld(t)
	w.examples()
	w.unknown("acme", "run-3", 90_050)
	w.work()
	files := 0
	for _, m := range regexp.MustCompile(`(?:href|src)="(/static/[^"]+)"`).FindAllStringSubmatch(w.browse("").get("/signin").body, -1) {
		files += len(w.browse("").get(m[1]).body)
	}
	for _, name := range viewers[1:] {
		b := w.browse(name)
		before := w.census()
		n := 0
		for path := range b.crawl() {
			n++
			if p := b.get(path); len(p.body)+files > maxPage {
				t.Errorf("%s weighs %d bytes", path, len(p.body)+files)
			}
		}
		if after := w.census(); after != before {
			t.Errorf("reading as %s changed %+v to %+v", name, before, after)
		}
		if n < 8 {
			t.Errorf("%s found %d pages", name, n)
		}
	}
}

// crawl follows links from the queue on; every one must lead to a page.
func (b *browser) crawl() map[string]bool {
	b.Helper()
	seen, todo := map[string]bool{"/": true}, []string{"/"}
	for len(todo) > 0 {
		path := todo[0]
		todo = todo[1:]
		p := b.get(path)
		if p.status != 200 {
			b.Errorf("%s: %d %.200s", path, p.status, p.text())
		}
		for _, m := range hrefs.FindAllStringSubmatch(p.body, -1) {
			href, _, _ := strings.Cut(html.UnescapeString(m[1]), "#")
			if href == "" || seen[href] || strings.HasPrefix(href, "/audit/export/file") || strings.HasPrefix(href, "/uncertain/file") {
				continue
			}
			if !strings.HasPrefix(href, "/") || strings.HasPrefix(href, "//") {
				b.Errorf("%s leads outside: %q", path, href)
				continue
			}
			seen[href] = true
			todo = append(todo, href)
		}
	}
	return seen
}

// census counts what a GET must not touch.
type census struct {
	Versions, Fences, Entries, Previews, Approvals, Uploads, Sessions int64
}

func (w *world) census() (c census) {
	w.Helper()
	w.must(w.db.View(w.Context(), func(tx *store.Tx) error {
		for query, into := range map[string]*int64{
			"SELECT sum(version) FROM intents": &c.Versions, "SELECT sum(fence) FROM intents": &c.Fences, "SELECT count(*) FROM audit_entries": &c.Entries,
			"SELECT count(*) FROM previews": &c.Previews, "SELECT count(*) FROM approvals": &c.Approvals, "SELECT count(*) FROM uploads": &c.Uploads,
			"SELECT count(*) FROM sessions WHERE revoked_at = 0": &c.Sessions,
		} {
			if _, err := tx.Get(into, query); err != nil {
				return err
			}
		}
		return nil
	}))
	return c
}
