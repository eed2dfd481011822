package moments

import (
	"context"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"pgregory.net/rapid"

	"countersign/internal/actions"
	"countersign/internal/authz"
	"countersign/internal/model"
	"countersign/internal/provider"
	"countersign/internal/provider/sandbox/server"
	"countersign/internal/store"
	"countersign/internal/store/storetest"
)

// history is a world that random moves are made in: submissions, faults,
// deaths, webhooks, people, approvals and time. Each move is a method that takes
// all that it depends on, so that what rapid found can be written down as a
// plain test: a failure prints its moves in that form.
type history struct {
	*world
	moves   []string
	posted  map[string]string // intents that were answered, by kind and number
	plans   []planned         // previews so far, confirmed or not
	stalled *stall            // a worker in the middle of a call; nil is none
	armed   atomic.Pointer[stall]
}

// planned is a preview and who made it.
type planned struct {
	by      authz.Actor
	preview actions.Preview
}

// ground lets a world stand on rapid's test, which is none of testing's own.
type ground struct {
	testing.TB
	rapid *rapid.T
	wrong *[]string // what was reported, while moves are still being left out
}

func (g ground) report(text string) { *g.wrong = append(*g.wrong, text) }

func (g ground) Helper()                    { g.rapid.Helper() }
func (g ground) Log(args ...any)            { g.rapid.Log(args...) }
func (g ground) Logf(f string, args ...any) { g.rapid.Logf(f, args...) }
func (g ground) Error(args ...any)          { g.report(fmt.Sprint(args...)); g.rapid.Error(args...) }
func (g ground) Errorf(f string, args ...any) {
	g.report(fmt.Sprintf(f, args...))
	g.rapid.Errorf(f, args...)
}
func (g ground) Fatal(args ...any) { g.report(fmt.Sprint(args...)); g.rapid.Fatal(args...) }
func (g ground) Fatalf(f string, args ...any) {
	g.report(fmt.Sprintf(f, args...))
	g.rapid.Fatalf(f, args...)
}
func (g ground) Fail()                    { g.rapid.Fail() }
func (g ground) FailNow()                 { g.rapid.FailNow() }
func (g ground) Failed() bool             { return g.rapid.Failed() }
func (g ground) Cleanup(f func())         { g.rapid.Cleanup(f) }
func (g ground) Context() context.Context { return g.rapid.Context() }

// TempDir is gone when the history is over: a run of hours makes many.
func (g ground) TempDir() string {
	dir, err := os.MkdirTemp("", "history-")
	if err != nil {
		g.Fatal(err)
	}
	g.Cleanup(func() { os.RemoveAll(dir) })
	return dir
}

// newHistory starts an empty world. Its one worker makes the order of things
// the same whenever the same moves are made again.
func newHistory(t testing.TB) *history {
	h := &history{posted: map[string]string{}}
	h.world = newWorld(t, func(c *server.Config) { c.WebhookURL = "" })
	h.between, h.workers = func(a provider.Adapter) provider.Adapter { return &stalling{a, h} }, 1
	place := h.place
	t.Cleanup(func() { storetest.Drop(t, place) })
	t.Cleanup(h.die)
	h.restart()
	return h
}

// does notes a move, as it stands in a test.
func (h *history) does(format string, args ...any) {
	move := fmt.Sprintf("h."+format, args...)
	h.moves = append(h.moves, move)
	h.t.Log(move)
}

// The bounds of what `make test` plays; a soak plays on until its time is over.
const (
	historiesAtOnce = 5
	movesOfHistory  = 40
)

// atOnce is fewer where each statement is a conversation.
func atOnce() string {
	if storetest.Postgres() {
		return fmt.Sprint(historiesAtOnce / 2)
	}
	return fmt.Sprint(historiesAtOnce)
}

// TestHistories makes random moves and checks every invariant after each. A run
// with COUNTERSIGN_SOAK=10m goes on with fresh seeds for so long.
func TestHistories(t *testing.T) {
	until := time.Now().Add(soakFor(t))
	byDefault(t, "rapid.checks", atOnce())
	byDefault(t, "rapid.steps", fmt.Sprint(movesOfHistory))
	byDefault(t, "rapid.shrinktime", "20s")
	byDefault(t, "rapid.nofailfile", "true")
	t.Cleanup(func() {
		if t.Failed() {
			t.Logf("on the same database: COUNTERSIGN_TEST_DB=%s go test ./internal/moments -run '^TestHistories$' -rapid.seed=(the seed above)", os.Getenv("COUNTERSIGN_TEST_DB"))
		}
	})
	var seen sums
	var worst told
	t.Cleanup(func() {
		if t.Failed() {
			t.Logf("the shortest history that failed:\n%s", &worst)
		}
	})
	for first := true; first || time.Now().Before(until); first = false {
		rapid.Check(t, func(r *rapid.T) {
			var wrong []string
			h := newHistory(ground{t, r, &wrong})
			defer func() { worst.keep(h.moves, wrong) }()
			for range 3 {
				h.anySubmission(r)
			}
			r.Repeat(h.choices())
			h.finish()
			seen.add(h)
		})
		if soakFor(t) > 0 {
			fmt.Printf("%s %s: %s\n", time.Now().Format(time.TimeOnly), filepath.Base(kindOfPlace()), seen.String())
		}
	}
	t.Log(seen.String())
}

