package moments

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"log/slog"
	"net/http"
	"strconv"
	"strings"
	"testing"
	"time"

	standardwebhooks "github.com/standard-webhooks/standard-webhooks/libraries/go"

	"countersign/internal/model"
	"countersign/internal/store"
)

// event is one of the bank's events, signed when the clock says.
func (w *world) event(id, kind, object, reference string) (http.Header, []byte) {
	w.t.Helper()
	raw := must(json.Marshal(map[string]any{"type": "payout." + kind, "timestamp": w.clock.Now(), "data": map[string]any{
		"id": object, "object": "payout", "reference": reference, "status": kind}}))(w.t)
	now := w.clock.Now()
	signer := must(standardwebhooks.NewWebhook(webhookSecret))(w.t)
	header := http.Header{}
	header.Set(standardwebhooks.HeaderWebhookID, id)
	header.Set(standardwebhooks.HeaderWebhookTimestamp, strconv.FormatInt(now.Unix(), 10))
	header.Set(standardwebhooks.HeaderWebhookSignature, must(signer.Sign(id, now, raw))(w.t))
	return header, raw
}

// hearEvent lets an event of the bank come in.
func (w *world) hearEvent(id, kind, object, reference string) {
	w.t.Helper()
	header, raw := w.event(id, kind, object, reference)
	if err := w.engine.Receive(context.Background(), "bank", header, raw); err != nil {
		w.t.Fatal(err)
	}
}

// inbox reads what became of an event.
func (w *world) inbox(id string) (row struct {
	Type    string
	Outcome string
	Detail  string
}) {
	w.t.Helper()
	err := w.db.View(context.Background(), func(tx *store.Tx) error {
		ok, err := tx.Get(&row, `SELECT w.type, k.outcome, k.detail FROM webhooks w JOIN webhook_work k ON k.provider = w.provider AND k.event_id = w.event_id
			WHERE w.event_id = ?`, id)
		if err == nil && !ok {
			err = errors.New("no event " + id)
		}
		return err
	})
	if err != nil {
		w.t.Fatal(err)
	}
	return row
}

// An id stands for its first bytes for ever; others under it are a line of the
// security log, and years later it is still the same event.
func TestInboxKeepsTheFirstBytes(t *testing.T) {
	w := newWorld(t)
	var log lines
	w.engine.Logger = slog.New(slog.NewJSONHandler(&log, nil))
	id := w.payout("p-1")
	w.run(time.Hour)
	object := w.load(id).Step("create-payout").ExternalRef
	w.hearEvent("msg_1", "paid", object, "")
	w.hearEvent("msg_1", "paid", object, "")
	if strings.Contains(log.text.String(), `"security":true`) {
		t.Error("the same bytes again are no matter of security")
	}
	w.run(time.Minute)
	evidence := len(w.load(id).Step("create-payout").Evidence)
	old, raw := w.event("msg_1", "paid", object, "")
	w.clock.Add(3 * 365 * 24 * time.Hour)
	if err := w.engine.Receive(context.Background(), "bank", old, raw); !errors.Is(err, model.Unauthenticated) {
		t.Errorf("an old signature is answered with %v", err)
	}
	w.hearEvent("msg_1", "failed", object, "")
	if !strings.Contains(log.text.String(), `"security":true,"provider":"bank","event":"msg_1"`) {
		t.Errorf("no line of the security log:\n%s", log.text.String())
	}
	w.run(time.Minute)
	if row := w.inbox("msg_1"); row.Type != "payout.paid" || row.Outcome != "applied" {
		t.Errorf("%+v", row)
	}
	if n := len(w.load(id).Step("create-payout").Evidence); n != evidence {
		t.Errorf("evidence grew from %d to %d", evidence, n)
	}
}

// The order of arrival means nothing: the object is read, and it says that the
// money came back, whatever an event that comes later was about.
func TestInboxPaidAfterReturned(t *testing.T) {
	w := newWorld(t)
	w.fault("settle_then_return", 1, posts("/payouts"), 60_000)
	id := w.payout("p-1")
	w.run(time.Hour)
	w.expect(id, model.NeedsReview, "create-payout", model.Confirmed)
	s := w.load(id).Step("create-payout")
	w.hearEvent("msg_late", "paid", s.ExternalRef, s.Key())
	w.run(time.Minute)
	w.expect(id, model.NeedsReview, "create-payout", model.Confirmed)
	if c := w.load(id); c.Step("create-payout").Returned != 95050 || c.Confirmed != 0 {
		t.Errorf("returned %d, exposure %d", c.Step("create-payout").Returned, c.Confirmed)
	}
	w.checkInvariants(t)
}

