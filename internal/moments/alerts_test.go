package moments

import (
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"countersign/internal/alert"
	"countersign/internal/model"
	"countersign/internal/store"
)

// alerts lists the kinds of the alerts about an intent, oldest first; those
// that ended stand in brackets.
func (w *world) alerts(intent string) string {
	w.t.Helper()
	var rows []store.Alert
	w.update(func(tx *store.Tx) error {
		return tx.Select(&rows, "SELECT * FROM alerts WHERE intent_id = ? ORDER BY raised_at, id", intent)
	})
	var kinds []string
	for _, a := range rows {
		if a.EndedAt != 0 {
			a.Kind = "(" + a.Kind + ")"
		}
		kinds = append(kinds, a.Kind)
	}
	return strings.Join(kinds, " ")
}

// alarmed checks that every intent under review is told of, and no other one.
func (w *world) alarmed() {
	w.t.Helper()
	var unheard, ended []string
	w.update(func(tx *store.Tx) error {
		if err := tx.Select(&unheard, `SELECT id FROM intents i WHERE state = 'needs_review' AND NOT EXISTS
			(SELECT 1 FROM alerts a WHERE a.intent_id = i.id AND a.ended_at = 0 AND a.kind IN ('review', 'conflict'))`); err != nil {
			return err
		}
		return tx.Select(&ended, `SELECT a.cause FROM alerts a JOIN intents i ON i.id = a.intent_id
			WHERE a.ended_at = 0 AND a.kind IN ('review', 'conflict', 'review_overdue') AND i.state <> 'needs_review'`)
	})
	if len(unheard) > 0 || len(ended) > 0 {
		w.t.Errorf("under review and not told: %v; told and not under review: %v", unheard, ended)
	}
}

func TestAReviewIsToldOnceAndEndsWithItsCause(t *testing.T) {
	w := newWorld(t)
	w.fault("reject_curable", 1, posts("/payouts"), 0)
	id := w.payout("p-1")
	w.run(time.Hour)
	w.expect(id, model.NeedsReview, "create-payout", model.FailedSafely)
	if got := w.alerts(id); got != "review" {
		t.Fatalf("alerts %q, want one review", got)
	}
	w.restart()
	w.run(time.Hour)
	if got := w.alerts(id); got != "review" {
		t.Fatalf("after a restart: alerts %q", got)
	}
	w.do(w.people.operator, id, model.RetryUnfinished, "", "")
	w.run(5 * time.Minute)
	w.expect(id, model.Completed, "create-payout", model.Confirmed)
	if got := w.alerts(id); got != "(review)" {
		t.Errorf("once cured: alerts %q", got)
	}
	w.invariants()
}

func TestAConflictIsToldAsOne(t *testing.T) {
	w := newWorld(t)
	w.fault("settle_then_return", 1, posts("/payouts"), 0)
	id := w.payout("p-1")
	w.run(24 * time.Hour)
	w.expect(id, model.NeedsReview, "create-payout", model.Confirmed)
	if got := w.alerts(id); got != "conflict" {
		t.Errorf("alerts %q, want one conflict", got)
	}
	w.invariants()
}

// TestAnOverdueSettlementIsToldOnce: “still in transit” is no news of it, however
// often the provider says so and whoever asks; the one alert stands.
func TestAnOverdueSettlementIsToldOnce(t *testing.T) {
	w := newWorld(t)
	w.fault("settle_never", 1, posts("/payouts"), 0)
	id := w.payout("p-1")
	w.run(8 * 24 * time.Hour)
	w.do(w.people.operator, id, model.Reconcile, "create-payout", "")
	w.run(8 * time.Hour)
	overdue := slices.DeleteFunc(strings.Fields(w.alerts(id)), func(kind string) bool { return !strings.Contains(kind, "settlement_overdue") })
	if !slices.Equal(overdue, []string{"settlement_overdue"}) {
		t.Fatalf("alerts %q: %s", overdue, describe(w.load(id)))
	}
	w.invariants()
}

func TestAnOrphanIsToldOnce(t *testing.T) {
	w := newWorld(t)
	foreign, err := http.NewRequest(http.MethodPost, w.bank.URL()+"/payouts", strings.NewReader(`{"reference":"somebody-else","destination":"acct_1","amount":5,"currency":"USD"}`))
	if err != nil {
		t.Fatal(err)
	}
	foreign.Header.Set("Idempotency-Key", "somebody-else")
	must(http.DefaultClient.Do(foreign))(t).Body.Close()
	w.run(time.Minute)
	var told []store.Alert
	w.update(func(tx *store.Tx) error {
		return tx.Select(&told, "SELECT * FROM alerts WHERE kind = ?", string(alert.Orphan))
	})
	if len(told) != 1 || !strings.Contains(told[0].Text, "bank") || strings.Contains(told[0].Text, "po_") {
		t.Errorf("told %+v, want one that names the provider and, to people who may not see it, not the object", told)
	}
}
