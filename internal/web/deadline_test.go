package web

import (
	"regexp"
	"strings"
	"testing"
	"time"

	"countersign/internal/model"
)

// TestAPreviewHasOneDeadline: the end of the key's window, where that comes before
// the preview's own. Once it is over the page says so, offers to ask instead, and
// keeps what was typed.
func TestAPreviewHasOneDeadline(t *testing.T) {
	w := newWorld(t)
	w.web.patience = 0
	w.fault(map[string]string{"method": "POST", "path": "/payouts"}, "drop_before_accept", 100)
	w.fault(map[string]string{"method": "GET"}, "500_before", 1000)
	id := w.payout("acme", "run-1", 90_050)
	for range 7 {
		w.wait(3 * time.Hour)
		w.work() // the engine's tries are spent
	}
	until := regexp.MustCompile(`Safe until 28 Nov 2026 ([0-9:]{8})`)
	w.wait(30 * time.Minute)
	olga := w.browse("Olga")
	path, p := olga.preview(id, model.RetryUnfinished)
	at := until.FindStringSubmatch(p.text())
	if at == nil {
		t.Fatalf("the key's window is not told: %s", p.text())
	}
	olga.wants(p, 200, "Expires "+at[1], ": until then the provider surely recognises the key")
	w.wait(9 * time.Minute) // less than a preview lives otherwise
	refused := olga.post(path+"/confirm", "person", w.ids["Olga"], "digest", found(t, digestField, p), "reason", because, "plan_code", found(t, planCode, p))
	for _, over := range []page{refused, olga.get(path)} {
		if text := over.text(); strings.Contains(text, "moved since") || !strings.Contains(text, "The time ran out: ") || !strings.Contains(text, "Reconcile create-payout") {
			t.Errorf("status %d: %s", over.status, text)
		}
	}
	olga.wants(refused, 409, "You typed: "+because)
}

// TestTheReasonGoesIntoTheFreshPreview: one that came too late, or to a plan that
// does not hold any more, is shown, and stands in the form of the fresh preview.
func TestTheReasonGoesIntoTheFreshPreview(t *testing.T) {
	w := newWorld(t)
	w.web.patience = 0
	olga := w.browse("Olga")
	fresh := regexp.MustCompile(`href="(/previews/[^"]+)"[^>]*>Read the fresh preview`)
	w.fault(map[string]string{"method": "GET"}, "500_before", 1000)
	for what, happens := range map[string]func(){
		"expired": func() { w.wait(11 * time.Minute) },
		"moved": func() {
			for range 4 {
				w.wait(10 * time.Second)
				w.work() // it is sent again, and answers
			}
		},
	} {
		id := w.unknown("acme", what, 90_050)
		path, p := olga.preview(id, model.Abandon, "acknowledge", id+":create-payout")
		happens()
		typed := because + ", " + what
		p = olga.post(path+"/confirm", "person", w.ids["Olga"], "digest", found(t, digestField, p), "reason", typed, "plan_code", found(t, planCode, p))
		if p.status != 409 || !strings.Contains(p.text(), typed) {
			t.Errorf("%s: status %d: %s", what, p.status, p.text())
		}
		if p = olga.get(found(t, fresh, p)); !strings.Contains(p.body, typed+"</textarea>") {
			t.Errorf("%s: the fresh preview has lost it: %s", what, p.text())
		}
	}
}
