package moments

import (
	"context"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"countersign/internal/engine"
	"countersign/internal/model"
	"countersign/internal/provider"
	"countersign/internal/store"
)

// point is where a worker falls asleep in a call, as a stopped process does.
type point string

const (
	beforeTheCheck point = "before it checks its deadline"
	atTheFirstByte point = "between that check and the first byte"
	withTheAnswer  point = "with the answer in its hands"
)

// sleeper is a provider's adapter that falls asleep once, and wakes when told.
type sleeper struct {
	provider.Adapter
	at           point
	once         sync.Once
	asleep, wake chan struct{}
}

func (s *sleeper) sleep() {
	s.once.Do(func() {
		close(s.asleep)
		<-s.wake
	})
}

func (s *sleeper) Send(ctx context.Context, call provider.Call) model.Outcome {
	if s.at == beforeTheCheck {
		s.sleep()
	}
	if check := call.FirstByteBefore; s.at == atTheFirstByte {
		call.FirstByteBefore = func() bool {
			may := check()
			s.sleep()
			return may
		}
	}
	out := s.Adapter.Send(ctx, call)
	if s.at == withTheAnswer {
		s.sleep()
	}
	return out
}

// worker makes one more engine on the world's database, in another process as
// far as the database can tell.
func (w *world) worker(wrap func(provider.Adapter) provider.Adapter) *engine.Engine {
	w.t.Helper()
	timing := w.timing
	timing.Call = 30 * time.Second // what it sleeps, the wall clock counts too
	return w.workerWith(engine.Config{DB: w.db, Log: w.log, Timing: timing, Clock: w.clock.Now}, "elsewhere", wrap)
}

// workerWith makes one of that database, log, timing and clock on a machine of
// that name.
func (w *world) workerWith(cfg engine.Config, machine string, wrap func(provider.Adapter) provider.Adapter) *engine.Engine {
	w.t.Helper()
	adapter, _ := w.engine.Providers.Adapter("bank")
	cfg.Providers = must(provider.NewRegistry(map[string]provider.Adapter{"bank": wrap(adapter)}, map[string]provider.Routes{
		provider.AnyAccount: {Payouts: "bank", Credits: "bank", Disputes: "bank", Messages: "bank"}}))(w.t)
	cfg.Host = must(store.EnterHost(filepath.Join(w.dir, machine)))(w.t)
	cfg.Book, cfg.Workers, cfg.Logger, cfg.Spread = w.book, 4, w.logger(), func() float64 { return 0.5 }
	e := engine.New(cfg)
	if err := e.Start(context.Background()); err != nil {
		w.t.Fatal(err)
	}
	return e
}

// fallsAsleep lets another worker take the world's intents, and returns once it
// sleeps; wake lets it go on, and returns when it has done what it could.
func (w *world) fallsAsleep(at point) (wake func()) {
	w.t.Helper()
	s := &sleeper{at: at, asleep: make(chan struct{}), wake: make(chan struct{})}
	old := w.worker(func(a provider.Adapter) provider.Adapter { s.Adapter = a; return s })
	done := make(chan struct{})
	go func() {
		defer close(done)
		old.Pass(context.Background())
	}()
	<-s.asleep
	return sync.OnceFunc(func() {
		close(s.wake)
		<-done
	})
}

// comebacks are the ways in which a worker comes back to an intent whose lease
// ran out while it slept.
var comebacks = []struct {
	kind    string
	step    string
	at      point
	when    string
	calls   int
	late    int // entries of late evidence
	asleep  int // effects that stand while it sleeps, at the end of that
	happens func(w *world)
}{
	{model.KindPayout, "create-payout", withTheAnswer, "before recovery", 1, 0, 1, func(*world) {}},
	{model.KindPayout, "create-payout", withTheAnswer, "after recovery, before the re-send", 1, 1, 1, (*world).recovers},
	{model.KindPayout, "create-payout", withTheAnswer, "after the re-send", 2, 1, 1, (*world).sendsAgain},
	{model.KindPayout, "create-payout", atTheFirstByte, "before recovery", 1, 0, 0, func(*world) {}},
	{model.KindPayout, "create-payout", atTheFirstByte, "after recovery, before the re-send", 1, 1, 0, (*world).recovers},
	{model.KindPayout, "create-payout", atTheFirstByte, "after the re-send", 2, 1, 1, (*world).sendsAgain},
	{model.KindPayout, "create-payout", beforeTheCheck, "before recovery", 2, 0, 0, func(*world) {}},
	{model.KindPayout, "create-payout", beforeTheCheck, "after the re-send", 2, 1, 1, (*world).sendsAgain},
	{model.KindStatement, "send-statement", withTheAnswer, "after recovery", 1, 1, 1, (*world).recovers},
	{model.KindStatement, "send-statement", atTheFirstByte, "an hour after recovery", 1, 1, 0, (*world).waitsInVain},
	{model.KindStatement, "send-statement", beforeTheCheck, "an hour after recovery", 2, 1, 0, (*world).waitsInVain},
	{model.KindDispute, "submit-response", atTheFirstByte, "an hour after recovery", 1, 1, 0, (*world).waitsInVain},
}

// recovers lets the other worker take the intent over, and nothing more.
func (w *world) recovers() { w.engine.Pass(context.Background()) }

// sendsAgain lets it work on until it has sent again: nobody can be asked.
func (w *world) sendsAgain() {
	w.fault("500_before", 1000, looks(), 0)
	w.run(time.Minute)
	w.noFaults()
}

// waitsInVain lets it look for an hour, in which it may not send again: the
// sleeper may still wake.
func (w *world) waitsInVain() { w.run(time.Hour) }

