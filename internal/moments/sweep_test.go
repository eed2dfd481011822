package moments

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"

	"countersign/internal/model"
	"countersign/internal/store"
)

// sweep sweeps everything since a day ago, to the end.
func (w *world) sweep() {
	w.t.Helper()
	if err := w.engine.Sweep(context.Background(), w.clock.Now().Add(-24*time.Hour)); err != nil {
		w.t.Fatal(err)
	}
}

// atBank makes an object at the provider behind the console's back.
func (w *world) atBank(key, reference string, amount int64) (id string) {
	w.t.Helper()
	body, _ := json.Marshal(map[string]any{"reference": reference, "destination": "acct_9", "amount": amount, "currency": "USD"})
	request := must(http.NewRequest(http.MethodPost, w.bank.URL()+"/payouts", bytes.NewReader(body)))(w.t)
	request.Header.Set("Idempotency-Key", key)
	w.memory.outsiders[key] = true
	resp := must(http.DefaultClient.Do(request))(w.t)
	defer resp.Body.Close()
	raw := must(io.ReadAll(resp.Body))(w.t)
	var made struct{ ID string }
	if resp.StatusCode != http.StatusCreated || json.Unmarshal(raw, &made) != nil {
		w.t.Fatalf("the bank answers %d %s", resp.StatusCode, raw)
	}
	return made.ID
}

// orphans lists what stands on one side only.
func (w *world) orphans() (list []store.Orphan) {
	w.t.Helper()
	if err := w.db.View(context.Background(), func(tx *store.Tx) error {
		return tx.Select(&list, "SELECT * FROM orphans ORDER BY found_at, id")
	}); err != nil {
		w.t.Fatal(err)
	}
	return list
}

// told counts the audit entries of an event.
func (w *world) told(event string) (n int) {
	w.t.Helper()
	if err := w.db.View(context.Background(), func(tx *store.Tx) error {
		_, err := tx.Get(&n, "SELECT count(*) FROM audit_entries WHERE event = ?", event)
		return err
	}); err != nil {
		w.t.Fatal(err)
	}
	return n
}

// futureKey is the step key that an intent will have once it is posted.
func (w *world) futureKey(key, step string) string {
	return model.StepKey(model.IntentID(w.db.Installation, account, model.KindPayout, key), step, 1)
}

const stranger = "intent-0123456789abcdefghjkmnpqrs:create-payout"

// A provider's object that is nothing of ours is listed once, aloud once.
func TestSweepFindsAnObjectWithoutAnIntent(t *testing.T) {
	w := newWorld(t)
	id := w.payout("p-1")
	w.run(time.Hour)
	named, free := w.atBank("k-1", stranger, 700), w.atBank("k-2", "made by hand", 800)
	w.run(time.Minute)
	for range 3 {
		w.sweep()
		w.clock.Add(time.Hour)
	}
	list := map[string]store.Orphan{}
	for _, o := range w.orphans() {
		list[o.ExternalRef] = o
	}
	if len(list) != 2 || w.told("orphan.found") != 2 {
		t.Fatalf("%d orphans, %d entries: %+v", len(list), w.told("orphan.found"), list)
	}
	if o := list[named]; o.Sort != store.UnknownObject || o.Amount != 700 || o.Currency != "USD" || o.Status != "paid" || o.Reference != stranger ||
		o.NamedIntent != strings.TrimSuffix(stranger, ":create-payout") || o.Provider != "bank" || o.Operation != model.PayoutCreate || o.MadeAt == 0 {
		t.Errorf("%+v", o)
	}
	if o := list[free]; o.NamedIntent != "" || o.Reference != "made by hand" || o.Account != "" {
		t.Errorf("%+v", o)
	}
	w.expect(id, model.Completed, "create-payout", model.Confirmed)
	w.invariants()
}

