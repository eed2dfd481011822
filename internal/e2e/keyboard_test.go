package e2e

import (
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"
)

// mostStops is how many times Tab may be pressed before a control is reached.
const mostStops = 400

// TestApproveByKeyboardAlone signs a payout from the inbox to its result with
// Tab, Enter and letters, with and without JavaScript. Wherever the focus stops
// on the way it can be seen.
func TestApproveByKeyboardAlone(t *testing.T) {
	s, browser := theScene(t), startBrowser(t)
	for _, l := range []look{light, plain} {
		t.Run(l.name, func(t *testing.T) {
			intent := s.post(430_000)
			request := s.requestOf(intent)
			b := openTab(t, browser, s.demo.Address, l)
			b.use(signIn(t, s.demo.Address, s.person('a')))
			b.open("/approvals")
			b.tabTo(fmt.Sprintf(`a[href="/approvals/%s"]`, request.ID))
			b.enter()
			if b.at() != "/approvals/"+request.ID {
				t.Fatalf("Enter on the request leads to %s", b.at())
			}
			code := ""
			if b.attribute(`form.sign input[name="plan_code"]`, "name") != "" {
				code = b.planCode()
			}
			b.tabTo(`form.sign textarea[name="reason"]`)
			b.key(because)
			if code != "" {
				b.tabTo(`form.sign input[name="plan_code"]`)
				b.key(code)
			}
			b.tabTo(`form.sign button.main`)
			b.enter()
			said := b.text("main")
			if !strings.Contains(strings.ToLower(said), "approved") || b.attribute(`form.sign button.main`, "class") != "" {
				t.Errorf("at %s nothing says that it is approved:\n%s", b.at(), said)
			}
			b.await("/intents/"+intent, "completed")
		})
	}
}

// TestWholeConsoleByKeyboard goes with Tab once round the main pages: every stop
// is seen, in the window, under nothing else.
func TestWholeConsoleByKeyboard(t *testing.T) {
	s, browser := theScene(t), startBrowser(t)
	b := openTab(t, browser, s.demo.Address, light)
	b.use(signIn(t, s.demo.Address, s.person('o')))
	for _, path := range []string{"/", "/intents/{unknown}", "/intents/{needs_review}/actions/mark_external_result?step=create-payout", "/previews/{grave}", "/me"} {
		if status := b.open(s.fill(path)); status != http.StatusOK {
			t.Errorf("%s: status %d", path, status)
		}
		stops := 0
		for ; stops < mostStops; stops++ {
			b.key(kb.Tab)
			if where := b.focus(); where == "" {
				break
			}
		}
		if stops < 10 || stops == mostStops {
			t.Errorf("%s: %d stops", path, stops)
		}
	}
}

// key types what a person types.
func (b *tab) key(keys string) {
	b.t.Helper()
	b.call("typing", chromedp.KeyEvent(keys))
}

// enter presses Enter on what has the focus and leads to another page.
func (b *tab) enter() {
	b.t.Helper()
	b.load("Enter", chromedp.KeyEvent(kb.Enter))
}

// tabTo presses Tab until what is asked for has the focus.
func (b *tab) tabTo(selector string) {
	b.t.Helper()
	for range mostStops {
		b.key(kb.Tab)
		b.focus()
		if evaluate(b, "reading the focus", chromedp.Evaluate[bool](fmt.Sprintf(`document.activeElement.matches(%q)`, selector))) {
			return
		}
	}
	b.t.Fatalf("Tab does not lead to %s at %s", selector, b.at())
}

// focus says what has the focus, "" for nothing on the page, and reports a
// focus that cannot be seen.
func (b *tab) focus() string {
	b.t.Helper()
	found := evaluate(b, "looking for the focus", chromedp.Evaluate[[]string](focusSeen))
	if found[1] != "" {
		b.t.Errorf("%s (%s): the focus on %s %s", b.at(), b.look.name, found[0], found[1])
	}
	return found[0]
}

// focusSeen names what has the focus, and what is wrong with how it is seen. In a
// field for a date Chromium moves from part to part, and marks the part.
const focusSeen = `(() => {
	const e = document.activeElement;
	if (!e || e === document.body || e === document.documentElement) return ["", ""];
	const name = e.tagName.toLowerCase() + " " + JSON.stringify((e.textContent.trim() || e.name || e.id).slice(0, 40));
	if (e.type === "date" && e.matches(":focus-within")) return [name, ""];
	if (!e.matches(":focus-visible")) return [name, "is not shown"];
	const style = getComputedStyle(e);
	if ((style.outlineStyle === "none" || parseFloat(style.outlineWidth) < 1) && style.boxShadow === "none") return [name, "has no outline"];
	const box = [...e.getClientRects()].find(r => r.width > 0 && r.height > 0);
	if (!box) return [name, "has no box"];
	const x = Math.min(Math.max(box.left + box.width / 2, 0), innerWidth - 1), y = Math.min(Math.max(box.top + Math.min(box.height / 2, 20), 0), innerHeight - 1);
	if (box.bottom < 0 || box.top > innerHeight || box.right < 0 || box.left > innerWidth) return [name, "is outside the window"];
	const top = document.elementFromPoint(x, y);
	if (top && !e.contains(top) && !top.contains(e) && !(e.labels && [...e.labels].some(l => l.contains(top)))) return [name, "is covered by " + top.tagName.toLowerCase() + "." + top.className];
	return [name, ""];
})()`
