package web

import (
	"regexp"
	"strings"
	"testing"
	"time"

	"countersign/internal/model"
	"countersign/internal/store"
)

var digestField = regexp.MustCompile(`name="digest" value="([^"]+)"`)

// heading is a page's own.
var heading = regexp.MustCompile(`<h1>([^<]*)</h1>`)

// planCode is what a person reads beside a plan.
var planCode = regexp.MustCompile(`<p class="plan">([0-9A-F ]+)</p>`)

func found(t testing.TB, re *regexp.Regexp, p page) string {
	t.Helper()
	m := re.FindStringSubmatch(p.body)
	if m == nil {
		t.Fatalf("%s is not in %s", re, p.text())
	}
	return m[1]
}

// location is where an answer leads.
func (b *browser) follow(p page) page {
	b.Helper()
	if p.status != 303 {
		b.Fatalf("status %d, want 303: %s", p.status, p.text())
	}
	return b.get(p.header.Get("Location"))
}

// preview makes a preview and gives its path and page.
func (b *browser) preview(id, action string, fields ...string) (string, page) {
	b.Helper()
	made := b.post("/intents/"+id+"/actions/"+action, fields...)
	return made.header.Get("Location"), b.follow(made)
}

func (w *world) state(id string) (state model.IntentState) {
	w.Helper()
	w.must(w.db.View(w.Context(), func(tx *store.Tx) error {
		c, err := tx.Case(id)
		if err == nil {
			state = c.State
		}
		return err
	}))
	return state
}

const because = "The rep asks where the money is"

func TestReconcileFromQueueToResult(t *testing.T) {
	w := newWorld(t)
	w.web.patience = 0
	id := w.unknown("acme", "run-1", 90_050)
	olga := w.browse("Olga")
	olga.wants(olga.get("/intents/"+id+"/actions/reconcile?step=create-payout"), 200, "Reconcile: create-payout", "reconcile.uncertain")
	path, preview := olga.preview(id, "reconcile", "step", "create-payout")
	olga.wants(preview, 200, "Preview: ask about create-payout", "What is not touched", "Confirm plan", "Nobody else.", "reconcile.uncertain")
	short := olga.post(path+"/confirm", "digest", found(t, digestField, preview), "reason", "no")
	olga.wants(short, 422, "The reason is shorter than 8 characters", "Not confirmed. Nothing was done.")
	confirmed := olga.post(path+"/confirm", "digest", found(t, digestField, preview), "reason", because)
	olga.wants(olga.follow(confirmed), 200, "Ordered: the provider is asked", "has not answered yet", because)
	w.work()
	first := olga.get(path + "/result")
	olga.wants(first, 200, "The answer", "Audit number", "Back to the payout")
	answer := regexp.MustCompile(`<dt>Answered</dt>\s*<dd[^>]*>.*?</dd>`)
	again := olga.post(path+"/confirm", "digest", found(t, digestField, preview), "reason", because)
	olga.wants(olga.follow(again), 200, "The answer")
	olga.wants(olga.post(path+"/confirm", "digest", found(t, digestField, preview), "reason", "something else entirely"), 409, "You confirmed this plan")
	olga.wants(olga.get(path), 200, "You confirmed this plan")
	w.wait(3 * time.Second)
	w.work()
	w.wait(time.Minute)
	w.work()
	if got := w.state(id); got != model.Completed {
		t.Errorf("the payout is %s, want completed", got)
	}
	later := olga.get(path + "/result")
	olga.wants(later, 200, "Since then")
	if was, is := found(t, heading, first)+answer.FindString(first.body), found(t, heading, later)+answer.FindString(later.body); was != is {
		t.Errorf("the answer became\n%s\nit was\n%s", is, was)
	}
	olga.wants(olga.get("/intents/"+id), 200, "Nothing. This intent is complete and sends no more.", "900.50 EUR is confirmed.")
	audrey := w.browse("Audrey")
	audrey.wants(audrey.get("/audit?event=action"), 200, "action.reconcile.executed", "action.reconcile.refused", because)
}

