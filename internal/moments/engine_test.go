package moments

import (
	"errors"
	"fmt"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"countersign/internal/model"
)

// Moment 3: a commit was kept but reported an error.
func TestMoment03CommitKeptButReportedAsError(t *testing.T) {
	for n := 1; n <= 6; n++ {
		t.Run(fmt.Sprintf("commit %d", n), func(t *testing.T) {
			w := newWorld(t)
			id := w.payout("p-1")
			var count atomic.Int64 // the provider's webhooks commit beside the engine
			w.set(nil, func() error {
				if count.Add(1) == int64(n) {
					return errors.New("the connection to the database broke")
				}
				return nil
			})
			w.run(time.Hour)
			w.expect(id, model.Completed, "create-payout", model.Confirmed)
			for _, s := range w.load(id).Steps {
				for _, a := range s.Attempts {
					if a.Lost {
						t.Errorf("%s attempt %d was given up though nobody died", s.Name, a.Number)
					}
				}
			}
			w.survive(t)
		})
	}
}

// kinds are one intent of each kind, with the effects that stand once it is done.
var kinds = []struct {
	kind, params string
	effects      map[string]int
}{
	{model.KindPayout, payoutParams, map[string]int{"payouts": 1, "messages": 1}},
	{model.KindStatement, `{"rep":{"reference":"rep-118","name":"Ada Rep","email":"ada@example.com"},"period":{"from":"2026-10-01","to":"2026-11-01","zone":"America/New_York"},"currency":"USD","lines":[{"reference":"s-1","description":"Sale 1","amount":90000},{"reference":"c-7","description":"Chargeback","amount":-1250}]}`,
		map[string]int{"messages": 1}},
	{model.KindDispute, `{"dispute":"dp_31","charge":"ch_8","amount":4200,"currency":"EUR","reason":"product_not_received","response":"contest","credit":{"payee":{"reference":"rep-118","name":"Ada Rep","destination":"acct_9"},"amount":4200},"due_by":"2026-12-10T00:00:00Z","notify":["ada@example.com"],"evidence":[{"type":"shipping","text":"Delivered on 3 October."}]}`,
		map[string]int{"disputes": 1, "credits": 1, "messages": 1}},
	{model.KindCompensation, "", map[string]int{"payouts": 0, "payout_reversals": 1, "messages": 2}},
}

// begin accepts an intent of a kind under some faults. One that undoes another is
// asked for and approved on a paid one.
func (w *world) begin(kind string, faults ...trouble) (id string) {
	w.t.Helper()
	parent := ""
	if kind == model.KindCompensation {
		parent = w.paid("k-1")
	}
	for _, f := range faults {
		w.fault(f.fault, f.times, f.match, f.ms)
	}
	if parent != "" {
		return w.compensation(parent, "create-payout")
	}
	return w.submit(kind, "k-1", paramsOf(kind))
}

// Moment 4: the process dies at each commit of each step of each kind, with the
// commit lost and with the commit kept.
func TestMoment04DeathAtEveryCommitOfEveryKind(t *testing.T) {
	for _, k := range kinds {
		commits := w4Commits(t, k.kind)
		for n := 1; n <= commits; n++ {
			for _, kept := range []bool{false, true} {
				t.Run(fmt.Sprintf("%s/commit %d/kept %v", k.kind, n, kept), func(t *testing.T) {
					t.Parallel()
					w := newWorld(t)
					w.engine.Workers = 1 // results that come in together share a commit
					id := w.begin(k.kind)
					w.dieAt(n, kept)
					w.runUntilDeath()
					w.restart()
					w.run(26 * time.Hour)
					if c := w.load(id); c.State != model.Completed {
						t.Errorf("after the restart the intent ends %s: %s\n%s", c.State, c.Reason, describe(c))
					}
					for operation, want := range k.effects {
						if got := w.effects(operation); got != want {
							t.Errorf("the books show %d of %s, want %d", got, operation, want)
						}
					}
					w.survive(t)
				})
			}
		}
	}
}

