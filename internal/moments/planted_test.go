package moments

import (
	"fmt"
	"io"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"countersign/internal/audit"
	"countersign/internal/model"
	"countersign/internal/store"
	"countersign/internal/store/storetest"
)

// planted are violations, each put into a sound world by hand, and the
// invariant that must name it.
var planted = []struct {
	says   string
	number int
	plant  func(w *world)
}{
	{"other params under the same key", 1, func(w *world) {
		w.exec("UPDATE intents SET params = ?", []byte(strings.Replace(payoutParams, "95050", "95051", 1)))
	}},
	{"a second effect under another key", 2, func(w *world) { w.outside("another-key", w.only()+":create-payout") }},
	{"an effect that nobody reserved", 3, func(w *world) { w.outside("a-key", "intent-nobody:create-payout") }},
	{"an effect with other bytes than were reserved", 3, func(w *world) {
		w.exec("INSERT INTO generations (intent_id, step, number, wire_key, method, url, content_type, body, body_sha256, frozen_at) " +
			"SELECT intent_id, step, 7, 'other', method, url, content_type, body, body_sha256, frozen_at FROM generations WHERE step = 'create-payout'")
		w.outside("other", w.only()+":create-payout#7")
	}},
	{"a message sent twice while unknown", 4, func(w *world) { w.sentAgain("send-remittance", time.Second) }},
	{"a keyed step sent again after its window", 5, func(w *world) { w.sentAgain("create-payout", 25*time.Hour) }},
	{"a keyed step sent again under another key", 5, func(w *world) {
		w.sentAgain("create-payout", time.Second)
		w.withoutTriggers("attempts")
		w.exec("UPDATE attempts SET wire_key = 'other' WHERE step = 'create-payout' AND number = 99")
	}},
	{"an attempt after the end", 6, func(w *world) { w.sentAgain("post-ledger", time.Hour) }},
	{"an attempt under an old fence", 6, func(w *world) {
		w.withoutTriggers("attempts")
		w.exec("UPDATE attempts SET fence = 0 WHERE step = 'send-remittance'")
	}},
	{"a preview used up with nothing done", 7, func(w *world) {
		w.preview(w.people.operator, w.only(), model.Reconcile, "create-payout", "")
		w.exec("UPDATE previews SET used_at = created_at, receipt = ?", []byte("{}"))
	}},
	{"something done that was not previewed", 7, func(w *world) {
		w.do(w.people.operator, w.only(), model.Reconcile, "create-payout", "")
		w.exec("UPDATE previews SET digest = 'other'")
	}},
	{"a compensation approved by its requester", 8, func(w *world) {
		w.do(w.people.operator, w.only(), model.Compensate, "create-payout", "")
		must(w.approve(w.people.approver, w.only()))(w.t)
		w.exec("UPDATE approval_decisions SET person = ?", w.people.operator.ID)
	}},
	{"evidence that was changed", 9, func(w *world) {
		w.withoutTriggers("evidence")
		w.exec("UPDATE evidence SET detail = 'other' WHERE step = 'create-payout'")
	}},
	{"evidence that can be changed", 9, func(w *world) { w.withoutTriggers("evidence") }},
	{"a state without a cause", 10, func(w *world) { w.exec("UPDATE steps SET state = 'not_needed' WHERE name = 'send-remittance'") }},
	{"an intent's state without a cause", 10, func(w *world) { w.exec("UPDATE intents SET state = 'abandoned'") }},
	{"an action with two entries", 11, func(w *world) {
		r := w.do(w.people.operator, w.only(), model.Reconcile, "create-payout", "")
		w.entryAgain(r.Audit)
	}},
	{"a refusal without an entry", 11, func(w *world) { w.memory.refused[hearing{"preview-x", w.people.operator.ID}]++ }},
	{"an intent that is gone", 12, func(w *world) { w.memory.promised["intent-x"] = "p-x" }},
	{"an intent that nothing wakes", 12, func(w *world) { w.exec("UPDATE intents SET state = 'processing', wake_at = 0") }},
	{"an unknown effect stored as failed", 13, func(w *world) {
		w.withoutTriggers("attempts")
		w.exec("UPDATE attempts SET result = 'unknown' WHERE step = 'create-payout'")
		w.exec("UPDATE steps SET state = 'failed_safely', failure = 'retryable' WHERE name = 'create-payout'")
	}},
	{"an unknown effect that is counted nowhere", 13, func(w *world) {
		w.exec("UPDATE steps SET state = 'outcome_unknown', uncertain_since = changed_at WHERE name = 'create-payout'")
	}},
}

