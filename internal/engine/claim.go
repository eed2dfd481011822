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
	intent   string
	step     string
	fence    int64
	worker   string
	attempt  int            // of a send; 0 for a look
	webhook  *store.Webhook // of a look that a webhook caused
	by       string         // who asked for a look: the worker, or a person
	began    model.Time
	deadline time.Time // of the call, measured from before the claim
	request  string    // our id of the call
	// target and frozen are the step and its bytes as they were reserved.
	target model.Step
	frozen model.Generation
	// What the call came to: an outcome for a send, an observation for a look.
	outcome model.Outcome
	seen    model.Observation
}

// claim takes up to n due intents, and works each up to its first call.
func (e *Engine) claim(ctx context.Context, n int) []*job {
	if n <= 0 || !e.anythingDue(ctx) {
		return nil
	}
	start := e.Clock()
	jobs, ids, err := e.claimBatch(ctx, n, start)
	if err == nil || errors.Is(err, context.Canceled) {
		return jobs
	}
	if errors.Is(err, model.Unknown) {
		return e.standing(ctx, jobs)
	}
	e.Logger.Error("a batch of claims failed; taking them one by one", "err", err)
	return e.claimSingly(ctx, ids, start)
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
func (e *Engine) claimBatch(ctx context.Context, n int, start time.Time) (jobs []*job, ids []string, err error) {
	err = e.DB.Update(ctx, func(tx *store.Tx) error {
		jobs = nil
		var err error
		if jobs, err = e.claimWebhooks(tx, n, start); err != nil {
			return err
		}
		if ids, err = tx.Due(n - len(jobs)); err != nil {
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
	return jobs, ids, err
}

// claimSingly keeps one intent that cannot be worked on from blocking the rest:
// it is put off, and said so in the log.
func (e *Engine) claimSingly(ctx context.Context, ids []string, start time.Time) (jobs []*job) {
	for _, id := range ids {
		var j *job
		err := e.DB.Update(ctx, func(tx *store.Tx) (err error) {
			j, err = e.claimOne(tx, id, start)
			return err
		})
		switch {
		case err == nil && j != nil:
			jobs = append(jobs, j)
		case errors.Is(err, model.Unknown) && j != nil:
			jobs = append(jobs, e.standing(ctx, []*job{j})...)
		case err != nil && ctx.Err() == nil:
			e.Logger.Error("intent cannot be worked on; put off", "intent", id, "err", err)
			err := e.DB.Update(ctx, func(tx *store.Tx) error { return tx.PutOff(id, tx.Now().Add(putOff)) })
			if err != nil {
				e.Logger.Error("putting off failed", "intent", id, "err", err)
			}
		}
	}
	return jobs
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
	e.lease(tx, c)
	return e.advance(tx, c, start)
}

// lease gives this engine the right to drive the intent.
func (e *Engine) lease(tx *store.Tx, c *model.Case) {
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
