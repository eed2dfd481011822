package actions

import (
	"reflect"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"countersign/internal/authz"
	"countersign/internal/model"
	"countersign/internal/store"
)

func say(digest string) Confirmation { return Confirmation{Reason: reason, Digest: digest} }

// requested gives a world with a payout confirmed, and Ada's request to undo it.
func requested(t *testing.T) (w *world, id string, p Preview, approval string) {
	w = newWorld(t)
	id = w.payout("k", 500)
	w.pass(id, pay)
	p = w.preview(w.ada, id, model.Compensate, pay, "")
	r := w.confirm(w.ada, p)
	if r.Outcome != AwaitingApproval || r.Approval == nil {
		t.Fatalf("receipt %+v", r)
	}
	return w, id, p, *r.Approval
}

func TestCompensateByTwo(t *testing.T) {
	w, id, p, approval := requested(t)
	parent := w.load(id)
	if parent.State != model.Compensating || parent.Compensations[0].State != model.CompensationAsked {
		t.Fatalf("parent %s, %+v", parent.State, parent.Compensations)
	}
	r, err := w.run.Approve(t.Context(), w.cleo, approval, say(p.Digest))
	if err != nil || r.Outcome != Executed || r.Compensation == nil {
		t.Fatalf("%+v %v", r, err)
	}
	child := w.load(*r.Compensation)
	if child.Parent != id || child.Key != "compensate:"+id+":create-payout" || child.Creator != w.ada.ID || child.Kind != model.KindCompensation {
		t.Errorf("child %+v", child.Intent)
	}
	for i, s := range child.Steps {
		if call := p.Plan.Calls[i]; call.StepKey != s.Key() || call.WireKey != s.WireKey {
			t.Errorf("previewed %s as %s, made %s as %s", call.StepKey, call.WireKey, s.Key(), s.WireKey)
		}
	}
	parent = w.load(id)
	if k := parent.Compensations[0]; k.State != model.CompensationOpen || k.ChildID != child.ID {
		t.Errorf("compensation %+v", k)
	}
	if parent.Step("post-ledger").State != model.NotNeeded || parent.Step("send-remittance").State != model.NotNeeded {
		t.Error("the parent still has work")
	}
	want := []string{"intent.accepted", "action.compensate.requested", "approval.approved", "action.compensate.executed"}
	if got := w.events(id); !reflect.DeepEqual(got, want) {
		t.Errorf("events %v", got)
	}
}

func TestOneThatEndedWithNothingDoneFreesTheKey(t *testing.T) {
	w, id, p, approval := requested(t)
	r, err := w.run.Approve(t.Context(), w.cleo, approval, say(p.Digest))
	if err != nil {
		t.Fatal(err)
	}
	w.send(*r.Compensation, model.Outcome{Result: model.ResultPermanent, Code: "not_reversible", Detail: "no"})
	if k := w.load(id).Compensations[0]; k.State != model.CompensationEnded {
		t.Fatalf("compensation %s", k.State)
	}
	again := w.preview(w.ada, id, model.Compensate, pay, "")
	r2 := w.confirm(w.ada, again)
	r, err = w.run.Approve(t.Context(), w.dan, *r2.Approval, say(again.Digest))
	if err != nil {
		t.Fatal(err)
	}
	if key := w.load(*r.Compensation).Key; !strings.HasSuffix(key, ":create-payout#2") {
		t.Errorf("key %s", key)
	}
}

func TestWhoMayNotApprove(t *testing.T) {
	w, id, p, approval := requested(t)
	grant := func(a authz.Actor, role model.Role) {
		w.update(func(tx *store.Tx) error { return tx.Grant(a.ID, "acme", role) })
	}
	grant(w.ada, model.RoleApprover) // would do, were it not her own
	for _, test := range []struct {
		name  string
		actor authz.Actor
		in    Confirmation
		code  string
	}{
		{"the requester", w.ada, say(p.Digest), "self-approval"},
		{"the requester, whatever else is wrong", w.ada, say("00"), "self-approval"},
		{"the creator of the intent", w.ben, say(p.Digest), "self-approval"},
		{"an auditor", w.aud, say(p.Digest), "denied"},
		{"somebody of another account", w.glo, say(p.Digest), "not-found"},
		{"who looked at something else", w.cleo, say("00"), "digest-mismatch"},
		{"who gives no reason", w.cleo, Confirmation{Reason: "ok", Digest: p.Digest}, "invalid-params"},
	} {
		_, err := w.run.Approve(t.Context(), test.actor, approval, test.in)
		if codeOf(err) != test.code {
			t.Errorf("%s: %v, want %s", test.name, err, test.code)
		}
	}
	denied, refused := 0, 0
	for _, e := range w.events(id) {
		switch e {
		case "approval.denied":
			denied++
		case "approval.refused":
			refused++
		}
	}
	if denied != 4 || refused != 1 {
		t.Errorf("%d denied and %d refused: %v", denied, refused, w.events(id))
	}
	if w.load(id).Requests[0].State != model.ApprovalOpen {
		t.Error("not open any more")
	}
}

