package api_test

import (
	"testing"
	"time"

	"countersign/internal/model"
	"countersign/internal/store"
)

// TestUseOfAKeyIsNoted holds that a key remembers its last use, to the minute.
func TestUseOfAKeyIsNoted(t *testing.T) {
	w := newWorld(t)
	used := func() (at model.Time) {
		w.must(w.db.View(t.Context(), func(tx *store.Tx) error {
			keys, err := tx.ServiceKeys("acme")
			for _, k := range keys {
				if k.Name == "payroll" {
					at = k.UsedAt
				}
			}
			return err
		}))
		return at
	}
	if used() != 0 {
		t.Fatal("used before its first use")
	}
	w.call("service", "GET", "/v1/intents", nil)
	first := used()
	w.advance(30 * time.Second)
	w.call("service", "GET", "/v1/intents", nil)
	if first == 0 || used() != first {
		t.Errorf("first use %s, then %s within the minute", first, used())
	}
	w.advance(31 * time.Second)
	w.call("service", "GET", "/v1/intents", nil)
	if used() <= first {
		t.Errorf("a use after the minute is not noted: %s", used())
	}
}
