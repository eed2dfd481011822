package engine

import (
	"context"
	"errors"
	"time"

	"countersign/internal/audit"
	"countersign/internal/model"
	"countersign/internal/provider"
	"countersign/internal/store"
)

// perform makes the job's call and settles it; it returns the job that was
// reserved in the same commit, if any.
func (e *Engine) perform(ctx context.Context, j *job) *job {
	adapter, ok := e.Providers.Adapter(j.target.Provider)
	switch {
	case !ok:
		gone := "The provider " + j.target.Provider + " is not configured any more; nothing was sent."
		e.Logger.Error(gone, "intent", j.intent, "step", j.step, "attempt", j.attempt)
		j.outcome = model.Outcome{Result: model.ResultNotSent, Code: "no_provider", Detail: gone}
		j.seen = model.Observation{Finding: model.FoundNothing, Detail: gone}
	case j.attempt != 0:
		j.outcome = e.send(ctx, adapter, j)
	default:
		j.seen = e.look(ctx, adapter, j)
	}
	return e.settle(ctx, j)
}

// send makes the one call of an attempt.
func (e *Engine) send(ctx context.Context, adapter provider.Adapter, j *job) model.Outcome {
	s, g := j.target, j.frozen
	ctx, cancel := context.WithTimeout(ctx, e.Timing.Call)
	defer cancel()
	began := time.Now()
	out := adapter.Send(ctx, provider.Call{
		Request:   provider.Request{Method: g.Method, URL: g.URL, ContentType: g.ContentType, Body: g.Body},
		Operation: s.Operation, WireKey: g.WireKey, KeyHeader: s.Contract.KeyHeader(), RequestID: j.request, Deadline: e.Timing.Call,
		Expect:          e.expect(j),
		FirstByteBefore: func() bool { return j.call.left(e.Clock()) > 0 },
	})
	e.Observer.Called(s.Provider, s.Operation, out.Result, time.Since(began))
	e.watchClock(s.Provider, out.Skew)
	e.Logger.Info("attempt", "intent", j.intent, "step", s.Key(), "attempt", j.attempt, "result", out.Result, "code", out.Code,
		"status", out.HTTPStatus, "connections", out.Connections, "bytes_out", out.BytesOut, "request", j.request, "worker", j.worker)
	return out
}

// look asks the provider about the step.
func (e *Engine) look(ctx context.Context, adapter provider.Adapter, j *job) model.Observation {
	s := j.target
	ctx, cancel := context.WithTimeout(ctx, e.Timing.Call)
	defer cancel()
	j.single = j.ref(s)
	began := time.Now()
	seen := adapter.Query(ctx, provider.Lookup{Operation: s.Operation, WireKey: s.WireKey, StepKey: s.Key(), ExternalRef: j.single, Expect: e.expect(j)})
	e.Observer.Looked(s.Provider, s.Operation, seen.Finding, time.Since(began))
	e.watchClock(s.Provider, seen.Skew)
	e.Logger.Info("look", "intent", j.intent, "step", s.Key(), "finding", seen.Finding, "ref", seen.ExternalRef, "status", seen.HTTPStatus, "by", j.by)
	return seen
}

// ref is the object that a look reads by its own id: the one that a sweep or a
// webhook names, else the step's; "" asks by our reference.
func (j *job) ref(s model.Step) string {
	if j.swept != nil {
		return j.swept.ExternalRef
	}
	if j.webhook != nil && j.webhook.Ref != "" {
		return j.webhook.Ref
	}
	return s.Known()
}

// expect is what an answer must name before it counts for the step: as asked
// for, or as a person recorded it.
func (e *Engine) expect(j *job) provider.Expect {
	s := j.target
	expect := provider.Expect{Reference: s.Key(), Destination: j.destination}
	if s.MovesMoney() {
		expect.Amount, expect.Currency = s.Expected(), s.Currency
	}
	return expect
}

// settle stores what a call came to, however long the database takes: the
// result of a send exists only here, and comes in late where recovery was
// faster. It gives up when the process is to end; what a look found, once its
// lease has run out.
func (e *Engine) settle(ctx context.Context, j *job) *job {
	next, err := e.settleTogether(ctx, j)
	if err == nil {
		return next
	}
	for pause := 10 * time.Millisecond; ; pause = min(2*pause, time.Second) {
		next, err := e.settleAlone(ctx, j)
		if err == nil {
			return next
		}
		e.Logger.Error("storing a result failed; trying again", "intent", j.intent, "step", j.step, "attempt", j.attempt, "err", err)
		over := j.call.left(e.Clock()) < -e.Timing.Lease
		if over && (j.attempt == 0 || e.draining.Load()) || ctx.Err() != nil {
			return nil
		}
		select {
		case <-time.After(pause):
		case <-ctx.Done():
			return nil
		}
	}
}

// settleAlone stores one result in a transaction of its own.
func (e *Engine) settleAlone(ctx context.Context, j *job) (next *job, err error) {
	start := e.Clock()
	err = e.DB.Update(ctx, func(tx *store.Tx) error {
		next, err = e.settleIn(tx, j, start)
		return err
	})
	return next, err
}

