package engine

import (
	"fmt"
	"time"

	"countersign/internal/audit"
	"countersign/internal/model"
	"countersign/internal/store"
)

// maxMoves bounds the work of one transaction; a kind has far fewer steps.
const maxMoves = 64

// advance does what is due on a leased case, in the caller's transaction, until
// a call to a provider is next (then it is reserved and returned) or nothing is
// due (then the lease is given back).
func (e *Engine) advance(tx *store.Tx, c *model.Case, start time.Time) (*job, error) {
	for range maxMoves {
		w := c.Work(e.Timing, tx.Now())
		if w.Do == model.DoNothing || w.At > tx.Now() || e.draining.Load() {
			c.LeaseWorker, c.LeaseBoot, c.LeaseUntil = "", "", 0
			return nil, e.record(tx, c)
		}
		j, err := e.do(tx, c, w, start)
		if err != nil {
			return nil, err
		}
		if j != nil {
			return j, e.record(tx, c)
		}
	}
	return nil, fmt.Errorf("no end of work after %d moves at step %s", maxMoves, c.Stuck)
}

// do carries out one piece of work; it returns a job where a call is next.
func (e *Engine) do(tx *store.Tx, c *model.Case, w model.Work, start time.Time) (*job, error) {
	switch w.Do {
	case model.DoRun:
		return nil, e.runLocal(tx, c, w)
	case model.DoSend:
		return e.reserve(tx, c, w, start)
	case model.DoCheck:
		return e.lookJob(tx, c, w.Step, start)
	case model.DoOverdue:
		return nil, c.Overdue(w.Step, "settles_by", e.Timing, e.Spread(), tx.Now())
	case model.DoExpire:
		return nil, e.expireRequests(tx, c)
	}
	return nil, fmt.Errorf("unknown work %q", w.Do)
}

// lookJob prepares a query. Who asked is kept for the evidence.
func (e *Engine) lookJob(tx *store.Tx, c *model.Case, s *model.Step, start time.Time) (*job, error) {
	j, err := e.newJob(tx, c, s, start)
	if err == nil && s.Ordered == model.OrderReconcile {
		j.by = s.OrderBy
	}
	return j, err
}

func (e *Engine) newJob(tx *store.Tx, c *model.Case, s *model.Step, start time.Time) (*job, error) {
	j := &job{intent: c.ID, step: s.Name, fence: c.Fence, worker: c.LeaseWorker, by: c.LeaseWorker,
		began: tx.Now(), call: allowance{start, e.Timing.Call}}
	j.target, j.request = *s, tx.NewID("req")
	if g := s.Frozen(); g != nil {
		j.frozen = *g
	}
	kind, ok := e.Book.Kind(c.Kind)
	if !ok {
		return nil, fmt.Errorf("unknown kind %s", c.Kind)
	}
	if s.MovesMoney() {
		order, err := kind.Order(c, s)
		if err != nil {
			return nil, fmt.Errorf("order of %s: %w", s.Key(), err)
		}
		j.destination = order.Destination
	}
	return j, nil
}

// expireRequests closes the requests whose time is over, aloud.
func (e *Engine) expireRequests(tx *store.Tx, c *model.Case) error {
	for i := range c.Requests {
		r := &c.Requests[i]
		if r.State != model.ApprovalOpen || r.ExpiresAt > tx.Now() {
			continue
		}
		if err := tx.CloseApproval(c, r.ID, model.ApprovalExpired, model.Undecided); err != nil {
			return err
		}
		if err := tx.SettleAsked(c, r.ID, "", model.CompensationWithdrawn); err != nil {
			return err
		}
		if _, err := e.Log.Append(tx, audit.Entry{Actor: e.actor(), Event: "approval.expired", Account: c.Account, Intent: c.ID,
			Reason: model.Undecided, Detail: map[string]any{"approval": r.ID, "action": r.Action}}); err != nil {
			return err
		}
	}
	return nil
}
