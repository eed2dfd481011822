package e2e

import (
	"context"
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/network"
	"github.com/chromedp/chromedp"
	"golang.org/x/sync/errgroup"
)

// heaviest is what a page may weigh over the wire, everything included.
const heaviest = 100_000

// TestEveryPageLooksRight opens every sort of page as every role, in light, in
// dark and on a phone: axe-core finds no violation, the console stays silent,
// nothing offends the policy or is loaded from elsewhere, and no page is heavy.
func TestEveryPageLooksRight(t *testing.T) {
	demo, browser := startDemo(t), startBrowser(t)
	for _, l := range []look{light, dark, phone} {
		b := openTab(t, browser, demo.Address, l)
		b.inspect("signin", "/signin", http.StatusOK)
		b.inspect("signin-link", strings.TrimPrefix(demo.of(t, "auditor").SigninURL, demo.Address), http.StatusOK)
	}
	swept := sweep{t: t, browser: browser, shapes: map[string]bool{}}
	roles := map[string]bool{}
	for _, p := range demo.People {
		if !roles[p.Role] {
			roles[p.Role] = true
			swept.role(signIn(t, demo.Address, p))
		}
	}
}

// sweep opens pages role by role and remembers which shapes it has seen.
type sweep struct {
	t       *testing.T
	browser context.Context
	shapes  map[string]bool
}

// role opens one page of each shape that a person meets; of the first role, the
// operator, every intent, for each is stuck in its own way. In dark and on a
// phone, pages that look as they did for an earlier role are left out.
func (s *sweep) role(v *visitor) {
	var every, fresh []string
	first, mine := len(s.shapes) == 0, map[string]bool{}
	found := crawl(s.t, v, "/?q=nothing-has-this", "/approvals?state=rejected", "/audit?event=nothing.has.this", "/?min=wrong&currency=USD")
	for _, path := range slices.Sorted(maps.Keys(found)) {
		if a := found[path]; a.status != http.StatusOK || !a.isPage() {
			continue
		}
		looks := shape(path)
		if mine[looks] && !(first && anIntent.MatchString(path)) {
			continue
		}
		every, mine[looks] = append(every, path), true
		if !s.shapes[looks] {
			fresh = append(fresh, path)
		}
	}
	maps.Copy(s.shapes, mine)
	s.t.Logf("%s: %d pages, %d of a new shape", v.Role, len(every), len(fresh))
	s.inLooks(v, map[look][]string{light: every, dark: fresh, phone: fresh})
}

// inLooks opens the pages of each look, two tabs at a time.
func (s *sweep) inLooks(v *visitor, pages map[look][]string) {
	var group errgroup.Group
	group.SetLimit(2)
	for _, l := range []look{light, dark, phone} {
		group.Go(func() error {
			s.t.Run(v.Role+"-"+l.name, func(t *testing.T) {
				b := openTab(t, s.browser, v.base, l)
				b.use(v)
				for i, path := range pages[l] {
					b.inspect(fmt.Sprintf("%s-%02d", v.Role, i), path, http.StatusOK)
				}
				b.inspect(v.Role+"-missing", "/intents/intent-00000000000000000000000000", http.StatusNotFound)
			})
			return nil
		})
	}
	if err := group.Wait(); err != nil {
		s.t.Error(err)
	}
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
	if b.look == light { // where the page is weighed
		b.call("emptying the cache", call(network.ClearBrowserCache, cdp.Empty{}))
	}
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