func TestOthersDoNotFindAPreview(t *testing.T) {
	w := newWorld(t)
	id := w.unknown("acme", "run-1", 90_050)
	path, _ := w.browse("Olga").preview(id, "reconcile", "step", "create-payout")
	for _, name := range []string{"Otto", "Ada", "Gus"} {
		b := w.browse(name)
		b.wants(b.get(path), 404)
		b.wants(b.post(path+"/confirm", "reason", because), 404)
		b.wants(b.get(path+"/result"), 404)
	}
}

func TestStalePreviewShowsWhatChangedAndAFreshOne(t *testing.T) {
	w := newWorld(t)
	w.web.patience = 0
	id := w.unknown("acme", "run-1", 90_050)
	olga := w.browse("Olga")
	path, preview := olga.preview(id, "abandon", "acknowledge", id+":create-payout")
	w.wait(10 * time.Second)
	w.work() // the engine asks, and finds the payout
	p := olga.post(path+"/confirm", "digest", found(t, digestField, preview), "reason", because, "plan_code", found(t, planCode, preview))
	olga.wants(p, 409, "moved while you were deciding", "Nothing was sent and nothing was changed.", "create-payout", "outcome unknown", "The action is not possible any more")
	second := w.unknown("acme", "run-2", 90_050)
	path, preview = olga.preview(second, "abandon", "acknowledge", second+":create-payout")
	w.fault(map[string]string{"method": "GET"}, "500_before", 20)
	for range 4 {
		w.wait(10 * time.Second)
		w.work() // it is sent again, and answers
	}
	p = olga.post(path+"/confirm", "digest", found(t, digestField, preview), "reason", because, "plan_code", found(t, planCode, preview))
	olga.wants(p, 409, "Read the fresh preview")
	olga.wants(olga.get(found(t, regexp.MustCompile(`href="(/previews/[^"]+)"`), p)), 200, "Preview: give this payout up")
}

func TestPlanCodeIsTypedWhereItIsGrave(t *testing.T) {
	w := newWorld(t)
	w.web.patience = 0
	id := w.unknown("acme", "run-1", 90_050)
	olga := w.browse("Olga")
	path, preview := olga.preview(id, "abandon", "acknowledge", id+":create-payout")
	olga.wants(preview, 200, "Plan code", "Ask for approval", "One of Abe , Ann")
	digest, code := found(t, digestField, preview), found(t, planCode, preview)
	for _, typed := range []string{"", "0000 0000", code[:4]} {
		p := olga.post(path+"/confirm", "digest", digest, "reason", because, "plan_code", typed)
		olga.wants(p, 422, codeFault(typed, "plan").For("plan_code"))
		if !strings.Contains(p.body, because) {
			t.Error("the reason that was typed is lost")
		}
	}
	olga.wants(olga.post(path+"/confirm", "digest", digest), 422, "The reason is shorter than 8 characters Type the code of this plan")
	spoken := strings.ToLower(strings.ReplaceAll(code, " ", "  "))
	olga.wants(olga.follow(olga.post(path+"/confirm", "digest", digest, "reason", because, "plan_code", spoken)), 200, "Asked for approval", "The request")
}

// TestALateTabKeepsItsReason: a plan that was confirmed in another tab is told as
// it was planned, of one moment, with what was typed here.
func TestALateTabKeepsItsReason(t *testing.T) {
	w := newWorld(t)
	w.web.patience = 0
	id := w.unknown("acme", "run-1", 90_050)
	olga := w.browse("Olga")
	path, preview := olga.preview(id, model.Abandon, "acknowledge", id+":create-payout")
	olga.wants(preview, 200, exposureLabel)
	digest, code := found(t, digestField, preview), found(t, planCode, preview)
	olga.post(path+"/confirm", "digest", digest, "reason", because, "plan_code", code)
	late := olga.post(path+"/confirm", "digest", digest, "reason", "The bank answered, second tab", "plan_code", code)
	olga.wants(late, 409, "You confirmed this plan", "You typed: The bank answered, second tab", "See what it came to")
	if strings.Contains(late.text(), exposureLabel) || strings.Contains(late.body, "Read the fresh preview") {
		t.Errorf("of two moments: %s", late.text())
	}
}

