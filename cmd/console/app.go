package main

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"time"

	"golang.org/x/sync/errgroup"

	"countersign/internal/actions"
	"countersign/internal/alert"
	"countersign/internal/audit"
	"countersign/internal/engine"
	"countersign/internal/metrics"
	"countersign/internal/model"
	"countersign/internal/provider"
	"countersign/internal/store"
	"countersign/internal/web"
	"countersign/internal/workflow"
)

// appConfig says what an app is made of.
type appConfig struct {
	storage
	Addr    address // "" listens nowhere: workers only
	Workers int     // 0 runs no engine
	Timing  model.Timing
	Logger  *slog.Logger
	Clock   func() time.Time // of the database and the engine; time.Now when nil
	Spread  func() float64   // jitter of the engine's waits; random when nil
	Guide   *web.Demo        // nil outside the demo
	Probes  bool             // what listens is for monitors: no pages
	// StateDir has the locks of this machine's processes on a shared database.
	StateDir string
	Alerts   []alert.Channel // who is told what waits for people; none tells nobody
	// PublicURL is where people reach the pages; "" is where they listen.
	PublicURL string
}

// app is the whole product in one process: the database, the audit log, the
// engine, and the pages. It is opened, given its providers with start, run, and
// closed.
type app struct {
	appConfig
	lock     *store.Lock // of a SQLite file, which one process drives
	host     *store.Host // of a shared database
	db       *store.DB
	log      *audit.Log
	metrics  *metrics.Metrics
	engine   *engine.Engine
	runner   *actions.Runner // of the pages; nil without them
	listener net.Listener
	door     *web.Starting
	server   *http.Server
	served   chan error // what ended the server
}

// openApp takes the database and the port, so that everything which can be
// refused is refused before anything happens. A database server that does not
// answer is tried again until it does, or ctx ends.
func openApp(ctx context.Context, cfg appConfig) (_ *app, err error) {
	a := &app{appConfig: cfg}
	defer func() {
		if err != nil {
			err = errors.Join(err, a.Close())
		}
	}()
	if err = a.takeMachine(); err != nil {
		return nil, err
	}
	if err = a.openDoor(); err != nil {
		return nil, err
	}
	if err = a.reach(ctx); err != nil {
		return nil, err
	}
	a.log, err = openLog(ctx, a.db, a.keyPath())
	return a, err
}

// takeMachine takes the lock of a SQLite file, or joins this machine's
// processes on a shared database.
func (a *app) takeMachine() (err error) {
	if a.DB.Value.shared() {
		a.host, err = store.EnterHost(a.StateDir)
		return err
	}
	if a.lock, err = store.AcquireLock(a.DB.Value.dsn()); err != nil {
		return err
	}
	return notLost(a.DB.Value.dsn(), a.keyPath())
}

// openDoor listens. Callers wait, or are told of trouble, until start.
func (a *app) openDoor() (err error) {
	if a.Addr == "" {
		return nil
	}
	if a.listener, err = net.Listen("tcp", string(a.Addr)); err != nil {
		return model.Errorf(model.Invalid, "address", "the address %s cannot be listened on: %w; choose another with --addr, or port 0", a.Addr, err)
	}
	a.door, a.served = web.NewStarting(), make(chan error, 1)
	a.server = web.Listening(a.door, a.Logger)
	go func() { a.served <- a.server.Serve(a.listener) }()
	return nil
}

// The pauses between two tries to reach the database.
const (
	firstPause = 500 * time.Millisecond
	lastPause  = 15 * time.Second
)