// told is the shortest history that failed, and what was wrong at its end.
type told struct{ moves, wrong []string }

func (w *told) keep(moves, wrong []string) {
	if len(wrong) > 0 && (w.wrong == nil || len(moves) < len(w.moves)) {
		w.moves, w.wrong = moves, wrong
	}
}

func (w *told) String() string {
	return strings.Join(w.moves, "\n") + "\n// " + strings.ReplaceAll(strings.Join(w.wrong, "\n"), "\n", "\n// ")
}

func kindOfPlace() string {
	if storetest.Postgres() {
		return "PostgreSQL"
	}
	return "SQLite"
}

// soakFor is how long a run shall go on, 0 for the bounded one.
func soakFor(t *testing.T) time.Duration {
	text := os.Getenv("COUNTERSIGN_SOAK")
	if text == "" {
		return 0
	}
	return must(time.ParseDuration(text))(t)
}

// byDefault sets a flag that the command line leaves open.
func byDefault(t *testing.T, name, value string) {
	given := false
	flag.Visit(func(f *flag.Flag) { given = given || f.Name == name })
	if given {
		return
	}
	if err := flag.Set(name, value); err != nil {
		t.Fatal(err)
	}
}

// sums count what the histories of a run did.
type sums struct {
	histories, moves, intents, effects, deaths int

	events map[string]int // what people did and what came late, by its entry
}

func (s *sums) add(h *history) {
	s.histories++
	s.moves += len(h.moves)
	s.intents += len(h.intents())
	s.effects += len(h.books())
	if s.events == nil {
		s.events = map[string]int{}
	}
	for _, e := range h.truth(h.t).entries {
		if e.Event == "evidence.late" || strings.HasPrefix(e.Event, "action.") || strings.HasPrefix(e.Event, "approval.") || strings.HasPrefix(e.Event, "bulk.") {
			s.events[e.Event]++
		}
	}
	for _, move := range h.moves {
		if strings.HasPrefix(move, "h.crash(") {
			s.deaths++
		}
	}
}

func (s *sums) String() string {
	return fmt.Sprintf("%d histories, %d moves, %d intents, %d effects, %d deaths survived, of people %v", s.histories, s.moves, s.intents, s.effects, s.deaths, s.events)
}

// choices are one random move, and the check after each. What should happen more
// often stands there more often.
func (h *history) choices() map[string]func(*rapid.T) {
	moves := []func(*rapid.T){
		h.anySubmission, h.anySubmission, h.anySubmission, h.anyFault, h.anyFault, h.anyFault, h.anyPass, h.anyPass, h.anyRun, h.anyRun, h.anyRun,
		h.anyAct, h.anyAct, h.anyAct, h.anyOffer, h.anyPlan, h.anyConfirmation, h.anyConfirmation, h.anyDecision, h.anyDecision, h.anyDecision,
		h.anyJump, h.anyCrash, h.anyStall, h.anyStall, h.anyEvent, h.anyStatement,
		func(*rapid.T) { h.wake() },
		func(*rapid.T) { h.lift() },
		func(*rapid.T) { h.setBack() },
		func(*rapid.T) { h.sweepNow() },
	}
	return map[string]func(*rapid.T){
		"":     func(*rapid.T) { h.checkInvariants(h.t) },
		"move": func(t *rapid.T) { oneOf(t, moves...)(t) },
	}
}

var (
	doubts = []string{"", "", "", "lost", "kept"}
	spans  = []time.Duration{5 * time.Second, 40 * time.Second, 5 * time.Minute, 2 * time.Hour, 26 * time.Hour}
	jumps  = []time.Duration{3 * time.Second, 70 * time.Second, time.Hour, 25 * time.Hour, 48 * time.Hour}
	acts   = []string{model.RetryUnfinished, model.Reconcile, model.MarkExternalResult, model.Compensate, model.Abandon}
	asked  = []string{"payouts", "payouts", "payouts", "payout_reversals", "credits", "disputes", "messages", "GET", "GET"}
)

func (h *history) anySubmission(t *rapid.T) {
	h.submit(oneOf(t, model.KindPayout, model.KindPayout, model.KindStatement, model.KindDispute), upTo(t, 7), oneOf(t, "same", "same", "reordered", "changed"), oneOf(t, doubts...))
}