func TestAbandonNeedsAnotherPerson(t *testing.T) {
	w := newWorld(t)
	w.web.patience = 0
	id := w.unknown("acme", "run-1", 90_050)
	olga, ann := w.browse("Olga"), w.browse("Ann")
	olga.wants(olga.post("/intents/"+id+"/actions/abandon"), 409, "must be acknowledged", "Some things are to be mended")
	path, preview := olga.preview(id, "abandon", "acknowledge", id+":create-payout")
	olga.follow(olga.post(path+"/confirm", "digest", found(t, digestField, preview), "reason", because, "plan_code", found(t, planCode, preview)))
	ann.wants(ann.get("/approvals"), 200, "Abandon the payout of 900.50 EUR to Ελένη Παπαδοπούλου", because, "1 of those shown for you to decide")
	link := found(t, regexp.MustCompile(`href="(/approvals/approval-[^"]+)"`), ann.get("/approvals"))
	request := ann.get(link)
	ann.wants(request, 200, "Your decision, Ann", "Asked by Olga", "May approve", "Acknowledged 900.50 EUR : create-payout may have happened; it stays on the open list.")
	own := olga.get(link)
	olga.wants(own, 200, "You cannot approve this.", "Withdraw the request")
	if strings.Contains(own.body, "Approve: abandon") {
		t.Error("the requester is offered to approve")
	}
	digest := found(t, digestField, request)
	olga.wants(olga.post(link+"/approve", "digest", digest, "reason", because), 403, "somebody else must approve")
	ann.wants(ann.post(link+"/approve", "digest", digest, "reason", because), 422, "Type the code of this plan")
	ann.wants(ann.post(link+"/approve", "digest", digest), 422, "The reason is shorter than 8 characters Type the code of this plan")
	ann.wants(ann.follow(ann.post(link+"/approve", "digest", digest, "reason", because, "plan_code", found(t, planCode, request))), 200, "Executed")
	if got := w.state(id); got != model.Abandoned {
		t.Errorf("the payout is %s, want abandoned", got)
	}
	ann.wants(ann.post(link+"/reject", "digest", digest, "reason", because), 409)
}

func TestMarkKeepsWhatWasTyped(t *testing.T) {
	w := newWorld(t)
	id := w.unknown("acme", "run-1", 90_050)
	olga := w.browse("Olga")
	path := "/intents/" + id + "/actions/mark_external_result"
	olga.wants(olga.get(path+"?step=create-payout"), 200, "What does the document show?")
	p := olga.post(path, "step", "create-payout", "result", "happened", "external_ref", "po_77", "amount", "900.5x", "currency", "EUR", "date", "2026-11-26",
		"document_url", "https://bank.example/letter.pdf")
	olga.wants(p, 422, "Some things are to be mended")
	for _, typed := range []string{"po_77", "900.5x", "2026-11-26", "https://bank.example/letter.pdf"} {
		if !strings.Contains(p.body, typed) {
			t.Errorf("%s is lost", typed)
		}
	}
	olga.wants(olga.post(path, "step", "create-payout", "result", "happened", "external_ref", "po_77", "amount", "900.50", "currency", "EUR", "date", "2026-11-26"), 409, "A mark needs a document")
	_, preview := olga.preview(id, "mark_external_result", "step", "create-payout", "result", "happened", "external_ref", "po_77", "amount", "900.50",
		"currency", "EUR", "date", "2026-11-26", "document_url", "https://bank.example/letter.pdf")
	olga.wants(preview, 200, "Preview: record create-payout as happened", "What is recorded", "po_77", "900.50 EUR")
}

