package e2e

import (
	"maps"
	"slices"
	"testing"
)

// TestEveryLinkAsEveryRole follows every link as every sample person: none leads
// to a fault, every page is valid HTML, and looking changes nothing but the
// audit log.
func TestEveryLinkAsEveryRole(t *testing.T) {
	demo := startDemo(t)
	visitors := map[string]*visitor{}
	for _, p := range demo.People {
		visitors[p.Email] = signIn(t, demo.Address, p)
	}
	quietTables(t, demo.database())
	change(t, demo.database(), "UPDATE intents SET wake_at = 0") // of what the engine means to look at meanwhile
	before := quietTables(t, demo.database())
	pages, alike := map[string]string{}, map[string]int{}
	for _, email := range slices.Sorted(maps.Keys(visitors)) {
		v := visitors[email]
		found := crawl(t, v, "/?q=nothing-has-this", "/approvals?state=rejected", "/audit?event=nothing.has.this")
		t.Logf("%s (%s): %d addresses", email, v.Role, len(found))
		for _, path := range slices.Sorted(maps.Keys(found)) {
			a := found[path]
			if a.status >= 400 && !(a.status == forbidden && named[path]) {
				t.Errorf("%s as %s: status %d", path, v.Role, a.status)
			}
			if looks := v.Role + shape(path); a.isPage() && alike[looks] < 2 { // the sweep validates each page in each state
				alike[looks]++
				pages[v.Role+path] = a.body
			}
			headers(t, path, a)
		}
		if !slices.ContainsFunc(slices.Collect(maps.Keys(found)), anIntent.MatchString) {
			t.Errorf("%s (%s) met no intent", email, v.Role)
		}
	}
	after := tables(t, demo.database())
	for name, was := range before {
		if after[name] != was {
			t.Errorf("looking changed %s: %s, then %s", name, was, after[name])
		}
	}
	if complaints := validate(t, pages); complaints != "" {
		t.Errorf("html-validate on %d pages:\n%s", len(pages), complaints)
	}
}

// named are pages that the guide names to everybody, and who may open them.
var named = map[string]bool{"/audit/export": true}

// headers checks what every answer must carry.
func headers(t *testing.T, path string, a answer) {
	t.Helper()
	if a.header.Get("X-Content-Type-Options") != "nosniff" {
		t.Errorf("%s: no nosniff", path)
	}
	if a.header.Get("X-Request-Id") == "" {
		t.Errorf("%s: no request id", path)
	}
	if a.isPage() && (a.header.Get("Content-Security-Policy") == "" || a.header.Get("Cache-Control") != "no-store") {
		t.Errorf("%s: CSP %q, Cache-Control %q", path, a.header.Get("Content-Security-Policy"), a.header.Get("Cache-Control"))
	}
}
