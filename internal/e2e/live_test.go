package e2e

import (
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/chromedp"
)

// becomes waits until an expression is true on the page as it stands.
func (b *tab) becomes(what, expression string) {
	b.t.Helper()
	for range 120 {
		if evaluate(b, what, chromedp.Evaluate[bool](expression)) {
			return
		}
		time.Sleep(250 * time.Millisecond)
	}
	b.t.Fatalf("%s: never so, at %s:\n%s\n%s", what, b.at(), b.text("body"), b.text(".foot"))
}

// act posts a form without a browser, as somebody else at another desk.
func (v *visitor) act(t *testing.T, path string, fields url.Values) {
	t.Helper()
	fields.Set("csrf", v.token(t))
	if a := v.post(t, path, fields); a.status != http.StatusSeeOther {
		t.Fatalf("%s: status %d:\n%s", path, a.status, a.body)
	}
}

// TestLivePages looks at an open page while somebody else works on the same
// intent: the page follows, keeps what is typed, opened and focused, and a list
// does not move by itself.
func TestLivePages(t *testing.T) {
	demo, browser := startDemo(t), startBrowser(t)
	other := signIn(t, demo.Address, secondOperator(t, demo))
	b := openTab(t, browser, demo.Address, light)
	b.signIn(demo.of(t, "operator"))
	b.open("/")
	intent := b.rowOf(overdue)
	follows(t, b, other, intent)
	pausesWhileTyping(t, b, other, intent)
	announces(t, b, other, intent)
	pausesWhileTicking(t, b, other, intent)
	selectsWhatIsSeen(t, b, other, intent)
	signedOut(t, b, intent)
}

const lineSays = `[...document.querySelectorAll("[data-live-line]")].some(e => !e.hidden && e.textContent.startsWith(%s))`

func says(words string) string { return strings.Replace(lineSays, "%s", `"`+words+`"`, 1) }

func follows(t *testing.T, b *tab, other *visitor, intent string) {
	b.open(intent)
	b.becomes("the page is live", says("Live"))
	b.call("opening and marking", chromedp.Evaluate[chromedp.Void](`document.querySelector("main details").open = true; document.querySelector("main h1").mark = 1; document.querySelector("main a").focus(); scrollTo(0, 200)`))
	other.act(t, intent+"/notes", url.Values{"text": {"The rep called at noon."}})
	b.becomes("the note is there", `document.querySelector("main").textContent.includes("The rep called at noon.")`)
	for what, expression := range map[string]string{
		"the opened part is open":    `document.querySelector("main details").open`,
		"the page is the same":       `document.querySelector("main h1").mark === 1`,
		"the focus stays":            `document.activeElement === document.querySelector("main a")`,
		"the window stays":           `scrollY === 200`,
		"every key has a button":     `[...document.querySelectorAll(".key > code")].every(c => c.nextElementSibling?.className === "copy")`,
		"no key has two":             `!document.querySelector(".copy + .copy")`,
		"what is dated is of now":    `document.querySelector("time[data-asof]").dateTime > ""`,
		"nothing waits to be shown":  `document.querySelector(".news").hidden`,
		"shapes have a definition":   `[...document.querySelectorAll("use")].every(u => document.querySelector(u.getAttribute("href")))`,
		"ids stand once on the page": `new Set([...document.querySelectorAll("[id]")].map(e => e.id)).size === document.querySelectorAll("[id]").length`,
	} {
		if !evaluate(b, what, chromedp.Evaluate[bool](expression)) {
			t.Errorf("after a change by somebody else, not so: %s", what)
		}
	}
	if broken := b.violations(); len(broken) > 0 {
		t.Errorf("axe-core reports %q", broken)
	}
}

func pausesWhileTyping(t *testing.T, b *tab, other *visitor, intent string) {
	field := `textarea[name="text"]`
	b.call("typing", chromedp.SendKeys(chromedp.CSS(field), "I asked the b"))
	b.becomes("the page pauses", says("Paused while a form is filled in"))
	other.act(t, intent+"/notes", url.Values{"text": {"The bank wrote back."}})
	b.becomes("the change is named", `!document.querySelector(".news").hidden`)
	if got := evaluate(b, "reading", chromedp.Value(chromedp.CSS(field))); got != "I asked the b" {
		t.Errorf("the field holds %q", got)
	}
	if strings.Contains(b.text("main"), "The bank wrote back.") {
		t.Error("the page moved under somebody who types")
	}
	b.shot("live-paused")
	b.call("emptying", chromedp.Evaluate[chromedp.Void](`{ const f = document.querySelector('`+field+`'); f.value = ""; f.dispatchEvent(new Event("input", { bubbles: true })); }`))
	b.becomes("it follows again", `document.querySelector("main").textContent.includes("The bank wrote back.")`)
	b.becomes("nothing waits", `document.querySelector(".news").hidden`)
}

