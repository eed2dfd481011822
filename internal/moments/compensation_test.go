package moments

import (
	"context"
	"encoding/json"
	"fmt"
	"sync"
	"testing"
	"time"

	"countersign/internal/actions"
	"countersign/internal/authz"
	"countersign/internal/model"
)

// Moment 11: compensation by two different people, once.
func TestMoment11Compensation(t *testing.T) {
	t.Run("happens", func(t *testing.T) {
		w := newWorld(t)
		id := w.paid("p-1")
		if r := w.do(w.people.operator, id, model.Compensate, "create-payout", ""); r.Outcome != actions.AwaitingApproval {
			t.Fatalf("%+v", r)
		}
		w.expect(id, model.Compensating, "create-payout", model.Confirmed)
		_, err := w.approve(w.people.operator, id)
		refused(t, err, "self-approval")
		_, err = w.approve(w.people.administrator, id)
		refused(t, err, "self-approval") // the key's issuer answers for the intent
		_, err = w.approve(w.people.operator2, id)
		refused(t, err, "denied")
		receipt, err := w.approve(w.people.approver, id)
		if err != nil || receipt.Compensation == nil {
			t.Fatalf("%+v %v", receipt, err)
		}
		w.run(time.Hour)
		w.expect(*receipt.Compensation, model.Completed, "reverse-payout", model.Confirmed)
		w.expect(id, model.Compensated, "create-payout", model.Confirmed)
		if n := w.effects("payouts"); n != 0 {
			t.Errorf("the books show %d standing payouts", n)
		}
		for event, want := range map[string]int{"action.compensate.requested": 1, "approval.approved": 1, "action.compensate.executed": 1} {
			if n := w.entries(id, event); n != want {
				t.Errorf("%d of %s, want %d", n, event, want)
			}
		}
		w.survive(t)
	})
	t.Run("approved by two at once", func(t *testing.T) {
		w := newWorld(t)
		id := w.paid("p-1")
		w.do(w.people.operator, id, model.Compensate, "create-payout", "")
		open := w.load(id).OpenRequest()
		var group sync.WaitGroup
		results := make([]error, 2)
		for i, by := range []authz.Actor{w.people.approver, w.people.approver2} {
			group.Go(func() {
				_, results[i] = w.decide(w.act.Approve, by, open.ID, open.Digest)
			})
		}
		group.Wait()
		if (results[0] == nil) == (results[1] == nil) {
			t.Errorf("both came out alike: %v, %v", results[0], results[1])
		}
		w.run(time.Hour)
		if c := w.load(id); c.State != model.Compensated || len(c.Compensations) != 1 {
			t.Errorf("%s, %d compensations", c.State, len(c.Compensations))
		}
		w.survive(t)
	})
	t.Run("requested twice and through two steps", func(t *testing.T) {
		w := newWorld(t)
		id := w.paid("p-1")
		first := w.preview(w.people.operator, id, model.Compensate, "create-payout", "")
		second := w.preview(w.people.operator2, id, model.Compensate, "post-ledger", "")
		if _, err := w.confirm(w.people.operator, first); err != nil {
			t.Fatal(err)
		}
		_, err := w.confirm(w.people.operator2, second)
		refused(t, err, "preview-stale")
		w.survive(t)
	})
	t.Run("cut after acceptance", func(t *testing.T) {
		w := newWorld(t)
		id := w.paid("p-1")
		w.fault("drop_after_accept", 2, map[string]any{"operation": "payout_reversals", "method": "POST"}, 0)
		w.do(w.people.operator, id, model.Compensate, "create-payout", "")
		if _, err := w.approve(w.people.approver, id); err != nil {
			t.Fatal(err)
		}
		w.run(2 * time.Hour)
		w.expect(id, model.Compensated, "create-payout", model.Confirmed)
		if n := w.effects("payout_reversals"); n != 1 {
			t.Errorf("the books show %d reversals", n)
		}
		w.survive(t)
	})
	t.Run("rejected", func(t *testing.T) {
		w := newWorld(t)
		id := w.paid("p-1")
		w.do(w.people.operator, id, model.Compensate, "create-payout", "")
		open := w.load(id).OpenRequest()
		if _, err := w.decide(w.act.Reject, w.people.approver, open.ID, open.Digest); err != nil {
			t.Fatal(err)
		}
		w.expect(id, model.Completed, "create-payout", model.Confirmed)
		w.survive(t)
	})
	t.Run("refused by the bank", func(t *testing.T) {
		w := newWorld(t)
		id := w.paid("p-1")
		w.fault("reject_permanent", 1, map[string]any{"operation": "payout_reversals", "method": "POST"}, 0)
		w.do(w.people.operator, id, model.Compensate, "create-payout", "")
		receipt, err := w.approve(w.people.approver, id)
		if err != nil {
			t.Fatal(err)
		}
		w.run(time.Hour)
		if c := w.load(*receipt.Compensation); c.State != model.NeedsReview {
			t.Errorf("the compensation is %s: %s", c.State, c.Reason)
		}
		w.expect(id, model.Compensating, "create-payout", model.Confirmed)
		w.survive(t)
	})
}