// After a restore, an intent that is posted again takes what the sweep found
// under its key, and nothing is sent a second time.
func TestSweepGivesAnIntentItsObject(t *testing.T) {
	w := newWorld(t)
	object := w.atBank("k-1", w.futureKey("p-1", "create-payout"), 95050)
	w.run(time.Minute)
	w.sweep()
	if list := w.orphans(); len(list) != 1 || list[0].SettledAt != 0 {
		t.Fatalf("%+v", list)
	}
	id := w.payout("p-1")
	w.expect(id, model.Received, "create-payout", model.OutcomeUnknown)
	w.run(time.Hour)
	w.expect(id, model.Completed, "create-payout", model.Confirmed)
	if s := w.load(id).Step("create-payout"); s.ExternalRef != object || len(s.Attempts) != 0 {
		t.Errorf("object %s, %d attempts", s.ExternalRef, len(s.Attempts))
	}
	if o := w.orphans()[0]; o.TakenBy != id || o.SettledBy != "engine" || o.Account != account || w.told("orphan.settled") != 1 {
		t.Errorf("%+v", o)
	}
	if n := w.effects("payouts"); n != 1 {
		t.Errorf("the books show %d payouts", n)
	}
	w.invariants()
}

// What was found under the key but is of another amount is a conflict, and
// nothing is sent beside it.
func TestSweepFindsAnotherAmountUnderTheKey(t *testing.T) {
	w := newWorld(t)
	w.atBank("k-1", w.futureKey("p-1", "create-payout"), 77)
	w.sweep()
	id := w.payout("p-1")
	w.run(2 * time.Hour)
	w.expect(id, model.NeedsReview, "create-payout", model.OutcomeUnknown)
	if c := w.load(id); c.OpenConflict() == nil || len(c.Step("create-payout").Attempts) != 0 {
		t.Errorf("no conflict, or it was sent\n%s", describe(c))
	}
	w.invariants()
}

// An object that turns up between intake and send stops the send as well.
func TestSweepBeforeTheFirstSend(t *testing.T) {
	w := newWorld(t)
	id := w.payout("p-1")
	w.atBank("k-1", w.futureKey("p-1", "create-payout"), 95050)
	w.sweep()
	if len(w.orphans()) != 0 {
		t.Errorf("an object of ours is an orphan: %+v", w.orphans())
	}
	w.run(time.Hour)
	w.expect(id, model.Completed, "create-payout", model.Confirmed)
	if s := w.load(id).Step("create-payout"); len(s.Attempts) != 0 || w.effects("payouts") != 1 {
		t.Errorf("%d attempts, %d effects", len(s.Attempts), w.effects("payouts"))
	}
	w.invariants()
}

// Nor is it sent where somebody settled the orphan before its intent was posted.
func TestSweepRemembersASettledOrphan(t *testing.T) {
	w := newWorld(t)
	w.atBank("k-1", w.futureKey("p-1", "create-payout"), 95050)
	w.run(time.Minute)
	w.sweep()
	w.update(func(tx *store.Tx) error {
		settled, err := tx.SettleOrphan(w.orphans()[0].ID, "person-1", "Opal", "Made by hand in November.", "")
		if err == nil && !settled {
			err = errors.New("not settled")
		}
		return err
	})
	w.clock.Add(60 * 24 * time.Hour)
	w.sweep()
	id := w.payout("p-1")
	w.run(time.Hour)
	w.expect(id, model.Completed, "create-payout", model.Confirmed)
	if s := w.load(id).Step("create-payout"); len(s.Attempts) != 0 || w.effects("payouts") != 1 {
		t.Errorf("%d attempts, %d effects", len(s.Attempts), w.effects("payouts"))
	}
}

// A second object under one step's key is a conflict, by reading that object,
// and it is read once: sweeps later add no evidence.
func TestSweepFindsASecondObjectOfAStep(t *testing.T) {
	w := newWorld(t)
	id := w.payout("p-1")
	w.run(time.Hour)
	second := w.atBank("another-key", w.futureKey("p-1", "create-payout"), 95050)
	w.run(time.Minute)
	w.sweep()
	w.run(time.Minute)
	w.expect(id, model.NeedsReview, "create-payout", model.Confirmed)
	before := len(w.load(id).Step("create-payout").Evidence)
	if k := w.load(id).OpenConflict(); k == nil || !strings.Contains(k.Reason, second) {
		t.Fatalf("conflict %+v", k)
	}
	for range 4 {
		w.clock.Add(time.Hour)
		w.sweep()
		w.run(time.Minute)
	}
	if after := len(w.load(id).Step("create-payout").Evidence); after != before {
		t.Errorf("evidence grew from %d to %d", before, after)
	}
}

