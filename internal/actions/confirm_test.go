package actions

import (
	"bytes"
	"encoding/hex"
	"reflect"
	"strings"
	"sync"
	"testing"
	"time"

	"countersign/internal/authz"
	"countersign/internal/model"
	"countersign/internal/store"
)

// failed gives a world with a payout whose send failed safely.
func failed(t *testing.T) (*world, string) {
	w := newWorld(t)
	id := w.payout("k", 500)
	sent(notSent)(w, id)
	return w, id
}

func TestRetryOrdersExactlyWhatWasPreviewed(t *testing.T) {
	w, id := failed(t)
	p := w.preview(w.ada, id, model.RetryUnfinished, "", "")
	if len(p.Plan.Calls) != 1 || p.People != 1 || p.Step != nil {
		t.Fatalf("preview %+v", p)
	}
	c := w.load(id)
	frozen := c.Step(pay).Frozen()
	call := p.Plan.Calls[0]
	if call.Body != string(frozen.Body) || call.BodySHA256 != hex.EncodeToString(frozen.BodySHA256) || call.SentBefore != 1 || call.WireKey != c.Step(pay).WireKey || call.SafeUntil == 0 {
		t.Errorf("call %+v", call)
	}
	if len(p.Plan.Untouched) != 2 || len(p.Plan.Then) != 2 {
		t.Errorf("untouched %v then %v", p.Plan.Untouched, p.Plan.Then)
	}
	if len(w.events(id)) != 1 {
		t.Errorf("a preview left entries: %v", w.events(id))
	}
	r := w.confirm(w.ada, p)
	after := w.load(id)
	s := after.Step(pay)
	if s.Ordered != model.OrderRetry || s.OrderID != p.ID || s.OrderBy != "Ada" || !bytes.Equal(s.OrderDigest, frozen.BodySHA256) || after.Fence != c.Fence+1 || after.WakeAt == 0 {
		t.Errorf("order %+v, fence %d after %d", s, after.Fence, c.Fence)
	}
	if r.Outcome != Executed || r.Attempt == nil || *r.Attempt != 2 || r.Audit == "" {
		t.Errorf("receipt %+v", r)
	}
	if got := w.events(id); !reflect.DeepEqual(got, []string{"intent.accepted", "action.retry_unfinished.executed"}) {
		t.Errorf("events %v", got)
	}
}

func TestNextGenerationIsShownBeforeItIsOpened(t *testing.T) {
	w := newWorld(t)
	id := w.payout("k", 500)
	sent(curable)(w, id)
	call := w.preview(w.ada, id, model.RetryUnfinished, "", "").Plan.Calls[0]
	if call.Generation != 2 || call.StepKey != id+":create-payout#2" || call.WireKey != call.StepKey || call.SentBefore != 0 || call.SafeUntil != 0 {
		t.Errorf("call %+v", call)
	}
}

func TestReconcileRaisesNoFence(t *testing.T) {
	w := newWorld(t)
	id := w.payout("k", 500)
	sent(unknown)(w, id)
	fence := w.load(id).Fence
	w.confirm(w.ada, w.preview(w.ada, id, model.Reconcile, pay, ""))
	if c := w.load(id); c.Step(pay).Ordered != model.OrderReconcile || c.Fence != fence || len(c.Step(pay).Attempts) != 1 {
		t.Errorf("ordered %q, fence %d after %d", c.Step(pay).Ordered, c.Fence, fence)
	}
}

