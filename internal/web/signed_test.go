package web

import (
	"net/http"
	"net/url"
	"regexp"
	"strings"
	"testing"
	"time"

	"countersign/internal/model"
)

var (
	requestLink = regexp.MustCompile(`href="(/approvals/ap[^"?]+)"`)
	previewPath = regexp.MustCompile(`action="(/previews/[^/]+)/confirm"`)
)

func TestApprovalOfAnIntentShowsWhatIsSigned(t *testing.T) {
	w := newWorld(t)
	w.web.patience = 0
	w.payout("acme", "run-1", 420_000)
	w.payoutTo("run-1", "acme", "run-2", 420_000)
	ann := w.browse("Ann")
	list := ann.get("/approvals")
	ann.wants(list, 200, "2 requests", "1 other has the same payee, amount and period", "Approve the payout of 4,200.00 EUR", "Amounts above 1,000 and up to 50,000 EUR need one approver.")
	if strings.Contains(list.body, "“<bdi>") {
		t.Error("a rule is shown as somebody’s words")
	}
	p := ann.get(found(t, requestLink, list))
	ann.wants(p, 200, "What is approved", "acct_9", "Period 2026-10", "October", "Four thousand two hundred euros",
		"What the engine does then", "create-payout to bank", "/payouts", `"amount":420000`, "Nothing is sent: it is an entry in this console’s own database.",
		"external, keyed · bank", "send-remittance", "has paid you 4,200.00 EUR.", "Approve: payout, 4,200.00 EUR",
		"1 other has the same payee, amount and period:", "awaiting approval")
	for _, wrong := range []string{"Nothing is sent to any provider", "“tier-one-approver”", "#links"} {
		if strings.Contains(p.body, wrong) {
			t.Errorf("the page says %s", wrong)
		}
	}
	if who, bytes := strings.Index(p.body, "<h2>People</h2>"), strings.Index(p.body, `class="bytes"`); who < 0 || bytes < who {
		t.Error("the bytes come before who and why")
	}
}

// TestASecondPaymentIsSignedWithItsCode: a payout that looks like another is
// approved with its code; the page says whether and when the other was paid. One
// that ended unpaid asks for nothing.
func TestASecondPaymentIsSignedWithItsCode(t *testing.T) {
	w := newWorld(t)
	w.web.patience = 0
	first, second := w.payout("acme", "run-1", 420_000), w.payoutTo("run-1", "acme", "run-2", 420_000)
	ann := w.browse("Ann")
	request := func(id string) (link, digest string, p page) {
		link = found(t, requestLink, ann.get("/intents/"+id))
		p = ann.get(link)
		return link, found(t, digestField, p), p
	}
	link, digest, p := request(first)
	ann.wants(p, 200, "its plan code is typed in to approve it")
	ann.wants(ann.post(link+"/approve", "digest", digest, "reason", because), 422, "Type the code of this plan")
	ann.wants(ann.follow(ann.post(link+"/approve", "digest", digest, "reason", because, "plan_code", found(t, planCode, p))), 200, "Executed")
	for range 4 {
		w.wait(10 * time.Second)
		w.work() // it is paid
	}
	link, digest, p = request(second)
	ann.wants(p, 200, "; paid 27 Nov 2026 09:00", "it may be a second payment")
	ann.wants(ann.post(link+"/approve", "digest", digest, "reason", because), 422, "Type the code of this plan")
	ann.wants(ann.follow(ann.post(link+"/reject", "digest", digest, "reason", because)), 200, "Rejected by Ann")

	lone, again := w.payoutTo("run-3", "acme", "run-3", 430_000), w.payoutTo("run-3", "acme", "run-4", 430_000)
	link, digest, _ = request(lone)
	ann.post(link+"/reject", "digest", digest, "reason", because)
	link, digest, p = request(again)
	if ann.wants(p, 200, "1 other has the same payee", "failed for good"); strings.Contains(p.body, `name="plan_code"`) {
		t.Error("a code is asked for beside one that was never paid")
	}
	ann.wants(ann.follow(ann.post(link+"/approve", "digest", digest, "reason", because)), 200, "Executed")
}

