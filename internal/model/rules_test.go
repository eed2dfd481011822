package model

import (
	"fmt"
	"testing"
	"time"
)

// The moments of these tests are counted in seconds from a start.
const start = Time(1_800_000_000_000_000)

func sec(n float64) Time { return start + Time(n*1e6) }

// bank is a provider that remembers everything for a day.
var bank = Contract{Provider: "bank", Operation: "payout.create", Carrier: "header Idempotency-Key", Retention: 24 * time.Hour,
	Stored: StoredAll, ActsAreStored: true, ReplayMarker: "Idempotent-Replayed", StoredCodes: []string{"closed_account", "no_funds"},
	Lookup: LookupReference, SettleDelay: 5 * time.Second, LongestCall: 30 * time.Second, Settles: true, SettleLimit: time.Hour, Undo: "payout.reverse"}

// caseOf is a payout whose create-payout has these attempts.
func caseOf(contract Contract, attempts ...Attempt) (*Case, *Step) {
	s := &Step{IntentID: "intent-x", Name: "create-payout", Class: Keyed, Operation: "payout.create", Provider: "bank", Generation: 1, WireKey: "k",
		State: Pending, Amount: 1000, Currency: "USD", Contract: contract, ChangedAt: start}
	for i, a := range attempts {
		a.Number, a.Generation, a.Step = i+1, max(a.Generation, 1), s.Name
		s.Attempts = append(s.Attempts, a)
	}
	if len(attempts) > 0 {
		s.Generations = []Generation{{Number: 1, FrozenAt: attempts[0].StartedAt}}
		s.State, s.UncertainSince = OutcomeUnknown, attempts[0].StartedAt
	}
	c := &Case{Intent: Intent{ID: "intent-x", Account: "acme", Kind: KindPayout, Fence: 1, Version: 1, CreatedAt: start}, Steps: []*Step{s}}
	return c, s
}

func unknown(from, to float64) Attempt {
	return Attempt{StartedAt: sec(from), FinishedAt: sec(to), DeadlineAt: sec(from + 30), Result: ResultUnknown, Boot: "boot-1"}
}

func answered(from, to float64, r Result, code string, replayed bool) Attempt {
	return Attempt{StartedAt: sec(from), FinishedAt: sec(to), Result: r, Code: code, Replayed: replayed}
}

func lost(from, to float64) Attempt {
	a := unknown(from, to)
	a.Lost = true
	return a
}

func TestNotFoundFinalAt(t *testing.T) {
	noDelay := bank
	noDelay.SettleDelay = -1
	slowLook := bank
	slowLook.LookupDelay = time.Minute
	for _, test := range []struct {
		name     string
		contract Contract
		attempts []Attempt
		dead     map[string]Time
		evidence []Evidence
		want     Time
	}{
		{"never sent", bank, nil, nil, nil, 0},
		{"one attempt", bank, []Attempt{unknown(0, 2)}, nil, nil, sec(37) + 1},
		{"the latest of several counts", bank, []Attempt{unknown(0, 2), unknown(10, 50), unknown(20, 21)}, nil, nil, sec(85) + 1},
		{"accepted ones count too", bank, []Attempt{answered(0, 90, ResultAccepted, "", false)}, nil, nil, sec(125) + 1},
		{"an object shows late", slowLook, []Attempt{unknown(0, 2)}, nil, nil, sec(92) + 1},
		{"settle delay unknown", noDelay, []Attempt{unknown(0, 2)}, nil, nil, 0},
		{"an open attempt", bank, []Attempt{{StartedAt: sec(0)}}, nil, nil, 0},
		{"worker lost", bank, []Attempt{lost(0, 60)}, nil, nil, 0},
		{"worker lost, boot dead", bank, []Attempt{lost(0, 60)}, map[string]Time{"boot-1": sec(100)}, nil, sec(165) + 1},
		{"worker lost, finish came late", bank, []Attempt{lost(0, 60)}, nil, []Evidence{{Source: FromLate, Attempt: 1, At: sec(70)}}, sec(105) + 1},
	} {
		c, s := caseOf(test.contract, test.attempts...)
		c.DeadBoots, s.Evidence = test.dead, test.evidence
		if got, ok := c.NotFoundFinalAt(s); got != test.want || ok != (test.want != 0) {
			t.Errorf("%s: %v %v, want %v", test.name, got, ok, test.want)
		}
	}
}

