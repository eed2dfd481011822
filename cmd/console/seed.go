package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"time"

	"countersign/internal/actions"
	"countersign/internal/authz"
	"countersign/internal/engine"
	"countersign/internal/model"
	"countersign/internal/store"
	"countersign/internal/workflow"
)

// staged is how long before the first start the sample work begins, on a clock
// that is moved from one due moment to the next.
const staged = 3 * time.Hour

// seeding makes the sample work: the real engine against the real sandbox, at
// the normal pace on the staged clock.
type seeding struct {
	*demo
	engine *engine.Engine
	runner *actions.Runner
	from   time.Time    // the beginning of the staged time
	until  time.Time    // its end, which is the present
	armed  []armedFault // by an earlier, interrupted start
}

// seededFile says that the directory has its sample work, or never gets any.
func (c *demoCommand) seededFile() string { return filepath.Join(c.Data, "demo.seeded") }

// seeding reports whether sample work is to be made.
func (c *demoCommand) seeding() (bool, error) {
	_, err := os.Stat(c.seededFile())
	if errors.Is(err, fs.ErrNotExist) {
		return !c.Empty, nil
	}
	return false, err
}

func (c *demoCommand) markSeeded() error {
	return os.WriteFile(c.seededFile(), []byte("No more sample work is made in this directory.\n"), 0o600)
}

// seed makes the sample work. Where an earlier start was interrupted it goes
// on: what was posted is posted already, what people did they have done.
func (d *demo) seed(ctx context.Context) error {
	s := &seeding{demo: d, until: time.Now()}
	s.from = s.until.Add(-staged)
	d.clock.stage(d.db.Now().Std())
	if err := s.wire(ctx); err != nil {
		return err
	}
	hooks, err := s.receive()
	if err != nil {
		return err
	}
	defer hooks.Close()
	if err := s.play(ctx); err != nil {
		return err
	}
	return s.strike(ctx)
}

// strike takes the stage down: no faults, no webhooks, no engine is left.
func (s *seeding) strike(ctx context.Context) error {
	if err := s.sandbox.SetWebhook("", ""); err != nil {
		return err
	}
	if err := s.faults(ctx, http.MethodDelete, nil, nil); err != nil {
		return err
	}
	ended, end := context.WithCancel(ctx)
	end()
	if err := s.engine.Run(ended); err != nil { // records that this start of an engine is over
		return err
	}
	return s.numberRest(ctx)
}

// wire makes an engine and a runner at the normal pace, with even jitter.
func (s *seeding) wire(ctx context.Context) error {
	providers, err := s.providers("normal")
	if err != nil {
		return err
	}
	book, timing := workflow.NewBook(providers), model.NormalPace()
	s.runner = actions.New(s.db, s.log, book, timing, authz.DefaultTiers)
	s.engine = engine.New(engine.Config{DB: s.db, Log: s.log, Book: book, Providers: providers, Timing: timing, Workers: demoWorkers,
		Clock: s.clock.Now, Logger: s.logger, Spread: func() float64 { return 0.5 }})
	return s.engine.Start(ctx)
}

// receive takes the sandbox's webhooks while the pages are still closed.
func (s *seeding) receive() (*http.Server, error) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return nil, err
	}
	server := &http.Server{ReadHeaderTimeout: 10 * time.Second, Handler: webhookHandler(s.engine)}
	go server.Serve(listener) // until it is closed
	return server, s.sandbox.SetWebhook("http://"+listener.Addr().String()+"/webhooks/"+bank, s.secret)
}

// scene is one moment of the staged time.
type scene struct {
	at time.Duration
	do func(context.Context) error
}

// play goes through all scenes in the order of their moments.
func (s *seeding) play(ctx context.Context) error {
	var left struct {
		Faults []armedFault `json:"faults"`
	}
	if err := s.faults(ctx, http.MethodGet, nil, &left); err != nil {
		return err
	}
	s.armed = left.Faults
	var scenes []scene
	for _, sample := range samples() {
		scenes = append(scenes, s.scenes(sample)...)
	}
	slices.SortStableFunc(scenes, func(a, b scene) int { return cmp.Compare(a.at, b.at) })
	for _, scene := range scenes {
		if err := s.workUntil(ctx, s.from.Add(scene.at)); err != nil {
			return err
		}
		if err := scene.do(ctx); err != nil {
			return err
		}
	}
	return s.workUntil(ctx, s.until)
}

// scenes are what happens about one sample. Its faults come first: they are
// armed before anything can be sent.
func (s *seeding) scenes(sample sample) (list []scene) {
	id := sample.id(s.db.Installation)
	for _, f := range sample.faults {
		list = append(list, scene{sample.starts + f.after, func(ctx context.Context) error { return s.arm(ctx, id, f) }})
	}
	list = append(list, scene{sample.starts, func(ctx context.Context) error { return s.post(ctx, sample) }})
	for _, d := range sample.deeds {
		list = append(list, scene{sample.starts + d.after, func(ctx context.Context) error { return s.act(ctx, sample, d) }})
	}
	return list
}

