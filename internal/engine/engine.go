package engine

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"math/rand/v2"
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
	// Host is this machine on a database that other processes drive too; nil
	// where this process holds the database's own lock.
	Host *store.Host
	// Place is where the database is driven, by store.LockPlace: whoever holds
	// its lock knows that no other process drives the same place.
	Place    string
	Observer Observer // counts; nil is nobody
}

// Engine drives the intents of one database. Its methods are safe for
// concurrent use.
type Engine struct {
	Config
	boot      string
	lock      *store.Lock // of this start on this machine; nil without Host
	wake      chan struct{}
	draining  atomic.Bool
	gathering *gathering
	beaten    time.Time   // when leases were renewed last; Run alone uses it
	flights   sync.Map    // intents with a job under way here
	holding   atomic.Bool // a restore hold has work left
	turning   atomic.Bool // and has not made everything doubtful yet: nothing is claimed
	clockOff  sync.Map    // by provider: why no unknown step is sent again now
}

// pollEvery bounds how long the engine sleeps without looking; soonest is for
// what is due already, and in other hands for the moment.
const (
	pollEvery = 500 * time.Millisecond
	soonest   = 5 * time.Millisecond
	// gather is how long a claim waits while others work here: what one commit
	// ended leaves together, and is replaced together.
	gather = 2 * time.Millisecond
)

// New makes an engine; Start prepares it.
func New(cfg Config) *Engine {
	if cfg.Clock == nil {
		cfg.Clock = time.Now
	}
	if cfg.Logger == nil {
		cfg.Logger = slog.New(slog.DiscardHandler)
	}
	if cfg.Observer == nil {
		cfg.Observer = nobody{}
	}
	if cfg.Spread == nil {
		cfg.Spread = rand.Float64
	}
	return &Engine{Config: cfg, boot: newBoot(), wake: make(chan struct{}, 1), gathering: newGathering(cfg.DB)}
}

// newBoot names a start of a process: short enough to be read aloud, and with
// 45 random bits never the same twice.
func newBoot() string {
	id := strings.ToLower(ulid.Make().String())
	return id[len(id)-9:]
}

// Boot names this start, as its leases and attempts carry it.
func (e *Engine) Boot() string { return e.boot }

// Wake tells this engine, and those of other processes on the same database,
// that there may be something to do now.
func (e *Engine) Wake() {
	e.rouse()
	e.DB.Nudge()
}

// rouse wakes this engine alone.
func (e *Engine) rouse() {
	select {
	case e.wake <- struct{}{}:
	default:
	}
}

// Run works until ctx ends; then it claims nothing more, finishes what is in
// flight, and records that this start is over. It ends with an error of kind
// Conflict when this start was declared dead.
func (e *Engine) Run(ctx context.Context) error {
	var group sync.WaitGroup
	slots := make(chan struct{}, max(e.Workers, 1))
	e.beaten = e.Clock()
	listening, stop := context.WithCancel(ctx)
	defer stop()
	group.Go(func() { e.DB.Listen(listening, e.rouse) })
	if e.Timing.Sweep > 0 {
		group.Go(func() { e.sweeping(listening) })
	}
	var dead error
	for ctx.Err() == nil && dead == nil {
		dead = e.beat(ctx)
		e.tended(ctx, e.Timing.Sweep == 0)
		if len(slots) > 0 {
			pause(ctx, gather) // those whose commit has just ended are not all gone yet
		}
		free := cap(slots) - len(slots)
		jobs := e.claim(ctx, free)
		for _, j := range jobs {
			slots <- struct{}{}
			group.Go(func() {
				defer func() { <-slots; e.rouse() }()
				e.follow(context.WithoutCancel(ctx), j)
			})
		}
		if len(jobs) < free || free == 0 {
			e.sleep(ctx)
		}
	}
	e.draining.Store(true)
	e.Logger.Info("ending: nothing more is claimed, and what is in flight is finished", "in_flight", len(slots))
	stop()
	group.Wait()
	return errors.Join(dead, e.end(context.WithoutCancel(ctx)))
}

// sleep waits for a hint, for the next thing that is due, or a little while.
func (e *Engine) sleep(ctx context.Context) {
	wait := pollEvery
	err := e.DB.View(ctx, func(tx *store.Tx) error {
		at, err := tx.NextWake()
		if at != 0 {
			wait = min(wait, max(at.Sub(tx.Now()), soonest))
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

func pause(ctx context.Context, d time.Duration) {
	select {
	case <-time.After(d):
	case <-ctx.Done():
	}
}

// Pass claims once what is due, does all that follows from it, and reports how
// many pieces of work that was. Tests and the demo's first start drive it.
func (e *Engine) Pass(ctx context.Context) (done int) {
	e.tended(ctx, true)
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
	e.flights.Store(j.intent, true)
	defer e.flights.Delete(j.intent)
	for j != nil {
		j = e.perform(ctx, j)
	}
}

// underWay lists the intents that this engine has a job of.
func (e *Engine) underWay() (intents []string) {
	e.flights.Range(func(intent, _ any) bool { intents = append(intents, intent.(string)); return true })
	return intents
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

// watchClock compares the clock that stored times follow with a provider's Date
// header; skew is that header less this process's own clock, 0 is unknown.
func (e *Engine) watchClock(provider string, skew time.Duration) {
	if skew == 0 {
		return
	}
	if skew -= e.DB.Ahead(); skew.Abs() <= maxSkew {
		e.clockOff.Delete(provider)
		return
	}
	why := fmt.Sprintf("the clock is %s off that of %s; unknown steps are not sent again", skew.Round(time.Second), provider)
	e.clockOff.Store(provider, why)
	e.Logger.Warn("clock is off", "provider", provider, "skew", skew)
}

func (e *Engine) actor() audit.Actor {
	return audit.Actor{Type: string(model.ActorEngine), ID: "engine", Name: "engine"}
}