func TestSafeUntil(t *testing.T) {
	short, unpublished, successes := bank, bank, bank
	short.Retention = time.Minute
	unpublished.Retention = 0
	successes.ActsAreStored = false
	for _, test := range []struct {
		name     string
		contract Contract
		attempts []Attempt
		want     Time
	}{
		{"a day less a tenth", bank, []Attempt{unknown(0, 2)}, start.Add(24*time.Hour - 144*time.Minute)},
		{"counted from the first send", bank, []Attempt{unknown(0, 2), unknown(100, 102)}, start.Add(24*time.Hour - 144*time.Minute)},
		{"shorter than its margin", short, []Attempt{unknown(0, 2)}, start.Add(time.Minute - 5*time.Minute)},
		{"not published", unpublished, []Attempt{unknown(0, 2)}, 0},
		{"successes only", successes, []Attempt{unknown(0, 2)}, 0},
		{"before the first send", bank, nil, 0},
	} {
		_, s := caseOf(test.contract, test.attempts...)
		if got, ok := s.SafeUntil(35 * time.Second); got != test.want || ok != (test.want != 0) {
			t.Errorf("%s: %v %v, want %v", test.name, got, ok, test.want)
		}
	}
}

func TestAttemptsAddUp(t *testing.T) {
	nothing := bank
	nothing.StoredCodes, nothing.ReplayMarker = nil, ""
	successes := bank
	successes.ActsAreStored = false
	late := float64(25 * 3600)
	for _, test := range []struct {
		name     string
		contract Contract
		attempts []Attempt
		evidence []Evidence
		want     int
	}{
		{"one unknown", bank, []Attempt{unknown(0, 2)}, nil, 1},
		{"a replayed refusal answers for it", bank, []Attempt{unknown(0, 2), answered(5, 6, ResultPermanent, "odd", true)}, nil, 0},
		{"a replayed acceptance too", bank, []Attempt{unknown(0, 2), answered(5, 6, ResultAccepted, "", true)}, nil, 0},
		{"but not one that acted now", bank, []Attempt{unknown(0, 2), answered(5, 6, ResultAccepted, "", false)}, nil, 1},
		{"nor where something may have acted unkept", successes, []Attempt{unknown(0, 2), answered(5, 6, ResultAccepted, "", true)}, nil, 1},
		{"but not for a worker that may still send", bank, []Attempt{lost(0, 2), answered(5, 6, ResultPermanent, "odd", true)}, nil, 1},
		{"a stored refusal, late enough", bank, []Attempt{unknown(0, 2), answered(38, 39, ResultCurable, "no_funds", false)}, nil, 0},
		{"a stored refusal, exactly at the limit", bank, []Attempt{unknown(0, 2), answered(37, 39, ResultCurable, "no_funds", false)}, nil, 1},
		{"a refusal that is not named as stored", bank, []Attempt{unknown(0, 2), answered(50, 51, ResultPermanent, "odd", false)}, nil, 1},
		{"after the key was forgotten", bank, []Attempt{unknown(0, 2), answered(late, late+1, ResultPermanent, "closed_account", true)}, nil, 1},
		{"no promise at all", nothing, []Attempt{unknown(0, 2), answered(50, 51, ResultPermanent, "closed_account", true)}, nil, 1},
		{"not sent never clears", bank, []Attempt{unknown(0, 2), answered(50, 51, ResultNotSent, "", true)}, nil, 1},
		{"throttled never clears", bank, []Attempt{unknown(0, 2), answered(50, 51, ResultThrottled, "429", true)}, nil, 1},
		{"another generation never clears", bank, []Attempt{unknown(0, 2), {StartedAt: sec(50), FinishedAt: sec(51), Generation: 2, Result: ResultPermanent, Replayed: true}}, nil, 1},
		{"conclusive evidence clears all before it", bank, []Attempt{unknown(0, 2), unknown(10, 12)}, []Evidence{{Says: DidNotHappen, BeganAt: sec(60)}}, 0},
		{"and none after it", bank, []Attempt{unknown(0, 2), unknown(70, 72)}, []Evidence{{Says: DidNotHappen, BeganAt: sec(60)}}, 1},
		{"evidence about one attempt clears no other", bank, []Attempt{unknown(0, 2), unknown(10, 12)}, []Evidence{{Says: DidNotHappen, Attempt: 2, BeganAt: sec(60)}}, 2},
	} {
		c, s := caseOf(test.contract, test.attempts...)
		s.Evidence = test.evidence
		if got := len(c.UnknownAttempts(s)); got != test.want {
			t.Errorf("%s: %d unknown, want %d", test.name, got, test.want)
		}
	}
}

