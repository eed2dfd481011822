package moments

import (
	"context"
	"errors"
	"sync/atomic"
	"time"
)

var errDead = errors.New("the process is dead")

// dieAt kills the process at its n-th commit from now: the commit is lost, or
// kept with nobody left to know; nothing is committed afterwards.
func (w *world) dieAt(n int, kept bool) {
	var count atomic.Int64
	dead := &w.dead
	dead.Store(false)
	before := func() error {
		if dead.Load() || count.Add(1) == int64(n) && !kept {
			dead.Store(true)
			return errDead
		}
		return nil
	}
	after := func() error {
		if count.Load() >= int64(n) { // a webhook's commit beside the engine's may have counted on
			dead.Store(true)
			return errDead
		}
		return nil
	}
	w.set(before, after)
}

// passOnce lets the engine do what is due once, though it may be dying.
func (w *world) passOnce() {
	ctx, cancel := context.WithTimeout(context.Background(), 300*time.Millisecond)
	defer cancel()
	w.engine.Pass(ctx)
}

// runUntilDeath works on as long as the process lives.
func (w *world) runUntilDeath() {
	w.t.Helper()
	for range 400 {
		if w.dead.Load() {
			return
		}
		if _, err := w.bank.CatchUp(context.Background()); err != nil {
			w.t.Fatal(err)
		}
		ctx, cancel := context.WithCancel(context.Background())
		done := make(chan int, 1)
		go func() { done <- w.engine.Pass(ctx) }()
		n := w.await(done, cancel)
		if n == 0 && !w.dead.Load() {
			w.clock.Add(time.Second)
		}
	}
	w.t.Fatal("it never died")
}

// await ends a pass whose process died in it: it can store nothing any more.
func (w *world) await(done chan int, cancel context.CancelFunc) int {
	defer cancel()
	for {
		select {
		case n := <-done:
			return n
		case <-time.After(5 * time.Millisecond):
			if w.dead.Load() {
				cancel()
			}
		}
	}
}
