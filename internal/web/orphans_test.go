package web

import (
	"bytes"
	"encoding/json"
	"net/http"
	"strings"
	"testing"
	"time"

	"countersign/internal/audit"
	"countersign/internal/model"
	"countersign/internal/store"
)

// missingObject makes an orphan of the account acme: the object of an intent's
// step that the provider does not know.
func (w *world) missingObject(intent string) string {
	w.Helper()
	o := store.Orphan{Sort: store.MissingObject, Provider: "bank", Operation: model.PayoutCreate, ExternalRef: "po_missing",
		Reference: intent + ":create-payout", IntentID: intent, Step: "create-payout", Account: "acme", Amount: 90_050, Currency: "EUR", FoundBy: store.BySweep}
	w.update(func(tx *store.Tx) error {
		_, err := w.log.FindOrphan(tx, &o, audit.Actor{Type: "engine", ID: "engine", Name: "engine"})
		return err
	})
	return o.ID
}

// stranger makes an object at the bank that is nothing of ours, and sweeps.
func (w *world) stranger(reference string) {
	w.Helper()
	body, err := json.Marshal(map[string]any{"reference": reference, "destination": "acct_9", "amount": 123456, "currency": "USD"})
	w.must(err)
	request, err := http.NewRequest(http.MethodPost, w.bank.URL()+"/payouts", bytes.NewReader(body))
	w.must(err)
	request.Header.Set("Idempotency-Key", reference)
	resp, err := http.DefaultClient.Do(request)
	w.must(err)
	resp.Body.Close()
	w.must(w.engine.Sweep(w.Context(), w.now().Add(-time.Hour)))
}

func TestOrphansAreFoundReadAndSettled(t *testing.T) {
	w := newWorld(t)
	ada, olga := w.browse("Ada"), w.browse("Olga")
	ada.wants(ada.get("/orphans"), 200, "Nothing stands alone")
	w.stranger("by <b>hand</b>")
	list := ada.get("/orphans")
	ada.wants(list, 200, "Object without an intent", "1 orphan", "1,234.56", "by <b>hand</b>", "Its reference is no step key of this product", "by the sweep")
	if strings.Contains(list.body, "<b>hand</b>") {
		t.Error("a provider’s text is taken for HTML")
	}
	_, rest, _ := strings.Cut(list.body, `href="/orphans/`)
	id, _, _ := strings.Cut(rest, `"`)
	path := "/orphans/" + id
	hidden := olga.get("/orphans")
	olga.wants(hidden, 200, "Nothing stands alone", "1 more at providers that serve other accounts too")
	if strings.Contains(hidden.body, "1,234.56") || olga.get(path).status != 404 {
		t.Error("what may be another account’s is shown")
	}
	ada.wants(ada.get(path), 200, "What it may be", "What to do", "nobody can tell", "Settle the orphan")
	ada.wants(ada.post(path+"/settle", "reason", "short", "intent", "intent-of-nobody"), 422, "Not settled. Nothing was done.", "The reason is shorter than 8 characters")
	ada.wants(ada.post(path+"/settle", "reason", because, "intent", "intent-of-nobody"), 422, "The intent is no intent of your accounts", because)
	w.wait(time.Hour)
	ada.wants(ada.post(path+"/settle", "reason", because), 403, "Confirm that it is you", "Nothing was settled.", because)
	ada = w.browse("Ada")
	ada.wants(ada.follow(ada.post(path+"/settle", "reason", because)), 200, "Settled by Ada", because)
	ada.wants(ada.post(path+"/settle", "reason", because), 409, "Ada settled this orphan before")
	ada.wants(ada.get("/orphans"), 200, "Nothing stands alone")
	ada.wants(ada.get("/orphans?state=settled"), 200, "settled by", "Ada")
	ada.wants(ada.get("/orphans?state=settled&kind=missing_object"), 200, "No orphan matches")
}

func TestOrphanOfAnAccount(t *testing.T) {
	w := newWorld(t)
	intent := w.payout("acme", "run-1", 90_050)
	path := "/orphans/" + w.missingObject(intent)
	olga, ann := w.browse("Olga"), w.browse("Ann")
	olga.wants(olga.get("/orphans"), 200, "Step without its object", "900.50", "po_missing")
	olga.wants(olga.get(path), 200, "asked twice by the object’s id", "Do not pay again because of this page", "Settle the orphan")
	ann.wants(ann.get(path), 200, "You may read this and not settle it.", "Only operators and administrators of acme may settle an orphan.")
	if p := w.browse("Gus").get("/orphans?state=all"); strings.Contains(p.body, "po_missing") {
		t.Error("another account’s orphan is shown")
	}
	olga.wants(olga.follow(olga.post(path+"/settle", "reason", because, "intent", intent)), 200, "It belongs to")
}

// TestFiltersThatNoListOffersAreRefused: none answers "nothing", and none is left
// out in silence.
func TestFiltersThatNoListOffersAreRefused(t *testing.T) {
	w := newWorld(t)
	w.unknown("acme", "run-1", 90_050)
	olga, audrey := w.browse("Olga"), w.browse("Audrey")
	for path, field := range map[string]string{"/orphans?kind=zzz": "kind", "/orphans?state=zzz": "state", "/?owner=person-xxx": "owner", "/?owner=zzz": "owner"} {
		olga.wants(olga.get(path), 422, "The list has no such filter", field+" is none of those offered")
	}
	audrey.wants(audrey.get("/audit?actor='"), 422, "The list has no such filter", "actor is none of those offered")
	olga.wants(olga.get("/?zone=Mars"), 200, "The zone in this address is not known")
	olga.wants(olga.get("/?owner="+w.ids["Otto"]), 200)
}