// w4Commits counts the commits of an undisturbed run.
func w4Commits(t *testing.T, kind string) int {
	var commits atomic.Int64
	w := newWorld(t)
	w.engine.Workers = 1
	id := w.begin(kind)
	w.set(func() error { commits.Add(1); return nil }, nil)
	w.run(time.Hour)
	if c := w.load(id); c.State != model.Completed {
		t.Fatalf("undisturbed, %s ends %s: %s\n%s", kind, c.State, c.Reason, describe(c))
	}
	n := int(commits.Load())
	if n < 3 {
		t.Fatalf("only %d commits", n)
	}
	return n
}

// Moment 8: the key's window closes while the step is unknown.
func TestMoment08WindowClosesWhileUnknown(t *testing.T) {
	w := newWorld(t)
	w.fault("drop_after_accept", 100, posts("/payouts"), 0)
	w.fault("500_before", 1000, looks(), 0)
	id := w.payout("p-1")
	w.run(2 * time.Hour)
	w.expect(id, model.NeedsReview, "create-payout", model.OutcomeUnknown)
	c := w.load(id)
	if r := c.MaySend(c.Step("create-payout"), model.ByOperator, w.timing, w.db.Now()); r != nil {
		t.Fatalf("within the window a person is refused: %v", r)
	}
	w.run(22 * time.Hour)
	c = w.load(id)
	if r := c.MaySend(c.Step("create-payout"), model.ByOperator, w.timing, w.db.Now()); r == nil || r.Rule != "send.window-closed" {
		t.Errorf("after the window: %v", r)
	}
	if len(c.Step("create-payout").Attempts) != w.timing.Tries {
		t.Errorf("%d attempts", len(c.Step("create-payout").Attempts))
	}
	if n := w.effects("payouts"); n != 1 {
		t.Errorf("the books show %d payouts", n)
	}
	w.survive(t)
}

// Moment 9: the query says not found while the request is still on its way.
func TestMoment09NotFoundWhileOnItsWay(t *testing.T) {
	w := newWorld(t)
	w.fault("not_found_for_a_while", 1, posts("/payouts"), 20_000)
	w.fault("drop_after_accept", 1, posts("/payouts"), 0)
	id := w.payout("p-1")
	w.run(6 * time.Second)
	early := 0
	for _, e := range w.load(id).Step("create-payout").Evidence {
		if strings.Contains(e.Detail, "Not final before") {
			early++
		}
		if e.Says == model.DidNotHappen {
			t.Errorf("absence was taken for proof: %+v", e)
		}
	}
	if early == 0 {
		t.Errorf("nobody looked early\n%s", describe(w.load(id)))
	}
	w.run(time.Hour)
	w.expect(id, model.Completed, "create-payout", model.Confirmed)
	if n := w.effects("payouts"); n != 1 {
		t.Errorf("the books show %d payouts", n)
	}
	w.survive(t)
}

// Moment 9, without a key: nothing is sent again before absence is proof.
func TestMoment09UnkeyedIsNotSentAgainBeforeProof(t *testing.T) {
	w := newWorld(t)
	w.fault("drop_before_accept", 1, posts("/messages"), 0)
	id := w.submit(model.KindStatement, "s-1", kinds[1].params)
	w.run(20 * time.Second)
	s := w.load(id).Step("send-statement")
	if s.State != model.OutcomeUnknown || len(s.Attempts) != 1 {
		t.Fatalf("the message is %s after %d attempts", s.State, len(s.Attempts))
	}
	w.run(time.Hour)
	c := w.load(id)
	s = c.Step("send-statement")
	if c.State != model.Completed || len(s.Attempts) != 2 {
		t.Fatalf("the intent is %s, %d attempts\n%s", c.State, len(s.Attempts), describe(c))
	}
	final, _ := (&model.Case{}).NotFoundFinalAt(&model.Step{Class: s.Class, Contract: s.Contract, Attempts: s.Attempts[:1]})
	if s.Attempts[1].StartedAt < final {
		t.Errorf("sent again at %s, though not found is final only from %s", s.Attempts[1].StartedAt, final)
	}
	if n := w.effects("messages"); n != 1 {
		t.Errorf("the books show %d messages", n)
	}
	w.survive(t)
}
