package moments

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"countersign/internal/actions"
	"countersign/internal/model"
	"countersign/internal/store"
	"countersign/internal/store/storetest"
)

// stuck is a payout that the bank has, and nobody knows it: all tries and all
// early checks are spent.
func (w *world) stuck() string {
	w.fault("drop_after_accept", 6, posts("/payouts"), 0)
	w.fault("500_before", 1000, looks(), 0)
	id := w.payout("stuck-1")
	w.run(2 * time.Hour)
	w.expect(id, model.NeedsReview, "create-payout", model.OutcomeUnknown)
	w.noFaults()
	return id
}

// The main job: seen, understood, previewed, confirmed, resolved.
func TestReconcileResolvesAStuckPayout(t *testing.T) {
	w := newWorld(t)
	id := w.stuck()
	w.do(w.people.operator, id, model.Reconcile, "create-payout", "")
	w.run(time.Minute)
	w.expect(id, model.Completed, "create-payout", model.Confirmed)
	if n := w.entries(id, "action.reconcile.executed"); n != 1 {
		t.Errorf("%d entries", n)
	}
	w.survive(t)
}

func TestRetryOfAnUnknownPayoutIsReplayed(t *testing.T) {
	w := newWorld(t)
	id := w.stuck()
	w.fault("500_before", 1, looks(), 0) // the bank's look-up is still down
	before := len(w.load(id).Step("create-payout").Attempts)
	w.do(w.people.operator, id, model.RetryUnfinished, "", "")
	w.run(time.Minute)
	s := w.load(id).Step("create-payout")
	if len(s.Attempts) != before+1 || s.Attempts[before].Trigger != model.ByOperator || s.Attempts[before].OrderedBy != w.people.operator.Name || !s.Attempts[before].Replayed {
		t.Errorf("attempts: %d before, last %+v", before, s.Attempts[len(s.Attempts)-1])
	}
	w.expect(id, model.Completed, "create-payout", model.Confirmed)
	if n := w.effects("payouts"); n != 1 {
		t.Errorf("the books show %d payouts", n)
	}
	w.survive(t)
}

func TestCuredRefusalOpensTheNextGeneration(t *testing.T) {
	w := newWorld(t)
	w.fault("reject_curable", 1, posts("/payouts"), 0)
	id := w.payout("p-1")
	w.run(time.Minute)
	w.expect(id, model.NeedsReview, "create-payout", model.FailedSafely)
	p := w.preview(w.people.operator, id, model.RetryUnfinished, "", "")
	if call := p.Plan.Calls[0]; call.Generation != 2 || !strings.HasSuffix(call.StepKey, ":create-payout#2") {
		t.Errorf("the plan's call is %+v", call)
	}
	if _, err := w.confirm(w.people.operator, p); err != nil {
		t.Fatal(err)
	}
	w.run(time.Hour)
	w.expect(id, model.Completed, "create-payout", model.Confirmed)
	if n := w.effects("payouts"); n != 1 {
		t.Errorf("the books show %d payouts", n)
	}
	w.survive(t)
}

// Moment 5: the same intent twice at once, with changed params, with reordered
// members and a new timestamp.
func TestMoment05TheSameIntentTwice(t *testing.T) {
	w := newWorld(t)
	var group sync.WaitGroup
	var mu sync.Mutex
	fresh, ids := 0, map[string]bool{}
	for range 50 {
		group.Go(func() {
			a, err := w.act.Accept(context.Background(), w.people.payroll, actions.Submission{Key: "once", Kind: model.KindPayout, Account: account, Params: json.RawMessage(payoutParams)})
			if err != nil {
				t.Error(err)
				return
			}
			w.promise(a.Case)
			mu.Lock()
			defer mu.Unlock()
			ids[a.Case.ID] = true
			if !a.Replayed {
				fresh++
			}
		})
	}
	group.Wait()
	if fresh != 1 || len(ids) != 1 {
		t.Errorf("%d fresh ones, %d intents", fresh, len(ids))
	}
	reordered := `{"period":"2026-10","requested_at":"2026-11-02T09:00:00Z","trace_id":"t-9","currency":"USD","amount":95050,"payee":{"email":"ada@example.com","destination":"acct_9","name":"Ada Rep","reference":"rep-118"}}`
	if a, err := w.act.Accept(context.Background(), w.people.payroll, actions.Submission{Key: "once", Kind: model.KindPayout, Account: account, Params: json.RawMessage(reordered)}); err != nil || !a.Replayed {
		t.Errorf("reordered: %v", err)
	}
	changed := strings.Replace(payoutParams, "95050", "95051", 1)
	_, err := w.act.Accept(context.Background(), w.people.payroll, actions.Submission{Key: "once", Kind: model.KindPayout, Account: account, Params: json.RawMessage(changed)})
	refused(t, err, "idempotency-key-reused")
	w.run(time.Hour)
	if n := w.effects("payouts"); n != 1 {
		t.Errorf("the books show %d payouts", n)
	}
	w.survive(t)
}

