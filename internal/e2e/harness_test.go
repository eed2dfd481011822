package e2e

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"
)

// goodPage has nothing wrong; badPage has one fault of every kind that the
// tests are to notice.
const (
	goodPage = `<!doctype html><html lang="en"><head><meta charset="utf-8"><title>Good</title><link rel="icon" href="/icon"></head>
<body><main><h1>Good</h1><p id="said">still</p><form action="/next"><label for="word">Word</label><input type="text" id="word" name="word"><button type="submit">Go</button></form></main>
<script src="/good.js"></script></body></html>`
	badPage = `<!doctype html><html><head><meta charset="utf-8"><title>Bad</title><link rel="icon" href="/icon"></head>
<body><main><h1>Bad</h1><img src="http://127.0.0.1:9/elsewhere.png"><p style="color:red">inline</p></main>
<script src="/bad.js"></script></body></html>`
)

// serveHarness serves the two pages under the policy of the product.
func serveHarness(t *testing.T) string {
	t.Helper()
	mux := http.NewServeMux()
	answer := func(path, kind, text string) {
		mux.HandleFunc("GET "+path, func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", kind)
			w.Header().Set("Content-Security-Policy", "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; form-action 'self'")
			fmt.Fprint(w, text)
		})
	}
	answer("/good", "text/html; charset=utf-8", goodPage)
	answer("/bad", "text/html; charset=utf-8", badPage)
	answer("/next", "text/html; charset=utf-8", goodPage)
	answer("/good.js", "text/javascript", `document.querySelector("#said").textContent = "moved"`)
	answer("/bad.js", "text/javascript", `console.log("left over"); missing()`)
	answer("/icon", "image/svg+xml", `<svg xmlns="http://www.w3.org/2000/svg"/>`)
	server := httptest.NewServer(mux)
	t.Cleanup(server.Close)
	return server.URL
}

func TestHarnessNoticesFaults(t *testing.T) {
	browser, base := startBrowser(t), serveHarness(t)
	b := openTab(t, browser, base, light)
	if status := b.open("/bad"); status != 200 {
		t.Fatalf("status %d", status)
	}
	broken := b.violations()
	for _, rule := range []string{"html-has-lang", "image-alt"} {
		if !slices.ContainsFunc(broken, func(v string) bool { return strings.HasPrefix(v, rule) }) {
			t.Errorf("axe-core does not report %s: %q", rule, broken)
		}
	}
	wrongs := strings.Join(b.takeWrongs(), "\n")
	for _, want := range []string{"console.log", "script failed", "content security policy: img-src", "content security policy: style-src", "another place"} {
		if !strings.Contains(wrongs, want) {
			t.Errorf("not noticed: %s; noticed:\n%s", want, wrongs)
		}
	}
	if got := validate(t, map[string]string{"/bad": badPage}); !strings.Contains(got, "no-inline-style") {
		t.Errorf("html-validate says %q", got)
	}
}

func TestHarnessAcceptsGoodPages(t *testing.T) {
	browser, base := startBrowser(t), serveHarness(t)
	for _, c := range []struct {
		look look
		said string
	}{{plain, "still"}, {light, "moved"}, {dark, "moved"}, {phone, "moved"}} {
		b := openTab(t, browser, base, c.look)
		b.open("/good")
		if got := b.text("#said"); got != c.said {
			t.Errorf("%s: the page says %q, want %q", c.look.name, got, c.said)
		}
		if b.weighed() < float64(len(goodPage)) {
			t.Errorf("%s: the page weighs %.0f bytes", c.look.name, b.weighed())
		}
		b.fill("#word", "søk 検索")
		b.press("button")
		if got := b.at(); got != "/next?word=s%C3%B8k+%E6%A4%9C%E7%B4%A2" {
			t.Errorf("%s: the form led to %s", c.look.name, got)
		}
		if c.look.noScript {
			continue
		}
		if broken := b.violations(); len(broken) > 0 {
			t.Errorf("%s: axe-core reports %q", c.look.name, broken)
		}
	}
	if got := validate(t, map[string]string{"/good": goodPage}); got != "" {
		t.Errorf("html-validate says %q", got)
	}
}
