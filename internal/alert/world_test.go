package alert_test

import (
	"fmt"
	"sync"
	"testing"
	"time"

	"countersign/internal/alert"
	"countersign/internal/model"
	"countersign/internal/store"
	"countersign/internal/store/storetest"
)

// clock is a time that stands still until it is moved.
type clock struct {
	mu  sync.Mutex
	now time.Time
}

func (c *clock) Now() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.now
}

func (c *clock) add(d time.Duration) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.now = c.now.Add(d)
}

// world is a database with alerts and a clock.
type world struct {
	*testing.T
	db    *store.DB
	clock *clock
}

func newWorld(t *testing.T) *world {
	c := &clock{now: time.Date(2026, 11, 27, 9, 0, 0, 0, time.UTC)}
	return &world{T: t, clock: c, db: storetest.Open(t, store.Options{Clock: c.Now})}
}

func (w *world) sender(channels ...alert.Channel) *alert.Sender {
	return alert.New(alert.Config{DB: w.db, Channels: channels, PublicURL: "https://console.example", Clock: w.clock.Now,
		Spread: func() float64 { return 1 }})
}

func (w *world) update(fn func(*store.Tx) error) {
	w.Helper()
	if err := w.db.Update(w.Context(), fn); err != nil {
		w.Fatal(err)
	}
}

func (w *world) raise(causes ...alert.Cause) {
	w.Helper()
	w.update(func(tx *store.Tx) error {
		for _, c := range causes {
			if err := alert.Raise(tx, c); err != nil {
				return err
			}
		}
		return nil
	})
}

// reviews are n causes of as many intents.
func reviews(n int) (list []alert.Cause) {
	for i := range n {
		list = append(list, alert.Cause{Key: fmt.Sprintf("review:%d", i), Kind: alert.Review, Account: "acme", Intent: fmt.Sprintf("intent-%04d", i),
			Step: "create-payout", Text: "Refused until a person cures the cause: insufficient funds", Amount: 125050, Currency: "USD"})
	}
	return list
}

func (w *world) round(s *alert.Sender) int {
	w.Helper()
	n, err := s.Round(w.Context())
	if err != nil {
		w.Fatal(err)
	}
	return n
}

func (w *world) alerts() (rows []store.Alert) {
	w.Helper()
	w.update(func(tx *store.Tx) error { return tx.Select(&rows, "SELECT * FROM alerts ORDER BY raised_at, id") })
	return rows
}

func (w *world) deliveries() (rows []store.Delivery) {
	w.Helper()
	w.update(func(tx *store.Tx) error {
		return tx.Select(&rows, "SELECT * FROM alert_deliveries ORDER BY alert_id, channel")
	})
	return rows
}

func (w *world) deadline(d time.Duration) model.Time { return model.At(w.clock.Now().Add(d)) }