// Moment 6: a webhook after an operator marked or abandoned contradicts aloud.
func TestMoment06WebhookAfterAPersonDecided(t *testing.T) {
	t.Run("abandoned", func(t *testing.T) {
		w := newWorld(t)
		id := w.stuck()
		key := w.load(id).Step("create-payout").Key()
		w.do(w.people.operator, id, model.Abandon, "", fmt.Sprintf(`{"acknowledge":[%q]}`, key))
		if _, err := w.approve(w.people.approver, id); err != nil {
			t.Fatal(err)
		}
		w.expect(id, model.Abandoned, "create-payout", model.OutcomeUnknown)
		w.run(24 * time.Hour) // the engine looks again: the uncertain effect stays on the list
		c := w.load(id)
		if c.State != model.Abandoned || c.Step("create-payout").State != model.Confirmed || c.Step("post-ledger").State != model.Pending {
			t.Errorf("%s\n%s", c.State, describe(c))
		}
		if n := len(c.Step("create-payout").Attempts); n != w.timing.Tries {
			t.Errorf("%d attempts: something was sent after it was abandoned", n)
		}
		w.survive(t)
	})
	t.Run("marked as happened", func(t *testing.T) {
		w := newWorld(t)
		id := w.stuck()
		w.fault("500_before", 1000, looks(), 0)
		w.do(w.people.operator, id, model.MarkExternalResult, "create-payout",
			`{"result":"happened","external_ref":"bank-line-77","amount":95050,"currency":"USD","date":"2026-11-27","document":{"url":"https://bank.example/statement/77","sha256":"`+strings.Repeat("ab", 32)+`"}}`)
		w.run(time.Minute)
		w.expect(id, model.Completed, "create-payout", model.Confirmed)
		w.noFaults()
		w.run(24 * time.Hour) // the re-check asks by our own reference, and finds the bank's object
		c := w.load(id)
		if s := c.Step("create-payout"); c.State != model.Completed || s.Known() == "" || !strings.HasPrefix(s.ExternalRef, "po_") {
			t.Errorf("%s\n%s", c.State, describe(c))
		}
		w.survive(t)
	})
}

// paid is a completed payout.
func (w *world) paid(key string) string {
	w.t.Helper()
	id := w.payout(key)
	w.run(time.Hour)
	w.expect(id, model.Completed, "create-payout", model.Confirmed)
	return id
}

