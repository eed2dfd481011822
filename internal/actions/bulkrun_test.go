package actions

import (
	"sync/atomic"
	"testing"

	"countersign/internal/authz"
	"countersign/internal/model"
	"countersign/internal/store"
)

// commits counts what is committed from now on.
func (w *world) commits() *atomic.Int64 {
	n := &atomic.Int64{}
	w.mu.Lock()
	defer w.mu.Unlock()
	w.after = func() error { n.Add(1); return nil }
	return n
}

// TestAnIdleProcessWritesNothing: every process looks for lists every two seconds,
// and hardly ever is there one.
func TestAnIdleProcessWritesNothing(t *testing.T) {
	w := newWorld(t)
	b := w.bulk(w.ada, model.Abandon, w.several(1, notSent)...)
	w.confirmBulk(w.ada, b)
	w.carryOut(b.ID)
	n := w.commits()
	for range 3 {
		if err := w.run.WorkBulks(t.Context(), nil); err != nil {
			t.Fatal(err)
		}
	}
	if n.Load() != 0 {
		t.Errorf("%d commits with nothing to do", n.Load())
	}
}

// TestALeaseEndsWithItsList: also that of a process which comes when nothing is
// left to do, having seen the list before it was done.
func TestALeaseEndsWithItsList(t *testing.T) {
	w := newWorld(t)
	b := w.bulk(w.ada, model.RetryUnfinished, w.several(2, notSent)...)
	w.confirmBulk(w.ada, b)
	leases := func() (n int) {
		w.update(func(tx *store.Tx) error {
			_, err := tx.Get(&n, "SELECT count(*) FROM leases WHERE name LIKE 'bulk %'")
			return err
		})
		return n
	}
	if w.carryOut(b.ID); leases() != 0 {
		t.Errorf("%d leases are left of a list that is done", leases())
	}
	late := New(w.db, w.log, w.book, model.NormalPace(), authz.DefaultTiers)
	if done, err := late.turn(t.Context(), b.ID); done != 0 || err != nil || leases() != 0 {
		t.Errorf("late: %d done, %v, %d leases", done, err, leases())
	}
}
