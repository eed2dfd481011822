package moments

import (
	"errors"
	"fmt"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"countersign/internal/model"
	"countersign/internal/provider/sandbox/server"
)

// Moment 2: the response arrives; the process dies before the outcome is committed.
func TestMoment02DeathBeforeTheOutcomeIsCommitted(t *testing.T) {
	w := newWorld(t)
	id := w.payout("p-1")
	w.dieAt(2, false) // commit 1 reserves create-payout, commit 2 would settle it
	w.passOnce()
	if n := w.effects("payouts"); n != 1 {
		t.Fatalf("the provider acted %d times before the death", n)
	}
	w.restart()
	w.run(0)
	c := w.load(id)
	if a := c.Step("create-payout").Attempts[0]; !a.Lost || a.Result != model.ResultUnknown {
		t.Errorf("the lost attempt is %+v", a)
	}
	w.run(time.Hour)
	w.expect(id, model.Completed, "create-payout", model.Confirmed)
	if n := w.effects("payouts"); n != 1 {
		t.Errorf("the books show %d payouts", n)
	}
	w.checkInvariants(t)
}

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
			w.checkInvariants(t)
		})
	}
}

// kinds are one intent of each kind that customers submit, with its effects.
var kinds = []struct {
	kind, params string
	effects      map[string]int
}{
	{model.KindPayout, payoutParams, map[string]int{"payouts": 1, "messages": 1}},
	{model.KindStatement, `{"rep":{"reference":"rep-118","name":"Ada Rep","email":"ada@example.com"},"period":{"from":"2026-10-01","to":"2026-11-01","zone":"America/New_York"},"currency":"USD","lines":[{"reference":"s-1","description":"Sale 1","amount":90000},{"reference":"c-7","description":"Chargeback","amount":-1250}]}`,
		map[string]int{"messages": 1}},
	{model.KindDispute, `{"dispute":"dp_31","charge":"ch_8","amount":4200,"currency":"EUR","reason":"product_not_received","response":"contest","credit":{"payee":{"reference":"rep-118","name":"Ada Rep","destination":"acct_9"},"amount":4200},"due_by":"2026-12-10T00:00:00Z","notify":["ada@example.com"],"evidence":[{"type":"shipping","text":"Delivered on 3 October."}]}`,
		map[string]int{"disputes": 1, "credits": 1, "messages": 1}},
}

// Moment 4: the process dies at each commit of each step of each kind, with the
// commit lost and with the commit kept.
func TestMoment04DeathAtEveryCommitOfEveryKind(t *testing.T) {
	for _, k := range kinds {
		commits := w4Commits(t, k.kind, k.params)
		for n := 1; n <= commits; n++ {
			for _, kept := range []bool{false, true} {
				t.Run(fmt.Sprintf("%s/commit %d/kept %v", k.kind, n, kept), func(t *testing.T) {
					t.Parallel()
					w := newWorld(t)
					id := w.submit(k.kind, "k-1", k.params)
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
					w.checkInvariants(t)
				})
			}
		}
	}
}

