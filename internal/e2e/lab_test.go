package e2e

import (
	"fmt"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/chromedp"
)

// TestLabToAuditWithoutScript makes a doubt in the fault lab, has the payout
// signed, watches the doubt come, finds it in the queue as pasted from a letter,
// asks the bank in vain, takes the fault away, asks again, and finds the acts in
// the log: with JavaScript switched off.
func TestLabToAuditWithoutScript(t *testing.T) {
	demo, browser := startDemo(t), startBrowser(t)
	b := openTab(t, browser, demo.Address, plain)
	b.signIn(demo.of(t, "operator"))
	b.open("/lab")
	b.fill(`input[name="payee"]`, "Βασιλική of the lab")
	b.fill(`input[name="amount"]`, "1250.00")
	b.fill(`input[name="times"]`, "20")
	b.call("ticking", chromedp.Click(chromedp.CSS(`input[name="blind"]`)))
	b.press(`form[action="/lab"] button.main`)
	intent := b.at()
	if !anIntent.MatchString(intent) {
		t.Fatalf("the lab leads to %s:\n%s", intent, b.text("main"))
	}
	id := strings.TrimPrefix(intent, "/intents/")
	demo.arm(t, id+":create-payout", "payouts", "webhook_late", ages) // the bank would tell of it by itself
	approver := openTab(t, browser, demo.Address, plain)
	approver.signIn(demo.of(t, "approver"))
	approver.openRequestOf(id)
	approver.sign("A payout of the lab, checked like any other.")
	approver.press(`form.sign button.main`)
	b.doubtful(intent)

	b.open("/?" + url.Values{"q": {`  "` + id + `" `}}.Encode())
	b.follow(b.rowOf("Βασιλική"))
	asked := 0
	for tries := 0; asked == 0 && tries < 10; tries++ {
		asked += b.reconcile(intent, "The rep is on the phone; the bank may know by now.")
	}
	for n := b.armedFor(id); n > 0; n-- {
		b.open("/lab")
		b.call("disarming", chromedp.Evaluate[chromedp.Void](fmt.Sprintf(
			`[...document.querySelectorAll("tr")].find(r => r.textContent.includes(%q) && r.querySelector("button")).querySelector("button").id = "this-one"`, id)))
		b.press(`#this-one`)
	}
	for tries := 0; tries < 10 && !strings.EqualFold(b.stateOf(intent), "completed"); tries++ {
		asked += b.reconcile(intent, "The lab's fault is taken away; the bank can be asked.")
	}
	b.await(intent, "completed")
	if paid := demo.effects(t, id+":create-payout"); len(paid) != 1 {
		t.Errorf("the books have %+v, want one payout", paid)
	}
	auditor := openTab(t, browser, demo.Address, plain)
	auditor.signIn(demo.of(t, "auditor"))
	auditor.open("/audit?event=action.reconcile.executed&intent=" + id)
	if rows := auditor.texts("tbody tr"); asked == 0 || len(rows) != asked {
		t.Errorf("the log has %d entries of %d acts: %q", len(rows), asked, rows)
	}
}

// doubtful opens an intent until the outcome of its payout is unknown and a
// person may ask the bank.
func (b *tab) doubtful(intent string) {
	b.t.Helper()
	for range 120 {
		b.open(intent)
		if strings.Contains(b.text(".q3"), "may or may not have been paid") && b.attribute(asking("reconcile"), "name") != "" {
			return
		}
		time.Sleep(500 * time.Millisecond)
	}
	b.t.Fatalf("%s does not become doubtful:\n%s", intent, b.text("main"))
}

// reconcile asks the bank by a plan, and returns 1. The engine asks by itself
// too: where it does so first, the plan is out of date or no longer offered, and
// nothing is done: 0.
func (b *tab) reconcile(intent, reason string) int {
	b.t.Helper()
	b.open(intent)
	if b.attribute(asking("reconcile"), "name") == "" {
		return 0
	}
	if b.press(asking("reconcile")); !strings.HasPrefix(b.at(), "/previews/") {
		return 0
	}
	if b.attribute("form.sign", "method") == "" {
		return 0
	}
	b.sign(reason)
	b.press(`form.sign button.main`)
	if strings.HasSuffix(b.at(), "/result") {
		return 1
	}
	return 0
}

// armedFor counts the faults that the lab lists for an intent.
func (b *tab) armedFor(id string) int {
	b.t.Helper()
	b.open("/lab")
	return evaluate(b, "counting faults", chromedp.Evaluate[int](fmt.Sprintf(
		`[...document.querySelectorAll("tr")].filter(r => r.textContent.includes(%q) && r.querySelector("button")).length`, id)))
}