// Moment 7: a lease expires during the call and the old worker comes back.
func TestMoment07TheOldWorkerComesBack(t *testing.T) {
	for _, test := range comebacks {
		t.Run(fmt.Sprintf("%s/%s/%s", test.step, test.at, test.when), func(t *testing.T) {
			t.Parallel()
			w := newWorld(t)
			id := w.begin(test.kind)
			wake := w.fallsAsleep(test.at)
			defer wake()
			w.clock.Add(w.timing.Lease + time.Second)
			test.happens(w)
			if n := w.standing(w.load(id).Step(test.step)); n != test.asleep {
				t.Errorf("while it sleeps, %d effects stand in the books, not %d\n%s", n, test.asleep, describe(w.load(id)))
			}
			wake()
			w.run(2 * time.Hour)
			w.expect(id, model.Completed, test.step, model.Confirmed)
			s := w.load(id).Step(test.step)
			if n := len(s.Attempts); n != test.calls {
				t.Errorf("%d calls, not %d\n%s", n, test.calls, describe(w.load(id)))
			}
			if n := w.standing(s); n != 1 {
				t.Errorf("%d effects stand in the books", n)
			}
			if n := w.entries(id, "evidence.late"); n != test.late {
				t.Errorf("%d late results, not %d\n%s", n, test.late, describe(w.load(id)))
			}
			w.survive(t)
		})
	}
}

// Moment 7: two workers go for the same intents; each effect is one's alone.
func TestMoment07TwoWorkersGoForOneIntent(t *testing.T) {
	w := newWorld(t)
	var ids []string
	for i := range 8 {
		ids = append(ids, w.payout(fmt.Sprintf("p-%d", i)))
	}
	same := func(a provider.Adapter) provider.Adapter { return a }
	workers := []*engine.Engine{w.engine, w.worker(same), w.worker(same)}
	var group sync.WaitGroup
	for _, e := range workers {
		group.Go(func() {
			for range 4 {
				e.Pass(context.Background())
			}
		})
	}
	group.Wait()
	w.run(time.Hour)
	for _, id := range ids {
		w.expect(id, model.Completed, "create-payout", model.Confirmed)
		if n := len(w.load(id).Step("create-payout").Attempts); n != 1 {
			t.Errorf("%s was sent %d times", id, n)
		}
	}
	if n := w.effects("payouts"); n != len(ids) {
		t.Errorf("the books show %d payouts", n)
	}
	w.survive(t)
}

// Moment 6: an old worker's answer comes after a person decided. It changes
// nothing by itself.
func TestMoment06AnOldWorkersAnswerAfterAPersonDecided(t *testing.T) {
	sleeps := func(t *testing.T) (w *world, id string, wake func()) {
		w = newWorld(t)
		w.fault("500_before", 1000, looks(), 0)
		w.fault("webhook_late", 10, posts("/payouts"), int((48 * time.Hour).Milliseconds()))
		id = w.payout("p-1")
		wake = w.fallsAsleep(withTheAnswer)
		t.Cleanup(wake)
		w.clock.Add(w.timing.Lease + time.Second)
		w.recovers()
		return w, id, wake
	}
	t.Run("abandoned", func(t *testing.T) {
		w, id, wake := sleeps(t)
		w.do(w.people.operator, id, model.Abandon, "", fmt.Sprintf(`{"acknowledge":[%q]}`, w.load(id).Step("create-payout").Key()))
		must(w.approve(w.people.approver, id))(t)
		wake()
		w.expect(id, model.Abandoned, "create-payout", model.OutcomeUnknown)
		w.noFaults()
		w.run(time.Hour)
		w.expect(id, model.Abandoned, "create-payout", model.Confirmed)
		w.wasLate(id)
		w.survive(t)
	})
	t.Run("marked as happened", func(t *testing.T) {
		w, id, wake := sleeps(t)
		w.do(w.people.operator, id, model.MarkExternalResult, "create-payout",
			`{"result":"happened","external_ref":"bank-line-77","amount":95050,"currency":"USD","date":"2026-11-27","document":{"url":"https://bank.example/77","sha256":""}}`)
		w.expect(id, model.Processing, "create-payout", model.Confirmed)
		wake()
		if s := w.load(id).Step("create-payout"); s.State != model.Confirmed {
			t.Errorf("a late answer made it %s", s.State)
		}
		w.wasLate(id)
		w.survive(t)
	})
	t.Run("compensated", func(t *testing.T) {
		w, id, wake := sleeps(t)
		w.noFaults()
		w.run(time.Hour)
		w.expect(id, model.Completed, "create-payout", model.Confirmed)
		child := w.compensation(id, "create-payout")
		w.run(time.Hour)
		w.expect(child, model.Completed, "reverse-payout", model.Confirmed)
		wake()
		w.run(time.Hour)
		w.expect(id, model.Compensated, "create-payout", model.Confirmed)
		w.wasLate(id)
		w.survive(t)
	})
}

// wasLate sees that the old worker's answer is kept as late evidence, once.
func (w *world) wasLate(id string) {
	w.t.Helper()
	c := w.load(id)
	late := slices.Collect(func(yield func(string) bool) {
		for _, e := range c.Step("create-payout").Evidence {
			if e.Source == model.FromLate && strings.HasPrefix(e.Detail, "Late: ") && !yield(e.ID) {
				return
			}
		}
	})
	if n := w.entries(id, "evidence.late"); n != 1 || len(late) != 1 {
		w.t.Errorf("%d late results, %d entries\n%s", len(late), n, describe(c))
	}
}