func TestRefusalsSayWhy(t *testing.T) {
	w := newWorld(t)
	id := w.unknown("acme", "run-1", 90_050)
	olga, audrey := w.browse("Olga"), w.browse("Audrey")
	olga.wants(olga.get("/intents/"+id+"/actions/compensate?step=create-payout"), 200, "Refused: What is not known cannot be reversed")
	olga.wants(olga.post("/intents/"+id+"/actions/compensate", "step", "create-payout"), 409, "What is not known cannot be reversed", "compensate.unknown", "Nothing was sent")
	audrey.wants(audrey.get("/intents/"+id+"/actions/reconcile?step=create-payout"), 403, "Refused", "rights.action.reconcile")
	audrey.wants(audrey.post("/intents/"+id+"/actions/reconcile", "step", "create-payout"), 403, "Only operators of acme may reconcile")
	w.work()
	audrey.wants(audrey.get("/audit?event=action"), 200, "action.reconcile.denied")
}

func TestStepUp(t *testing.T) {
	w := newWorld(t)
	id := w.unknown("acme", "run-1", 90_050)
	olga, otto := w.browse("Olga"), w.browse("Otto")
	path, preview := olga.preview(id, "abandon", "acknowledge", id+":create-payout")
	w.wait(16 * time.Minute)
	form := "/intents/" + id + "/actions/abandon"
	olga.wants(olga.get(form), 200, "Abandon this payout", "Acknowledge each")
	kept := olga.post(form, "acknowledge", id+":create-payout")
	olga.wants(kept, 403, "Confirm that it is you. Nothing was stored.", "Confirm your password in a new tab")
	if !strings.Contains(kept.body, `value="`+id+`:create-payout" checked`) {
		t.Errorf("what was acknowledged is lost: %s", kept.body)
	}
	olga.wants(olga.post(path+"/confirm", "digest", found(t, digestField, preview), "reason", because, "plan_code", found(t, planCode, preview)), 403, "Confirm that it is you. Nothing was done.")
	olga.wants(olga.post("/stepup", "password", "wrong", "next", form), 403, "The password is wrong")
	p := olga.post("/stepup", "password", password, "next", form)
	if p.header.Get("Location") != form {
		t.Errorf("step-up leads to %q", p.header.Get("Location"))
	}
	olga.wants(olga.get(form), 200, "Acknowledge each")
	otto.wants(otto.get("/stepup"), 200, "You have no password")
}

func TestOwnership(t *testing.T) {
	w := newWorld(t)
	id := w.unknown("acme", "run-1", 90_050)
	olga, otto, ann := w.browse("Olga"), w.browse("Otto"), w.browse("Ann")
	olga.wants(olga.follow(olga.post("/intents/"+id+"/owner", "do", "take")), 200, "Owner: you", "Release it")
	olga.wants(olga.get("/?owner=me"), 200, "1 match", "1 open, 1 taken by you")
	otto.wants(otto.get("/intents/"+id), 200, "Owner: Olga", "Take it over")
	ann.wants(ann.post("/intents/"+id+"/owner", "do", "take"), 403, "Not allowed")
	p := olga.follow(olga.post("/intents/"+id+"/owner", "do", "release"))
	olga.wants(p, 200, "Owner: nobody")
	if !regexp.MustCompile(`</span>\s+<button class="link" type="submit" name="do" value="take">`).MatchString(p.body) {
		t.Error("the owner and the button beside it run together")
	}
}

// TestAnAttemptNamesWhoOrderedIt: a try or a look that a person ordered is theirs by
// name, wherever the intent's page lists it.
func TestAnAttemptNamesWhoOrderedIt(t *testing.T) {
	w := newWorld(t)
	w.web.patience = 0
	w.fault(map[string]string{"method": "POST", "path": "/payouts"}, "reject_curable", 1)
	id := w.payout("acme", "run-1", 90_050)
	olga := w.browse("Olga")
	for _, action := range []string{model.RetryUnfinished, model.Reconcile} {
		path, preview := olga.preview(id, action, "step", "create-payout")
		olga.follow(olga.post(path+"/confirm", "digest", found(t, digestField, preview), "reason", because))
		w.wait(time.Second)
		w.work()
	}
	p := olga.get("/intents/" + id)
	olga.wants(p, 200, "create-payout Attempt 2, by Olga", "Query, Olga", "create-payout 2 generation")
	if strings.Contains(p.text(), "by a person") {
		t.Errorf("somebody is not named: %s", p.text())
	}
}
