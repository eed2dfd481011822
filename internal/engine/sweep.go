package engine

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"countersign/internal/model"
	"countersign/internal/provider"
	"countersign/internal/store"
)

// sweepLease is the right to sweep: there is one sweeper at a time, in any process.
const sweepLease = "sweep"

// sweepPoll is how often the engine looks whether a sweep is due or asked for.
const sweepPoll = time.Second

// sweeping sweeps whatever is due until ctx ends.
func (e *Engine) sweeping(ctx context.Context) {
	for ctx.Err() == nil {
		if _, err := e.SweepDue(ctx); err != nil && ctx.Err() == nil {
			e.Logger.Error("the sweep failed", "err", err)
		}
		select {
		case <-time.After(sweepPoll):
		case <-ctx.Done():
		}
	}
}

// Sweep lists what every provider made since a moment or earlier and compares
// it with ours, both ways, and returns when that is done. Where something could
// not be swept, the error is of kind Busy and names it; what was learnt is kept,
// and the engine goes on by itself. What differs is read object by object
// afterwards, as ordinary work of the engine.
func (e *Engine) Sweep(ctx context.Context, since time.Time) error {
	var asked model.Time
	err := e.DB.Update(ctx, func(tx *store.Tx) error {
		asked = tx.Now()
		return tx.AskSweep(model.At(since))
	})
	if err != nil {
		return fmt.Errorf("ask for a sweep: %w", err)
	}
	if _, err := e.SweepDue(ctx); err != nil {
		return err
	}
	return e.DB.View(ctx, func(tx *store.Tx) error { return sweptSince(tx, model.At(since), asked) })
}

// sweptSince names what was not swept back to since after asked, if it can be.
func sweptSince(tx *store.Tx, since, asked model.Time) error {
	rows, err := tx.Unswept(since, asked)
	if err != nil {
		return err
	}
	var left []string
	for _, s := range rows {
		if s.Lists {
			left = append(left, strings.TrimSpace(s.Operation+" of "+s.Provider+" "+s.Trouble))
		}
	}
	if len(left) == 0 {
		return nil
	}
	return model.Errorf(model.Busy, "busy", "Not swept to the end yet: %s.", strings.Join(left, "; "))
}

// SweepDue does every pass of the sweep that is due, page by page, and tells how
// many pages that were; 0 also where another process sweeps. Each page is kept
// in a transaction of its own, so that a stop anywhere goes on where it was.
func (e *Engine) SweepDue(ctx context.Context) (pages int, err error) {
	defer func() {
		if pages > 0 {
			err = errors.Join(err, e.giveSweep(context.WithoutCancel(ctx)))
		}
	}()
	for ctx.Err() == nil && !e.draining.Load() {
		if due, err := e.sweepIsDue(ctx); err != nil || !due {
			return pages, err
		}
		s, ok, err := e.claimSweep(ctx)
		if err != nil || !ok {
			return pages, err
		}
		if err := e.sweepOnce(ctx, s); err != nil {
			return pages, fmt.Errorf("sweep %s of %s: %w", s.Operation, s.Provider, err)
		}
		pages++
	}
	return pages, ctx.Err()
}

// sweepIsDue looks before the write lock is taken: idling costs no commit.
func (e *Engine) sweepIsDue(ctx context.Context) (due bool, err error) {
	err = e.DB.View(ctx, func(tx *store.Tx) error {
		_, due, err = tx.DueSweep(e.Providers.Names())
		return err
	})
	return due, err
}

