package bench

import (
	"context"
	"encoding/json"
	"fmt"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"countersign/internal/actions"
	"countersign/internal/engine"
	"countersign/internal/model"
	"countersign/internal/provider"
	"countersign/internal/provider/sandbox"
	"countersign/internal/store"
	"countersign/internal/workflow"
)

// steps is how many a payout has.
const steps = 5

// throughput is how many intents one measurement drives to their end, and
// latency how long its paced part takes.
var (
	throughput = size("COUNTERSIGN_BENCH_INTENTS", 2000)
	paced      = time.Duration(size("COUNTERSIGN_BENCH_SECONDS", 5)) * time.Second
)

// BenchmarkEngine drives payouts from acceptance to completion, against a
// provider that answers at once, and beside it inserts bare rows, one per
// commit, from as many connections into the same database with the same
// settings. The ratio is durable steps per second by bare rows per second.
// CPU is that of this process and of the database server together.
func BenchmarkEngine(b *testing.B) {
	for _, place := range places() {
		for _, crew := range place.crews {
			b.Run(fmt.Sprintf("%s/%dx%d", place.name, crew.engines, crew.workers), func(b *testing.B) {
				for b.Loop() {
					measureEngine(b, place, crew)
				}
				b.ReportMetric(0, "ns/op")
			})
		}
	}
}

// crew is how many engines share a database, and how many workers each has.
type crew struct{ engines, workers int }

func measureEngine(b *testing.B, p place, c crew) {
	rig := newRig(b, p.open(b), c)
	bare := p.bare(b, c.engines*c.workers)
	rowsPerSecond := bare.rate(b, throughput/2)
	rig.backlog(b, throughput)
	spent := rig.drive(b, throughput)
	rowsPerSecond = (rowsPerSecond + bare.rate(b, throughput/2)) / 2
	intents := float64(throughput) / spent.wall.Seconds()
	b.ReportMetric(intents, "intents/s")
	b.ReportMetric(steps*intents, "steps/s")
	b.ReportMetric(float64(spent.commits)/float64(throughput), "commits/intent")
	b.ReportMetric(milliseconds(spent.cpu)/float64(throughput), "cpu-ms/intent")
	b.ReportMetric(rowsPerSecond, "bare-rows/s")
	b.ReportMetric(steps*intents/rowsPerSecond, "ratio")
	lags := rig.pace(b, intents/4)
	b.ReportMetric(milliseconds(lags[len(lags)/2]), "p50-ms")
	b.ReportMetric(milliseconds(lags[len(lags)*99/100]), "p99-ms")
}

// instant is a provider that does as it is told at once, without a network.
type instant struct{ provider.Adapter }

func (instant) Send(_ context.Context, call provider.Call) model.Outcome {
	if !call.FirstByteBefore() {
		return model.Outcome{Result: model.ResultNotSent}
	}
	return model.Outcome{Result: model.ResultConfirmed, ExternalRef: "obj_" + call.WireKey, Amount: call.Expect.Amount, Currency: call.Expect.Currency,
		Status: "paid", Final: true, HTTPStatus: 201, Connections: 1, BytesOut: int64(len(call.Body)), RequestID: call.RequestID}
}

// rig is an installation with engines that wait to be run.
type rig struct {
	*world
	at      opened
	configs []engine.Config
	engines []*engine.Engine // of the present run
	taken   atomic.Int64     // intents accepted so far
	done    int              // of them completed
}

func newRig(b testing.TB, at opened, c crew) *rig {
	b.Helper()
	r := &rig{world: newWorld(b, at.db), at: at}
	adapter := instant{sandbox.New(sandbox.Config{Name: "bank", URL: "http://127.0.0.1:9"})}
	registry, err := provider.NewRegistry(map[string]provider.Adapter{"bank": adapter},
		map[string]provider.Routes{provider.AnyAccount: {Payouts: "bank", Credits: "bank", Disputes: "bank", Messages: "bank"}})
	if err != nil {
		b.Fatal(err)
	}
	timing := model.NormalPace()
	timing.Sweep = 0
	for i := range c.engines {
		cfg := engine.Config{DB: at.db, Log: r.log, Book: workflow.NewBook(registry), Providers: registry, Timing: timing, Workers: c.workers, Logger: quiet}
		if i > 0 { // in what would be a process of its own
			cfg.DB = at.again(b)
		}
		r.configs = append(r.configs, cfg)
	}
	return r
}