// settleIn is the second transaction of an effect. Run again after a commit
// that did not say whether it was kept, it finds its own result there and goes
// on from it.
func (e *Engine) settleIn(tx *store.Tx, j *job, start time.Time) (*job, error) {
	c, err := tx.LockCase(j.intent)
	if err != nil {
		return nil, err
	}
	if c.Fence != j.fence || c.LeaseWorker != j.worker {
		return nil, e.late(tx, c, j)
	}
	if s := c.Step(j.step); !e.kept(s, j) {
		if err := e.keep(tx, c, s, j); err != nil {
			return nil, err
		}
	}
	s, a := c.OpenAttempt()
	if a == nil {
		return e.advance(tx, c, start)
	}
	// Reserved by our own earlier commit, and never sent.
	next, err := e.newJob(tx, c, s, start)
	if err != nil {
		return nil, err
	}
	next.attempt, next.request = a.Number, a.RequestID // those that it was reserved with
	next.call.limit = min(next.call.limit, a.DeadlineAt.Sub(tx.Now()))
	return next, nil
}

// kept reports whether the job's result is stored already.
func (e *Engine) kept(s *model.Step, j *job) bool {
	return j.attempt != 0 && s.Attempts[j.attempt-1].FinishedAt != 0
}

// keep applies what the call came to, on the locked case.
func (e *Engine) keep(tx *store.Tx, c *model.Case, s *model.Step, j *job) error {
	if j.attempt == 0 {
		return e.keepLook(tx, c, s, j)
	}
	out := j.outcome
	taken, err := e.takenBy(tx, c, s, out.ExternalRef)
	if err != nil {
		return err
	}
	if taken != "" {
		out.Result, out.Code = model.ResultUnknown, "other_object"
		out.Detail = "The answer names an object that already belongs to " + taken + "."
		out.ExternalRef = ""
	}
	_, err = c.Settle(s, out, tx.NewID("ev"), e.Timing, e.Spread(), tx.Now())
	return err
}

// keepLook applies an observation, and closes the order or webhook behind it.
func (e *Engine) keepLook(tx *store.Tx, c *model.Case, s *model.Step, j *job) error {
	seen := j.seen
	taken, err := e.takenBy(tx, c, s, seen.ExternalRef)
	if err != nil {
		return err
	}
	look := model.Look{Observation: seen, Source: model.FromQuery, By: j.by, EvidenceID: tx.NewID("ev"), Began: j.began, Taken: taken,
		Single: j.single != "", Generation: j.target.Generation}
	if s.Ordered == model.OrderReconcile {
		clearOrder(s)
	}
	if j.webhook != nil {
		look.Source, look.By = model.FromWebhook, j.webhook.Provider
		look.Detail = seen.Detail + " A webhook, " + j.webhook.Type + ", led there."
		if err := e.closeWebhook(tx, j, seen); err != nil {
			return err
		}
	}
	if j.swept != nil {
		look.Detail = seen.Detail + " The sweep led there."
		if err := e.closeLook(tx, c, s, j, seen); err != nil {
			return err
		}
	}
	_, err = c.Observe(s, look, e.Timing, e.Spread(), tx.Now())
	return err
}

// takenBy tells which other step an external object belongs to.
func (e *Engine) takenBy(tx *store.Tx, c *model.Case, s *model.Step, ref string) (string, error) {
	if ref == "" {
		return "", nil
	}
	owner, err := tx.ObjectOwner(s.Provider, s.Operation, ref)
	if err != nil || owner == c.ID+":"+s.Name {
		return "", err
	}
	return owner, nil
}

// late keeps what a worker brings after its lease was taken over. It never
// changes the state by itself. A look's answer is dropped: the next one is fresher.
func (e *Engine) late(tx *store.Tx, c *model.Case, j *job) error {
	e.Observer.LateResult()
	e.Logger.Warn("late result", "intent", j.intent, "step", j.step, "attempt", j.attempt, "fence", j.fence, "now", c.Fence)
	if j.attempt == 0 {
		return nil
	}
	s := c.Step(j.step)
	a := &s.Attempts[j.attempt-1]
	switch {
	case a.FinishedAt == 0:
		return errors.New("the attempt is still open under a newer lease")
	case !a.Lost:
		return nil // stored by ourselves, in a commit that did not say so
	}
	taken, err := e.takenBy(tx, c, s, j.outcome.ExternalRef)
	if err != nil {
		return err
	}
	if taken != "" {
		j.outcome.ExternalRef = "" // another step's object confirms nothing here
	}
	evidence := c.Late(s, a, j.outcome, tx.NewID("ev"), tx.Now())
	if _, err := e.Log.Append(tx, audit.Entry{Actor: e.actor(), Event: "evidence.late", Account: c.Account, Intent: c.ID,
		StepKey: s.Key(), Attempt: a.Number, Reason: evidence.Detail, Result: string(evidence.Says)}); err != nil {
		return err
	}
	return e.record(tx, c)
}