func TestSettleDecidesTheStep(t *testing.T) {
	for _, test := range []struct {
		name    string
		before  []Attempt
		out     Outcome
		state   StepState
		failure Failure
		settles bool
	}{
		{"confirmed", nil, Outcome{Result: ResultConfirmed, ExternalRef: "po_1"}, Confirmed, NoFailure, false},
		{"accepted", nil, Outcome{Result: ResultAccepted, ExternalRef: "po_1"}, InProgress, NoFailure, true},
		{"unknown", nil, Outcome{Result: ResultUnknown}, OutcomeUnknown, NoFailure, false},
		{"not sent", nil, Outcome{Result: ResultNotSent}, FailedSafely, Retryable, false},
		{"throttled", nil, Outcome{Result: ResultThrottled}, FailedSafely, Retryable, false},
		{"permanent", nil, Outcome{Result: ResultPermanent, Code: "closed_account"}, FailedSafely, Permanent, false},
		{"curable", nil, Outcome{Result: ResultCurable, Code: "no_funds"}, FailedSafely, Curable, false},
		{"failed object", nil, Outcome{Result: ResultFailed}, FailedSafely, FailedObject, false},
		{"not sent after unknown", []Attempt{unknown(0, 2)}, Outcome{Result: ResultNotSent}, OutcomeUnknown, NoFailure, false},
		{"throttled after unknown", []Attempt{unknown(0, 2)}, Outcome{Result: ResultThrottled}, OutcomeUnknown, NoFailure, false},
		{"success after unknown", []Attempt{unknown(0, 2)}, Outcome{Result: ResultConfirmed}, Confirmed, NoFailure, false},
		{"replayed refusal after unknown", []Attempt{unknown(0, 2)}, Outcome{Result: ResultPermanent, Replayed: true}, FailedSafely, Permanent, false},
		{"plain refusal after unknown", []Attempt{unknown(0, 2)}, Outcome{Result: ResultPermanent}, OutcomeUnknown, NoFailure, false},
	} {
		c, s := caseOf(bank, test.before...)
		if _, err := c.Reserve(s, Attempt{Trigger: ByEngine}, sec(10)); err != nil {
			t.Fatal(err)
		}
		version := c.Version
		if _, err := c.Settle(s, test.out, "ev-1", NormalPace(), 0.5, sec(11)); err != nil {
			t.Errorf("%s: %v", test.name, err)
		}
		if s.State != test.state || s.Failure != test.failure || s.Settling != test.settles {
			t.Errorf("%s: %s %q settling %v", test.name, s.State, s.Failure, s.Settling)
		}
		if c.Version == version {
			t.Errorf("%s: a counted attempt did not move the version", test.name)
		}
	}
}

// An attempt that ends unknown after evidence confirmed the step leaves it confirmed.
func TestEvidenceFasterThanTheAnswer(t *testing.T) {
	c, s := caseOf(bank)
	c.Reserve(s, Attempt{Trigger: ByEngine}, sec(0))
	look := Look{Observation: Observation{Finding: FoundHappened, ExternalRef: "po_1"}, Source: FromWebhook, EvidenceID: "ev-1", Began: sec(1)}
	if _, err := c.Observe(s, look, NormalPace(), 0.5, sec(1)); err != nil {
		t.Fatal(err)
	}
	if _, err := c.Settle(s, Outcome{Result: ResultUnknown}, "ev-2", NormalPace(), 0.5, sec(2)); err != nil {
		t.Fatal(err)
	}
	if s.State != Confirmed || s.ExternalRef != "po_1" {
		t.Errorf("the step is %s with %q", s.State, s.ExternalRef)
	}
}