func TestTwoApproversAtOnceExecuteOnce(t *testing.T) {
	w, id, p, approval := requested(t)
	var wg sync.WaitGroup
	codes := make([]string, 2)
	for i, actor := range []authz.Actor{w.cleo, w.dan} {
		wg.Go(func() {
			_, err := w.run.Approve(t.Context(), actor, approval, say(p.Digest))
			if codes[i] = codeOf(err); err != nil && extra(err, "state") != "executed" {
				t.Errorf("%v", err)
			}
		})
	}
	wg.Wait()
	slices.Sort(codes)
	if !reflect.DeepEqual(codes, []string{"", "approval-closed"}) {
		t.Errorf("codes %q", codes)
	}
	if n := len(w.load(id).Compensations); n != 1 {
		t.Errorf("%d compensations", n)
	}
}

func TestRejectAndWithdrawLetTheParentGoOn(t *testing.T) {
	for _, test := range []struct {
		name  string
		do    func(w *world, approval, digest string) (Receipt, error)
		state model.ApprovalState
	}{
		{"reject", func(w *world, a, d string) (Receipt, error) { return w.run.Reject(w.t.Context(), w.cleo, a, say(d)) }, model.ApprovalRejected},
		{"withdraw", func(w *world, a, d string) (Receipt, error) { return w.run.Withdraw(w.t.Context(), w.ada, a, say(d)) }, model.ApprovalWithdrawn},
	} {
		w, id, p, approval := requested(t)
		if _, err := w.run.Withdraw(t.Context(), w.ben, approval, say(p.Digest)); codeOf(err) != "denied" {
			t.Errorf("%s: somebody else withdrew: %v", test.name, err)
		}
		if r, err := test.do(w, approval, p.Digest); err != nil || r.Outcome != Recorded {
			t.Errorf("%s: %+v %v", test.name, r, err)
		}
		c := w.load(id)
		if c.State != model.Processing || c.Compensations[0].State != model.CompensationWithdrawn || c.Requests[0].State != test.state {
			t.Errorf("%s: %s, compensation %s, request %s", test.name, c.State, c.Compensations[0].State, c.Requests[0].State)
		}
		_, err := w.run.Approve(t.Context(), w.dan, approval, say(p.Digest))
		if codeOf(err) != "approval-closed" || extra(err, "state") != string(test.state) {
			t.Errorf("%s: approved afterwards: %v", test.name, err)
		}
	}
}

func TestAnExpiredRequestIsClosed(t *testing.T) {
	w, _, p, approval := requested(t)
	w.wait(73 * time.Hour)
	_, err := w.run.Approve(t.Context(), w.cleo, approval, say(p.Digest))
	if codeOf(err) != "approval-closed" || extra(err, "state") != "expired" {
		t.Errorf("%v", err)
	}
}

func TestARequestIsDismissedWhenTheIntentMoved(t *testing.T) {
	w, id, p, approval := requested(t)
	found(pay, cameBack)(w, id)
	_, err := w.run.Approve(t.Context(), w.cleo, approval, say(p.Digest))
	wantCode(t, err, "approval-closed")
	if extra(err, "state") != "dismissed" || len(extra(err, "changes").([]string)) == 0 {
		t.Errorf("%v", err)
	}
	c := w.load(id)
	if c.Compensations[0].State != model.CompensationWithdrawn || !slices.Contains(w.events(id), "approval.dismissed") {
		t.Errorf("%+v %v", c.Compensations, w.events(id))
	}
}

func TestRightsLostBetweenRequestAndApproval(t *testing.T) {
	w, id, p, approval := requested(t)
	w.update(func(tx *store.Tx) error { return tx.Withdraw(w.cleo.ID, "acme", model.RoleApprover) })
	_, err := w.run.Approve(t.Context(), w.cleo, approval, say(p.Digest))
	wantCode(t, err, "denied")
	w.update(func(tx *store.Tx) error { return tx.Withdraw(w.ada.ID, "acme", model.RoleOperator) })
	_, err = w.run.Approve(t.Context(), w.dan, approval, say(p.Digest))
	wantCode(t, err, "approval-closed")
	if c := w.load(id); c.Requests[0].State != model.ApprovalDismissed || c.State != model.Processing {
		t.Errorf("request %s, intent %s", c.Requests[0].State, c.State)
	}
}

// waiting brings a payout to its approval by so many people.
func waiting(t *testing.T, amount int64, people int) (*world, string, model.Approval) {
	w := newWorld(t)
	id := w.payout("k", amount)
	w.pass(id, "verify-payee")
	refused0(w, id)
	c := w.load(id)
	if r := c.OpenRequest(); c.State != model.AwaitingApproval || r.Needed != people {
		t.Fatalf("%s, %d needed", c.State, r.Needed)
	}
	return w, id, *c.OpenRequest()
}