func TestAMarkIsSignedUnderItsOwnSum(t *testing.T) {
	w := newWorld(t)
	w.web.patience = 0
	id := w.unknown("acme", "run-1", 39_500)
	olga, ann := w.browse("Olga"), w.browse("Ann")
	_, preview := olga.preview(id, model.MarkExternalResult, "step", "create-payout", "result", "happened", "external_ref", "po_9", "amount", "396.00",
		"currency", "EUR", "date", w.now().Format(time.DateOnly), "document_url", "https://bank.example/letter.pdf")
	olga.wants(preview, 200, "record create-payout as happened, 396.00 EUR", "Ask for approval: happened, 396.00 EUR")
	path := found(t, previewPath, preview)
	olga.follow(olga.post(path+"/confirm", "digest", found(t, digestField, preview), "reason", because))
	link := found(t, requestLink, ann.get("/approvals"))
	p := ann.get(link)
	ann.wants(p, 200, "Approve: record create-payout as happened, 396.00 EUR", "Three hundred ninety-six euros", "Sent once", "Checked ")
	ann.wants(ann.follow(ann.post(link+"/approve", "digest", found(t, digestField, p), "reason", because)), 200, "Executed", "What was asked for, in this order", "When asked")
	olga.wants(olga.get(path+"/result"), 200, "Approved and carried out", "Executed", "Signed by Ann")
	ann.wants(ann.get("/intents/"+id), 200, "paid as Olga marked it", ", signed by Ann", "That is 1.00 EUR more than the 395.00 EUR that was asked for")
}

// What a bank shows beside a mark is the same money wherever money is counted.
func TestAContradictedMarkIsTheSameEverywhere(t *testing.T) {
	w := newWorld(t)
	w.web.patience = 0
	id := w.unknown("acme", "run-1", 39_500)
	olga, ann := w.browse("Olga"), w.browse("Ann")
	_, preview := olga.preview(id, model.MarkExternalResult, "step", "create-payout", "result", "happened", "external_ref", "=E2E-2", "amount", "396.00",
		"currency", "EUR", "date", w.now().Format(time.DateOnly), "document_url", "https://bank.example/letter.pdf")
	olga.follow(olga.post(found(t, previewPath, preview)+"/confirm", "digest", found(t, digestField, preview), "reason", because))
	link := found(t, requestLink, ann.get("/approvals"))
	ann.post(link+"/approve", "digest", found(t, digestField, ann.get(link)), "reason", because)
	w.wait(10 * time.Second)
	w.work() // the engine asks, and the bank shows what was asked for
	p := olga.get("/intents/" + id)
	olga.wants(p, 200, "791.00 EUR", "396.00 EUR confirmed, 395.00 EUR uncertain", "395.00 EUR may or may not have been paid beside the 396.00 EUR that is confirmed",
		"marked 396.00 EUR as =E2E-2", "shows 395.00 EUR", "395.00 EUR was asked for")
	if strings.Contains(p.text(), "396.00 EUR was asked for") {
		t.Error("the mark is said to have been asked for")
	}
	olga.wants(olga.get("/"), 200, "395.00 EUR uncertain; 396.00 EUR confirmed", "1 effect")
	olga.wants(olga.get("/?state=outcome_unknown&currency=EUR&provider=bank"), 200, id)
	olga.wants(olga.get("/uncertain"), 200, id, "395.00 EUR", "1 effect became uncertain, and is still open.")
	if file := olga.get("/uncertain/file?format=csv"); !strings.Contains(file.body, `"`+id+`:create-payout","bank","payout","payout.create","Ελένη Παπαδοπούλου","395.00","EUR"`) {
		t.Errorf("the file holds %s", file.body)
	}
}

