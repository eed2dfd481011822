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

// staged is how long before the first start the stories begin, on a clock that is
// moved from one due moment to the next; the history before them begins earlier.
const staged = 3 * time.Hour

// seedWorkers is how many effects are under way at once while sample work is
// made: a whole run of payouts, so that it takes few passes and few commits.
const seedWorkers = 64

// stagedBy is the mark in the audit entries of sample work.
const stagedBy = "sample work, made at the demo's first start on a staged clock"

// seeding makes the sample work: the real engine against the real sandbox, at
// the normal pace on the staged clock.
type seeding struct {
	*demo
	engine *engine.Engine
	runner *actions.Runner
	anchor time.Time    // the first start, by which the history's days go
	from   time.Time    // the beginning of the stories
	until  time.Time    // the end of the staged time, which is the present
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
	if _, err := os.Stat(c.seededFile()); err == nil {
		return nil
	}
	if err := keepFile(c.seededFile(), []byte("No more sample work is made in this directory.")); err != nil {
		return err
	}
	if err := os.Remove(c.seedPlanFile()); !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return nil
}

// seed makes the sample work. Where an earlier start was interrupted it goes
// on: what was posted is posted already, what people did they have done.
func (d *demo) seed(ctx context.Context) error {
	s := &seeding{demo: d, anchor: d.plan.Anchor, until: time.Now()}
	s.from = s.until.Add(-staged)
	d.clock.stage(d.db.Now().Std())
	if err := s.hurry(ctx); err != nil {
		return err
	}
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
	if err := s.faults(ctx, http.MethodDelete, "", nil, nil); err != nil {
		return err
	}
	ended, end := context.WithCancel(ctx)
	end()
	if err := s.engine.Run(ended); err != nil { // records that this start of an engine is over
		return err
	}
	if err := s.numberRest(ctx); err != nil {
		return err
	}
	s.log.Staged("")
	return errors.Join(s.db.Durable(ctx), s.sandbox.Durable(ctx))
}

// hurry lets commits return before they are on the disk, where the next start can
// tell that the machine stopped meanwhile.
func (s *seeding) hurry(ctx context.Context) error {
	if s.plan.Machine == "" {
		return nil
	}
	return errors.Join(s.db.Hurry(ctx), s.sandbox.Hurry(ctx))
}

// wire makes an engine and a runner at the normal pace, with even jitter.
func (s *seeding) wire(ctx context.Context) error {
	providers, err := s.providers("normal")
	if err != nil {
		return err
	}
	book, timing := workflow.NewBook(providers), model.NormalPace()
	s.runner = actions.New(s.db, s.log, book, timing, authz.DefaultTiers)
	s.engine = engine.New(engine.Config{DB: s.db, Log: s.log, Book: book, Providers: providers, Timing: timing, Workers: seedWorkers,
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

// scene is one moment of the staged time: something is posted, or done.
type scene struct {
	at   time.Duration // after from
	post *sample
	do   func(context.Context) error
}

// before orders scenes: of those of one moment, what is armed comes first and
// what is posted last, so that one batch may take all of it.
func (a scene) before(b scene) int {
	return cmp.Or(cmp.Compare(a.at, b.at), cmp.Compare(a.rank(), b.rank()))
}

func (a scene) rank() int {
	if a.post != nil {
		return 1
	}
	return 0
}

// play goes through all scenes in the order of their moments.
func (s *seeding) play(ctx context.Context) error {
	var left struct {
		Faults []armedFault `json:"faults"`
	}
	if err := s.faults(ctx, http.MethodGet, "", nil, &left); err != nil {
		return err
	}
	s.armed = left.Faults
	var scenes []scene
	for _, sample := range append(samples(), history(s.anchor, s.from)...) {
		scenes = append(scenes, s.scenes(sample)...)
	}
	slices.SortStableFunc(scenes, scene.before)
	for len(scenes) > 0 {
		n := together(scenes)
		if err := s.workUntil(ctx, s.from.Add(scenes[0].at)); err != nil {
			return err
		}
		if err := s.perform(ctx, scenes[:n]); err != nil {
			return err
		}
		scenes = scenes[n:]
	}
	return s.workUntil(ctx, s.until)
}

// together is how many of the next scenes are of one moment, and end with what is posted in it.
func together(scenes []scene) (n int) {
	for n < len(scenes) && scenes[n].at == scenes[0].at {
		n++
	}
	return n
}

// perform does what one moment holds.
func (s *seeding) perform(ctx context.Context, scenes []scene) error {
	var batch []*sample
	for _, scene := range scenes {
		if scene.post != nil {
			batch = append(batch, scene.post)
			continue
		}
		if err := scene.do(ctx); err != nil {
			return err
		}
	}
	return s.post(ctx, batch)
}

// scenes are what happens about one sample. Its faults come first: they are
// armed before anything can be sent.
func (s *seeding) scenes(sample sample) (list []scene) {
	id := sample.id(s.db.Installation)
	for _, f := range sample.faults {
		list = append(list, scene{at: sample.starts + f.after, do: func(ctx context.Context) error { return s.arm(ctx, id, f) }})
	}
	list = append(list, scene{at: sample.starts, post: &sample})
	for _, d := range sample.deeds {
		list = append(list, scene{at: sample.starts + d.after, do: func(ctx context.Context) error { return s.act(ctx, sample, d) }})
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

// post accepts samples, each batch in one go by whoever posts it. What an
// earlier, interrupted start posted is found, and is left as it has become.
func (s *seeding) post(ctx context.Context, batch []*sample) error {
	for len(batch) > 0 {
		who := cmp.Or(batch[0].poster, demoServiceKey)
		n := slices.IndexFunc(batch, func(b *sample) bool { return cmp.Or(b.poster, demoServiceKey) != who })
		if n < 0 {
			n = len(batch)
		}
		if err := s.postAs(ctx, who, batch[:n]); err != nil {
			return err
		}
		batch = batch[n:]
	}
	return nil
}

func (s *seeding) postAs(ctx context.Context, who string, batch []*sample) error {
	actor, err := s.actor(ctx, who)
	if err != nil {
		return err
	}
	var list []actions.Submission
	for _, b := range batch {
		if _, err := s.find(ctx, b.id(s.db.Installation)); err == nil {
			continue // by a start whose month may have been another
		} else if model.KindOf(err) != model.NotFound {
			return err
		}
		body, err := b.body(s.until)
		if err != nil {
			return err
		}
		list = append(list, actions.Submission{Key: b.key, Kind: b.kind, Account: b.owner(), Params: body})
	}
	for i, result := range s.runner.AcceptBatch(ctx, actor, list) {
		if result.Err != nil {
			return fmt.Errorf("post %s: %w", list[i].Key, result.Err)
		}
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
