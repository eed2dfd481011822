package moments

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"countersign/internal/audit"
	"countersign/internal/engine"
	"countersign/internal/model"
	"countersign/internal/provider"
	"countersign/internal/store"
	"countersign/internal/store/storetest"
)

// counted is a provider's adapter that counts what is sent through it, and falls
// asleep once it has seen that an effect happened for good.
type counted struct {
	provider.Adapter
	sends        atomic.Int64
	once         sync.Once
	asleep, wake chan struct{}
}

func (c *counted) Send(ctx context.Context, call provider.Call) model.Outcome {
	c.sends.Add(1)
	return c.Adapter.Send(ctx, call)
}

func (c *counted) Query(ctx context.Context, l provider.Lookup) model.Observation {
	seen := c.Adapter.Query(ctx, l)
	if seen.Finding == model.FoundHappened {
		c.once.Do(func() {
			close(c.asleep)
			<-c.wake
		})
	}
	return seen
}

// soon waits for something that another goroutine does in real time.
func soon(t testing.TB, what string, done func() bool) {
	t.Helper()
	for until := time.Now().Add(30 * time.Second); time.Now().Before(until); time.Sleep(10 * time.Millisecond) {
		if done() {
			return
		}
	}
	t.Fatalf("%s: not within 30 s", what)
}

// opened is the world's database as one more process has it, with its log.
func (w *world) opened(opts store.Options) engine.Config {
	db := storetest.OpenAt(w.t, w.place, opts)
	return engine.Config{DB: db, Log: audit.New(db, bytes.Repeat([]byte{7}, 32)), Timing: w.timing}
}

// Moment 7: the database takes nothing from one worker, no renewal of its lease
// and no result, until long after the lease. What it has seen would lead it to
// the next effect: it does not send that, and another worker does.
func TestMoment07WithoutRenewalNoNextEffect(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	id := w.begin(model.KindPayout)
	var refusing atomic.Bool
	var refused atomic.Int64
	cfg := w.opened(store.Options{Clock: w.clock.Now, BeforeCommit: func() error {
		if !refusing.Load() {
			return nil
		}
		refused.Add(1)
		return errors.New("the database is out of this worker's reach")
	}})
	cfg.Clock, cfg.Timing.Call, cfg.Timing.Sweep = w.clock.Now, 30*time.Second, 0
	calls := &counted{asleep: make(chan struct{}), wake: make(chan struct{})}
	old := w.workerWith(cfg, "elsewhere", func(a provider.Adapter) provider.Adapter { calls.Adapter = a; return calls })
	ctx, stop := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	go func() { ended <- old.Run(ctx) }()
	w.until(calls.asleep)
	refusing.Store(true)
	again := func(what string) {
		before := refused.Load()
		soon(t, what, func() bool { return refused.Load() > before })
	}
	for range w.timing.Lease/w.timing.Renew + 1 {
		w.clock.Add(w.timing.Renew)
		again("a renewal that is refused")
	}
	if until := w.load(id).LeaseUntil; until == 0 || until.Std().After(w.clock.Now()) {
		t.Fatalf("at %s the lease runs until %s", w.clock.Now(), until)
	}
	close(calls.wake)
	for range 3 {
		again("a result that is refused")
	}
	if p, m := w.effects("payouts"), w.effects("messages"); p != 1 || m != 0 || calls.sends.Load() != 1 {
		t.Errorf("past its lease it has sent %d times, and the books show %d payouts and %d messages", calls.sends.Load(), p, m)
	}
	w.run(2 * time.Hour)
	refusing.Store(false)
	stop()
	if err := <-ended; err != nil {
		t.Errorf("it ended with %v", err)
	}
	w.expect(id, model.Completed, "create-payout", model.Confirmed)
	if p, m := w.effects("payouts"), w.effects("messages"); p != 1 || m != 1 || calls.sends.Load() != 1 {
		t.Errorf("%d payouts and %d messages, of which it sent %d", p, m, calls.sends.Load())
	}
	w.survive(t)
}

