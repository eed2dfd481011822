package moments

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/labstack/echo/v4"

	"countersign/internal/actions"
	"countersign/internal/audit"
	"countersign/internal/authz"
	"countersign/internal/engine"
	"countersign/internal/model"
	"countersign/internal/provider"
	"countersign/internal/provider/sandbox"
	"countersign/internal/provider/sandbox/server"
	"countersign/internal/store"
	"countersign/internal/store/storetest"
	"countersign/internal/web/api"
	"countersign/internal/workflow"
)

const (
	account       = "acme"
	webhookSecret = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"
)

// clock is the one time of a world: it stands still until it is moved.
type clock struct {
	wall bool // real time, of which the database has a clock of its own; it cannot be moved
	mu   sync.Mutex
	now  time.Time
}

func (c *clock) Now() time.Time {
	if c.wall {
		return time.Now()
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.now
}

func (c *clock) Add(d time.Duration) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.now = c.now.Add(d)
}

// world is a whole installation: database, engine and a provider with books.
type world struct {
	t      testing.TB
	dir    string
	place  string // of the database
	clock  *clock
	timing model.Timing
	bank   *server.Server
	cfg    server.Config // the bank's
	hooks  *httptest.Server
	behind atomic.Int64 // by how many ns our clock is behind the provider's

	mu     sync.Mutex
	engine *engine.Engine
	db     *store.DB
	log    *audit.Log
	book   *workflow.Book
	act    *actions.Runner
	// hooks around commits, for deaths and lies of the database
	before, after func() error
	dead          atomic.Bool
	api           *echo.Echo // the interface for programs, as it is served
	memory        *memory
	// between stands between the engine and the provider, where a test wants it.
	between func(provider.Adapter) provider.Adapter
	workers int // calls of the engine under way at once; 0 is four

	people cast
}

type option func(*server.Config)

// newWorld starts everything on empty books.
func newWorld(t testing.TB, opts ...option) *world {
	t.Helper()
	return newWorldAt(t, storetest.Place(t), &clock{now: time.Date(2026, 11, 27, 9, 0, 0, 0, time.UTC)}, opts...)
}

// newWorldAt starts everything on the empty database of that address.
func newWorldAt(t testing.TB, place string, c *clock, opts ...option) *world {
	t.Helper()
	w := &world{t: t, dir: t.TempDir(), place: place, memory: newMemory(), clock: c, timing: model.NormalPace()}
	w.timing.Call = 2 * time.Second // a hanging provider must not hold the test up
	w.hooks = httptest.NewServer(http.HandlerFunc(w.receive))
	t.Cleanup(w.hooks.Close)
	cfg := server.Config{Data: filepath.Join(w.dir, "sandbox.db"), Addr: "127.0.0.1:0", Now: w.clock.Now, Settle: 2 * time.Second,
		WebhookURL: w.hooks.URL, WebhookSecret: webhookSecret, Logger: slog.New(slog.DiscardHandler)}
	for _, opt := range opts {
		opt(&cfg)
	}
	bank, err := server.Open(cfg)
	if err != nil {
		t.Fatal(err)
	}
	if err := bank.Start(); err != nil {
		t.Fatal(err)
	}
	w.bank, w.cfg = bank, cfg
	t.Cleanup(func() {
		ctx, cancel := context.WithTimeout(context.Background(), 5*time.Second)
		defer cancel()
		bank.Close(ctx)
	})
	w.start(cfg)
	return w
}