// Each invariant can fail: what breaks it is seen, and named.
func TestInvariantsSeeWhatIsPlanted(t *testing.T) {
	for _, p := range planted {
		t.Run(fmt.Sprintf("%d/%s", p.number, p.says), func(t *testing.T) {
			w := newWorld(t)
			w.paid("p-1")
			w.checkInvariants(t)
			p.plant(w)
			breaches := w.breaches(t)
			if !slices.ContainsFunc(breaches, func(b breach) bool { return b.number == p.number }) {
				t.Errorf("seen were only %+v", breaches)
			}
		})
	}
	against := map[int]bool{}
	for _, p := range planted {
		against[p.number] = true
	}
	if len(against) != len(invariants) {
		t.Errorf("there is something planted against %d of %d invariants", len(against), len(invariants))
	}
}

// exec changes the database behind everybody's back.
func (w *world) exec(statement string, args ...any) {
	w.t.Helper()
	w.update(func(tx *store.Tx) error {
		n, err := tx.Changed(statement, args...)
		if err == nil && n == 0 {
			err = fmt.Errorf("%q changed nothing", statement)
		}
		return err
	})
}

// only is the world's one intent.
func (w *world) only() (id string) {
	for id = range w.memory.promised {
	}
	return id
}

// withoutTriggers takes the append-only triggers off a table.
func (w *world) withoutTriggers(table string) {
	w.t.Helper()
	w.update(func(tx *store.Tx) error { return storetest.DropTriggers(tx, table) })
}

// sentAgain adds an attempt of a step, and makes the earlier one unknown.
func (w *world) sentAgain(step string, later time.Duration) {
	w.withoutTriggers("attempts")
	w.exec("UPDATE attempts SET result = 'unknown' WHERE step = ?", step)
	w.exec(`INSERT INTO attempts (intent_id, step, number, generation, wire_key, trigger_by, worker, boot, fence, started_at, deadline_at, finished_at, result)
		SELECT intent_id, step, 99, generation, wire_key, 'retry', worker, boot, fence, finished_at + ?, deadline_at, finished_at + ?, 'not_sent'
		FROM attempts WHERE step = ?`, later.Microseconds(), later.Microseconds()+1, step)
}

// entryAgain records what an entry says once more.
func (w *world) entryAgain(id string) {
	w.update(func(tx *store.Tx) error {
		item, err := w.log.ByID(tx, audit.Everything(), id)
		if err != nil {
			return err
		}
		_, err = w.log.Append(tx, audit.Entry{Actor: item.Actor, Event: item.Event, Account: item.Account, Intent: item.Intent, Preview: item.Preview,
			Detail: map[string]any{"digest": detail(item, "digest")}})
		return err
	})
}

// outside pays at the provider as somebody else, who has our reference.
func (w *world) outside(key, reference string) {
	w.t.Helper()
	body := fmt.Sprintf(`{"reference":%q,"destination":"acct_9","amount":95050,"currency":"USD"}`, reference)
	request := must(http.NewRequest(http.MethodPost, w.bank.URL()+"/payouts", strings.NewReader(body)))(w.t)
	request.Header.Set("Content-Type", "application/json")
	request.Header.Set("Idempotency-Key", key)
	answer := must(http.DefaultClient.Do(request))(w.t)
	defer answer.Body.Close()
	if raw, _ := io.ReadAll(answer.Body); answer.StatusCode != http.StatusCreated {
		w.t.Fatalf("the provider answered %d: %s", answer.StatusCode, raw)
	}
}