func (h *history) anyFault(t *rapid.T) {
	h.arm(oneOf(t, faultNames...), oneOf(t, asked...), 1+upTo(t, 2))
}
func (h *history) anyPass(t *rapid.T)  { h.pass(oneOf(t, doubts...), upTo(t, 3)) }
func (h *history) anyRun(t *rapid.T)   { h.run(oneOf(t, spans...)) }
func (h *history) anyJump(t *rapid.T)  { h.jump(oneOf(t, jumps...)) }
func (h *history) anyCrash(t *rapid.T) { h.crash(upTo(t, 4), upTo(t, 1) == 1) }
func (h *history) anyEvent(t *rapid.T) {
	h.say(upTo(t, 7), oneOf(t, "paid", "failed", "returned"), 1+upTo(t, 1))
}

// anyStatement is mostly of a bank that has just taken a payout and could not say so.
func (h *history) anyStatement(t *rapid.T) {
	if upTo(t, 3) > 0 {
		h.arm("drop_after_accept", "payouts", 3)
		h.arm("500_before", "GET", 3)
		h.submit(model.KindPayout, 3*upTo(t, 2), "same", "")
		h.run(spans[0])
	}
	h.recordStatement(oneOf(t, true, true, false))
}

func (h *history) anyStall(t *rapid.T) {
	h.stall(oneOf(t, beforeTheCheck, atTheFirstByte, withTheAnswer), oneOf(t, 0, 70*time.Second))
}

func (h *history) anyOffer(t *rapid.T) {
	h.planOffered(upTo(t, 1), upTo(t, 7), upTo(t, lastOffer), upTo(t, 3))
}

func (h *history) anyAct(t *rapid.T) {
	h.anyOffer(t)
	h.confirmPlan(0, "its own", oneOf(t, doubts...))
}

func (h *history) anyPlan(t *rapid.T) {
	h.plan(upTo(t, 4), upTo(t, 7), oneOf(t, acts...), upTo(t, 6)-1, upTo(t, 3))
}

func (h *history) anyConfirmation(t *rapid.T) {
	h.confirmPlan(oneOf(t, 0, 0, 0, 1, 2), oneOf(t, "its own", "its own", "its own", "another"), oneOf(t, doubts...))
}

func (h *history) anyDecision(t *rapid.T) {
	h.decideOn(upTo(t, 3), oneOf(t, 0, 1, 2, 2, 3, 3, 4), oneOf(t, "approve", "approve", "approve", "approve", "reject", "withdraw"), oneOf(t, "right", "right", "right", "wrong"))
}

// oneOf takes each as often as the others; rapid's own choice prefers the first.
func oneOf[T any](t *rapid.T, from ...T) T { return from[upTo(t, len(from)-1)] }

// upTo is a number from 0 to most, each as often as the others.
func upTo(t *rapid.T, most int) (n int) {
	for bits := 1; bits <= 4*most; bits *= 2 {
		n *= 2
		if rapid.Bool().Draw(t, "") {
			n++
		}
	}
	return n % (most + 1)
}

// finish lets everything run out with a provider that works again, and sees
// that nothing was dropped: each intent is over, or somebody's.
func (h *history) finish() {
	h.t.Helper()
	h.wake()
	h.lift()
	h.behind.Store(0)
	h.restart()
	h.run(10 * 24 * time.Hour)
	if len(h.dropped()) > 0 {
		h.run(110 * 24 * time.Hour) // a dispute may take a quarter of a year
	}
	h.checkInvariants(h.t)
	for _, c := range h.dropped() {
		h.t.Errorf("%s ends %s (%s), and nobody is told to go on\n%s", c.ID, c.State, c.Reason, describe(c))
	}
}

// dropped are the intents that are neither at their end nor somebody's.
func (h *history) dropped() (list []*model.Case) {
	h.t.Helper()
	open := string(h.get("/v1/intents?limit=200"))
	for _, id := range h.intents() {
		if c := h.load(id); !h.settled(c, open) {
			list = append(list, c)
		}
	}
	return list
}

// settled: an intent is final, or waits in the queue with a reason; one that is
// being undone waits for the intent that undoes it.
func (h *history) settled(c *model.Case, open string) bool {
	switch c.State {
	case model.Completed, model.Abandoned, model.Compensated, model.TerminalFailure:
		return true
	case model.NeedsReview:
		return c.Reason != "" && c.ReviewDue != 0 && strings.Contains(open, c.ID)
	case model.AwaitingApproval:
		return c.Reason != "" && c.OpenRequest() != nil && strings.Contains(open, c.ID)
	case model.Compensating:
		k := c.StandingCompensation()
		return k != nil && k.ChildID != "" && h.load(k.ChildID).State == model.NeedsReview
	}
	return false
}

// intents lists all there are, oldest first.
func (h *history) intents() (ids []string) {
	h.t.Helper()
	if err := h.db.View(context.Background(), func(tx *store.Tx) error {
		return tx.Select(&ids, "SELECT id FROM intents ORDER BY created_at, id")
	}); err != nil {
		h.t.Fatal(err)
	}
	return ids
}