// claimSweep takes the right to sweep and begins the pass that is due, or goes
// on with it.
func (e *Engine) claimSweep(ctx context.Context) (s store.Sweep, ok bool, err error) {
	err = e.DB.Update(ctx, func(tx *store.Tx) error {
		mine, err := tx.TakeLease(sweepLease, e.boot, e.Timing.Lease)
		if err != nil || !mine {
			ok = false
			return err
		}
		if s, ok, err = tx.DueSweep(e.Providers.Names()); err != nil || !ok || s.Phase != store.SweepIdle {
			return err
		}
		next := s
		next.Phase, next.BeganAt, next.Cursor, next.Listed = store.SweepListing, tx.Now(), "", 0
		next.Since = sinceWhen(s, tx.Now())
		next.Asked = 0
		moved, err := tx.MoveSweep(s, next)
		s, ok = next, moved
		return err
	})
	return s, ok, err
}

// sinceWhen is from where a pass lists: well before the last one began, or as
// far back as somebody asked.
func sinceWhen(s store.Sweep, now model.Time) model.Time {
	began := s.DoneBegan
	if began == 0 {
		began = now
	}
	since := began.Add(-model.SweepBehind)
	if s.Asked != 0 {
		since = min(since, s.Asked)
	}
	return max(since, 1) // 0 is "none"
}

func (e *Engine) giveSweep(ctx context.Context) error {
	return e.DB.Update(ctx, func(tx *store.Tx) error { return tx.EndLease(sweepLease, e.boot) })
}

// sweepOnce does one page of a pass: what the provider lists, or what it does not.
func (e *Engine) sweepOnce(ctx context.Context, s store.Sweep) error {
	adapter, _ := e.Providers.Adapter(s.Provider)
	lister, ok := adapter.(provider.Lister)
	if !ok {
		return e.DB.Update(ctx, func(tx *store.Tx) error { return tx.RecordSweep(s.Provider, s.Operation, false) })
	}
	if s.Phase == store.SweepComparing {
		contract, _ := adapter.Contract(s.Operation)
		return e.DB.Update(ctx, func(tx *store.Tx) error { return e.compare(tx, s, contract) })
	}
	call, cancel := context.WithTimeout(ctx, e.Timing.Call)
	page, err := lister.List(call, s.Operation, s.Since.Std(), s.Cursor)
	cancel()
	if ctx.Err() != nil {
		return ctx.Err()
	}
	e.watchClock(s.Provider, page.Skew)
	if err != nil {
		return e.putOffSweep(ctx, s, err)
	}
	return e.DB.Update(ctx, func(tx *store.Tx) error { return e.keepPage(tx, s, page) })
}

// putOffSweep lets a provider rest that cannot be listed now; others go on.
func (e *Engine) putOffSweep(ctx context.Context, s store.Sweep, cause error) error {
	e.Logger.Warn("a list could not be read", "provider", s.Provider, "operation", s.Operation, "err", cause)
	return e.DB.Update(ctx, func(tx *store.Tx) error {
		next := s
		next.Tries++
		next.Trouble = cause.Error()
		next.DueAt = tx.Now().Add(e.Timing.Backoff(next.Tries+3, 0.5+e.Spread()/2))
		if next.Tries%5 == 0 { // a cursor may be what the provider does not take any more
			next.Phase, next.BeganAt, next.Since, next.Cursor = store.SweepIdle, 0, 0, ""
			next.Asked = earlier(s.Asked, s.Since)
		}
		_, err := tx.MoveSweep(s, next)
		return err
	})
}

// earlier is the smaller of two moments, of which 0 is none.
func earlier(a, b model.Time) model.Time {
	if a == 0 || b != 0 && b < a {
		return b
	}
	return a
}

// enrolSweeps makes a row for everything that can be swept, and records whom
// the providers serve.
func (e *Engine) enrolSweeps(tx *store.Tx) error {
	if err := tx.RetireSweeps(e.Providers.Names()); err != nil {
		return err
	}
	for _, s := range e.Providers.Swept() {
		if err := tx.RecordSweep(s.Provider, s.Operation, s.Lists); err != nil {
			return err
		}
	}
	for _, name := range e.Providers.Names() {
		if err := tx.Served(name, e.Providers.Serves(name)); err != nil {
			return err
		}
	}
	return nil
}