func TestObserve(t *testing.T) {
	settling := func(s *Step) { s.State, s.Settling, s.ExternalRef, s.SettlesBy = InProgress, true, "po_1", sec(3600) }
	confirmed := func(s *Step) { s.State, s.ExternalRef, s.Moved = Confirmed, "po_1", 1000 }
	failed := func(s *Step) { s.State, s.Failure = FailedSafely, Retryable }
	marked := func(s *Step) {
		confirmed(s)
		s.Evidence = []Evidence{{Source: FromOperator, Says: Happened}}
	}
	unclear := func(*Step) {}
	for _, test := range []struct {
		name     string
		given    func(*Step)
		look     Look
		state    StepState
		says     Says
		conflict bool
	}{
		{"happened", unclear, Look{Observation: Observation{Finding: FoundHappened, ExternalRef: "po_1"}, Began: sec(5)}, Confirmed, Happened, false},
		{"settling", unclear, Look{Observation: Observation{Finding: FoundSettling, ExternalRef: "po_1"}, Began: sec(5)}, InProgress, Inconclusive, false},
		{"nothing, too early", unclear, Look{Observation: Observation{Finding: FoundNone}, Began: sec(37)}, OutcomeUnknown, Inconclusive, false},
		{"nothing, final", unclear, Look{Observation: Observation{Finding: FoundNone}, Began: sec(37) + 1}, FailedSafely, DidNotHappen, false},
		{"nothing of that id, final", unclear, Look{Observation: Observation{Finding: FoundNone}, Began: sec(38), Single: true}, OutcomeUnknown, Inconclusive, false},
		{"no answer", unclear, Look{Observation: Observation{Finding: FoundNothing}, Began: sec(500)}, OutcomeUnknown, Inconclusive, false},
		{"another amount", unclear, Look{Observation: Observation{Finding: FoundOther, ExternalRef: "po_1"}, Began: sec(5)}, OutcomeUnknown, Conflicting, true},
		{"two objects", unclear, Look{Observation: Observation{Finding: FoundSeveral}, Began: sec(5)}, OutcomeUnknown, Conflicting, true},
		{"another step's object", unclear, Look{Observation: Observation{Finding: FoundHappened, ExternalRef: "po_1"}, Taken: "intent-y:create-payout", Began: sec(5)}, OutcomeUnknown, Conflicting, true},
		{"failed, may be another one", unclear, Look{Observation: Observation{Finding: FoundFailed, ExternalRef: "po_1"}, Began: sec(5)}, OutcomeUnknown, Inconclusive, false},
		{"failed, no other possible", unclear, Look{Observation: Observation{Finding: FoundFailed, ExternalRef: "po_1"}, Began: sec(38)}, FailedSafely, DidNotHappen, false},
		{"settled", settling, Look{Observation: Observation{Finding: FoundHappened, ExternalRef: "po_1"}, Began: sec(5)}, Confirmed, Happened, false},
		{"still settling", settling, Look{Observation: Observation{Finding: FoundSettling, ExternalRef: "po_1"}, Began: sec(5)}, InProgress, Inconclusive, false},
		{"settling object not shown", settling, Look{Observation: Observation{Finding: FoundNone}, Began: sec(500)}, InProgress, Inconclusive, false},
		{"stale in transit", confirmed, Look{Observation: Observation{Finding: FoundSettling, ExternalRef: "po_1"}, Began: sec(5)}, Confirmed, Inconclusive, false},
		{"confirmed again", confirmed, Look{Observation: Observation{Finding: FoundHappened, ExternalRef: "po_1"}, Began: sec(5)}, Confirmed, Happened, false},
		{"a second object", confirmed, Look{Observation: Observation{Finding: FoundHappened, ExternalRef: "po_2"}, Began: sec(5)}, Confirmed, Conflicting, true},
		{"returned", confirmed, Look{Observation: Observation{Finding: FoundReturned, ExternalRef: "po_1", Returned: 1000}, Began: sec(5)}, Confirmed, CameBack, true},
		{"returned before we knew it paid", settling, Look{Observation: Observation{Finding: FoundReturned, ExternalRef: "po_1", Returned: 1000}, Began: sec(5)}, Confirmed, CameBack, true},
		{"failed after it was paid", confirmed, Look{Observation: Observation{Finding: FoundFailed, ExternalRef: "po_1"}, Began: sec(5)}, Confirmed, Conflicting, true},
		{"happened after it had not", failed, Look{Observation: Observation{Finding: FoundHappened, ExternalRef: "po_1"}, Began: sec(5)}, FailedSafely, Conflicting, true},
		{"a mark that the provider denies", marked, Look{Observation: Observation{Finding: FoundNone}, Began: sec(38)}, Confirmed, Conflicting, true},
	} {
		c, s := caseOf(bank, unknown(0, 2))
		test.given(s)
		test.look.Source, test.look.EvidenceID = FromQuery, "ev-9"
		e, err := c.Observe(s, test.look, NormalPace(), 0.5, max(test.look.Began+1, sec(5)+1))
		if err != nil {
			t.Errorf("%s: %v", test.name, err)
		}
		if s.State != test.state || e.Says != test.says || (c.OpenConflict() != nil) != test.conflict {
			t.Errorf("%s: %s, says %s, conflict %v", test.name, s.State, e.Says, c.OpenConflict())
		}
	}
}

