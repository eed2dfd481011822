package e2e

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/network"
	"github.com/chromedp/chromedp"
)

// heaviest is what a page may weigh over the wire, everything included.
const heaviest = 100_000

// notPages are addresses that a person opens to keep a file, or that need the
// browser to leave what it shows.
var notPages = []string{"/static/", "/documents/", "/uploads/", "/audit/export/"}

// TestEveryPageLooksRight opens every sort of page as every role, in light, in
// dark and on a phone: axe-core finds no violation, the console stays silent,
// nothing offends the policy or is loaded from elsewhere, and no page is heavy.
func TestEveryPageLooksRight(t *testing.T) {
	demo, browser := startDemo(t), startBrowser(t)
	for _, l := range []look{light, dark, phone} {
		b := openTab(t, browser, demo.Address, l)
		b.inspect("signin", "/signin", 200)
		b.inspect("signin-link", strings.TrimPrefix(demo.of(t, "auditor").SigninURL, demo.Address), 200)
	}
	roles := map[string]bool{}
	for _, p := range demo.People {
		if roles[p.Role] {
			continue
		}
		roles[p.Role] = true
		v := signIn(t, demo.Address, p)
		paths := samplesOf(t, v, p.Role == "operator")
		t.Logf("%s: %d pages", p.Role, len(paths))
		sweep(t, browser, v, paths)
	}
}

// samplesOf picks addresses for a browser to open: one of each shape, and with
// all every intent, for each is stuck in its own way.
func samplesOf(t *testing.T, v *visitor, all bool) (paths []string) {
	t.Helper()
	shapes := map[string]int{}
	found := crawl(t, v, "/?q=nothing-has-this", "/approvals?state=rejected", "/audit?event=nothing.has.this", "/?min=wrong&currency=USD")
	for _, path := range slices.Sorted(maps.Keys(found)) {
		a := found[path]
		if a.status != 200 || !a.isPage() || slices.ContainsFunc(notPages, func(p string) bool { return strings.HasPrefix(path, p) }) {
			continue
		}
		if shapes[shape(path)]++; shapes[shape(path)] == 1 || all && anIntent.MatchString(path) {
			paths = append(paths, path)
		}
	}
	return paths
}

// sweep opens the pages in each look, two tabs at a time.
func sweep(t *testing.T, browser context.Context, v *visitor, paths []string) {
	t.Helper()
	looks := make(chan look, 3)
	for _, l := range []look{light, dark, phone} {
		looks <- l
	}
	close(looks)
	var group sync.WaitGroup
	for range 2 {
		group.Go(func() {
			for l := range looks {
				t.Run(v.Role+"-"+l.name, func(t *testing.T) {
					b := openTab(t, browser, v.base, l)
					b.use(v)
					for i, path := range paths {
						b.inspect(fmt.Sprintf("%s-%02d", v.Role, i), path, 200)
					}
					b.inspect(v.Role+"-missing", "/intents/intent-00000000000000000000000000", 404)
				})
			}
		})
	}
	group.Wait()
}

// use goes on with a session that was begun without the browser.
func (b *tab) use(v *visitor) {
	b.t.Helper()
	for _, c := range v.cookies(b.t) {
		b.call("setting a cookie", call(network.SetCookie, network.SetCookieParams{Name: c.Name, Value: c.Value, URL: b.base, HTTPOnly: new(true)}))
	}
}

// inspect opens a page with nothing in the browser's cache and looks for all
// that can be wrong with it.
func (b *tab) inspect(name, path string, status int64) {
	b.t.Helper()
	b.call("emptying the cache", call(network.ClearBrowserCache, cdp.Empty{}))
	if got := b.open(path); got != status {
		b.t.Errorf("%s (%s): status %d, want %d", path, b.look.name, got, status)
	}
	b.judge(path)
	b.shot(name)
}

// judge looks for all that can be wrong with the page as it is shown.
func (b *tab) judge(path string) {
	b.t.Helper()
	for _, v := range b.violations() {
		b.t.Errorf("%s (%s): axe-core: %s", path, b.look.name, v)
	}
	if w := b.weighed(); w > heaviest {
		b.t.Errorf("%s (%s) weighs %.0f bytes", path, b.look.name, w)
	}
	if wide := evaluate(b, "measuring", chromedp.Evaluate[int64](`document.documentElement.scrollWidth - document.documentElement.clientWidth`)); wide > 0 {
		b.t.Errorf("%s (%s): the page is %d pixels too wide", path, b.look.name, wide)
	}
}