// workUntil lets engine and sandbox do all that is due up to a moment.
func (s *seeding) workUntil(ctx context.Context, at time.Time) error {
	for stalled := 0; stalled < maxStalled; stalled++ {
		next, err := s.work(ctx)
		switch {
		case ctx.Err() != nil:
			return ctx.Err()
		case err != nil:
			return err
		case next.IsZero() || next.After(at):
			s.clock.stage(at)
			return nil
		}
		if next.After(s.clock.Now()) {
			stalled = 0
		}
		s.clock.stage(next)
	}
	return fmt.Errorf("work that is due at %s is not done after %d passes", s.clock.Now(), maxStalled)
}

// maxStalled is how many passes may find the same moment's work.
const maxStalled = 1000

// work does what is due now, and tells when something is due next.
func (s *seeding) work(ctx context.Context) (time.Time, error) {
	next, err := s.sandbox.CatchUp(ctx)
	if err != nil {
		return next, err
	}
	s.engine.Pass(context.WithoutCancel(ctx)) // what is in flight is finished
	var wake model.Time
	err = s.db.View(ctx, func(tx *store.Tx) (err error) {
		wake, err = tx.NextWake()
		return err
	})
	if wake != 0 && (next.IsZero() || wake.Std().Before(next)) {
		next = wake.Std()
	}
	return next, err
}

// post accepts a sample, unless an earlier, interrupted start did.
func (s *seeding) post(ctx context.Context, sample sample) error {
	if _, err := s.find(ctx, sample.id(s.db.Installation)); model.KindOf(err) != model.NotFound {
		return err
	}
	actor, err := s.actor(ctx, cmp.Or(sample.poster, demoServiceKey))
	if err != nil {
		return err
	}
	body, err := sample.body(s.until)
	if err != nil {
		return err
	}
	_, err = s.runner.Accept(ctx, actor, actions.Submission{Key: sample.key, Kind: sample.kind, Account: sample.owner(), Params: body})
	if err != nil {
		return fmt.Errorf("post %s: %w", sample.key, err)
	}
	return nil
}

// find reads an intent; the error is of kind NotFound before it is posted.
func (s *seeding) find(ctx context.Context, id string) (c *model.Case, err error) {
	err = s.db.View(ctx, func(tx *store.Tx) (err error) {
		c, err = tx.Case(id)
		return err
	})
	return c, err
}

// actor is a person, or the service key, with the key that the demo hands out.
func (s *seeding) actor(ctx context.Context, who string) (actor authz.Actor, err error) {
	err = s.db.View(ctx, func(tx *store.Tx) error {
		stored, err := tx.ActorByKey(s.keys[who])
		actor = authz.Actor(stored)
		return err
	})
	return actor, err
}

// act does what a person does about a sample. What is refused was done by an
// earlier, interrupted start.
func (s *seeding) act(ctx context.Context, sample sample, d deed) error {
	actor, err := s.actor(ctx, d.who)
	if err != nil {
		return err
	}
	if d.action == approve {
		err = s.sign(ctx, sample, actor, d)
	} else {
		err = s.confirm(ctx, sample, actor, d)
	}
	if problem, ok := errors.AsType[*model.Error](err); ok && problem.Code == "action-refused" {
		s.logger.Warn("sample act refused", "sample", sample.key, "action", d.action, "because", problem.Message)
		return nil
	}
	if err != nil {
		return fmt.Errorf("%s of %s: %w", d.action, sample.key, err)
	}
	return nil
}

func (s *seeding) confirm(ctx context.Context, sample sample, actor authz.Actor, d deed) error {
	preview, err := s.runner.Preview(ctx, actor, actions.PreviewRequest{Intent: sample.id(s.db.Installation), Action: d.action, Step: d.step})
	if err != nil {
		return err
	}
	_, err = s.runner.Confirm(ctx, actor, preview.ID, actions.Confirmation{Reason: d.reason, Digest: preview.Digest})
	return err
}

func (s *seeding) sign(ctx context.Context, sample sample, actor authz.Actor, d deed) error {
	c, err := s.find(ctx, sample.id(s.db.Installation))
	if err != nil {
		return err
	}
	request := c.OpenRequest()
	if request == nil {
		return nil
	}
	_, err = s.runner.Approve(ctx, actor, request.ID, actions.Confirmation{Reason: d.reason, Digest: request.Digest})
	return err
}

// webhookHandler hands events to the engine, which verifies them.
func webhookHandler(e *engine.Engine) http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("POST /webhooks/{provider}", func(w http.ResponseWriter, r *http.Request) {
		raw, err := io.ReadAll(r.Body)
		if err == nil {
			err = e.Receive(r.Context(), r.PathValue("provider"), r.Header, raw)
		}
		if err != nil {
			http.Error(w, "not taken", http.StatusServiceUnavailable) // the sandbox brings it again
		}
	})
	return mux
}