// w4Commits counts the commits of an undisturbed run.
func w4Commits(t *testing.T, kind, params string) int {
	var commits atomic.Int64
	w := newWorld(t)
	id := w.submit(kind, "k-1", params)
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

// Moment 6: webhooks twice, late and out of order change nothing that queries
// would not have found.
func TestMoment06WebhooksTwiceLateAndOutOfOrder(t *testing.T) {
	for _, fault := range []string{"webhook_twice", "webhook_out_of_order"} {
		t.Run(fault, func(t *testing.T) {
			w := newWorld(t)
			w.fault(fault, 10, posts(""), 0)
			id := w.payout("p-1")
			w.run(time.Hour)
			w.expect(id, model.Completed, "create-payout", model.Confirmed)
			if n := len(w.load(id).Conflicts); n != 0 {
				t.Errorf("%d conflicts", n)
			}
			w.checkInvariants(t)
		})
	}
}

// Moment 6, before our own commit: the webhook of an effect whose answer was
// never stored.
func TestMoment06WebhookBeforeOurCommit(t *testing.T) {
	w := newWorld(t)
	id := w.payout("p-1")
	w.dieAt(2, false)
	w.passOnce()
	w.restart()
	w.clock.Add(5 * time.Second) // the payout settles, and its webhook comes first
	w.run(0)
	w.run(time.Hour)
	w.expect(id, model.Completed, "create-payout", model.Confirmed)
	w.checkInvariants(t)
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
	w.checkInvariants(t)
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
	w.checkInvariants(t)
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
	w.checkInvariants(t)
}

// Moment 10: the query finds another amount.
func TestMoment10QueryFindsAnotherAmount(t *testing.T) {
	w := newWorld(t)
	w.fault("wrong_amount_echo", 1, posts("/payouts"), 0)
	id := w.payout("p-1")
	w.run(time.Hour)
	w.expect(id, model.NeedsReview, "create-payout", model.OutcomeUnknown)
	c := w.load(id)
	if c.OpenConflict() == nil {
		t.Fatalf("no conflict is open\n%s", describe(c))
	}
	if n := w.effects("payouts"); n != 1 {
		t.Errorf("the books show %d payouts", n)
	}
	w.checkInvariants(t)
}

// Moment 13: throttled, refused for good, refused until cured, and an answer
// for another key.
func TestMoment13Refusals(t *testing.T) {
	for _, test := range []struct {
		fault  string
		times  int
		state  model.IntentState
		step   model.StepState
		effect int
	}{
		{"429", 2, model.Completed, model.Confirmed, 1},
		{"500_before", 3, model.Completed, model.Confirmed, 1},
		{"500_after", 1, model.Completed, model.Confirmed, 1},
		{"drop_before_accept", 2, model.Completed, model.Confirmed, 1},
		{"truncated_body", 1, model.Completed, model.Confirmed, 1},
		{"other_key_echo", 1, model.Completed, model.Confirmed, 1},
		{"reject_permanent", 1, model.TerminalFailure, model.FailedSafely, 0},
		{"reject_curable", 1, model.NeedsReview, model.FailedSafely, 0},
		{"settle_failed", 1, model.NeedsReview, model.FailedSafely, 0},
	} {
		t.Run(test.fault, func(t *testing.T) {
			w := newWorld(t)
			w.fault(test.fault, test.times, posts("/payouts"), 0)
			id := w.payout("p-1")
			w.run(2 * time.Hour)
			w.expect(id, test.state, "create-payout", test.step)
			if n := w.effects("payouts"); n != test.effect {
				t.Errorf("the books show %d payouts, want %d", n, test.effect)
			}
			w.checkInvariants(t)
		})
	}
}

// Moment 13: a refusal that came before executing does not clear an earlier
// attempt that may have acted.
func TestMoment13RefusalAfterAnUnknownAttempt(t *testing.T) {
	w := newWorld(t, func(c *server.Config) { c.Stores = server.StoresSuccesses })
	w.fault("drop_after_accept", 1, posts("/payouts"), 0)
	w.fault("500_before", 1000, looks(), 0)
	id := w.payout("p-1")
	w.run(time.Hour)
	c := w.load(id)
	s := c.Step("create-payout")
	if s.State != model.OutcomeUnknown || len(s.Attempts) != 1 {
		t.Errorf("with a provider that stores successes only: %s after %d attempts\n%s", s.State, len(s.Attempts), describe(c))
	}
	w.checkInvariants(t)
}

// Moment 17: accepted, then failed; paid, then returned.
func TestMoment17PaidThenReturned(t *testing.T) {
	w := newWorld(t)
	w.fault("settle_then_return", 1, posts("/payouts"), 10_000)
	id := w.payout("p-1")
	w.run(2 * time.Hour)
	c := w.load(id)
	if c.State != model.NeedsReview || c.Step("create-payout").State != model.Confirmed || c.Step("create-payout").Returned != 95050 {
		t.Fatalf("intent %s, returned %d\n%s", c.State, c.Step("create-payout").Returned, describe(c))
	}
	if c.Exposure() != 0 {
		t.Errorf("exposure is %d though the money came back", c.Exposure())
	}
	w.checkInvariants(t)
}

// A settlement that never comes becomes unknown, and is not sent again.
func TestSettlementOverdue(t *testing.T) {
	w := newWorld(t)
	w.fault("settle_never", 1, posts("/payouts"), 0)
	id := w.payout("p-1")
	w.run(3 * time.Hour)
	w.expect(id, model.Processing, "create-payout", model.OutcomeUnknown)
	if n := len(w.load(id).Step("create-payout").Attempts); n != 1 {
		t.Errorf("%d attempts", n)
	}
	w.checkInvariants(t)
}