// reach opens the database, again and again while its server does not answer.
func (a *app) reach(ctx context.Context) (err error) {
	for pause := firstPause; ; pause = min(2*pause, lastPause) {
		a.db, err = store.Open(ctx, a.DB.Value.dsn(), store.Options{Clock: a.Clock})
		if !errors.Is(err, model.Busy) || !a.DB.Value.shared() {
			return err
		}
		a.Logger.Warn("the database does not answer; trying again", "wait", pause, "err", err, "listening", a.listensOn())
		if a.door != nil {
			a.door.Trouble()
		}
		select {
		case <-time.After(pause):
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}

// listensOn is where the start is watched from; "" where nobody listens.
func (a *app) listensOn() string {
	if a.listener == nil {
		return ""
	}
	return a.listener.Addr().String()
}

// start wires the app to its providers, recovers what an earlier process left,
// and opens the pages.
func (a *app) start(ctx context.Context, providers *provider.Registry) error {
	book := workflow.NewBook(providers)
	place, err := store.LockPlace(a.DB.Value.dsn())
	if err != nil {
		return err
	}
	a.log.KeepOutside(a.outside(a.db.Installation))
	a.metrics = metrics.New(a.db, a.log)
	a.engine = engine.New(engine.Config{DB: a.db, Log: a.log, Book: book, Providers: providers, Timing: a.Timing, Workers: a.Workers,
		Clock: a.Clock, Logger: a.Logger, Spread: a.Spread, Host: a.host, Place: place, Observer: a.metrics})
	if err := a.engine.Start(ctx); err != nil {
		return fmt.Errorf("start the engine: %w", err)
	}
	if a.door != nil {
		if a.Probes {
			a.door.Open(a.probes())
		} else {
			a.door.Open(a.pages(book))
		}
	}
	return nil
}

// url is the address of the pages, as this machine reaches them.
func (a *app) url() string {
	addr := a.listener.Addr()
	if tcp, ok := addr.(*net.TCPAddr); ok && tcp.IP.IsUnspecified() {
		return fmt.Sprintf("http://localhost:%d", tcp.Port)
	}
	return "http://" + addr.String()
}

// stopWithin is how long requests under way may take once the app is to stop.
const stopWithin = 5 * time.Second

// Run works until ctx ends; then it accepts nothing more, finishes what is in
// flight, numbers the last audit entries, and returns nil.
func (a *app) Run(ctx context.Context) error {
	group, ctx := errgroup.WithContext(ctx)
	if a.server != nil {
		group.Go(func() error { return a.listen(ctx) })
	}
	if a.Workers > 0 {
		group.Go(func() error { return a.engine.Run(ctx) })
	}
	if a.runner != nil {
		group.Go(func() error { return a.runner.GoOn(ctx, a.engine.Wake, a.Logger) })
	}
	group.Go(func() error { return a.alertSender().Run(ctx) })
	logging, stopLog := context.WithCancel(context.WithoutCancel(ctx))
	defer stopLog()
	logged := make(chan error, 1)
	go func() { logged <- a.log.Run(logging) }()
	err := group.Wait()
	stopLog()
	if e := <-logged; !errors.Is(e, context.Canceled) {
		err = errors.Join(err, e)
	}
	return errors.Join(err, a.numberRest(context.WithoutCancel(ctx)))
}

// listen lets the server work until ctx ends, and then waits for the requests
// under way.
func (a *app) listen(ctx context.Context) error {
	select {
	case err := <-a.served:
		return fmt.Errorf("serve pages: %w", err)
	case <-ctx.Done():
	}
	last, cancel := context.WithTimeout(context.WithoutCancel(ctx), stopWithin)
	defer cancel()
	if err := a.server.Shutdown(last); err != nil {
		a.Logger.Warn("requests were cut at the stop", "err", err)
		return a.server.Close()
	}
	return nil
}

// numberRest gives the last entries their numbers and a checkpoint.
func (a *app) numberRest(ctx context.Context) error {
	for {
		n, err := a.log.Sequence(ctx)
		if err != nil {
			return fmt.Errorf("number the last audit entries: %w", err)
		}
		if n == 0 {
			return errors.Join(a.log.Seal(ctx), a.log.KeepNow(ctx))
		}
	}
}

// Close gives back what the app holds. It may be called on one that is half open.
func (a *app) Close() error {
	var errs []error
	if a.server != nil {
		errs = append(errs, a.server.Close())
	}
	if a.db != nil {
		errs = append(errs, a.db.Close())
	}
	if a.lock != nil {
		errs = append(errs, a.lock.Release())
	}
	return errors.Join(errs...)
}
