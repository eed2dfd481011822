package engine

import (
	"context"
	"errors"
	"fmt"
	"time"

	"countersign/internal/model"
	"countersign/internal/store"
)

// job is one call to a provider that was reserved under a lease.
type job struct {
	intent  string
	step    string
	fence   int64
	worker  string
	attempt int              // of a send; 0 for a look
	webhook *store.Webhook   // of a look that a webhook caused
	swept   *store.SweepLook // of a look that a sweep caused
	by      string           // who asked for a look: the worker, or a person
	began   model.Time
	call    allowance // of the call, measured from before the claim
	request string    // our id of the call
	single  string    // the object that a look reads by its own id; "" lists by reference
	// destination is the payee's account that an answer must name, where one is.
	destination string
	// target and frozen are the step and its bytes as they were reserved.
	target model.Step
	frozen model.Generation
	// What the call came to: an outcome for a send, an observation for a look.
	outcome model.Outcome
	seen    model.Observation
}

// claim takes up to n due intents, and works each up to its first call.
func (e *Engine) claim(ctx context.Context, n int) []*job {
	if n <= 0 || e.turning.Load() || !e.anythingDue(ctx) {
		return nil
	}
	start := e.Clock()
	jobs, err := e.claimBatch(ctx, n, start)
	if err == nil || errors.Is(err, context.Canceled) {
		return jobs
	}
	if errors.Is(err, model.Conflict) || errors.Is(err, model.Busy) {
		e.Logger.Error("nothing could be claimed", "err", err)
		e.beaten = time.Time{} // declared dead, or the database is gone: look at once
		return nil
	}
	if errors.Is(err, model.Unknown) {
		return e.standing(ctx, jobs)
	}
	e.Logger.Error("a batch of claims failed; taking them one by one", "err", err)
	return e.claimSingly(ctx, n, start)
}

// anythingDue looks before the write lock is taken: idling costs no commit.
func (e *Engine) anythingDue(ctx context.Context) (due bool) {
	err := e.DB.View(ctx, func(tx *store.Tx) error {
		at, err := tx.NextWake()
		due = at != 0 && at <= tx.Now()
		return err
	})
	if err != nil && ctx.Err() == nil {
		e.Logger.Error("looking for due work failed", "err", err)
	}
	return due
}

// claimBatch claims in one transaction: one commit for many reservations.
func (e *Engine) claimBatch(ctx context.Context, n int, start time.Time) (jobs []*job, err error) {
	err = e.DB.Update(ctx, func(tx *store.Tx) error {
		jobs = nil
		if err := e.mayClaim(tx); err != nil {
			return err
		}
		due, err := tx.DueWebhooks(n)
		if err != nil {
			return err
		}
		for _, w := range due {
			j, err := e.claimWebhook(tx, w, start)
			if err != nil {
				return fmt.Errorf("webhook %s of %s: %w", w.EventID, w.Provider, err)
			}
			if j != nil {
				jobs = append(jobs, j)
			}
		}
		if jobs, err = e.claimLooks(tx, n, start, jobs); err != nil {
			return err
		}
		ids, err := tx.Due(n - len(jobs))
		if err != nil {
			return err
		}
		if err := tx.LockAhead(ids); err != nil {
			return err
		}
		for _, id := range ids {
			j, err := e.claimOne(tx, id, start)
			if err != nil {
				return fmt.Errorf("intent %s: %w", id, err)
			}
			if j != nil {
				jobs = append(jobs, j)
			}
		}
		return nil
	})
	return jobs, err
}