// An event about an object of an older generation is evidence about that one.
func TestInboxOlderGeneration(t *testing.T) {
	w := newWorld(t)
	w.fault("settle_failed", 1, posts("/payouts"), 0)
	id := w.payout("p-1")
	w.run(time.Hour)
	first := w.load(id).Step("create-payout")
	if first.Failure != model.FailedObject {
		t.Fatalf("%s", describe(w.load(id)))
	}
	w.do(w.people.operator, id, model.RetryUnfinished, "", "")
	w.run(time.Hour)
	w.expect(id, model.Completed, "create-payout", model.Confirmed)
	second := w.load(id).Step("create-payout")
	if second.Generation != 2 || second.ExternalRef == first.ExternalRef {
		t.Fatalf("generation %d, object %s", second.Generation, second.ExternalRef)
	}
	w.hearEvent("msg_old", "failed", first.ExternalRef, first.Key())
	w.run(time.Minute)
	w.expect(id, model.Completed, "create-payout", model.Confirmed)
	if now := w.load(id).Step("create-payout"); now.ExternalRef != second.ExternalRef || len(w.load(id).Conflicts) != 0 {
		t.Errorf("object %s, %d conflicts", now.ExternalRef, len(w.load(id).Conflicts))
	}
	w.checkInvariants(t)
}

// An event about a step that was never sent from here stops the send: the
// provider is asked first.
func TestInboxAboutAStepNeverSent(t *testing.T) {
	w := newWorld(t)
	id := w.payout("p-1")
	object := w.atBank("k-1", w.futureKey("p-1", "create-payout"), 95050)
	w.hearEvent("msg_early", "paid", object, w.futureKey("p-1", "create-payout"))
	w.run(time.Hour)
	w.expect(id, model.Completed, "create-payout", model.Confirmed)
	if s := w.load(id).Step("create-payout"); len(s.Attempts) != 0 || s.ExternalRef != object || w.effects("payouts") != 1 {
		t.Errorf("%d attempts, object %s, %d effects", len(s.Attempts), s.ExternalRef, w.effects("payouts"))
	}
	w.checkInvariants(t)
}

// An event about nothing that we know is an orphan, once however often the
// object is reported, until its intent is posted.
func TestInboxOrphan(t *testing.T) {
	w := newWorld(t)
	object := w.atBank("k-1", w.futureKey("p-1", "create-payout"), 95050)
	w.run(time.Minute) // the bank reports it
	w.hearEvent("msg_again", "paid", object, w.futureKey("p-1", "create-payout"))
	w.run(time.Minute)
	if row := w.inbox("msg_again"); row.Outcome != "orphan" {
		t.Errorf("%+v", row)
	}
	list := w.orphans()
	if len(list) != 1 || list[0].FoundBy != store.ByWebhook || list[0].ExternalRef != object || w.told("orphan.found") != 1 {
		t.Fatalf("%+v", list)
	}
	w.sweep() // tells what the event is not believed about
	if o := w.orphans()[0]; o.Amount != 95050 || o.Currency != "USD" {
		t.Errorf("%+v", o)
	}
	id := w.payout("p-1")
	w.run(time.Hour)
	w.expect(id, model.Completed, "create-payout", model.Confirmed)
	if o := w.orphans()[0]; o.TakenBy != id || w.effects("payouts") != 1 {
		t.Errorf("%+v, %d effects", o, w.effects("payouts"))
	}
	w.checkInvariants(t)
}

// One provider's event says nothing about another's step.
func TestInboxOtherProvider(t *testing.T) {
	w := newWorld(t)
	id := w.payout("p-1")
	w.run(time.Hour)
	key := w.load(id).Step("create-payout").Key()
	err := w.db.View(context.Background(), func(tx *store.Tx) error {
		for provider, want := range map[string]string{"bank": id, "other": ""} {
			if intent, _, _, err := tx.FindStep(provider, key, "po_x"); err != nil || intent != want {
				t.Errorf("%s: %s, %v", provider, intent, err)
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}

// An event that cannot be worked on does not hold up the others.
func TestInboxPoison(t *testing.T) {
	w := newWorld(t)
	w.fault("webhook_late", 10, posts("/payouts"), int((100 * time.Hour).Milliseconds()))
	bad, good := w.payout("p-1"), w.payout("p-2")
	w.run(time.Hour)
	ref := func(id string) string { return w.load(id).Step("create-payout").ExternalRef }
	badRef, goodRef := ref(bad), ref(good)
	w.update(func(tx *store.Tx) error {
		_, err := tx.Exec("UPDATE steps SET contract_id = 'no such contract' WHERE intent_id = ?", bad)
		return err
	})
	for i := range 6 { // more than the engine takes at once
		w.hearEvent("msg_bad_"+strconv.Itoa(i), "paid", badRef, "")
	}
	w.hearEvent("msg_good", "paid", goodRef, "")
	for range 6 {
		w.engine.Pass(context.Background())
		w.clock.Add(time.Second)
	}
	if row := w.inbox("msg_good"); row.Outcome != "applied" {
		t.Errorf("the good event: %+v", row)
	}
	if row := w.inbox("msg_bad_0"); row.Outcome != "" {
		t.Errorf("the bad event: %+v", row)
	}
}

// Texts of a provider are kept as every database can keep them.
func TestInboxStrangeTexts(t *testing.T) {
	w := newWorld(t)
	w.hearEvent("msg_nul", "pa\x00id", "po_\x00x", "by\x00hand")
	w.run(time.Minute)
	list := w.orphans()
	if len(list) != 1 || strings.Contains(list[0].ExternalRef+list[0].Reference+list[0].Status, "\x00") {
		t.Fatalf("%+v", list)
	}
	if !bytes.Contains([]byte(list[0].ExternalRef), []byte("\uFFFD")) {
		t.Errorf("%q", list[0].ExternalRef)
	}
}
