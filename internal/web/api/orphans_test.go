package api_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"net/http"
	"testing"
	"time"

	"countersign/internal/audit"
	"countersign/internal/model"
	"countersign/internal/store"
)

// missingObject makes an orphan of the account acme: an intent's object that the
// provider does not know.
func (w *world) missingObject(intent string) string {
	w.Helper()
	o := store.Orphan{Sort: store.MissingObject, Provider: "bank", Operation: model.PayoutCreate, ExternalRef: "po_" + intent,
		Reference: intent + ":create-payout", IntentID: intent, Step: "create-payout", Account: "acme", Amount: 100, Currency: "USD", FoundBy: store.BySweep}
	w.must(w.db.Update(w.Context(), func(tx *store.Tx) error {
		_, err := w.log.FindOrphan(tx, &o, audit.Actor{Type: "engine", ID: "engine", Name: "engine"})
		return err
	}))
	return o.ID
}

// strangers makes objects at the bank that are nothing of ours, and sweeps.
func (w *world) strangers(n int) {
	w.Helper()
	for i := range n {
		body, err := json.Marshal(map[string]any{"reference": fmt.Sprint("by hand ", i), "destination": "acct_9", "amount": 100 + i, "currency": "USD"})
		w.must(err)
		request, err := http.NewRequest(http.MethodPost, w.bank.URL()+"/payouts", bytes.NewReader(body))
		w.must(err)
		request.Header.Set("Idempotency-Key", fmt.Sprint("k-", i))
		resp, err := http.DefaultClient.Do(request)
		w.must(err)
		resp.Body.Close()
	}
	w.must(w.engine.Sweep(w.Context(), w.now().Add(-time.Hour)))
}

// What nobody can tell whose it is, is seen by an administrator of an account
// that its provider serves, and by nobody who lacks one of the others.
func TestOrphansThatMayBeAnybodys(t *testing.T) {
	w := newWorld(t)
	w.strangers(3)
	for _, who := range []string{"service", "reader", "olga", "ann", "audrey", "gus"} {
		if items := w.call(who, "GET", "/v1/orphans?state=all", nil).is(200, "").items(); len(items) != 0 {
			t.Errorf("%s sees %v", who, items)
		}
	}
	list := w.call("ada", "GET", "/v1/orphans", nil).is(200, "").items()
	if len(list) != 3 {
		t.Fatalf("ada sees %d", len(list))
	}
	id := list[0]["id"].(string)
	w.call("olga", "GET", "/v1/orphans/"+id, nil).is(404, "not-found")
	w.call("olga", "POST", "/v1/orphans/"+id+"/settle", map[string]any{"reason": "long enough"}).is(404, "not-found")
	one := w.call("ada", "GET", "/v1/orphans/"+id, nil).is(200, "")
	if one.at("may_settle") != true || one.at("kind") != "unknown_object" || one.at("amount") != 100.0 || one.at("reference") != "by hand 0" || one.at("account") != nil {
		t.Errorf("%s", one.raw)
	}
}

func TestOrphansPageByPage(t *testing.T) {
	w := newWorld(t)
	w.strangers(5)
	seen, cursor := map[string]bool{}, ""
	for page := range 3 {
		a := w.call("ada", "GET", "/v1/orphans?limit=2&cursor="+cursor, nil).is(200, "")
		for _, item := range a.items() {
			seen[item["id"].(string)] = true
		}
		if a.at("count") != 5.0 || (a.at("next_cursor") == nil) != (page == 2) {
			t.Errorf("page %d: %s", page, a.raw)
		}
		cursor, _ = a.at("next_cursor").(string)
	}
	if len(seen) != 5 {
		t.Errorf("%d orphans on three pages", len(seen))
	}
	w.call("ada", "GET", "/v1/orphans?cursor=nonsense", nil).is(422, "invalid-params")
	w.call("ada", "GET", "/v1/orphans?state=lost", nil).is(422, "invalid-params")
}

func TestSettlingAnOrphan(t *testing.T) {
	w := newWorld(t)
	intent, _ := w.waitingForApproval("pay-1")
	id := w.missingObject(intent)
	path := "/v1/orphans/" + id + "/settle"
	w.call("olga", "POST", path, map[string]any{"reason": "short"}).is(422, "invalid-params")
	w.call("olga", "POST", path, map[string]any{"reason": "long enough", "intent": "intent-of-somebody"}).is(422, "invalid-params")
	w.call("unfresh", "POST", path, map[string]any{"reason": "long enough"}).is(403, "step-up-required")
	w.call("ann", "POST", path, map[string]any{"reason": "long enough"}).is(403, "denied")
	done := w.call("olga", "POST", path, map[string]any{"reason": "The bank archived it; statement 7 shows it.", "intent": intent}).is(200, "")
	if done.at("settled_by") != "olga" || done.at("taken_by") != intent || done.at("reason") != "The bank archived it; statement 7 shows it." {
		t.Errorf("%s", done.raw)
	}
	w.call("ada", "POST", path, map[string]any{"reason": "long enough"}).is(409, "conflict")
	if items := w.call("olga", "GET", "/v1/orphans", nil).items(); len(items) != 0 {
		t.Errorf("still open: %v", items)
	}
	if items := w.call("olga", "GET", "/v1/orphans?state=settled", nil).items(); len(items) != 1 {
		t.Errorf("settled: %v", items)
	}
	w.sequence()
	for event, want := range map[string]int{"orphan.found": 1, "orphan.settled": 1, "orphan.settle.denied": 2} {
		if items := w.call("reader", "GET", "/v1/audit?event="+event, nil).items(); len(items) != want {
			t.Errorf("%s: %d entries", event, len(items))
		}
	}
}
