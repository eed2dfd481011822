package e2e

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	cdpbrowser "github.com/chromedp/cdproto/browser"
	"github.com/chromedp/chromedp"
)

// planCode is how a plan's code is written.
var planCode = regexp.MustCompile(`^[0-9A-F]{4} [0-9A-F]{4}$`)

// TestStoryWithoutScript walks the main job with JavaScript switched off: an
// operator resolves a payout whose outcome is unknown and asks for the
// compensation of another; an approver signs it; the auditor reads, exports and
// verifies the log.
func TestStoryWithoutScript(t *testing.T) {
	demo, browser := startDemo(t), startBrowser(t)
	t.Run("operator resolves what is unknown", func(t *testing.T) { resolve(t, openTab(t, browser, demo.Address, plain), demo) })
	t.Run("compensation with two people", func(t *testing.T) {
		operator, approver := openTab(t, browser, demo.Address, plain), openTab(t, browser, demo.Address, plain)
		compensate(t, demo, operator, approver)
	})
	t.Run("auditor exports and verifies", func(t *testing.T) { auditLog(t, openTab(t, browser, demo.Address, plain), demo) })
}

func resolve(t *testing.T, b *tab, demo *product) {
	b.signIn(demo.of(t, "operator"))
	b.shot("queue")
	intent := b.rowOf(cutOff)
	b.follow(intent)
	for i, heading := range b.texts(".five h2") {
		if i >= len(questions) || !strings.HasSuffix(heading, questions[i]) {
			t.Errorf("heading %d is %q", i+1, heading)
		}
	}
	b.shot("intent")
	b.view("intent-window")
	stepKey := strings.TrimPrefix(intent, "/intents/") + ":create-payout"
	if said := b.text(".q3"); !strings.Contains(said, "842.50") || !strings.Contains(said, "may or may not have been paid") {
		t.Errorf("what is uncertain does not say that 842.50 may have been paid:\n%s", said)
	}
	b.preview("reconcile")
	if plan := b.text("main"); !strings.Contains(plan, stepKey) {
		t.Errorf("the preview does not show %s:\n%s", stepKey, plan)
	}
	b.confirm("The rep is on the phone; the bank answers again.")
	b.shot("result")
	b.await(intent, "completed")
	b.shot("intent-completed")
	if paid := demo.effects(t, stepKey); len(paid) != 1 || paid[0].UndoneAt != nil {
		t.Errorf("the books have %+v under %s, want one payout", paid, stepKey)
	}
}

func compensate(t *testing.T, demo *product, operator, approver *tab) {
	operator.signIn(secondOperator(t, demo))
	intent := "/intents/" + (&scene{t: t, demo: demo}).completed(t)
	operator.open("/?state=completed&kind=payout")
	operator.follow(intent)
	operator.preview("compensate")
	operator.confirm("The period was paid twice; the rep agrees to give it back.")
	operator.shot("result-compensate")

	approver.signIn(demo.of(t, "approver"))
	approver.open("/approvals")
	approver.shot("approvals")
	request := approver.attribute(`tbody a[href^="/approvals/"]`, "href")
	if request == "" {
		t.Fatalf("the inbox has no request:\n%s", approver.text("main"))
	}
	approver.openRequestOf(strings.TrimPrefix(intent, "/intents/"))
	approver.sign("Checked against the statement of the period.")
	approver.shot("approval")
	approver.press(`form.sign button.main`)
	approver.shot("approval-done")
	approver.await(intent, "compensated")
	approver.shot("intent-compensated")
	created := demo.effects(t, strings.TrimPrefix(intent, "/intents/")+":create-payout")
	if len(created) != 1 || created[0].UndoneAt == nil {
		t.Errorf("the books have %+v, want one payout that was undone", created)
	}
}

// secondOperator is another person than the first operator, in the same account.
func secondOperator(t *testing.T, demo *product) person {
	t.Helper()
	var operators []person
	for _, p := range demo.People {
		if p.Role == "operator" {
			operators = append(operators, p)
		}
	}
	if len(operators) < 2 {
		t.Fatal("the demo has one operator")
	}
	return operators[1]
}

// openRequestOf opens the request for approval that is about an intent.
func (b *tab) openRequestOf(intentID string) {
	b.t.Helper()
	links := b.texts(`tbody tr`)
	for i := range links {
		b.open("/approvals")
		rows := evaluate(b, "reading the inbox", chromedp.Evaluate[[]string](`[...document.querySelectorAll('tbody a[href^="/approvals/"]')].map(a => a.getAttribute("href"))`))
		if i >= len(rows) {
			break
		}
		b.follow(rows[i])
		if strings.Contains(b.text(".meta"), intentID) {
			return
		}
	}
	b.t.Fatalf("no request is about %s", intentID)
}

func auditLog(t *testing.T, b *tab, demo *product) {
	b.signIn(demo.of(t, "auditor"))
	b.open("/audit")
	b.shot("audit")
	said := b.text("main")
	for _, event := range []string{"action.reconcile.executed", "action.compensate.requested", "approval.approved", "action.compensate.executed"} {
		if !strings.Contains(said, event) {
			b.open("/audit?event=" + event)
			if !slices.ContainsFunc(b.texts("tbody tr"), func(row string) bool { return strings.Contains(row, event) }) {
				t.Errorf("the log shows no %s", event)
			}
		}
	}
	b.open("/audit")
	b.press(`main a[href^="/audit/export"]`)
	b.shot("audit-export")
	file := b.download(t.TempDir(), `main form button.main`)
	binary, err := console()
	if err != nil {
		t.Fatal(err)
	}
	out, err := exec.Command(binary, "audit", "verify", file).CombinedOutput()
	if err != nil {
		t.Errorf("console audit verify: %v\n%s", err, out)
	}
	t.Logf("console audit verify: %s", out)
}

// download clicks what sends a file, and gives the file once it is whole.
func (b *tab) download(folder, selector string) string {
	b.t.Helper()
	b.call("allowing downloads", call(cdpbrowser.SetDownloadBehavior, cdpbrowser.SetDownloadBehaviorParams{
		Behavior: cdpbrowser.SetDownloadBehaviorBehaviorAllow, DownloadPath: folder, BrowserContextID: chromedp.FromContext(b.ctx).BrowserContextID,
	}))
	b.call("clicking "+selector, chromedp.Click(chromedp.CSS(selector)))
	for range 120 {
		files, err := os.ReadDir(folder)
		b.must(err, "looking for the download")
		if len(files) == 1 && !strings.HasSuffix(files[0].Name(), ".crdownload") {
			return filepath.Join(folder, files[0].Name())
		}
		time.Sleep(250 * time.Millisecond)
	}
	b.t.Fatalf("nothing was downloaded from %s:\n%s", b.at(), b.text("main"))
	return ""
}