// claimSingly keeps one intent or event that cannot be worked on from blocking
// the rest: it is put off, and said so in the log.
func (e *Engine) claimSingly(ctx context.Context, n int, start time.Time) (jobs []*job) {
	var ids []string
	var events []store.Webhook
	var looks []store.SweepLook
	err := e.DB.View(ctx, func(tx *store.Tx) (err error) {
		if events, err = tx.DueWebhooks(n); err != nil {
			return err
		}
		if looks, err = tx.DueLooks(n); err != nil {
			return err
		}
		ids, err = tx.Due(n)
		return err
	})
	if err != nil {
		e.Logger.Error("looking for due work failed", "err", err)
		return nil
	}
	for _, w := range events {
		jobs = append(jobs, e.claimAlone(ctx, "webhook "+w.EventID,
			func(tx *store.Tx) (*job, error) { return e.claimWebhook(tx, w, start) },
			func(tx *store.Tx) error { return tx.PostponeWebhook(w, tx.Now().Add(putOff)) })...)
	}
	for _, l := range looks {
		jobs = append(jobs, e.claimAlone(ctx, "object "+l.ExternalRef,
			func(tx *store.Tx) (*job, error) { return e.claimLook(tx, l, start) },
			func(tx *store.Tx) error { return tx.PostponeLook(l, tx.Now().Add(putOff)) })...)
	}
	for _, id := range ids {
		jobs = append(jobs, e.claimAlone(ctx, id,
			func(tx *store.Tx) (*job, error) { return e.claimOne(tx, id, start) },
			func(tx *store.Tx) error { return tx.PutOff(id, tx.Now().Add(putOff)) })...)
	}
	return jobs
}

// claimAlone claims one thing in a transaction of its own, or puts it off.
func (e *Engine) claimAlone(ctx context.Context, what string, claim func(*store.Tx) (*job, error), later func(*store.Tx) error) []*job {
	var j *job
	err := e.DB.Update(ctx, func(tx *store.Tx) (err error) {
		if err = e.mayClaim(tx); err != nil {
			return err
		}
		j, err = claim(tx)
		return err
	})
	switch {
	case err == nil && j != nil:
		return []*job{j}
	case errors.Is(err, model.Unknown) && j != nil:
		return e.standing(ctx, []*job{j})
	case err != nil && ctx.Err() == nil:
		e.Logger.Error("cannot be worked on; put off", "what", what, "err", err)
		if err := e.DB.Update(ctx, later); err != nil {
			e.Logger.Error("putting off failed", "what", what, "err", err)
		}
	}
	return nil
}

// putOff is how long an intent rests whose work failed in our own code.
const putOff = 30 * time.Second

// claimOne takes the lease of an intent and advances it.
func (e *Engine) claimOne(tx *store.Tx, id string, start time.Time) (*job, error) {
	c, err := tx.LockCase(id)
	if err != nil {
		return nil, err
	}
	if c.LeaseLive(tx.Now(), "") {
		return nil, e.record(tx, c) // somebody's lease still runs: sleep until it ends
	}
	if err := e.takeOver(tx, c); err != nil {
		return nil, err
	}
	if err := e.takeFound(tx, c); err != nil {
		return nil, err
	}
	e.lease(tx, c)
	return e.advance(tx, c, start)
}

// lease gives this engine the right to drive the intent.
func (e *Engine) lease(tx *store.Tx, c *model.Case) {
	e.Observer.Leased()
	c.Fence++
	c.LeaseWorker = fmt.Sprintf("%s/%d", e.boot, c.Fence)
	c.LeaseBoot = e.boot
	c.LeaseUntil = tx.Now().Add(e.Timing.Lease)
}

// takeOver closes the attempt that a lost worker left open.
func (e *Engine) takeOver(tx *store.Tx, c *model.Case) error {
	s, a := c.OpenAttempt()
	if a == nil {
		return nil
	}
	e.Observer.WorkerLost()
	e.Logger.Warn("worker lost", "intent", c.ID, "step", s.Key(), "attempt", a.Number, "worker", a.Worker)
	_, err := c.Lose(s, tx.NewID("ev"), e.Timing, e.Spread(), tx.Now())
	return err
}

// standing keeps those jobs whose reservation is in the database, after a
// commit that did not say whether it was kept.
func (e *Engine) standing(ctx context.Context, jobs []*job) (kept []*job) {
	for _, j := range jobs {
		err := e.DB.View(ctx, func(tx *store.Tx) error {
			c, err := tx.Case(j.intent)
			if err != nil {
				return err
			}
			if c.Fence == j.fence && c.LeaseWorker == j.worker {
				kept = append(kept, j)
			}
			return nil
		})
		if err != nil {
			e.Logger.Error("reading a claim back failed; recovery will take it", "intent", j.intent, "err", err)
		}
	}
	return kept
}

// record stores a changed case with its entries.
func (e *Engine) record(tx *store.Tx, c *model.Case) error {
	return e.Log.Record(tx, c, e.actor(), e.Timing)
}
