package api_test

import (
	"fmt"
	"testing"

	"countersign/internal/alert"
	"countersign/internal/store"
)

// raise tells of causes.
func (w *world) raise(causes ...alert.Cause) {
	w.Helper()
	w.must(w.db.Update(w.Context(), func(tx *store.Tx) error {
		for _, c := range causes {
			if err := alert.Raise(tx, c); err != nil {
				return err
			}
		}
		return nil
	}))
}

// TestAlertsPageByPage: a reader of the log has what stands in its account and in
// the installation, page by page under one count; what ended only when asked for.
func TestAlertsPageByPage(t *testing.T) {
	w := newWorld(t)
	for i := range 5 {
		w.raise(alert.Cause{Key: fmt.Sprint("review:", i), Kind: alert.Review, Account: "acme", Intent: fmt.Sprint("intent-", i), Text: "waits", Amount: 5, Currency: "USD"})
	}
	w.raise(alert.Cause{Key: "clock", Kind: alert.ClockOff, Text: "the clock is off"}, alert.Cause{Key: "theirs", Kind: alert.Conflict, Account: "globex", Text: "globex waits"})
	w.must(w.db.Update(w.Context(), func(tx *store.Tx) error { return alert.End(tx, "review:0", "It is decided.") }))
	seen := map[string]bool{}
	path := "/v1/alerts?limit=2"
	for pages := 1; ; pages++ {
		a := w.call("audrey", "GET", path, nil).is(200, "")
		if a.at("count") != 5.0 || a.at("count_capped") != false {
			t.Fatalf("page %d counts %s", pages, a.raw)
		}
		for _, item := range a.items() {
			same(t, "alert", item, "id, kind, event, account, intent, step, text, amount, currency, raised_at, deadline, ended_at, ended_because, deliveries")
			seen[item["id"].(string)] = true
			if item["account"] == "globex" || item["ended_at"] != nil {
				t.Errorf("listed %v", item)
			}
		}
		cursor, more := a.at("next_cursor").(string)
		if !more {
			break
		}
		path = "/v1/alerts?limit=2&cursor=" + cursor
	}
	if len(seen) != 5 {
		t.Errorf("%d alerts on all pages", len(seen))
	}
	for query, count := range map[string]float64{"?state=all": 6, "?kind=clock": 1, "?kind=review&state=all": 5, "?account=acme": 4} {
		if a := w.call("reader", "GET", "/v1/alerts"+query, nil).is(200, ""); a.at("count") != count || float64(len(a.items())) != count {
			t.Errorf("%s: want %v, got %s", query, count, a.raw)
		}
	}
	w.call("audrey", "GET", "/v1/alerts?account=globex", nil).is(404, "not-found")
	w.call("audrey", "GET", "/v1/alerts?kind=noise", nil).is(422, "invalid-params")
	w.call("audrey", "GET", "/v1/alerts?state=all&cursor=x", nil).is(422, "invalid-params")
	w.call("olga", "GET", "/v1/alerts", nil).is(403, "denied")
}
