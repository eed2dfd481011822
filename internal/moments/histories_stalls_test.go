package moments

import (
	"context"
	"fmt"
	"path/filepath"
	"time"

	"countersign/internal/engine"
	"countersign/internal/model"
	"countersign/internal/provider"
	"countersign/internal/store"
)

// stall is a worker that stops in the middle of a call, and goes on when it is
// woken, or never.
type stall struct {
	where   point
	since   time.Time
	entered chan struct{}
	woken   chan struct{}
	dead    bool // it was killed and does nothing more; set before woken is closed
	kill    context.CancelFunc
	done    chan struct{}
}

// stalling is the way to the provider on which a worker can stall.
type stalling struct {
	provider.Adapter
	h *history
}

// Send implements provider.Adapter.
func (b *stalling) Send(ctx context.Context, call provider.Call) model.Outcome {
	s := b.h.armed.Swap(nil)
	if s == nil {
		return b.Adapter.Send(ctx, call)
	}
	if s.where == withTheAnswer {
		out := b.Adapter.Send(ctx, call)
		s.wait()
		return out
	}
	if s.wait(); s.dead {
		return model.Outcome{Result: model.ResultUnknown, Code: "killed"}
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), call.Deadline)
	defer cancel()
	if s.where == atTheFirstByte {
		call.FirstByteBefore = nil
	}
	return b.Adapter.Send(ctx, call)
}

func (s *stall) wait() {
	close(s.entered)
	<-s.woken
}

// stall lets a worker stop in its next send, and time pass until its lease is
// over. What is due then is another worker's.
func (h *history) stall(where point, past time.Duration) {
	h.t.Helper()
	h.does("stall(%q, %s)", where, inGo(past))
	h.awake()
	ctx, cancel := context.WithCancel(context.Background())
	s := &stall{where: where, entered: make(chan struct{}), woken: make(chan struct{}), done: make(chan struct{}), kill: cancel, since: h.clock.Now()}
	h.armed.Store(s)
	worker := h.engine
	go func() {
		defer close(s.done)
		worker.Pass(ctx)
	}()
	select {
	case <-s.entered:
		h.stalled = s
		h.relay()
		h.advance(past)
	case <-s.done: // nothing was to be sent
		h.armed.Store(nil)
		cancel()
	}
}

// wake lets the stalled worker go on, to the end of what it does.
func (h *history) wake() {
	h.does("wake()")
	h.awake()
}

func (h *history) awake() {
	if s := h.stalled; s != nil {
		h.stalled = nil
		close(s.woken)
		<-s.done
		s.kill()
	}
}

// die kills the stalled worker with its process.
func (h *history) die() {
	if s := h.stalled; s != nil {
		h.stalled, s.dead = nil, true
		s.kill()
		close(s.woken)
		<-s.done
	}
}

// relay gives the work to an engine on another machine, as far as the database
// can tell; the one that stalls stays where it is.
func (h *history) relay() {
	h.t.Helper()
	cfg := h.engine.Config
	cfg.Place = ""
	cfg.Host = must(store.EnterHost(filepath.Join(h.dir, fmt.Sprint("machine-", len(h.moves)))))(h.t)
	h.mu.Lock()
	h.engine = engine.New(cfg)
	h.mu.Unlock()
	if err := h.engine.Start(context.Background()); err != nil {
		h.t.Fatal(err)
	}
}
