package web

import (
	"strings"
	"testing"
	"time"

	"countersign/internal/store"
)

// TestProviderRatesAfterAnUpgrade: calls of before attempts named their account are
// not counted, and the page says so while they would be.
func TestProviderRatesAfterAnUpgrade(t *testing.T) {
	w := newWorld(t)
	id := w.accept("ada", "acme", "run-1", 10_000)
	w.update(func(tx *store.Tx) error {
		_, err := tx.Exec("INSERT INTO attempts (intent_id, step, number, generation, wire_key, trigger_by, worker, boot, fence, started_at, deadline_at, finished_at, result) "+
			"VALUES (?, 'create-payout', 1, 1, 'w', 'engine', 'w', 'b', 1, ?, ?, ?, 'accepted')", id, tx.Now(), tx.Now(), tx.Now())
		return err
	})
	const partly = "Calls of before the last upgrade name no account and are not counted"
	olga := w.browse("Olga")
	olga.wants(olga.get("/providers"), 200, partly, "No call was made since the upgrade.")
	w.wait(25 * time.Hour)
	if text := w.browse("Olga").get("/providers").text(); strings.Contains(text, partly) {
		t.Errorf("a day later the page still says so: %s", text)
	}
}

// TestProviderRates counts the calls of the last day by how they ended, of the
// viewer's accounts alone.
func TestProviderRates(t *testing.T) {
	w := newWorld(t)
	olga, gus := w.browse("Olga"), w.browse("Gus")
	olga.wants(olga.get("/providers"), 200, "How calls went in the last 24 hours", "No call was made in this time.")
	w.payout("acme", "run-1", 10_000)
	w.unknown("acme", "run-2", 20_000)
	w.fault(map[string]string{"method": "POST", "path": "/payouts"}, "reject_curable", 1)
	w.payout("acme", "run-3", 30_000)
	olga.wants(olga.get("/providers"), 200, "Calls of your accounts since 26 Nov 2026 09:00:00 +00:00", "bank payout.create 3 1 (33.3 %) 1 (33.3 %) 1 (33.3 %) unknown now at bank 0")
	gus.wants(gus.get("/providers"), 200, "No call was made in this time.")
	w.wait(10 * time.Second)
	w.work() // the unknown one is found: its call ended unknown all the same
	olga.wants(olga.get("/providers"), 200, "bank payout.create 3 1 (33.3 %) 1 (33.3 %) 1 (33.3 %)")
	w.wait(25 * time.Hour)
	if strings.Contains(w.browse("Olga").get("/providers").text(), "bank payout.create 3") {
		t.Error("calls of the day before are counted")
	}
}
