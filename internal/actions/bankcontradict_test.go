package actions

import (
	"slices"
	"strings"
	"testing"

	"countersign/internal/authz"
	"countersign/internal/bankfile"
	"countersign/internal/model"
	"countersign/internal/store"
)

// contradicted is a payout that failed safely, and a file that says it was paid.
func contradicted(t *testing.T, out model.Outcome) (w *world, id string, file BankFile) {
	w = newWorld(t)
	id = w.payout("paid-all-the-same", 500)
	w.pass(id, "approve-payout")
	w.send(id, out)
	file = w.take(camt(w.paying(id), entry{ref: "nobody", amount: 1}))
	return w, id, file
}

func (w *world) contradict(actor authz.Actor, file string, line int) error {
	w.t.Helper()
	intent, err := w.run.RecordContradiction(w.t.Context(), actor, file, line, BankContradiction{Reason: reason})
	if err == nil && intent == "" {
		w.t.Error("no intent is named")
	}
	return err
}

// rule is by which rule an action is refused at present, "" where it is not.
func (w *world) rule(id, action, step string) string {
	w.t.Helper()
	_, err := w.run.Preview(w.t.Context(), w.ada, PreviewRequest{Intent: id, Action: action, Step: step})
	rule, _ := extra(err, "rule").(string)
	return rule
}

func TestAContradictionStopsWhatWouldPayTwice(t *testing.T) {
	for name, out := range map[string]model.Outcome{"retried by itself": notSent, "cured by a person": curable2, "failed object": failedO, "refused for good": refusedP} {
		t.Run(name, func(t *testing.T) {
			w, id, file := contradicted(t, out)
			r := w.reading(w.ada, file.ID)
			if !r.Contradicts(&r.Matches[0]) || r.Contradicts(&r.Matches[1]) {
				t.Fatalf("it may not be recorded: %+v", r.Matches)
			}
			fence, tries := w.load(id).Fence, len(w.load(id).Step(pay).Attempts)
			for range 2 { // a repeat is the same answer
				if err := w.contradict(w.ada, file.ID, 1); err != nil {
					t.Fatal(err)
				}
			}
			c := w.load(id)
			s := c.Step(pay)
			e := s.Evidence[len(s.Evidence)-1]
			if c.State != model.NeedsReview || s.State != model.FailedSafely || c.Fence != fence+1 || len(c.Conflicts) != 1 || len(s.Attempts) != tries || s.NextTryAt != 0 {
				t.Errorf("the intent is %s with fence %d and conflicts %+v, the step %s, next try %s", c.State, c.Fence, c.Conflicts, s.State, s.NextTryAt)
			}
			if c.Uncertain != 500 || s.Open != 500 || !s.InDoubt() || c.UncertainSince == 0 || c.Confirmed != 0 {
				t.Errorf("%d are uncertain since %s, %d confirmed", c.Uncertain, c.UncertainSince, c.Confirmed)
			}
			if e.Source != model.FromBankFile || e.Says != model.Conflicting || e.Ref != "BANKREF-"+c.Key || e.Document != "upload:"+file.Upload || e.By != "Ada" || e.Dated == 0 ||
				!strings.HasPrefix(c.Reason, "Line 1 of the bank's file “november.xml” shows 5.00 USD going out on 2026-11-29") {
				t.Errorf("evidence %+v, reason %q", e, c.Reason)
			}
			if got := w.rule(id, model.RetryUnfinished, pay); got != "conflict.open" {
				t.Errorf("a retry is refused by %q", got)
			}
			if got := w.entries("bankfile.c"); !slices.Equal(got, []string{"bankfile.contradiction"}) {
				t.Errorf("entries %v", got)
			}
			w.signsWhatWasPaid(id, file.ID)
		})
	}
}

// signsWhatWasPaid records the payment on the intent's page, which two people do.
func (w *world) signsWhatWasPaid(id, file string) {
	w.t.Helper()
	r := w.reading(w.ada, file)
	if m := &r.Matches[0]; m.Finding != bankfile.Doubtful || r.Contradicts(m) || !strings.Contains(m.Because, "contradict each other: Line 1") {
		w.t.Fatalf("recorded, the line is %+v", m)
	}
	statement := `{"result":"happened","external_ref":"BANKREF-paid-all-the-same","amount":500,"currency":"USD","date":"2026-11-29","document":{"upload":"` + r.Upload + `"}}`
	p := w.preview(w.ada, id, model.MarkExternalResult, pay, statement)
	asked := w.confirm(w.ada, p)
	if asked.Approval == nil || w.load(id).OpenConflict() == nil {
		w.t.Fatalf("one person closed it: %+v", asked)
	}
	if _, err := w.run.Approve(w.t.Context(), w.cleo, *asked.Approval, Confirmation{Reason: reason, Digest: p.Digest}); err != nil {
		w.t.Fatal(err)
	}
	c := w.load(id)
	s := c.Step(pay)
	if s.State != model.Confirmed || s.Moved != 500 || c.OpenConflict() != nil || c.Uncertain != 0 || c.Confirmed != 500 || c.UncertainSince != 0 || s.Known() == "BANKREF-"+c.Key {
		w.t.Errorf("marked, the step is %s, moved %d, known as %q; %d uncertain", s.State, s.Moved, s.Known(), c.Uncertain)
	}
	if err := w.contradict(w.ada, file, 1); err != nil {
		w.t.Errorf("the repeat after the mark: %v", err)
	}
	if after := w.load(id); after.Fence != c.Fence || after.OpenConflict() != nil {
		w.t.Error("the repeat after the mark changed something")
	}
}