// until moves the time on, bit by bit, until something has happened.
func (w *world) until(happened <-chan struct{}) {
	w.t.Helper()
	for range 1000 {
		select {
		case <-happened:
			return
		case <-time.After(20 * time.Millisecond):
			w.clock.Add(time.Second)
			must(w.bank.CatchUp(context.Background()))(w.t)
		}
	}
	w.t.Fatal("it does not happen")
}

// Moment 7: the clocks of two machines are ten minutes apart. Windows, leases and
// deadlines follow the database's, whoever is ahead: nobody recovers early.
func TestMoment07ClocksTenMinutesApart(t *testing.T) {
	for _, off := range []time.Duration{-5 * time.Minute, 5 * time.Minute} {
		t.Run(fmt.Sprintf("the sleeper is %s off", off), func(t *testing.T) {
			t.Parallel()
			w := newWorldAt(t, storetest.Shared(t).Database(t), &clock{wall: true})
			w.timing = model.FastPace()
			w.timing.Call, w.timing.Lease, w.timing.Renew, w.timing.Sweep = 2*time.Second, 4*time.Second, time.Second, 0
			began := w.db.Now()
			id := w.begin(model.KindPayout)
			s := &sleeper{at: withTheAnswer, asleep: make(chan struct{}), wake: make(chan struct{})}
			old := w.workerOff(off, "one", func(a provider.Adapter) provider.Adapter { s.Adapter = a; return s })
			done := make(chan struct{})
			go func() {
				defer close(done)
				old.Pass(context.Background())
			}()
			<-s.asleep
			until := w.promised(id, began)
			other := w.workerOff(-off, "another", func(a provider.Adapter) provider.Adapter { return a })
			ctx, stop := context.WithCancel(t.Context())
			ended := make(chan error, 1)
			go func() { ended <- other.Run(ctx) }()
			soon(t, "the intent completed", func() bool { return w.load(id).State == model.Completed })
			if a := w.load(id).Step("create-payout").Attempts[0]; !a.Lost || a.FinishedAt < until || a.FinishedAt > until.Add(10*time.Second) {
				t.Errorf("the lease ended at %s, and recovery came at %s (lost: %v)", until, a.FinishedAt, a.Lost)
			}
			close(s.wake)
			<-done
			stop()
			if err := <-ended; err != nil {
				t.Errorf("the other ended with %v", err)
			}
			if n := w.effects("payouts"); n != 1 || w.entries(id, "evidence.late") != 1 {
				t.Errorf("the books show %d payouts; late results: %d", n, w.entries(id, "evidence.late"))
			}
			w.checkInvariants(t)
		})
	}
}

// workerOff makes a worker whose machine's clock is off; the database has its own.
func (w *world) workerOff(off time.Duration, machine string, wrap func(provider.Adapter) provider.Adapter) *engine.Engine {
	cfg := w.opened(store.Options{})
	cfg.Clock = func() time.Time { return time.Now().Add(off) }
	return w.workerWith(cfg, machine, wrap)
}

// promised checks what was stored with the call that is under way, and gives the
// end of its lease.
func (w *world) promised(id string, began model.Time) (until model.Time) {
	w.t.Helper()
	c := w.load(id)
	s, a := c.OpenAttempt()
	if a == nil {
		w.t.Fatalf("no call is under way\n%s", describe(c))
	}
	now := w.db.Now()
	if a.StartedAt < began || a.StartedAt > now || a.DeadlineAt != a.StartedAt.Add(w.timing.Call) || a.DeadlineAt > c.LeaseUntil {
		w.t.Errorf("between %s and %s a call began at %s, to end by %s inside a lease until %s", began, now, a.StartedAt, a.DeadlineAt, c.LeaseUntil)
	}
	if c.LeaseUntil < began.Add(w.timing.Lease) || c.LeaseUntil > now.Add(w.timing.Lease) {
		w.t.Errorf("between %s and %s a lease was given until %s", began, now, c.LeaseUntil)
	}
	lasts := s.Contract.Retention - s.Contract.Margin(w.timing.Call)
	if closes, ok := s.SafeUntil(w.timing.Call); !ok || closes < began.Add(lasts) || closes > now.Add(lasts) {
		w.t.Errorf("between %s and %s a window of %s opened, which closes at %s", began, now, lasts, closes)
	}
	return c.LeaseUntil
}