func TestMaySend(t *testing.T) {
	type given = func(*Case, *Step)
	looked := func(c *Case, s *Step) { s.Evidence = []Evidence{{Source: FromQuery, Says: Inconclusive, At: sec(5)}} }
	both := func(list ...given) given {
		return func(c *Case, s *Step) {
			for _, g := range list {
				g(c, s)
			}
		}
	}
	failed := func(f Failure) given { return func(_ *Case, s *Step) { s.State, s.Failure = FailedSafely, f } }
	spent := func(_ *Case, s *Step) { s.Tries = 6 }
	for _, test := range []struct {
		name           string
		given          given
		at             Time
		engine, person string // rules that refuse; "" allows
	}{
		{"unknown, looked at", looked, sec(10), "", ""},
		{"unknown, not looked at", func(*Case, *Step) {}, sec(10), reconcileFirst, reconcileFirst},
		{"unknown, budget spent", both(looked, spent), sec(10), "send.budget-spent", ""},
		{"unknown, person only", both(looked, func(_ *Case, s *Step) { s.PersonOnly = true }), sec(10), "send.by-a-person", ""},
		{"unknown, window closed", looked, start.Add(22 * time.Hour), "send.window-closed", "send.window-closed"},
		{"unknown, object known", both(looked, func(_ *Case, s *Step) { s.ExternalRef = "po_1" }), sec(10), "send.object-known", "send.object-known"},
		{"unknown, successes only", both(looked, func(_ *Case, s *Step) { s.Contract.ActsAreStored = false }), sec(10), "send.not-stored", "send.not-stored"},
		{"unknown, unkeyed", both(looked, func(_ *Case, s *Step) { s.Class = Unkeyed }), sec(10), "send.unkeyed-unknown", "send.unkeyed-unknown"},
		{"unknown, message", both(looked, func(_ *Case, s *Step) { s.Class = Message }), sec(10), "send.message-unknown", "send.message-unknown"},
		{"failed, retryable", failed(Retryable), sec(10), "", ""},
		{"failed, retryable, window long closed", failed(Retryable), start.Add(99 * time.Hour), "", ""},
		{"failed, budget spent", both(failed(Retryable), spent), sec(10), "send.budget-spent", ""},
		{"failed, curable", failed(Curable), sec(10), "send.by-a-person", ""},
		{"failed object", failed(FailedObject), sec(10), "send.by-a-person", ""},
		{"failed, permanent", failed(Permanent), sec(10), "send.refused-for-good", "send.refused-for-good"},
		{"abandoned", both(failed(Retryable), func(c *Case, _ *Step) { c.Abandonment = &Abandonment{} }), sec(10), "intent.abandoned", "intent.abandoned"},
		{"compensation asked for", both(failed(Retryable), func(c *Case, _ *Step) { c.Compensations = []Compensation{{State: CompensationAsked}} }), sec(10), "intent.compensated", "intent.compensated"},
		{"compensation withdrawn", both(failed(Retryable), func(c *Case, _ *Step) { c.Compensations = []Compensation{{State: CompensationWithdrawn}} }), sec(10), "", ""},
		{"conflict", both(failed(Retryable), func(c *Case, _ *Step) { c.Conflicts = []Contradiction{{Step: "create-payout"}} }), sec(10), "conflict.open", "conflict.open"},
		{"held", both(failed(Retryable), func(c *Case, _ *Step) { c.Held = true }), sec(10), "hold.restored", "hold.restored"},
		{"the parent's money came back", both(failed(Retryable), func(c *Case, _ *Step) { c.ParentReturned = true }), sec(10), "parent.returned", "parent.returned"},
		{"due date passed", both(failed(Retryable), func(c *Case, s *Step) { c.DueBy, s.Operation = sec(9), "dispute.respond" }), sec(10), "send.due-date-passed", "send.due-date-passed"},
		{"in flight", func(_ *Case, s *Step) { s.Attempts[0].FinishedAt = 0 }, sec(10), "send.in-flight", "send.in-flight"},
		{"confirmed", func(_ *Case, s *Step) { s.State = Confirmed }, sec(10), "send.order", "send.order"},
		{"settling", func(_ *Case, s *Step) { s.State, s.Settling = InProgress, true }, sec(10), "send.state", "send.state"},
	} {
		for by, want := range map[Trigger]string{ByRetry: test.engine, ByOperator: test.person} {
			c, s := caseOf(bank, unknown(0, 2))
			test.given(c, s)
			got := ""
			if r := c.MaySend(s, by, NormalPace(), test.at); r != nil {
				got = r.Rule
			}
			if got != want {
				t.Errorf("%s, by %s: %q, want %q", test.name, by, got, want)
			}
		}
	}
}

