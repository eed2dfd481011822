package web

import (
	"strings"
	"testing"
	"time"

	"countersign/internal/model"
	"countersign/web/templates"
)

// asks lets somebody ask for what another person has to sign, and gives the page
// of the result and that of the request.
func (b *browser) asks(w *world, id, action string, fields ...string) (result, request string) {
	b.Helper()
	path, preview := b.preview(id, action, fields...)
	b.wants(b.follow(b.post(path+"/confirm", "digest", found(w, digestField, preview), "reason", because, "plan_code", found(w, planCode, preview))), 200,
		"Asked for approval: nothing is done before somebody else signs")
	return path + "/result", found(w, requestLink, b.get("/approvals"))
}

// paid makes a payout that is completed.
func (w *world) paid(key string) string {
	w.Helper()
	id := w.payout("acme", key, 39_500)
	for _, later := range []time.Duration{3 * time.Second, time.Minute} { // the bank settles it, and the engine asks
		w.wait(later)
		w.work()
	}
	if got := w.state(id); got != model.Completed {
		w.Fatalf("the payout is %s, want completed", got)
	}
	return id
}

// TestResultsOfRequestsThatEnded: whichever way a request ends without a
// signature, the result of asking says how, by whom and why, and that nothing was
// done; and nothing was.
func TestResultsOfRequestsThatEnded(t *testing.T) {
	const no = "The bank wants it in writing first"
	for name, tt := range map[string]struct {
		end  func(w *world, olga, ann *browser, request string)
		want []string
		row  string
	}{
		"rejected": {func(_ *world, _, ann *browser, request string) {
			ann.follow(ann.post(request+"/reject", "digest", found(ann, digestField, ann.get(request)), "reason", no))
		}, []string{"Rejected: nothing was done", "Rejected by Ann 27 Nov 2026", no}, "by Ann : " + no},
		"withdrawn": {func(_ *world, olga, _ *browser, request string) {
			olga.follow(olga.post(request+"/withdraw", "digest", found(olga, digestField, olga.get(request)), "reason", no))
		}, []string{"Withdrawn: nothing was done", "Withdrawn by Olga 27 Nov 2026", no}, "by Olga : " + no},
		"expired": {func(w *world, _, _ *browser, _ string) {
			w.wait(w.web.Timing.Approval + time.Minute)
			w.work()
		}, []string{"Expired: nothing was done", "Expired 30 Nov 2026", "Nobody decided in time."}, "Nobody decided in time."},
	} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t)
			w.web.patience = 0
			id := w.paid("run-1")
			olga, ann := w.browse("Olga"), w.browse("Ann")
			result, request := olga.asks(w, id, model.Compensate, "step", "create-payout")
			tt.end(w, olga, ann, request)
			w.work()
			olga = w.browse("Olga")
			p := olga.get(result)
			olga.wants(p, 200, append(tt.want, "What was asked for")...)
			olga.wants(olga.get(request), 200, tt.want[1:]...)
			olga.wants(olga.get("/approvals?state="+name), 200, tt.row)
			if !strings.Contains(p.body, `href="`+request+`"`) {
				t.Error("the request is not linked")
			}
			nothingLeft(t, p)
			if got := w.state(id); got != model.Completed {
				t.Errorf("the payout is %s, want completed", got)
			}
		})
	}
}

// TestResultOfADismissedRequest: the intent moved before anybody signed.
func TestResultOfADismissedRequest(t *testing.T) {
	w := newWorld(t)
	w.web.patience = 0
	id := w.unknown("acme", "run-1", 39_500)
	olga, ann := w.browse("Olga"), w.browse("Ann")
	result, request := olga.asks(w, id, model.Abandon, "acknowledge", id+":create-payout")
	signing := ann.get(request)
	w.wait(10 * time.Second)
	w.work() // the engine asks, and finds the payout
	ann.wants(ann.post(request+"/approve", "digest", found(t, digestField, signing), "reason", because, "plan_code", found(t, planCode, signing)), 409)
	p := olga.get(result)
	olga.wants(p, 200, "Dismissed: nothing was done", "Every step is confirmed or not needed", "What was asked for")
	nothingLeft(t, p)
	if got := w.state(id); got == model.Abandoned {
		t.Error("it was given up all the same")
	}
}

// TestResultOfARequestWhoseTimeIsOver: the time is over though nobody has closed
// the request yet.
func TestResultOfARequestWhoseTimeIsOver(t *testing.T) {
	w := newWorld(t)
	w.web.patience = 0
	olga := w.browse("Olga")
	result, request := olga.asks(w, w.paid("run-1"), model.Compensate, "step", "create-payout")
	w.wait(w.web.Timing.Approval + time.Minute)
	olga = w.browse("Olga")
	p := olga.get(result)
	olga.wants(p, 200, "Expired: nothing was done", "Nobody decided in time.")
	nothingLeft(t, p)
	asked := w.browse("Ann").get(request)
	olga.wants(asked, 200, "Expired", "Nobody decided in time.", "What was asked for, in this order")
	if strings.Contains(asked.body, `class="sign"`) {
		t.Error("it can still be signed")
	}
}