// A compensation that ends part-way says so, and what still stands can be undone
// by another one, or left.
func TestMoment11CompensationEndsPartWay(t *testing.T) {
	w := newWorld(t)
	id := w.paid("p-1")
	w.fault("reject_permanent", 1, map[string]any{"operation": "payout_reversals", "method": "POST"}, 0)
	w.do(w.people.operator, id, model.Compensate, "create-payout", "")
	first, err := w.approve(w.people.approver, id)
	if err != nil {
		t.Fatal(err)
	}
	child := *first.Compensation
	w.run(time.Hour)
	w.expect(child, model.NeedsReview, "reverse-payout", model.FailedSafely)
	if c := w.load(id); c.State != model.Compensating || c.Exposure() != 95050 {
		t.Errorf("%s, exposure %d", c.State, c.Exposure())
	}
	keys, _ := json.Marshal(actions.ToAcknowledge(w.load(child)))
	w.do(w.people.operator, child, model.Abandon, "", fmt.Sprintf(`{"acknowledge":%s}`, keys))
	if _, err := w.approve(w.people.approver, child); err != nil {
		t.Fatal(err)
	}
	w.expect(child, model.Abandoned, "reverse-payout", model.FailedSafely)
	if c := w.load(id); c.State != model.NeedsReview || c.BrokenOff() == nil || c.Exposure() != 95050 {
		t.Fatalf("the parent is %s (%s), exposure %d", c.State, c.Reason, c.Exposure())
	}
	p := w.preview(w.people.operator, id, model.Compensate, "create-payout", "")
	if len(p.Plan.Calls) != 1 || p.Plan.Calls[0].Step != "reverse-payout" {
		t.Errorf("what was undone is undone again: %+v", p.Plan.Calls)
	}
	if _, err := w.confirm(w.people.operator, p); err != nil {
		t.Fatal(err)
	}
	_, err = w.approve(w.people.approver, id)
	if err != nil {
		t.Fatal(err)
	}
	w.run(time.Hour)
	w.expect(id, model.Compensated, "create-payout", model.Confirmed)
	if c := w.load(id); c.Exposure() != 0 || w.effects("payouts") != 0 || w.effects("payout_reversals") != 1 {
		t.Errorf("exposure %d, %d payouts stand, %d reversals", c.Exposure(), w.effects("payouts"), w.effects("payout_reversals"))
	}
	w.survive(t)
}

// Undoing a later step leaves the earlier ones to be undone later.
func TestMoment11LaterStepFirst(t *testing.T) {
	w := newWorld(t)
	id := w.paid("p-1")
	for i, step := range []string{"send-remittance", "create-payout"} {
		w.do(w.people.operator, id, model.Compensate, step, "")
		if _, err := w.approve(w.people.approver, id); err != nil {
			t.Fatal(err)
		}
		w.run(time.Hour)
		w.expect(id, model.Compensated, "create-payout", model.Confirmed)
		if c := w.load(id); c.Exposure() != []int64{95050, 0}[i] {
			t.Errorf("after undoing %s the exposure is %d", step, c.Exposure())
		}
	}
	_, err := w.act.Preview(context.Background(), w.people.operator, actions.PreviewRequest{Intent: id, Action: model.Compensate, Step: "create-payout"})
	refused(t, err, "action-refused")
	w.survive(t)
}