func TestConfirmOutcomes(t *testing.T) {
	ok := func(p Preview) Confirmation { return Confirmation{Reason: reason, Digest: p.Digest} }
	for _, test := range []struct {
		name   string
		before func(w *world, id string)
		actor  func(w *world) authz.Actor
		in     func(Preview) Confirmation
		code   string
		event  string // the entry that it leaves; "" leaves none
	}{
		{"too short a reason", nil, nil, func(p Preview) Confirmation { return Confirmation{Reason: " seven77 ", Digest: p.Digest} }, "invalid-params", ""},
		{"eight characters that nobody sees", nil, nil, func(p Preview) Confirmation {
			return Confirmation{Reason: strings.Repeat("\u200b", 8), Digest: p.Digest}
		}, "invalid-params", ""},
		{"eight characters", nil, nil, func(p Preview) Confirmation { return Confirmation{Reason: "äöüäöüäö", Digest: p.Digest} }, "", "action.retry_unfinished.executed"},
		{"other digest", nil, nil, func(p Preview) Confirmation { return Confirmation{Reason: reason, Digest: "00"} }, "digest-mismatch", "action.retry_unfinished.refused"},
		{"expired", func(w *world, _ string) { w.wait(11 * time.Minute) }, nil, ok, "preview-expired", "action.retry_unfinished.refused"},
		{"somebody else", nil, func(w *world) authz.Actor { return w.ben }, ok, "not-found", ""},
		{"moved", func(w *world, id string) { w.send(id, unknown) }, nil, ok, "preview-stale", "action.retry_unfinished.refused"},
		{"rights revoked", func(w *world, _ string) {
			w.update(func(tx *store.Tx) error { return tx.Withdraw(w.ada.ID, "acme", model.RoleOperator) })
		}, nil, ok, "denied", "action.retry_unfinished.denied"},
		{"person disabled", func(w *world, _ string) { w.update(func(tx *store.Tx) error { return tx.Disable(w.ada.ID) }) }, nil, ok, "unauthenticated", "action.retry_unfinished.denied"},
		{"factor not fresh", func(w *world, _ string) {
			w.update(func(tx *store.Tx) error { _, err := tx.Exec("UPDATE api_keys SET stepped_up = 0"); return err })
		}, nil, ok, "step-up-required", "action.retry_unfinished.refused"},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			w, id := failed(t)
			p := w.preview(w.ada, id, model.RetryUnfinished, "", "")
			if test.before != nil {
				test.before(w, id)
			}
			actor := w.ada
			if test.actor != nil {
				actor = test.actor(w)
			}
			_, err := w.run.Confirm(t.Context(), actor, p.ID, test.in(p))
			wantCode(t, err, test.code)
			want := []string{"intent.accepted"}
			if test.event != "" {
				want = append(want, test.event)
			}
			if got := w.events(id); !reflect.DeepEqual(got, want) {
				t.Errorf("events %v, want %v", got, want)
			}
			if ordered := w.load(id).Step(pay).Ordered != ""; ordered != (test.code == "") {
				t.Errorf("ordered: %v", ordered)
			}
		})
	}
}

func TestConfirmAgain(t *testing.T) {
	w, id := failed(t)
	p := w.preview(w.ada, id, model.RetryUnfinished, "", "")
	first := w.confirm(w.ada, p)
	w.wait(time.Hour) // also after it would have expired
	if again := w.confirm(w.ada, p); !reflect.DeepEqual(again, first) {
		t.Errorf("repeat %+v, first %+v", again, first)
	}
	_, err := w.run.Confirm(t.Context(), w.ada, p.ID, Confirmation{Reason: "quite another reason", Digest: p.Digest})
	wantCode(t, err, "preview-consumed")
	want := []string{"intent.accepted", "action.retry_unfinished.executed", "action.retry_unfinished.refused"}
	if got := w.events(id); !reflect.DeepEqual(got, want) {
		t.Errorf("events %v", got)
	}
}

func TestConfirmInParallelIsDoneOnce(t *testing.T) {
	w, id := failed(t)
	p := w.preview(w.ada, id, model.RetryUnfinished, "", "")
	fence := w.load(id).Fence
	var wg sync.WaitGroup
	receipts := make([]Receipt, 10)
	for i := range receipts {
		wg.Go(func() {
			var err error
			if receipts[i], err = w.run.Confirm(t.Context(), w.ada, p.ID, Confirmation{Reason: reason, Digest: p.Digest}); err != nil {
				t.Error(err)
			}
		})
	}
	wg.Wait()
	for _, r := range receipts {
		if !reflect.DeepEqual(r, receipts[0]) {
			t.Errorf("receipts differ: %+v %+v", r, receipts[0])
		}
	}
	if c := w.load(id); c.Fence != fence+1 || len(w.events(id)) != 2 {
		t.Errorf("fence %d after %d, events %v", c.Fence, fence, w.events(id))
	}
}

func TestStaleTellsWhatMovedAndOffersAFreshPreview(t *testing.T) {
	w := newWorld(t)
	id := w.payout("k", 500)
	sent(unknown)(w, id)
	w.wait(time.Second)
	w.ask(id, pay)
	p := w.preview(w.ada, id, model.RetryUnfinished, "", "")
	w.send(id, curable) // not stored before, so the step stays unknown after two sends
	w.wait(time.Second)
	w.ask(id, pay)
	_, err := w.run.Confirm(t.Context(), w.ada, p.ID, Confirmation{Reason: reason, Digest: p.Digest})
	wantCode(t, err, "preview-stale")
	changes, _ := extra(err, "changes").([]string)
	if len(changes) != 1 || !strings.Contains(changes[0], "sent 1 times and has been sent 2 times") {
		t.Errorf("changes %q", changes)
	}
	fresh, _ := extra(err, "preview").(string)
	next, err := w.run.GetPreview(t.Context(), w.ada, fresh)
	if err != nil || next.Digest == p.Digest {
		t.Fatalf("fresh preview: %+v %v", next, err)
	}
	w.confirm(w.ada, next)
}