// backlog accepts n payouts before any engine runs.
func (r *rig) backlog(b testing.TB, n int) {
	b.Helper()
	var group sync.WaitGroup
	var left atomic.Int64
	left.Store(int64(n))
	for range 8 {
		group.Go(func() {
			for left.Add(-1) >= 0 {
				if err := r.acceptNext(); err != nil {
					b.Error(err)
					return
				}
			}
		})
	}
	group.Wait()
}

func (r *rig) acceptNext() error {
	number := r.taken.Add(1)
	_, err := r.runner.Accept(context.Background(), r.actor, actions.Submission{Key: fmt.Sprintf("key-%d", number), Kind: model.KindPayout, Account: account,
		Params: json.RawMessage(fmt.Sprintf(`{"payee":{"reference":"rep-%[1]d","name":"Ada Rep","destination":"acct_%[1]d","email":"rep%[1]d@example.com"},"amount":%[2]d,"currency":"USD","period":"2026-10"}`,
			number, 1000+number%10_000))})
	return err
}

// spent is what driving intents to their end took.
type spent struct {
	wall, cpu time.Duration
	commits   int64
}

// drive runs the engines and the audit log until n more intents are completed.
func (r *rig) drive(b testing.TB, n int) (s spent) {
	b.Helper()
	cpu, commits := r.at.cpu(), r.at.commits()
	s.wall = timed(func() { r.run(b, func() { r.awaitDone(b, n) }) })
	s.cpu, s.commits = r.at.cpu()-cpu, r.at.commits()-commits
	return s
}

// run lets the engines and the audit log work while fn runs.
func (r *rig) run(b testing.TB, fn func()) {
	ctx, stop := context.WithCancel(context.Background())
	var group sync.WaitGroup
	r.engines = nil
	for _, cfg := range r.configs {
		e := engine.New(cfg)
		if err := e.Start(ctx); err != nil {
			b.Fatal(err)
		}
		r.engines = append(r.engines, e)
		group.Go(func() {
			if err := e.Run(ctx); err != nil {
				b.Error(err)
			}
		})
	}
	group.Go(func() { _ = r.log.Run(ctx) })
	fn()
	stop()
	group.Wait()
}

func (r *rig) awaitDone(b testing.TB, n int) {
	b.Helper()
	want := r.done + n
	for until := time.Now().Add(2 * time.Minute); r.done < want; time.Sleep(20 * time.Millisecond) {
		err := r.db.View(context.Background(), func(tx *store.Tx) error {
			_, err := tx.Get(&r.done, "SELECT count(*) FROM intents WHERE account = ? AND state = 'completed'", account)
			return err
		})
		if err != nil {
			b.Fatal(err)
		}
		if time.Now().After(until) {
			b.Fatalf("%d of %d intents are completed; the others: %s", r.done, want, r.others())
		}
	}
}

// others says what became of the intents that are not completed.
func (r *rig) others() string {
	var list []string
	err := r.db.View(context.Background(), func(tx *store.Tx) error {
		return tx.Select(&list, "SELECT DISTINCT state || ': ' || reason FROM intents WHERE state <> 'completed' ORDER BY 1 LIMIT 10")
	})
	return fmt.Sprint(list, err)
}

// pace accepts so many intents a second for a while, and gives how long each
// took from acceptance to completion, by stored times, in order.
func (r *rig) pace(b testing.TB, perSecond float64) (lags []time.Duration) {
	b.Helper()
	before := r.taken.Load()
	n := max(int(perSecond*paced.Seconds()), 20)
	r.run(b, func() {
		var group sync.WaitGroup
		every := time.NewTicker(paced / time.Duration(n))
		defer every.Stop()
		for range n {
			<-every.C
			group.Go(func() {
				if err := r.acceptNext(); err != nil {
					b.Error(err)
				}
				for _, e := range r.engines {
					e.Wake()
				}
			})
		}
		group.Wait()
		r.awaitDone(b, n)
	})
	var took []int64
	err := r.db.View(context.Background(), func(tx *store.Tx) error {
		return tx.Select(&took, "SELECT updated_at - created_at FROM intents WHERE account = ? ORDER BY created_at DESC LIMIT ?", account, r.taken.Load()-before)
	})
	if err != nil {
		b.Fatal(err)
	}
	for _, µs := range took {
		lags = append(lags, time.Duration(µs)*time.Microsecond)
	}
	return sorted(lags)
}
