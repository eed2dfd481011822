package web

import (
	"regexp"
	"strings"
	"testing"
)

var helpLink = regexp.MustCompile(`<a id="help" href="/help#([^"]+)"`)

// TestHelpIsOfThePage: the link of every page leads to a part of the help that is
// there, and that speaks of it.
func TestHelpIsOfThePage(t *testing.T) {
	w := newWorld(t)
	example := w.examples()
	help := w.browse("Ada").get("/help")
	for _, r := range w.web.routes() {
		if r.method != get || r.page == nil || r.path == "/help" || r.path == "/live" || strings.HasSuffix(r.path, "/file") {
			continue
		}
		path := strings.TrimSuffix(example(r.path), "/")
		if path == "" {
			path = "/"
		}
		for _, name := range []string{"Olga", "Ada"} {
			p := w.browse(name).get(path)
			if p.status == 303 || strings.HasPrefix(p.header.Get("Content-Disposition"), "attachment") {
				continue
			}
			link := helpLink.FindStringSubmatch(p.body)
			if link == nil || !strings.Contains(help.body, `id="`+link[1]+`"`) {
				t.Errorf("%s (%d): the help’s link is %q", path, p.status, link)
			}
		}
	}
	for path, part := range map[string]string{"/": "queue", "/intents/intent-x": "intent", "/intents/intent-x/actions/compensate": "compensate", "/previews/x/result": "five-actions", "/me": "settings", "/uncertain": "uncertain"} {
		if got := helpOf(path); got != "/help#"+part {
			t.Errorf("%s: %s, want %s", path, got, part)
		}
	}
}