// start opens the database and a new engine on it.
func (w *world) start(cfg server.Config) {
	w.t.Helper()
	adapter := sandbox.New(sandbox.Config{Name: "bank", URL: w.bank.URL(), Secret: webhookSecret, Retention: cfg.Retention, Stores: model.Stored(cfg.Stores), Clock: w.ours})
	registry := must(provider.NewRegistry(map[string]provider.Adapter{"bank": w.toBank(adapter)}, map[string]provider.Routes{
		provider.AnyAccount: {Payouts: "bank", Credits: "bank", Disputes: "bank", Messages: "bank"}}))(w.t)
	db := must(store.Open(context.Background(), w.place, store.Options{Clock: w.stored(),
		BeforeCommit: w.hook(&w.before), AfterCommit: w.hook(&w.after)}))(w.t)
	w.mu.Lock()
	w.db, w.log, w.book = db, audit.New(db, bytes.Repeat([]byte{7}, 32)), workflow.NewBook(registry)
	w.act = actions.New(db, w.log, w.book, w.timing, authz.DefaultTiers)
	w.engine = engine.New(engine.Config{DB: db, Log: w.log, Book: w.book, Providers: registry, Timing: w.timing, Workers: cmp.Or(w.workers, 4),
		Clock: w.ours, Logger: w.logger(), Spread: func() float64 { return 0.5 }, Place: w.lockPlace()})
	w.log.KeepOutside(audit.OutsideBeside(filepath.Join(w.dir, "countersign.key"), db.Installation))
	w.api = echo.New()
	api.Register(w.api, api.Deps{DB: db, Log: w.log, Runner: w.act, Timing: w.timing, Tiers: authz.DefaultTiers})
	w.mu.Unlock()
	w.t.Cleanup(func() { db.Close() })
	if store.IsPostgres(w.place) {
		w.update(buried)
	}
	if err := w.engine.Start(context.Background()); err != nil {
		w.t.Fatal(err)
	}
	w.update(w.cast)
}

// lockPlace is where the database is driven, "" where no lock tells.
func (w *world) lockPlace() string { return must(store.LockPlace(w.place))(w.t) }

// buried says what a file's lock says on SQLite: the world's processes before
// this one are dead. Of a copy's nothing is known.
func buried(tx *store.Tx) error {
	if _, marked, err := tx.Mark(); err != nil || marked {
		return err
	}
	alive, err := tx.Alive("")
	for _, b := range alive {
		if err == nil {
			_, err = tx.Bury(b.ID, "its test ended it")
		}
	}
	return err
}

// ours is the clock of our own processes.
func (w *world) ours() time.Time { return w.clock.Now().Add(-time.Duration(w.behind.Load())) }

// stored is the clock that stored times follow; nil is the database's own.
func (w *world) stored() func() time.Time {
	if w.clock.wall {
		return nil
	}
	return w.ours
}

// toBank is the engine's way to the provider.
func (w *world) toBank(a provider.Adapter) provider.Adapter {
	if w.between == nil {
		return a
	}
	return w.between(a)
}

// restart is what happens after a death: everything in memory is gone.
func (w *world) restart() {
	w.t.Helper()
	w.set(nil, nil)
	w.db.Close()
	w.start(w.cfg)
}

func (w *world) logger() *slog.Logger {
	if os.Getenv("MOMENTS_LOG") == "" {
		return slog.New(slog.DiscardHandler)
	}
	return slog.New(slog.NewTextHandler(w.t.Output(), &slog.HandlerOptions{Level: slog.LevelDebug}))
}

// hook gives the database a function that can be exchanged while it runs.
func (w *world) hook(f *func() error) func() error {
	return func() error {
		w.mu.Lock()
		h := *f
		w.mu.Unlock()
		if h == nil {
			return nil
		}
		return h()
	}
}

func (w *world) set(before, after func() error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.before, w.after = before, after
}

func (w *world) receive(rw http.ResponseWriter, r *http.Request) {
	raw, _ := io.ReadAll(r.Body)
	w.mu.Lock()
	e := w.engine
	w.mu.Unlock()
	if e == nil || e.Receive(r.Context(), "bank", r.Header, raw) != nil {
		rw.WriteHeader(http.StatusServiceUnavailable)
	}
}

// must turns a pair of value and error into the value.
func must[T any](value T, err error) func(testing.TB) T {
	return func(t testing.TB) T {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
		return value
	}
}

// fault arms a fault of the provider.
func (w *world) fault(name string, times int, match map[string]any, ms int) {
	w.t.Helper()
	body, _ := json.Marshal(map[string]any{"match": match, "fault": name, "times": times, "ms": ms})
	resp, err := http.Post(w.bank.URL()+"/faults", "application/json", bytes.NewReader(body))
	if err != nil {
		w.t.Fatal(err)
	}
	defer resp.Body.Close()
	if text, _ := io.ReadAll(resp.Body); resp.StatusCode >= 300 {
		w.t.Fatalf("arm %s: %d %s", name, resp.StatusCode, text)
	}
}

// posts is the match of every request that acts.
func posts(path string) map[string]any { return map[string]any{"method": "POST", "path": path} }

// looks is the match of every request that only looks.
func looks() map[string]any { return map[string]any{"method": "GET"} }