func TestWhoMayRecordAContradiction(t *testing.T) {
	w, id, file := contradicted(t, notSent)
	before := w.load(id).Version
	wantCode(t, w.contradict(w.glo, file.ID, 1), "not-found")
	wantCode(t, w.contradict(w.aud, file.ID, 1), authz.CodeDenied)
	for _, line := range []int{0, 2, 3} {
		wantCode(t, w.contradict(w.ada, file.ID, line), "invalid-params")
	}
	_, err := w.run.RecordContradiction(t.Context(), w.ada, file.ID, 1, BankContradiction{Reason: "  paid  "})
	wantCode(t, err, "invalid-params")
	_, err = w.run.RecordContradiction(t.Context(), w.ada, file.ID, 1, BankContradiction{Reason: reason, Step: id + ":other"})
	if extra(err, "rule") != "bankfile.moved" {
		t.Errorf("another step than was looked at: %v", err)
	}
	if got := w.entries("bankfile."); !slices.Equal(got, []string{"bankfile.stored", "bankfile.denied", "bankfile.contradiction.refused"}) || w.load(id).Version != before {
		t.Errorf("entries %v, version %d", got, w.load(id).Version)
	}
	waits := w.take(sheet(w.paying(id)))
	wantCode(t, w.contradict(w.ada, waits.ID, 1), "conflict")
}

// What the line contradicts no more, and what is about to be sent, is refused by rule.
func TestWhatContradictsNothingIsRefused(t *testing.T) {
	for name, test := range map[string]struct {
		setup func(w *world, id string)
		rule  string
	}{
		"a send is in flight": {func(w *world, id string) {
			w.engine(id, func(c *model.Case, tx *store.Tx) { w.reserve(c, c.Step(pay), tx) })
		}, "bankfile.no-contradiction"},
		"it is unknown":      {func(w *world, id string) { w.send(id, unknown) }, "bankfile.no-contradiction"},
		"it is confirmed":    {func(w *world, id string) { w.pass(id, pay) }, "bankfile.no-contradiction"},
		"it is contradicted": {found(pay, model.Observation{Finding: model.FoundHappened, ExternalRef: "po_1", Amount: 500, Currency: "USD"}), "bankfile.no-contradiction"},
		"a worker holds it": {func(w *world, id string) {
			w.engine(id, func(c *model.Case, tx *store.Tx) { c.LeaseWorker, c.LeaseUntil = "w1", tx.Now().Add(1e12) })
		}, inFlight},
		"nothing changed then": {func(*world, string) {}, ""},
	} {
		w, id, file := contradicted(t, curable2)
		test.setup(w, id)
		err := w.contradict(w.ada, file.ID, 1)
		if rule, _ := extra(err, "rule").(string); rule != test.rule || (err == nil) != (test.rule == "") {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// What moved between the reading and the lock is not contradicted by the reading.
func TestAContradictionIsOfTheStepAsItIs(t *testing.T) {
	for rule, move := range map[string]func(w *world, id string){
		"bankfile.contradicted": found(pay, model.Observation{Finding: model.FoundHappened, ExternalRef: "po_1", Amount: 500, Currency: "USD"}),
		"bankfile.moved":        func(w *world, id string) { w.send(id, unknown) },
		inFlight: func(w *world, id string) {
			w.engine(id, func(c *model.Case, tx *store.Tx) { w.reserve(c, c.Step(pay), tx) })
		},
	} {
		w, id, file := contradicted(t, curable2)
		r := w.reading(w.ada, file.ID)
		move(w, id)
		conflicts := len(w.load(id).Conflicts)
		d := contradicting{Runner: w.run, actor: w.ada, file: &r, m: &r.Matches[0], in: BankContradiction{Reason: reason}}
		w.update(func(tx *store.Tx) error { return d.run(tx, true) })
		if extra(d.refusal, "rule") != rule || len(w.load(id).Conflicts) != conflicts {
			t.Errorf("%s: %v", rule, d.refusal)
		}
	}
}
