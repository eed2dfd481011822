package e2e

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/network"
	"github.com/chromedp/chromedp"
	"golang.org/x/sync/errgroup"
)

// heaviest is what a page may weigh over the wire, everything included.
const heaviest = 100_000

// TestEveryPageLooksRight opens every page in every state as everybody who gets
// it, and looks at each in light and dark, and, of the first who gets it, narrow,
// enlarged and in forced colours: axe-core finds no violation, the markup is valid, the console stays
// silent, nothing offends the policy or is loaded from elsewhere, no page is
// heavy and none is wider than its window.
func TestEveryPageLooksRight(t *testing.T) {
	scene, without, browser := theScene(t), startEmpty(t), startBrowser(t)
	s := &sweep{browser: browser, pages: map[string]string{}}
	there, nothing := map[rune][]view{}, map[rune][]view{}
	for _, v := range views {
		for _, letter := range v.who {
			if v.state == empty {
				nothing[letter] = append(nothing[letter], v)
				continue
			}
			placed := v
			placed.at, placed.form = scene.fill(v.at), scene.fillForm(v.form)
			there[letter] = append(there[letter], placed)
		}
	}
	var group errgroup.Group
	group.SetLimit(2)
	for letter := range viewers {
		group.Go(func() error {
			t.Run(string(letter), func(t *testing.T) { s.all(t, letter, scene.demo, there[letter]) })
			t.Run(string(letter)+" without work", func(t *testing.T) { s.all(t, letter, without, nothing[letter]) })
			return nil
		})
	}
	if err := group.Wait(); err != nil {
		t.Error(err)
	}
	if complaints := validate(t, s.pages); complaints != "" {
		t.Errorf("html-validate on %d pages:\n%s", len(s.pages), complaints)
	}
}

// fillForm puts the places into what a form sends.
func (s *scene) fillForm(form url.Values) url.Values {
	filled := url.Values{}
	for name, values := range form {
		for _, value := range values {
			filled.Add(name, s.fill(value))
		}
	}
	return filled
}

// sweep opens pages and keeps the markup that the browser got.
type sweep struct {
	browser context.Context

	mu    sync.Mutex
	pages map[string]string
}

// all opens what one viewer gets of one product.
func (s *sweep) all(t *testing.T, letter rune, demo *product, mine []view) {
	if len(mine) == 0 {
		return
	}
	b := openTab(t, s.browser, demo.Address, light)
	b.keepsBody = true
	if email := viewers[letter]; email != "" {
		for _, p := range demo.People {
			if p.Email == email {
				b.use(signIn(t, demo.Address, p))
			}
		}
	}
	slices.SortStableFunc(mine, func(a, b view) int { // forms first, while the sign-in is fresh
		return strings.Compare(b.route[:4], a.route[:4])
	})
	for _, v := range mine {
		name := fmt.Sprintf("%c %s %s", letter, v.state, v.route)
		if got := b.show(v); got != int64(v.status) {
			t.Errorf("%s: %s: status %d, want %d", name, v.at, got, v.status)
		}
		if letter == rune(v.who[0]) {
			b.examine(name + ": " + v.at)
		} else {
			b.glance(name + ": " + v.at)
		}
		s.mu.Lock()
		s.pages[name+" "+v.at+v.form.Encode()] = b.body
		s.mu.Unlock()
	}
}

// show asks for a view with nothing in the browser's cache.
func (b *tab) show(v view) int64 {
	b.t.Helper()
	b.call("emptying the cache", call(network.ClearBrowserCache, cdp.Empty{}))
	method, _, _ := strings.Cut(v.route, " ")
	if method == http.MethodGet {
		return b.open(v.at)
	}
	return b.post(v.at, v.form)
}

// send makes the page that is shown send a form of its own session.
const send = `(() => {
	const form = document.createElement("form");
	form.method = "post";
	form.action = %s;
	const values = Object.entries(%s);
	const token = document.querySelector("input[name=csrf]");
	if (token && !values.some(([name]) => name === "csrf")) values.push(["csrf", [token.value]]);
	for (const [name, texts] of values) for (const text of texts) {
		const field = document.createElement("textarea");
		field.name = name;
		field.value = text;
		form.append(field);
	}
	document.body.append(form);
	form.submit();
})()`

// post sends a form from a page of the product, and returns the answer's status.
func (b *tab) post(path string, form url.Values) int64 {
	b.t.Helper()
	b.open("/stepup") // a page that everybody signed in has
	action, err := json.Marshal(path)
	b.must(err, "naming the address")
	values, err := json.Marshal(form)
	b.must(err, "writing the form")
	return b.load(path, chromedp.Evaluate[chromedp.Void](fmt.Sprintf(send, action, values)))
}

// use goes on with a session that was begun without the browser.
func (b *tab) use(v *visitor) {
	b.t.Helper()
	for _, c := range v.cookies(b.t) {
		b.call("setting a cookie", call(network.SetCookie, network.SetCookieParams{Name: c.Name, Value: c.Value, URL: b.base, HTTPOnly: new(true)}))
	}
}