// effect is one line of the provider's own books.
type effect struct {
	Operation  string     `json:"operation"`
	Key        string     `json:"key"` // "" without one
	Reference  string     `json:"reference"`
	BodySHA256 string     `json:"body_sha256"`
	Amount     int64      `json:"amount"`
	Currency   string     `json:"currency"`
	At         time.Time  `json:"at"`
	UndoneAt   *time.Time `json:"undone_at"`
}

// books reads what really happened.
func (w *world) books() []effect {
	w.t.Helper()
	resp, err := http.Get(w.bank.URL() + "/books")
	if err != nil {
		w.t.Fatal(err)
	}
	defer resp.Body.Close()
	var list struct{ Effects []effect }
	if err := json.NewDecoder(resp.Body).Decode(&list); err != nil {
		w.t.Fatal(err)
	}
	return list.Effects
}

// effects counts the standing effects of one operation.
func (w *world) effects(operation string) (n int) {
	for _, e := range w.books() {
		if e.Operation == operation && e.UndoneAt == nil {
			n++
		}
	}
	return n
}

// grace is how far past its span a run goes on for what is put off briefly.
const grace = time.Second

// run lets the engine work for a span of its time: it does what is due, then
// the clock jumps to what is due next.
func (w *world) run(span time.Duration) {
	w.t.Helper()
	end := w.clock.Now().Add(span)
	for range 2000 {
		settles, err := w.bank.CatchUp(context.Background())
		if err != nil {
			w.t.Fatal(err)
		}
		if w.engine.Pass(context.Background()) > 0 {
			continue
		}
		now, next := w.clock.Now(), sooner(w.nextWake(), settles)
		switch {
		case !next.IsZero() && next.Before(end.Add(grace)): // also what is about to be due
			w.clock.Add(max(next.Sub(now), time.Microsecond))
		case now.Before(end):
			w.clock.Add(min(10*time.Minute, end.Sub(now)))
		default:
			return
		}
	}
	w.t.Fatal("the engine does not come to rest")
}

// sooner is the earlier of two moments, of which zero is none.
func sooner(a, b time.Time) time.Time {
	if a.IsZero() || !b.IsZero() && b.Before(a) {
		return b
	}
	return a
}

func (w *world) update(fn func(*store.Tx) error) {
	w.t.Helper()
	if err := w.db.Update(context.Background(), fn); err != nil {
		w.t.Fatal(err)
	}
}

func (w *world) nextWake() time.Time {
	var at model.Time
	if err := w.db.View(context.Background(), func(tx *store.Tx) (err error) { at, err = tx.NextWake(); return err }); err != nil {
		w.t.Fatal(err)
	}
	return at.Std()
}

// load reads one intent.
func (w *world) load(id string) *model.Case {
	w.t.Helper()
	var c *model.Case
	if err := w.db.View(context.Background(), func(tx *store.Tx) (err error) { c, err = tx.Case(id); return err }); err != nil {
		w.t.Fatal(err)
	}
	return c
}

// expect checks the states of an intent and of one of its steps.
func (w *world) expect(id string, intent model.IntentState, step string, state model.StepState) {
	w.t.Helper()
	c := w.load(id)
	if c.State != intent || c.Step(step).State != state {
		w.t.Fatalf("intent is %s (%s), %s is %s; want %s, %s\n%s", c.State, c.Reason, step, c.Step(step).State, intent, state, describe(c))
	}
}

// describe prints what a failed expectation needs to be understood.
func describe(c *model.Case) string {
	var b strings.Builder
	for _, s := range c.Steps {
		b.WriteString("  " + s.Name + " " + string(s.State) + " " + s.Code + " " + s.Reason + "\n")
		for _, a := range s.Attempts {
			b.WriteString("    attempt " + string(a.Trigger) + " " + a.StartedAt.String() + " " + string(a.Result) + " " + a.Code + " " + a.Reason + "\n")
		}
		for _, e := range s.Evidence {
			b.WriteString("    evidence " + string(e.Source) + " " + e.At.String() + " " + string(e.Says) + " " + e.Status + " " + e.Detail + "\n")
		}
	}
	return b.String()
}

// noFaults lifts every fault of the provider.
func (w *world) noFaults() {
	w.t.Helper()
	request := must(http.NewRequest(http.MethodDelete, w.bank.URL()+"/faults", nil))(w.t)
	must(http.DefaultClient.Do(request))(w.t).Body.Close()
}