// Moment 12: rights are revoked, or the intent moves, between preview and
// confirm and between request and approval.
func TestMoment12TheWorldMovesMeanwhile(t *testing.T) {
	t.Run("rights, before confirm", func(t *testing.T) {
		w := newWorld(t)
		id := w.stuck()
		p := w.preview(w.people.operator, id, model.Reconcile, "create-payout", "")
		w.update(func(tx *store.Tx) error { return tx.Withdraw(w.people.operator.ID, account, model.RoleOperator) })
		if _, err := w.confirm(w.people.operator, p); err == nil {
			t.Error("confirmed without rights")
		}
		w.expect(id, model.NeedsReview, "create-payout", model.OutcomeUnknown)
		w.survive(t)
	})
	t.Run("the intent, before confirm", func(t *testing.T) {
		w := newWorld(t)
		id := w.stuck()
		p := w.preview(w.people.operator, id, model.RetryUnfinished, "", "")
		w.do(w.people.operator2, id, model.Reconcile, "create-payout", "")
		w.run(time.Minute)
		_, err := w.confirm(w.people.operator, p)
		refused(t, err, "preview-stale")
		if n := w.entries(id, "action.retry_unfinished.refused"); n != 1 {
			t.Errorf("%d refusals are on record", n)
		}
		w.survive(t)
	})
	t.Run("rights, before approval", func(t *testing.T) {
		w := newWorld(t)
		id := w.paid("p-1")
		w.do(w.people.operator, id, model.Compensate, "create-payout", "")
		w.update(func(tx *store.Tx) error { return tx.Withdraw(w.people.approver.ID, account, model.RoleApprover) })
		if _, err := w.approve(w.people.approver, id); err == nil {
			t.Error("approved without rights")
		}
		w.expect(id, model.Compensating, "create-payout", model.Confirmed)
		w.survive(t)
	})
	t.Run("the intent, before approval", func(t *testing.T) {
		w := newWorld(t)
		w.fault("settle_then_return", 1, posts("/payouts"), int((30 * time.Minute).Milliseconds()))
		id := w.payout("p-1")
		w.run(10 * time.Minute)
		w.expect(id, model.Completed, "create-payout", model.Confirmed)
		w.do(w.people.operator, id, model.Compensate, "create-payout", "")
		open := w.load(id).OpenRequest()
		w.run(time.Hour) // the money comes back by itself
		_, err := w.decide(w.act.Approve, w.people.approver, open.ID, open.Digest)
		refused(t, err, "approval-closed")
		c := w.load(id)
		if c.StandingCompensation() != nil || c.State != model.NeedsReview {
			t.Errorf("%s, compensation %v", c.State, c.StandingCompensation())
		}
		if n := w.effects("payout_reversals"); n != 0 {
			t.Errorf("the books show %d reversals of money that had come back", n)
		}
		w.survive(t)
	})
}

// Moment 14: the audit append fails: the action does not happen.
func TestMoment14WithoutItsEntryNothingHappens(t *testing.T) {
	w := newWorld(t)
	id := w.stuck()
	p := w.preview(w.people.operator, id, model.Reconcile, "create-payout", "")
	w.update(func(tx *store.Tx) error {
		return storetest.RefuseInserts(tx, "audit_entries")
	})
	if _, err := w.confirm(w.people.operator, p); err == nil {
		t.Error("confirmed without an entry")
	}
	if c := w.load(id); c.Step("create-payout").Ordered != model.NoOrder {
		t.Error("the order stands without an entry")
	}
	w.update(func(tx *store.Tx) error { return storetest.AcceptInserts(tx, "audit_entries") })
	if _, err := w.confirm(w.people.operator, p); err != nil {
		t.Errorf("with room again: %v", err)
	}
	w.run(time.Minute)
	w.expect(id, model.Completed, "create-payout", model.Confirmed)
	w.survive(t)
}

// A confirmation whose commit was kept but reported as an error answers with
// what is committed; a double click too.
func TestConfirmIsRepeatSafe(t *testing.T) {
	w := newWorld(t)
	id := w.stuck()
	p := w.preview(w.people.operator, id, model.Reconcile, "create-payout", "")
	var lied atomic.Bool
	w.set(nil, func() error {
		if lied.CompareAndSwap(false, true) {
			return errors.New("the connection to the database broke")
		}
		return nil
	})
	first, err := w.confirm(w.people.operator, p)
	if err != nil {
		t.Fatal(err)
	}
	w.set(nil, nil)
	second, err := w.confirm(w.people.operator, p)
	if err != nil || first.Audit != second.Audit {
		t.Errorf("%+v, then %+v, %v", first, second, err)
	}
	if n := w.entries(id, "action.reconcile.executed"); n != 1 {
		t.Errorf("%d entries", n)
	}
	w.survive(t)
}