// TestWhoEndedARequest: who signed is not said to have rejected, nor a signature
// to have ended anything.
func TestWhoEndedARequest(t *testing.T) {
	signed := model.ApprovalDecision{Name: "Ann", Says: "approve", At: ago(20 * time.Minute)}
	rejected := model.ApprovalDecision{Name: "Abe", Says: "reject", At: ago(10 * time.Minute)}
	for want, r := range map[string]model.Approval{
		"Rejected by Abe 30 Nov 2026 09:32:18 +00:00 , after a signature by Ann 09:22:18 +00:00 ; the request .": {State: model.ApprovalRejected, Decisions: []model.ApprovalDecision{signed, rejected}},
		"Expired 30 Nov 2026 09:41:18 +00:00 , after a signature by Ann 09:22:18 +00:00 ; the request .":         {State: model.ApprovalExpired, ClosedAt: ago(time.Minute), Decisions: []model.ApprovalDecision{signed}},
		"Rejected by Abe 30 Nov 2026 09:32:18 +00:00 ; the request .":                                            {State: model.ApprovalRejected, Decisions: []model.ApprovalDecision{rejected}},
		"Signed by Ann 09:22:18 +00:00 ; the request .":                                                          {State: model.ApprovalExecuted, Decisions: []model.ApprovalDecision{signed}},
	} {
		var view templates.ResultView
		previewPage{planner: planner{narrator: told(func(*model.Case, *model.Step) {})}}.became(r, &view)
		if got := plain(t, view.Note.Title); got != want {
			t.Errorf("%s, %d decisions: %s", r.State, len(r.Decisions), got)
		}
	}
}

// TestARejectedIntentIsNotApproved: on the intent's page the line of who approved
// does not say it of who rejected.
func TestARejectedIntentIsNotApproved(t *testing.T) {
	rejected := model.ApprovalDecision{Name: "Abe", Says: "reject", At: ago(10 * time.Minute)}
	for state, want := range map[model.ApprovalState]string{
		model.ApprovalRejected: "Approval: Rejected by Abe 30 Nov 2026 09:32:18 +00:00 ; the request",
		model.ApprovalExecuted: "Approved by: Abe 09:32:18 +00:00 , carried out",
	} {
		n := told(func(c *model.Case, _ *model.Step) {
			c.Steps = append(c.Steps, &model.Step{Name: "approve-payout", Operation: model.ApprovalStep, Class: model.Local, PeopleNeeded: 1, Generation: 1, State: model.Pending})
			c.Requests = []model.Approval{{Action: model.ApproveIntent, Step: "approve-payout", State: state, Decisions: []model.ApprovalDecision{rejected}}}
		})
		facts := n.intended()
		last := facts[len(facts)-1]
		if got := last.Label + ": " + plain(t, last.Text); got != want {
			t.Errorf("%s: %s, want %s", state, got, want)
		}
	}
}

// nothingLeft holds that a page promises nothing any more.
func nothingLeft(t *testing.T, p page) {
	t.Helper()
	for _, wrong := range []string{"nothing is done before somebody else signs", "waits for an approver", "carried out"} {
		if strings.Contains(p.text(), wrong) {
			t.Errorf("the page says %q:\n%s", wrong, p.text())
		}
	}
}

// TestAnExecutedUndoSaysWhatIsBack: before it is signed the money is to be taken
// back, afterwards it is; and the page says from whom and to whom.
func TestAnExecutedUndoSaysWhatIsBack(t *testing.T) {
	w := newWorld(t)
	w.web.patience = 0
	id := w.paid("run-1")
	olga, ann := w.browse("Olga"), w.browse("Ann")
	_, request := olga.asks(w, id, model.Compensate, "step", "create-payout")
	p := ann.get(request)
	ann.wants(p, 200, "To take back 395.00 EUR", "Money 395.00 EUR from Ελένη Παπαδοπούλου , acct_9 back to acme")
	ann.follow(ann.post(request+"/approve", "digest", found(t, digestField, p), "reason", because, "plan_code", found(t, planCode, p)))
	w.pass()
	p = ann.get(request)
	ann.wants(p, 200, "Taken back 395.00 EUR", "from Ελένη Παπαδοπούλου , acct_9 back to acme")
	if strings.Contains(p.text(), "To take back") {
		t.Errorf("it is still to be taken back: %s", p.text())
	}
}
