package engine

import (
	"bytes"
	"crypto/sha256"
	"time"

	"countersign/internal/audit"
	"countersign/internal/model"
	"countersign/internal/store"
	"countersign/internal/workflow"
)

// reserve commits an effect before its first byte leaves: attempt, frozen bytes
// and deadline. It asks the rules once more on the locked case; what a person
// ordered and the rules now refuse is dropped, aloud.
func (e *Engine) reserve(tx *store.Tx, c *model.Case, w model.Work, start time.Time) (*job, error) {
	s := w.Step
	if kind, ok := e.Book.Kind(c.Kind); ok {
		if reason, moot := kind.Moot(c, s); moot && s.State == model.Pending {
			return nil, c.MakeMoot(s, reason, tx.Now())
		}
	}
	if r := e.maySend(c, w, tx.Now()); r != nil {
		return nil, e.holdBack(tx, c, w, r)
	}
	if there, err := e.thereAlready(tx, c, s); err != nil || there {
		return nil, err
	}
	opened, err := e.freeze(tx, c, s)
	if err != nil {
		return nil, e.unbuildable(tx, c, s, err)
	}
	if s.Ordered == model.OrderRetry && !bytes.Equal(s.OrderDigest, opened.BodySHA256) {
		return nil, e.holdBack(tx, c, w, &model.Refusal{Rule: "plan.bytes-differ", Because: "The request is not the one that was previewed."})
	}
	clearOrder(s)
	j, err := e.newJob(tx, c, s, start)
	if err != nil {
		return nil, err
	}
	a, err := c.Reserve(s, model.Attempt{Trigger: e.trigger(s, w), Worker: c.LeaseWorker, Boot: e.boot, Fence: c.Fence,
		DeadlineAt: tx.Now().Add(e.Timing.Call), RequestID: j.request}, tx.Now())
	if err != nil {
		return nil, err
	}
	j.attempt = a.Number
	c.LeaseUntil = max(c.LeaseUntil, tx.Now().Add(e.Timing.Lease))
	return j, nil
}

// thereAlready keeps a step from being sent whose object a sweep has seen at the
// provider, though nothing was sent from this database: it is asked about first.
func (e *Engine) thereAlready(tx *store.Tx, c *model.Case, s *model.Step) (bool, error) {
	if s.State != model.Pending || len(s.Attempts) > 0 {
		return false, nil
	}
	found, err := tx.FoundUnder(s.Provider, s.Key(), s.WireKey)
	if err != nil || len(found) == 0 {
		return false, err
	}
	return c.FoundBefore(s, found[0].ExternalRef, tx.NewID("ev"), "sweep", e.Timing, e.Spread(), tx.Now())
}

// maySend adds to the model's rules what only the engine knows: the clock.
func (e *Engine) maySend(c *model.Case, w model.Work, now model.Time) *model.Refusal {
	if r := c.MaySend(w.Step, w.Trigger, e.Timing, now); r != nil {
		return r
	}
	if w.Step.State == model.OutcomeUnknown {
		if err := e.Healthy(); err != nil {
			return &model.Refusal{Rule: "clock.off", Because: err.Error()}
		}
	}
	return nil
}

// trigger names an attempt after a lost worker for what it is.
func (e *Engine) trigger(s *model.Step, w model.Work) model.Trigger {
	if n := len(s.Attempts); w.Trigger == model.ByRetry && n > 0 && s.Attempts[n-1].Lost {
		return model.ByRecovery
	}
	return w.Trigger
}

// holdBack drops a send that the rules refuse now. A person's order is ended
// with an entry that says why; the engine's own try is not planned again until
// something new is learnt.
func (e *Engine) holdBack(tx *store.Tx, c *model.Case, w model.Work, r *model.Refusal) error {
	s := w.Step
	e.Observer.HeldBack(r.Rule)
	e.Logger.Info("send held back", "intent", c.ID, "step", s.Key(), "rule", r.Rule)
	if w.Trigger != model.ByOperator {
		s.NextTryAt = 0
		s.NextCheckAt = max(s.NextCheckAt, tx.Now()+1)
		return nil
	}
	preview := s.OrderID
	clearOrder(s)
	_, err := e.Log.Append(tx, audit.Entry{Actor: e.actor(), Event: "retry.held_back", Account: c.Account, Intent: c.ID,
		StepKey: s.Key(), Preview: preview, Policy: r.Rule, Reason: r.Because, Result: "nothing was sent"})
	return err
}

// unbuildable turns an order that no request can be made of into a refusal
// that a person can cure; nothing was sent.
func (e *Engine) unbuildable(tx *store.Tx, c *model.Case, s *model.Step, cause error) error {
	if model.KindOf(cause) == model.Internal {
		return cause
	}
	clearOrder(s)
	if _, err := c.Reserve(s, model.Attempt{Trigger: model.ByEngine, Worker: c.LeaseWorker, Boot: e.boot, Fence: c.Fence, DeadlineAt: c.LeaseUntil}, tx.Now()); err != nil {
		return err
	}
	out := model.Outcome{Result: model.ResultCurable, Code: "request_refused", Detail: cause.Error()}
	_, err := c.Settle(s, out, tx.NewID("ev"), e.Timing, e.Spread(), tx.Now())
	return err
}

// freeze gives the request that the next send carries: the frozen one of its
// generation, or a new one where none is frozen yet.
func (e *Engine) freeze(tx *store.Tx, c *model.Case, s *model.Step) (*model.Generation, error) {
	if number, opens := c.NextGeneration(s); opens {
		s.Generation = number
		s.ExternalRef = "" // it belongs to the object that failed
	}
	if g := s.Frozen(); g != nil {
		return g, nil
	}
	s.WireKey = workflow.WireKey(s)
	request, err := e.Book.Request(c, s)
	if err != nil {
		return nil, err
	}
	if s.Class == model.Message {
		if err := e.takeSlot(tx, c, s); err != nil {
			return nil, err
		}
	}
	digest := sha256.Sum256(request.Body)
	s.Generations = append(s.Generations, model.Generation{IntentID: c.ID, Step: s.Name, Number: s.Generation, WireKey: s.WireKey,
		Method: request.Method, URL: request.URL, ContentType: request.ContentType, Body: request.Body, BodySHA256: digest[:], FrozenAt: tx.Now()})
	return s.Frozen(), nil
}

// takeSlot makes the message the only one of its template to its recipient.
func (e *Engine) takeSlot(tx *store.Tx, c *model.Case, s *model.Step) error {
	kind, _ := e.Book.Kind(c.Kind)
	order, err := kind.Order(c, s)
	if err != nil {
		return err
	}
	return tx.TakeMessageSlot(order.Message.To, order.Message.Template, c.ID, s.Key())
}
