package moments

import (
	"context"
	"encoding/json"
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
	w.promise(accepted.Case)
	return accepted.Case.ID
}

// promise remembers that an intent was answered: it may never be lost.
func (w *world) promise(c *model.Case) {
	w.memory.Lock()
	defer w.memory.Unlock()
	w.memory.promised[c.ID] = c.Key
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
	w.survive(t)
}
