package web

import (
	"strings"
	"testing"
	"time"

	"countersign/internal/model"
)

// TestAnUndoThatIsOnlyAskedForSaysSo: before a second person signs nothing is
// undone, and no page says that it is being done.
func TestAnUndoThatIsOnlyAskedForSaysSo(t *testing.T) {
	w := newWorld(t)
	w.web.patience = 0
	id := w.payout("acme", "run-1", 90_050)
	for range 3 { // it settles, is posted and is told
		w.wait(10 * time.Second)
		w.work()
	}
	olga, ann := w.browse("Olga"), w.browse("Ann")
	path, preview := olga.preview(id, model.Compensate, "step", "create-payout")
	olga.follow(olga.post(path+"/confirm", "digest", found(t, digestField, preview), "reason", because, "plan_code", found(t, planCode, preview)))
	asked := ann.get("/intents/" + id)
	ann.wants(asked, 200, "Undo asked for", "An undo from create-payout on is asked for by Olga ,", "It waits for a second person: nothing has been undone, and nothing else runs.")
	for where, p := range map[string]page{"its page": asked, "the queue": ann.get("/?state=all"), "the result": olga.get(path + "/result")} {
		if strings.Contains(p.text(), "Compensating Key") || strings.Contains(p.body, "Compensating\n") || strings.Contains(p.body, `#s-progress"></use></svg> Compensating`) {
			t.Errorf("%s says that it is being undone", where)
		}
	}
	link := found(t, requestLink, ann.get("/approvals"))
	p := ann.get(link)
	ann.post(link+"/approve", "digest", found(t, digestField, p), "reason", because, "plan_code", found(t, planCode, p))
	running := ann.get("/intents/" + id).text()
	if !strings.Contains(running, "Compensating") || strings.Contains(running, "Undo asked for") {
		t.Errorf("a signed undo is shown as %s", running)
	}
}

// TestARequestSaysWhoSignedIt: with one of two signatures, who gave it when, and of
// whom the other can come.
func TestARequestSaysWhoSignedIt(t *testing.T) {
	w := newWorld(t)
	w.web.patience = 0
	id := w.payout("acme", "run-1", 6_000_000)
	ann, abe := w.browse("Ann"), w.browse("Abe")
	link := found(t, requestLink, ann.get("/approvals"))
	p := ann.get(link)
	ann.wants(p, 200, "Needed 2 signatures needed", "May approve Abe , Ann")
	ann.follow(ann.post(link+"/approve", "digest", found(t, digestField, p), "reason", because))
	p = abe.get(link)
	abe.wants(p, 200, "Signed 1 of 2 signed ( Ann , 09:00:00 +00:00 ); 1 more needed, of: Abe")
	abe.wants(abe.get("/intents/"+id), 200, "waits for people to approve: 1 of 2 signed ( Ann , 09:00:00 +00:00 ); 1 more needed.")
	for _, path := range []string{link, "/intents/" + id} {
		now, _, _ := strings.Cut(abe.get(path).text(), "Audit entries, newest first") // they say what was
		if strings.Contains(now, "2 needed") || strings.Contains(now, "2 signatures needed") {
			t.Errorf("%s counts from nothing: %s", path, now)
		}
	}
	abe.wants(abe.follow(abe.post(link+"/approve", "digest", found(t, digestField, p), "reason", because)), 200, "Approved")
}

// TestThePasswordIsAnnounced: whoever acts hears before, and not after, that the
// password will be asked for; where it was just confirmed, nothing is said of it.
func TestThePasswordIsAnnounced(t *testing.T) {
	const ahead = "You will be asked for your password: it was confirmed longer than 15 min ago. Confirm it now in a new tab"
	w := newWorld(t)
	w.web.patience = 0
	id := w.unknown("acme", "run-1", 90_050)
	w.payout("acme", "run-2", 420_000)
	olga, ann, audrey := w.browse("Olga"), w.browse("Ann"), w.browse("Audrey")
	w.wait(9 * time.Minute)
	path, _ := olga.preview(id, model.Abandon, "acknowledge", id+":create-payout")
	asking, _ := olga.preview(id, model.Reconcile, "step", "create-payout")
	request := found(t, requestLink, ann.get("/approvals"))
	mark := actionPath(id, model.MarkExternalResult, "create-payout")
	announced := func(b *browser, path string) bool { return strings.Contains(b.get(path).text(), ahead) }
	grave := map[string]*browser{"/intents/" + id: olga, mark: olga, path: olga, request: ann}
	for page, b := range grave {
		if announced(b, page) {
			t.Errorf("%s asks for what was just given", page)
		}
	}
	w.wait(6*time.Minute + time.Second)
	for page, b := range grave {
		if !announced(b, page) {
			t.Errorf("%s does not say that the password will be asked for", page)
		}
	}
	for page, b := range map[string]*browser{actionPath(id, model.Reconcile, "create-payout"): olga, asking: olga, "/intents/" + id: audrey} {
		if announced(b, page) {
			t.Errorf("%s announces what is not asked", page)
		}
	}
}