func announces(t *testing.T, b *tab, other *visitor, intent string) {
	b.open("/")
	b.becomes("the queue is live", says("Live"))
	before := strings.Join(b.texts("[data-list] tr .who"), "\n")
	other.act(t, intent+"/owner", url.Values{"do": {"take"}})
	b.becomes("the change is announced", `/changed/.test(document.querySelector(".news").textContent)`)
	if after := strings.Join(b.texts("[data-list] tr .who"), "\n"); after != before {
		t.Errorf("the list moved by itself:\n%s", after)
	}
	b.view("live-news")
	if broken := b.violations(); len(broken) > 0 {
		t.Errorf("axe-core reports %q", broken)
	}
	b.call("showing them", chromedp.Click(chromedp.CSS(".news button")))
	b.becomes("the list is renewed", `document.querySelector(".news").hidden`)
}

// pausesWhileTicking: rows that are ticked stay so, and the page says that it waits
// for them.
func pausesWhileTicking(t *testing.T, b *tab, other *visitor, intent string) {
	b.open("/")
	b.becomes("the queue is live", says("Live"))
	box := `[data-list] input[name="intent"]`
	b.call("ticking a row", chromedp.Click(chromedp.CSS(box)))
	b.becomes("the page says what it waits for", says("Paused while rows are ticked"))
	other.act(t, intent+"/notes", url.Values{"text": {"The bank wrote a third time."}})
	b.becomes("the change is named", `/since you ticked rows/.test(document.querySelector(".news").textContent)`)
	if !evaluate(b, "the tick", chromedp.Evaluate[bool](`document.querySelector('`+box+`').checked`)) {
		t.Error("the row is not ticked any more")
	}
	b.shot("live-ticked")
	b.call("unticking it", chromedp.Click(chromedp.CSS(box)))
	b.becomes("it is live again", says("Live"))
}

// selectsWhatIsSeen: while a newer list waits to be shown, the rows that stand are
// those that are selected.
func selectsWhatIsSeen(t *testing.T, b *tab, other *visitor, intent string) {
	values := func(what, selector string) string {
		return evaluate(b, what, chromedp.Evaluate[string](`[...document.querySelectorAll('`+selector+`')].map(e => e.value).join(" ")`))
	}
	b.open("/?owner=none")
	b.becomes("the list is live", says("Live"))
	seen := values("the rows", `[data-list] input[name="intent"]`)
	other.act(t, intent+"/owner", url.Values{"do": {"release"}})
	b.becomes("the change is announced", `/changed: 1 new/.test(document.querySelector(".news").textContent)`)
	if sent := values("what is sent", `#selecting input[name="shown"]`); sent != seen {
		t.Errorf("on the page are %s, sent as shown would be %s", seen, sent)
	}
	b.call("selecting all", chromedp.Click(chromedp.CSS(`#selecting button[value="all"]`)))
	b.becomes("they are selected", `/selected on 1 page/.test(document.querySelector("#selecting").textContent)`)
	for _, id := range strings.Fields(values("what is ticked", `[data-list] input[name="intent"]:checked`)) {
		if !strings.Contains(seen, id) {
			t.Errorf("%s was selected, and was not on the page", id)
		}
	}
}

func signedOut(t *testing.T, b *tab, intent string) {
	b.open(intent)
	b.becomes("the page is live", says("Live"))
	b.call("signing out elsewhere", chromedp.Evaluate[chromedp.Void](`fetch("/signout", { method: "POST", body: new URLSearchParams(new FormData(document.querySelector('form[action="/signout"]'))) })`))
	b.becomes("the page says so", `document.querySelector(".news").textContent.includes("You are signed out")`)
	if !strings.Contains(b.text("main"), "What was intended") {
		t.Error("the page did not stay")
	}
	b.shot("live-signed-out")
}
