package e2e

import (
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/chromedp"
)

// Payees of other stories of the demo: the provider answered 500 after acting;
// its look-up found nothing yet.
const (
	actedAndFailed = "Óscar Ibáñez"
	notFoundYet    = "Đặng Minh Châu"
)

// TestStoryWithScript does with JavaScript on what people do to a page in a
// hurry: a wrong form, a double click, the Back button, and two of them at once.
func TestStoryWithScript(t *testing.T) {
	demo, browser := startDemo(t), startBrowser(t)
	operator, other := openTab(t, browser, demo.Address, light), openTab(t, browser, demo.Address, dark)
	operator.signIn(demo.of(t, "operator"))
	other.signIn(secondOperator(t, demo))
	keys(t, operator)
	wrongForm(t, operator)
	doubleClick(t, operator)
	overtaken(t, operator, other)
	auditor := openTab(t, browser, demo.Address, light)
	auditor.signIn(demo.of(t, "auditor"))
	notYou(t, auditor)
}

func keys(t *testing.T, b *tab) {
	b.open("/")
	focused := func() string {
		return evaluate(b, "reading the focus", chromedp.Evaluate[string](`document.activeElement.id || document.activeElement.className`))
	}
	b.call("pressing j", chromedp.KeyEvent("j"))
	if got := focused(); got != "who" {
		t.Errorf("j moves to %q, want the first row's link", got)
	}
	b.call("pressing /", chromedp.KeyEvent("/"))
	if got := focused(); got != "q" {
		t.Errorf("/ moves to %q, want the search", got)
	}
}

// wrongForm sends a reason that is too short by going round the browser's own
// check; the server's answer keeps what was typed.
func wrongForm(t *testing.T, b *tab) {
	b.open("/")
	b.follow(b.rowOf(actedAndFailed))
	b.preview("reconcile")
	b.judge("a preview")
	b.sign("short")
	b.call("going round the browser's check", chromedp.Evaluate[chromedp.Void](`document.querySelector("form.sign").noValidate = true`))
	b.press(`form.sign button.main`)
	if got := evaluate(b, "reading the reason", chromedp.Value(chromedp.CSS(`textarea[name="reason"]`))); got != "short" {
		t.Errorf("the form holds %q, want what was typed", got)
	}
	if b.attribute(`textarea[name="reason"]`, "aria-invalid") != "true" {
		t.Errorf("the reason is not marked as wrong:\n%s", b.text("main"))
	}
	b.judge("a preview with faults")
	b.shot("preview-faults")
}

// doubleClick confirms twice at once, goes back, and finds that it was done once.
func doubleClick(t *testing.T, b *tab) {
	b.open("/")
	intent := b.rowOf(actedAndFailed)
	b.follow(intent)
	b.preview("reconcile")
	preview := b.at()
	b.sign("The status code said nothing about the money.")
	b.call("double click", chromedp.DoubleClick(chromedp.CSS(`form.sign button.main`)))
	b.arrive("/result")
	b.judge("a result")
	b.shot("result")
	b.open(preview) // what Back shows: nothing is kept by the browser
	if b.attribute("form.sign", "method") != "" {
		t.Errorf("a confirmed preview can be confirmed once more:\n%s", b.text("main"))
	}
	b.judge("a confirmed preview")
	b.open(intent)
	b.call("Back", chromedp.Evaluate[chromedp.Void](`history.back()`))
	b.arrive(preview)
	if b.attribute("form.sign", "method") != "" {
		t.Error("Back leads to where it can be confirmed once more")
	}
	b.await(intent, "completed")
	id := strings.TrimPrefix(intent, "/intents/")
	b.open("/audit?event=action.reconcile.executed&intent=" + id)
	if rows := len(b.texts("tbody tr")); rows != 1 {
		t.Errorf("%d entries of the action, want 1:\n%s", rows, b.text("main"))
	}
}

// arrive waits until the address ends so, whichever of several answers led there.
func (b *tab) arrive(end string) {
	b.t.Helper()
	for range 120 {
		if strings.HasSuffix(b.at(), end) && evaluate(b, "waiting", chromedp.Evaluate[string](`document.readyState`)) == "complete" {
			return
		}
		time.Sleep(250 * time.Millisecond)
	}
	b.t.Fatalf("not at %s, but at %s:\n%s", end, b.at(), b.text("main"))
}

// overtaken lets another operator act between the preview and its confirmation.
func overtaken(t *testing.T, b, other *tab) {
	b.open("/")
	intent := b.rowOf(notFoundYet)
	b.follow(intent)
	b.preview("reconcile")
	b.sign("Nobody told me that it is being done.") // a form with words in it is left alone
	other.open(intent)
	other.preview("reconcile")
	other.confirm("By now the bank's answer is final.")
	if status := b.press(`form.sign button.main`); status != http.StatusConflict {
		t.Errorf("confirming what has moved: status %d at %s:\n%s", status, b.at(), b.text("main"))
	}
	if said := b.text("main"); !strings.Contains(said, "Nothing was sent and nothing was changed") {
		t.Errorf("the page does not say that nothing was done:\n%s", said)
	}
	b.judge("a stale preview")
	b.shot("stale")
}

// notYou opens an action's form without the right to it.
func notYou(t *testing.T, b *tab) {
	b.open("/?state=all")
	intent := b.attribute("tbody tr a.who", "href")
	b.open(intent + "/actions/reconcile?step=create-payout")
	if b.attribute(`form[action*="/actions/"]`, "method") != "" {
		t.Error("the auditor gets a form")
	}
	b.judge("a form without the right to it")
	b.shot("not-you")
	if status := b.open(fmt.Sprintf("%s/actions/%s", intent, "nonsense")); status != http.StatusNotFound {
		t.Errorf("an action that there is not: status %d", status)
	}
	b.judge("an action that there is not")
}
