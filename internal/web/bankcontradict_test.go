package web

import (
	"strings"
	"testing"
	"time"

	"countersign/internal/authz"
	"countersign/internal/model"
)

// refusedAndPaid is a payout that the provider refused, and the path of a bank's file
// that says it was paid.
func (w *world) refusedAndPaid() (id, path string) {
	w.Helper()
	w.fault(map[string]string{"method": "POST", "path": "/payouts"}, "reject_curable", 1)
	id = w.payout("acme", "run-1", 90_050)
	w.stands(id, "create-payout", model.FailedSafely)
	return id, bankFilePath(w.bankFile(bankLine{"-900.50", id + ":create-payout"}))
}

func TestAContradictionIsRecordedFromTheFilesPage(t *testing.T) {
	w := newWorld(t)
	id, path := w.refusedAndPaid()
	olga, post := w.browse("Olga"), path+"/contradiction?person=1"
	p := olga.get(path)
	olga.wants(p, 200, "The step had ended without effect", "Record the contradiction of line 1",
		"Nothing is sent. The intent goes to review, and nothing more is sent for it until a mark with two people says what is true.")
	if strings.Contains(p.body, "<details class=\"mt2\" open") || strings.Contains(p.text(), "Two observations") {
		t.Error("the form is open before anybody asked for it")
	}
	p = olga.post(post, "line", "1", "step", id+":create-payout", "reason-1", "paid")
	olga.wants(p, 422, "Nothing was recorded", "The reason is shorter than 8 characters", "paid")
	if !strings.Contains(p.body, `href="#f-reason-1"`) || !strings.Contains(p.body, `id="f-reason-1"`) {
		t.Error("the fault does not lead to its field")
	}
	olga.wants(olga.post(post, "line", "1", "step", id+":another", "reason-1", because), 409, "Nothing was recorded.", "does not name the step that it named when you looked", because)

	p = olga.post(post, "line", "1", "step", id+":create-payout", "reason-1", because)
	if p.status != 303 || p.header.Get("Location") != "/intents/"+id {
		t.Fatalf("%d to %s: %s", p.status, p.header.Get("Location"), p.text())
	}
	intent := olga.get("/intents/" + id)
	olga.wants(intent, 200, "Needs review", "900.50 EUR may or may not have been paid.", "Two observations contradict each other on create-payout: Line 1 of the bank's file “statement.xml” shows 900.50 EUR going out on 2026-11-27",
		"This step had ended without effect.", "A person’s mark says what is true.")
	if !strings.Contains(intent.body, `href="`+path+`"`) {
		t.Error("the evidence does not lead to the bank's file")
	}
	olga.wants(olga.get("/uncertain"), 200, "900.50")
	p = olga.get(path)
	olga.wants(p, 200, "Nothing new", "a person decides it on the page of its intent. Its observations contradict each other: Line 1")
	if strings.Contains(p.body, "/contradiction") {
		t.Error("what is recorded can be recorded again")
	}
	if p := olga.post(post, "line", "1", "step", id+":create-payout", "reason-1", because); p.status != 303 {
		t.Errorf("a repeat: %d %s", p.status, p.text())
	}
	w.work()
	if s := w.stands(id, "create-payout", model.FailedSafely); len(s.Attempts) != 1 {
		t.Errorf("%d attempts", len(s.Attempts))
	}
	audrey := w.browse("Audrey")
	audrey.wants(audrey.get("/audit?event=bankfile.contradiction"), 200, "bankfile.contradiction", because, "Olga")
}

func TestWhoHasTheFormOfAContradiction(t *testing.T) {
	w := newWorld(t)
	id, path := w.refusedAndPaid()
	for _, name := range []string{"Audrey", "Ann"} {
		if p := w.browse(name).get(path); p.status != 200 || strings.Contains(p.body, "/contradiction") {
			t.Errorf("%s: %d, with the form", name, p.status)
		}
	}
	olga := w.browse("Olga")
	w.wait(authz.FreshOnPages + time.Minute)
	olga.wants(olga.get(path), 200, "You will be asked for your password")
	p := olga.post(path+"/contradiction?person=1", "line", "1", "step", id+":create-payout", "reason-1", because)
	olga.wants(p, 403, "Confirm that it is you.", "Nothing was recorded.", because)
	w.stands(id, "create-payout", model.FailedSafely)
}
