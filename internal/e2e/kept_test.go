package e2e

import (
	"strings"
	"testing"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/network"
	"github.com/chromedp/chromedp"
)

// TestFormsOutliveTheSession ends a session while somebody writes a note, with
// and without JavaScript: what was typed stands in the form again after the
// sign-in, and was not sent by itself.
func TestFormsOutliveTheSession(t *testing.T) {
	demo, browser := startDemo(t), startBrowser(t)
	person := demo.of(t, "operator")
	for _, l := range []look{plain, light} {
		const words = "The bank’s <answer>: tomorrow, سلام"
		b := openTab(t, browser, demo.Address, l)
		b.signIn(person)
		b.open("/")
		intent := b.rowOf(overdue)
		b.open(intent)
		// The cookie goes, as it does when a session is over.
		b.call("ending the session", call(network.ClearBrowserCookies, cdp.Empty{}))
		b.call("typing", chromedp.SendKeys(chromedp.CSS(`textarea[name="text"]`), words))
		if status := b.press(`form[action$="/notes#notes"] button`); status != 401 {
			t.Fatalf("%s: a note without a session: status %d", l.name, status)
		}
		b.shot("kept")
		b.fill("#f-email", person.Email)
		b.fill("#f-password", person.password)
		b.press(`form[action="/signin"] button`)
		if !strings.HasPrefix(b.at(), intent) {
			t.Errorf("%s: the sign-in led to %s, not to %s", l.name, b.at(), intent)
		}
		if got := evaluate(b, "reading", chromedp.Value(chromedp.CSS(`textarea[name="text"]`))); got != words {
			t.Errorf("%s: the field holds %q, want %q", l.name, got, words)
		}
		if strings.Contains(strings.Join(b.texts(".undo p"), "\n"), "tomorrow") {
			t.Errorf("%s: the note was written by itself", l.name)
		}
		b.shot("kept-again")
	}
}