// A confirmed step whose object the provider does not know, asked twice some
// time apart, is listed; its state stays and nothing is sent.
func TestSweepFindsAStepWithoutItsObject(t *testing.T) {
	w := newWorld(t)
	w.fault("not_found_for_a_while", 1, posts("/messages"), int((20 * time.Hour).Milliseconds()))
	id := w.payout("p-1")
	w.run(time.Hour)
	w.expect(id, model.Completed, "send-remittance", model.Confirmed)
	ref := w.load(id).Step("send-remittance").ExternalRef
	w.sweep()
	w.run(time.Minute)
	if n := len(w.orphans()); n != 0 {
		t.Fatalf("%d orphans after one answer", n)
	}
	w.run(time.Hour)
	list := w.orphans()
	if len(list) != 1 || list[0].Sort != store.MissingObject || list[0].ExternalRef != ref || list[0].IntentID != id || list[0].Account != account {
		t.Fatalf("%+v", list)
	}
	w.expect(id, model.Completed, "send-remittance", model.Confirmed)
	if s := w.load(id).Step("send-remittance"); len(s.Attempts) != 1 || w.told("orphan.found") != 1 {
		t.Errorf("%d attempts, %d entries", len(s.Attempts), w.told("orphan.found"))
	}
	w.clock.Add(20 * time.Hour) // and then the provider shows it again
	w.sweep()
	if o := w.orphans()[0]; o.SettledAt == 0 || o.SettledBy != "engine" {
		t.Errorf("%+v", o)
	}
	w.invariants()
}

// A sweep goes on where it was when the process dies between two pages, with
// the page kept and with the page lost, and finds everything once.
func TestSweepGoesOnAfterADeath(t *testing.T) {
	for _, kept := range []bool{false, true} {
		t.Run(fmt.Sprintf("kept %v", kept), func(t *testing.T) {
			w := newWorld(t)
			for i := range 230 {
				w.atBank(fmt.Sprint("k-", i), fmt.Sprint("by hand ", i), 100)
			}
			commits := 0
			die := func() error {
				if commits++; commits == 20 { // the second page of payouts
					return errors.New("the process dies here")
				}
				return nil
			}
			if kept {
				w.set(nil, die)
			} else {
				w.set(die, nil)
			}
			if _, err := w.engine.SweepDue(context.Background()); err == nil {
				t.Fatal("the sweep did not notice the death")
			}
			some := len(w.orphans())
			w.restart()
			w.clock.Add(2 * w.timing.Lease) // the dead sweeper's right runs out
			if _, err := w.engine.SweepDue(context.Background()); err != nil {
				t.Fatal(err)
			}
			if n := len(w.orphans()); some == 0 || some == 230 || n != 230 || w.told("orphan.found") != 230 {
				t.Errorf("%d before the death, %d after it, %d entries", some, n, w.told("orphan.found"))
			}
			w.invariants()
		})
	}
}

// A provider that cannot be listed now is said so, and the others go on; what
// is due is swept later.
func TestSweepOfAProviderThatFails(t *testing.T) {
	w := newWorld(t)
	w.atBank("k-1", "by hand", 100)
	w.fault("500_before", 1, map[string]any{"operation": "list_payouts"}, 0)
	err := w.engine.Sweep(context.Background(), w.clock.Now().Add(-time.Hour))
	if !errors.Is(err, model.Busy) || !strings.Contains(err.Error(), "payout.create of bank") || strings.Contains(err.Error(), "credit") {
		t.Errorf("%v", err)
	}
	if len(w.orphans()) != 0 {
		t.Error("something was found in a list that failed")
	}
	w.clock.Add(10 * time.Minute)
	if _, err := w.engine.SweepDue(context.Background()); err != nil || len(w.orphans()) != 1 {
		t.Errorf("%v, %+v", err, w.orphans())
	}
}
