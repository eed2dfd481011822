package engine

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"math/rand/v2"
	"os"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/oklog/ulid/v2"

	"countersign/internal/audit"
	"countersign/internal/model"
	"countersign/internal/provider"
	"countersign/internal/store"
	"countersign/internal/workflow"
)

// Config is what an engine needs.
type Config struct {
	DB        *store.DB
	Log       *audit.Log
	Book      *workflow.Book
	Providers *provider.Registry
	Timing    model.Timing
	Workers   int              // effects and looks under way at once
	Clock     func() time.Time // as the database's; time.Now when nil
	Logger    *slog.Logger
	Spread    func() float64 // jitter in [0, 1); random when nil
}

// Engine drives the intents of one database. Its methods are safe for
// concurrent use.
type Engine struct {
	Config
	boot     string
	wake     chan struct{}
	draining atomic.Bool
	clockOff sync.Map // by provider: why no unknown step is sent again now
}

// pollEvery bounds how long the engine sleeps without looking.
const pollEvery = 500 * time.Millisecond

// New makes an engine; Start prepares it.
func New(cfg Config) *Engine {
	if cfg.Clock == nil {
		cfg.Clock = time.Now
	}
	if cfg.Logger == nil {
		cfg.Logger = slog.New(slog.DiscardHandler)
	}
	if cfg.Spread == nil {
		cfg.Spread = rand.Float64
	}
	return &Engine{Config: cfg, boot: newBoot(), wake: make(chan struct{}, 1)}
}

// newBoot names a start of a process: short enough to be read aloud, and with
// 45 random bits never the same twice.
func newBoot() string {
	id := strings.ToLower(ulid.Make().String())
	return id[len(id)-9:]
}

// Start records this start and the contracts in force. The caller holds the
// database's lock, so every earlier start is dead: what it held is recovered at once.
func (e *Engine) Start(ctx context.Context) error {
	host, err := os.Hostname()
	if err != nil {
		return fmt.Errorf("name of this host: %w", err)
	}
	return e.DB.Update(ctx, func(tx *store.Tx) error {
		if err := tx.RecordContracts(e.Providers.Contracts()); err != nil {
			return err
		}
		if err := e.enrolSweeps(tx); err != nil {
			return err
		}
		boot := store.Boot{ID: e.boot, Host: host, PID: os.Getpid(), StartedAt: tx.Now(), SeenAt: tx.Now()}
		if err := tx.InsertBoot(boot); err != nil {
			return err
		}
		return tx.ReleaseDead()
	})
}

// Wake tells the engine that there may be something to do now.
func (e *Engine) Wake() {
	select {
	case e.wake <- struct{}{}:
	default:
	}
}

// Run works until ctx ends; then it claims nothing more, finishes what is in
// flight, and records that this start is over.
func (e *Engine) Run(ctx context.Context) error {
	var group sync.WaitGroup
	slots := make(chan struct{}, max(e.Workers, 1))
	seen := e.Clock()
	if e.Timing.Sweep > 0 {
		group.Go(func() { e.sweeping(ctx) })
	}
	for ctx.Err() == nil {
		seen = e.beSeen(ctx, seen)
		free := cap(slots) - len(slots)
		jobs := e.claim(ctx, free)
		for _, j := range jobs {
			slots <- struct{}{}
			group.Go(func() {
				defer func() { <-slots; e.Wake() }()
				e.follow(context.WithoutCancel(ctx), j)
			})
		}
		if len(jobs) < free || free == 0 {
			e.sleep(ctx)
		}
	}
	e.draining.Store(true)
	group.Wait()
	end := context.WithoutCancel(ctx)
	return e.DB.Update(end, func(tx *store.Tx) error { return tx.EndBoot(e.boot) })
}

// beSeen records that this start is alive, as often as leases are renewed; last
// is when that was done last.
func (e *Engine) beSeen(ctx context.Context, last time.Time) time.Time {
	now := e.Clock()
	if now.Sub(last) < e.Timing.Renew {
		return last
	}
	err := e.DB.Update(ctx, func(tx *store.Tx) error { return tx.SeeBoot(e.boot) })
	if err != nil && ctx.Err() == nil {
		e.Logger.Error("this start could not be recorded as alive", "err", err)
	}
	return now
}

// sleep waits for a hint, for the next thing that is due, or a little while.
func (e *Engine) sleep(ctx context.Context) {
	wait := pollEvery
	err := e.DB.View(ctx, func(tx *store.Tx) error {
		at, err := tx.NextWake()
		if at != 0 {
			wait = min(wait, max(at.Sub(tx.Now()), time.Millisecond))
		}
		return err
	})
	if err != nil && !errors.Is(err, context.Canceled) {
		e.Logger.Error("looking for due work failed", "err", err)
	}
	select {
	case <-e.wake:
	case <-time.After(wait):
	case <-ctx.Done():
	}
}

// Pass claims once what is due, does all that follows from it, and reports how
// many pieces of work that was. Tests and the demo's first start drive it.
func (e *Engine) Pass(ctx context.Context) (done int) {
	jobs := e.claim(ctx, max(e.Workers, 1))
	var group sync.WaitGroup
	for _, j := range jobs {
		group.Go(func() { e.follow(ctx, j) })
	}
	group.Wait()
	return len(jobs)
}

// follow performs a job and everything that it leads to under the same lease.
func (e *Engine) follow(ctx context.Context, j *job) {
	for j != nil {
		j = e.perform(ctx, j)
	}
}

// Healthy reports why sending is held back, or nil: the clock is the one thing
// that the engine watches by itself.
func (e *Engine) Healthy() error { return e.ClockFault() }

// ClockFault reports why the clock is not trusted, or nil.
func (e *Engine) ClockFault() error {
	var off error
	e.clockOff.Range(func(_, why any) bool { off = errors.New(why.(string)); return false })
	if off != nil {
		return off
	}
	if behind := e.DB.Behind(); behind > maxBehind {
		return fmt.Errorf("the clock is %s behind the latest stored time; unknown steps are not sent again", behind.Round(time.Second))
	}
	return nil
}

// The limits beyond which the clock is not trusted with windows.
const (
	maxBehind = 5 * time.Second
	maxSkew   = time.Minute
)

// watchClock compares our clock with a provider's Date header.
func (e *Engine) watchClock(provider string, skew time.Duration) {
	if skew.Abs() <= maxSkew {
		if skew != 0 {
			e.clockOff.Delete(provider)
		}
		return
	}
	why := fmt.Sprintf("the clock is %s off that of %s; unknown steps are not sent again", skew.Round(time.Second), provider)
	e.clockOff.Store(provider, why)
	e.Logger.Warn("clock is off", "provider", provider, "skew", skew)
}

func (e *Engine) actor() audit.Actor {
	return audit.Actor{Type: string(model.ActorEngine), ID: "engine", Name: "engine"}
}