func TestNextGeneration(t *testing.T) {
	for _, test := range []struct {
		name  string
		given func(*Step)
		want  int
	}{
		{"failed object", func(s *Step) { s.Failure = FailedObject }, 2},
		{"stored refusal", func(s *Step) { s.Failure, s.Code = Curable, "no_funds" }, 2},
		{"refusal that is not stored", func(s *Step) { s.Failure, s.Code = Curable, "hold" }, 1},
		{"nothing happened", func(s *Step) { s.Failure = Retryable }, 1},
		{"unkeyed", func(s *Step) { s.Failure, s.Class = FailedObject, Unkeyed }, 1},
		{"an attempt is still unknown", func(s *Step) { s.Failure, s.Attempts[0].Result = FailedObject, ResultUnknown }, 1},
	} {
		c, s := caseOf(bank, answered(0, 1, ResultFailed, "", false))
		s.State = FailedSafely
		test.given(s)
		if got, _ := c.NextGeneration(s); got != test.want {
			t.Errorf("%s: generation %d, want %d", test.name, got, test.want)
		}
	}
}

func TestTransitionsNotInTheTableAreRefused(t *testing.T) {
	states := []StepState{Pending, InProgress, Confirmed, FailedSafely, OutcomeUnknown, NotNeeded}
	refused := 0
	for _, from := range states {
		for _, to := range states {
			for _, by := range []Who{WhoEngine, WhoProvider, WhoOperator, WhoApprover} {
				c, s := caseOf(bank)
				s.State = from
				err := c.move(s, to, by, "test", "", sec(1))
				if (err == nil) != Allowed(from, to, by) {
					t.Errorf("%s → %s by %s: %v", from, to, by, err)
				}
				if err != nil {
					refused++
					if s.State != from || len(c.Changes) != 0 {
						t.Errorf("%s → %s by %s: refused, but changed", from, to, by)
					}
				}
			}
		}
	}
	for _, to := range states {
		if Allowed(Confirmed, to, WhoEngine) || Allowed(Confirmed, to, WhoProvider) {
			t.Errorf("the engine or a provider may turn confirmed into %s", to)
		}
	}
	if refused < 100 {
		t.Errorf("only %d refused", refused)
	}
}

func TestChecksGrowAndEnd(t *testing.T) {
	timing := NormalPace()
	var at []string
	for elapsed := time.Duration(0); ; {
		wait, ok := timing.CheckAfter(elapsed)
		if !ok {
			break
		}
		elapsed += wait
		at = append(at, elapsed.String())
	}
	if got := fmt.Sprint(at[:7]); got != "[5s 30s 2m0s 10m0s 1h0m0s 7h0m0s 13h0m0s]" {
		t.Errorf("checks at %s", got)
	}
	if last := at[len(at)-1]; last != "169h0m0s" {
		t.Errorf("the last check is at %s", last)
	}
}

func TestBackoffIsBoundedWithFullJitter(t *testing.T) {
	timing := NormalPace()
	for tries := 1; tries < 100; tries++ {
		low, high := timing.Backoff(tries, 0), timing.Backoff(tries, 0.999)
		if low > time.Second || high > timing.BackoffCap+time.Second {
			t.Errorf("after %d tries: %s to %s", tries, low, high)
		}
	}
	if one, three := timing.Backoff(1, 0.5), timing.Backoff(3, 0.5); three < 3*one {
		t.Errorf("backoff does not grow: %s, %s", one, three)
	}
}