func TestLooksThatFoundNothingLeaveAPreviewFresh(t *testing.T) {
	w := newWorld(t)
	id := w.payout("k", 500)
	sent(unknown)(w, id)
	w.wait(time.Second)
	w.ask(id, pay)
	p := w.preview(w.ada, id, model.RetryUnfinished, "", "")
	w.wait(time.Second)
	w.ask(id, pay)
	w.confirm(w.ada, p)
}

func TestEvidenceBetweenPreviewAndConfirmStopsIt(t *testing.T) {
	w := newWorld(t)
	id := w.payout("k", 500)
	sent(unknown)(w, id)
	w.wait(time.Second)
	w.ask(id, pay)
	p := w.preview(w.ada, id, model.RetryUnfinished, "", "")
	found(pay, model.Observation{Finding: model.FoundHappened, ExternalRef: "po_1", Amount: 500})(w, id)
	_, err := w.run.Confirm(t.Context(), w.ada, p.ID, Confirmation{Reason: reason, Digest: p.Digest})
	wantCode(t, err, "preview-stale")
	if extra(err, "preview") != nil {
		t.Error("a fresh preview of what may not be done")
	}
}

func TestConfirmWhenTheCommitSeemedToFail(t *testing.T) {
	w, id := failed(t)
	p := w.preview(w.ada, id, model.RetryUnfinished, "", "")
	w.lie()
	first := w.confirm(w.ada, p)
	if again := w.confirm(w.ada, p); !reflect.DeepEqual(first, again) || len(w.events(id)) != 2 {
		t.Errorf("%+v, then %+v; %v", first, again, w.events(id))
	}
}

func TestNothingIsDoneWithoutItsEntry(t *testing.T) {
	w, id := failed(t)
	p := w.preview(w.ada, id, model.RetryUnfinished, "", "")
	w.breakAudit()
	if _, err := w.run.Confirm(t.Context(), w.ada, p.ID, Confirmation{Reason: reason, Digest: p.Digest}); err == nil {
		t.Fatal("confirmed without an entry")
	}
	again, err := w.run.GetPreview(t.Context(), w.ada, p.ID)
	if c := w.load(id); err != nil || c.Step(pay).Ordered != "" || again.UsedAt != 0 {
		t.Errorf("ordered %q, used %v, %v", c.Step(pay).Ordered, again.UsedAt, err)
	}
}

func TestAWorkerThatOnlyLooksIsWaitedFor(t *testing.T) {
	w, id := failed(t)
	p := w.preview(w.ada, id, model.RetryUnfinished, "", "")
	hold := func(until model.Time) {
		w.update(func(tx *store.Tx) error {
			_, err := tx.Exec("UPDATE intents SET lease_worker = 'w1', lease_until = ? WHERE id = ?", until, id)
			return err
		})
	}
	hold(model.At(w.now()).Add(time.Hour))
	done := make(chan error, 1)
	go func() {
		_, err := w.run.Confirm(t.Context(), w.ada, p.ID, Confirmation{Reason: reason, Digest: p.Digest})
		done <- err
	}()
	select {
	case err := <-done:
		t.Fatalf("did not wait: %v", err)
	case <-time.After(3 * pause):
	}
	hold(0)
	if err := <-done; err != nil {
		t.Error(err)
	}
}

func TestPreviewIsItsOwnActors(t *testing.T) {
	w, id := failed(t)
	p := w.preview(w.ada, id, model.RetryUnfinished, "", "")
	_, err := w.run.GetPreview(t.Context(), w.ben, p.ID)
	wantCode(t, err, "not-found")
	if got, err := w.run.GetPreview(t.Context(), w.ada, p.ID); err != nil || !reflect.DeepEqual(got.Plan, p.Plan) {
		t.Errorf("%+v %v", got, err)
	}
}

func TestPreviewRights(t *testing.T) {
	w, id := failed(t)
	ask := func(actor authz.Actor) error {
		_, err := w.run.Preview(t.Context(), actor, PreviewRequest{Intent: id, Action: model.RetryUnfinished})
		return err
	}
	wantCode(t, ask(w.aud), "denied")
	wantCode(t, ask(w.key), "denied")
	wantCode(t, ask(w.glo), "not-found")
	_, err := w.run.Preview(t.Context(), w.ada, PreviewRequest{Intent: id, Action: "explode"})
	wantCode(t, err, "invalid-params")
	_, err = w.run.Preview(t.Context(), w.ada, PreviewRequest{Intent: id, Action: model.Reconcile, Step: "nowhere"})
	wantCode(t, err, "invalid-params")
	denied := "action.retry_unfinished.denied"
	if got := w.events(id); !reflect.DeepEqual(got, []string{"intent.accepted", denied, denied}) {
		t.Errorf("events %v", got)
	}
}

func TestPlanCode(t *testing.T) {
	if got := PlanCode("3f22fd28aa"); got != "3F22 FD28" {
		t.Errorf("got %q", got)
	}
}