func TestAnOutdatedPreviewSaysSoAtOnce(t *testing.T) {
	w := newWorld(t)
	w.web.patience = 0
	id := w.unknown("acme", "run-1", 90_050)
	olga := w.browse("Olga")
	path, preview := olga.preview(id, model.Abandon, "acknowledge", id+":create-payout")
	olga.wants(olga.get(path), 200, "Confirm plan")
	w.wait(10 * time.Second)
	w.work() // the engine asks, and finds the payout
	p := olga.get(path)
	olga.wants(p, 200, "The payout moved since this preview", "Differences between this preview and now", "outcome unknown", "Make a fresh preview")
	if strings.Contains(p.body, "/confirm") {
		t.Error("an outdated preview can be confirmed")
	}
	p = olga.post(path+"/confirm", "digest", found(t, digestField, preview), "reason", because, "plan_code", "0000 0000")
	olga.wants(p, 409, "The payout moved since this preview")
}

func TestRefusedFormsNameNoGroundsForAllowing(t *testing.T) {
	w := newWorld(t)
	id := w.unknown("acme", "run-1", 90_050)
	if p := w.browse("Olga").get("/intents/" + id + "/actions/compensate?step=create-payout"); strings.Contains(p.body, "Allowed because") {
		t.Error("a refusal is said to be allowed")
	}
}

func TestFormsThatAreNotTakenLoseNothing(t *testing.T) {
	w := newWorld(t)
	id := w.unknown("acme", "run-1", 90_050)
	form := "/intents/" + id + "/actions/" + model.MarkExternalResult
	fields := url.Values{"step": {"create-payout"}, "external_ref": {"po_typed"}, "csrf": {"x"}, "password": {"secret-word"}}
	for name, b := range map[string]*browser{"another session’s form": w.browse("Olga"), "nobody’s": w.browse("")} {
		p := b.send(http.MethodPost, form, fields)
		if !strings.Contains(p.text(), "po_typed") || strings.Contains(p.body, "secret-word") {
			t.Errorf("%s: %d %s", name, p.status, p.text())
		}
		if back := url.QueryEscape("step=create-payout"); !strings.Contains(p.body, "step=create-payout") && !strings.Contains(p.body, back) {
			t.Errorf("%s: no way back to the form: %s", name, p.body)
		}
	}
}

func TestTooManyTriesSayWhen(t *testing.T) {
	w := newWorld(t)
	b := w.browse("")
	for range 20 {
		if p := b.send(http.MethodPost, "/signin", url.Values{"email": {"olga@example.com"}, "password": {"wrong"}}); p.status == http.StatusTooManyRequests {
			if p.header.Get("Retry-After") == "" {
				t.Error("429 without Retry-After")
			}
			return
		}
	}
	t.Error("every try is taken")
}

// TestAnExecutedRequestSaysWhatCameOfIt: that a payout was approved does not read as
// if it was paid.
func TestAnExecutedRequestSaysWhatCameOfIt(t *testing.T) {
	w := newWorld(t)
	w.web.patience = 0
	w.payout("acme", "run-1", 420_000)
	ann := w.browse("Ann")
	link := found(t, requestLink, ann.get("/approvals"))
	p := ann.get(link)
	w.fault(map[string]string{"method": "POST", "path": "/payouts"}, "drop_after_accept", 1)
	p = ann.follow(ann.post(link+"/approve", "digest", found(t, digestField, p), "reason", because))
	ann.wants(p, 200, "Executed", "What came of it: create-payout , pending. Nothing of it was sent yet.")
	w.work()
	p = ann.get(link)
	ann.wants(p, 200, "What came of it: create-payout , outcome unknown. 4,200.00 EUR may or may not have been paid.")
	if !strings.Contains(p.body, `class="note q"`) {
		t.Error("it looks as if all were well")
	}
	for _, later := range []time.Duration{10 * time.Second, time.Minute} {
		w.wait(later)
		w.work()
	}
	ann.wants(ann.get(link), 200, "What came of it: create-payout , confirmed.")
}