func TestApproveIntentByTwo(t *testing.T) {
	w, id, request := waiting(t, 6_000_000, 2)
	_, err := w.run.Approve(t.Context(), w.ben, request.ID, say(request.Digest))
	wantCode(t, err, "self-approval")
	r, err := w.run.Approve(t.Context(), w.cleo, request.ID, say(request.Digest))
	if err != nil || r.Outcome != AwaitingApproval {
		t.Fatalf("%+v %v", r, err)
	}
	if again, err := w.run.Approve(t.Context(), w.cleo, request.ID, say(request.Digest)); err != nil || !reflect.DeepEqual(again, r) {
		t.Errorf("a double click: %+v %v, first %+v", again, err, r)
	}
	other := say(request.Digest)
	other.Reason += ", on second thoughts"
	_, err = w.run.Approve(t.Context(), w.cleo, request.ID, other)
	wantCode(t, err, "denied")
	if r, err = w.run.Approve(t.Context(), w.dan, request.ID, say(request.Digest)); err != nil || r.Outcome != Executed {
		t.Fatalf("%+v %v", r, err)
	}
	c := w.load(id)
	if s := c.ApprovalStep(); s.State != model.Confirmed || s.Reason != "Approved by Cleo and Dan." || c.WakeAt == 0 || c.OpenRequest() != nil {
		t.Errorf("step %s (%s), wakes at %v", s.State, s.Reason, c.WakeAt)
	}
	want := []string{"intent.accepted", "approval.approved", "approval.denied", "approval.denied", "approval.approved", "action.approve_intent.executed"}
	got := w.events(id)
	slices.Sort(got)
	slices.Sort(want)
	if !reflect.DeepEqual(got, want) {
		t.Errorf("events %v", got)
	}
}

func TestARejectedIntentHasFailedForGood(t *testing.T) {
	w, id, request := waiting(t, 200_000, 1)
	if _, err := w.run.Reject(t.Context(), w.cleo, request.ID, say(request.Digest)); err != nil {
		t.Fatal(err)
	}
	if c := w.load(id); c.State != model.TerminalFailure || c.ApprovalStep().Failure != model.Permanent {
		t.Errorf("%s: %s", c.State, c.Reason)
	}
}

func TestAnActionDismissesWhatItMadeMoot(t *testing.T) {
	w, id, request := waiting(t, 200_000, 1)
	w.confirm(w.ada, w.preview(w.ada, id, model.Abandon, "", `{"acknowledge":[]}`))
	c := w.load(id)
	if r := c.Request(request.ID); r.State != model.ApprovalDismissed || c.State != model.Abandoned {
		t.Errorf("request %s, intent %s", r.State, c.State)
	}
	if !slices.Contains(w.events(id), "approval.dismissed") {
		t.Errorf("events %v", w.events(id))
	}
}

func TestApproveWhenTheCommitSeemedToFail(t *testing.T) {
	w, id, p, approval := requested(t)
	w.lie()
	r, err := w.run.Approve(t.Context(), w.cleo, approval, say(p.Digest))
	if err != nil || r.Outcome != Executed || len(w.load(id).Compensations) != 1 {
		t.Errorf("%+v %v", r, err)
	}
}

func TestApprovalsList(t *testing.T) {
	w, id, p, approval := requested(t)
	second := w.payout("k2", 500)
	w.pass(second, pay)
	w.wait(time.Second)
	w.confirm(w.ada, w.preview(w.ada, second, model.Compensate, pay, ""))
	page, err := w.run.Approvals(t.Context(), w.cleo, ApprovalQuery{State: "open", Limit: 1})
	if err != nil || len(page.Items) != 1 || page.Count != 2 || page.NextCursor == nil || page.Items[0].Intent != second {
		t.Fatalf("%+v %v", page, err)
	}
	page, err = w.run.Approvals(t.Context(), w.cleo, ApprovalQuery{State: "open", Limit: 1, Cursor: *page.NextCursor})
	if err != nil || len(page.Items) != 1 || page.NextCursor != nil {
		t.Fatalf("%+v %v", page, err)
	}
	a := page.Items[0]
	if a.ID != approval || *a.StepKey != id+":create-payout" || a.Digest != p.Digest || a.RequestedBy != "Ada" || !reflect.DeepEqual(a.MayApprove, []string{"Cleo", "Dan"}) {
		t.Errorf("%+v", a)
	}
	if page, err := w.run.Approvals(t.Context(), w.glo, ApprovalQuery{}); err != nil || page.Count != 0 {
		t.Errorf("across the wall: %+v %v", page, err)
	}
	_, err = w.run.Approval(t.Context(), w.glo, approval)
	wantCode(t, err, "not-found")
	_, err = w.run.Approvals(t.Context(), w.cleo, ApprovalQuery{Cursor: "?"})
	wantCode(t, err, "invalid-params")
}
