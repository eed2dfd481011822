package moments

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/json"
	"strings"
	"testing"
	"time"

	"countersign/internal/actions"
	"countersign/internal/model"
)

// submit posts an intent as the service key does.
func (w *world) submit(kind, key, params string) string {
	w.t.Helper()
	accepted, err := w.act.Accept(context.Background(), w.people.payroll, actions.Submission{Key: key, Kind: kind, Account: account, Params: json.RawMessage(params)})
	if err != nil {
		w.t.Fatal(err)
	}
	w.intents = append(w.intents, accepted.Case.ID)
	return accepted.Case.ID
}

const payoutParams = `{"payee":{"reference":"rep-118","name":"Ada Rep","destination":"acct_9","email":"ada@example.com"},"amount":95050,"currency":"USD","period":"2026-10"}`

func (w *world) payout(key string) string { return w.submit(model.KindPayout, key, payoutParams) }

func TestPayoutCompletes(t *testing.T) {
	w := newWorld(t)
	id := w.payout("p-1")
	w.run(5 * time.Minute)
	w.expect(id, model.Completed, "create-payout", model.Confirmed)
	if n := w.effects("payouts"); n != 1 {
		t.Errorf("the books show %d payouts", n)
	}
	w.invariants()
}

// Moment 1: the connection is cut after the provider accepted.
func TestMoment01CutAfterAcceptance(t *testing.T) {
	w := newWorld(t)
	w.fault("drop_after_accept", 1, posts("/payouts"), 0)
	id := w.payout("p-1")
	w.run(0)
	w.expect(id, model.Processing, "create-payout", model.OutcomeUnknown)
	w.run(5 * time.Minute)
	w.expect(id, model.Completed, "create-payout", model.Confirmed)
	if n := w.effects("payouts"); n != 1 {
		t.Errorf("the books show %d payouts", n)
	}
	w.invariants()
}

// invariants checks what must hold after every history, against the books of
// the provider wherever effects are concerned.
func (w *world) invariants() {
	w.t.Helper()
	w.oneEffectAStep()
	w.logHolds()
	w.alarmed()
	for _, id := range w.intents {
		w.invariantsOf(w.load(id))
	}
}

// oneEffectAStep: the provider's books show at most one standing effect a step.
func (w *world) oneEffectAStep() {
	w.t.Helper()
	seen := map[string]int{}
	for _, e := range w.books() {
		if e.UndoneAt != nil {
			continue
		}
		step, _, _ := strings.Cut(e.Operation+" "+e.Reference, "#") // all generations of a step together
		if seen[step]++; seen[step] > 1 {
			w.t.Errorf("two standing effects of %s", step)
		}
	}
}

func (w *world) invariantsOf(c *model.Case) {
	w.t.Helper()
	for _, s := range c.Steps {
		for _, g := range s.Generations {
			if digest := sha256.Sum256(g.Body); !bytes.Equal(g.BodySHA256, digest[:]) {
				w.t.Errorf("%s#%d: frozen bytes and digest differ", s.Name, g.Number)
			}
		}
		for _, a := range s.Attempts {
			if a.WireKey != "" && s.Class.Effect() && len(s.Generations) == 0 {
				w.t.Errorf("%s attempt %d was sent without frozen bytes", s.Name, a.Number)
			}
		}
		if s.State == model.Confirmed && !confirmedBySomething(s) {
			w.t.Errorf("%s of %s is confirmed without evidence", s.Name, c.ID)
		}
	}
}

// confirmedBySomething: every state has a cause on record.
func confirmedBySomething(s *model.Step) bool {
	for _, e := range s.Evidence {
		if e.Says == model.Happened || e.Says == model.CameBack {
			return true
		}
	}
	return false
}
