package actions

import (
	"encoding/json"
	"fmt"
	"reflect"
	"strings"
	"sync"
	"testing"

	"countersign/internal/authz"
	"countersign/internal/model"
	"countersign/internal/provider"
	"countersign/internal/store"
	"countersign/internal/store/storetest"
	"countersign/internal/workflow"
)

func submission(key string, params string) Submission {
	return Submission{Key: key, Kind: model.KindPayout, Account: "acme", Params: json.RawMessage(params)}
}

func TestAcceptIsOneIntentPerKey(t *testing.T) {
	w := newWorld(t)
	first, err := w.run.Accept(t.Context(), w.key, submission("k-1", string(payoutParams(125050))))
	if err != nil || first.Replayed {
		t.Fatalf("first: %+v %v", first, err)
	}
	reordered := `{"requested_at":"2026-11-02T09:00:00Z","period":"2026-10","currency":"USD","memo":"again","amount":125050,
		"payee":{"email":"rep@example.com","destination":"acct_9","name":"Ada Rep","reference":"rep-118"}}`
	again, err := w.run.Accept(t.Context(), w.ada, submission("k-1", reordered))
	if err != nil || !again.Replayed || again.Case.ID != first.Case.ID {
		t.Errorf("repeat: %+v %v", again, err)
	}
	c := w.load(first.Case.ID)
	if c.CreatedBy != "key payroll" || c.Creator != w.dan.ID || c.State != model.Received || c.WakeAt == 0 {
		t.Errorf("stored: by %q for %q, %s, wakes at %v", c.CreatedBy, c.Creator, c.State, c.WakeAt)
	}
	if s := c.ApprovalStep(); s.PeopleNeeded != 1 || s.Rule != authz.TierOneApprover {
		t.Errorf("approval step: %d people by %s", s.PeopleNeeded, s.Rule)
	}
	if s := c.Step("create-payout"); s.WireKey != s.Key() || s.Provider != "bank" || s.Contract.ID == "" {
		t.Errorf("effect is not bound: %+v", s)
	}
	if got := w.events(c.ID); !reflect.DeepEqual(got, []string{"intent.accepted"}) {
		t.Errorf("events %v", got)
	}
}

func TestAcceptRefuses(t *testing.T) {
	w := newWorld(t)
	w.payout("taken", 5000)
	good := string(payoutParams(5000))
	for _, test := range []struct {
		name  string
		actor authz.Actor
		in    Submission
		kind  model.Kind
		code  string
	}{
		{"no key", w.ben, submission("", good), model.Invalid, "idempotency-key-invalid"},
		{"key of a compensation", w.ben, submission("compensate:x", good), model.Invalid, "idempotency-key-invalid"},
		{"unknown kind", w.ben, Submission{Key: "a", Kind: "gift", Account: "acme"}, model.Invalid, "invalid-params"},
		{"compensation", w.ben, Submission{Key: "a", Kind: model.KindCompensation, Account: "acme"}, model.Invalid, "invalid-params"},
		{"foreign account", w.glo, submission("a", good), model.NotFound, "not-found"},
		{"unknown account", w.ben, Submission{Key: "a", Kind: model.KindPayout, Account: "nowhere", Params: json.RawMessage(good)}, model.NotFound, "not-found"},
		{"no right", w.aud, submission("a", good), model.Denied, "denied"},
		{"bad params", w.ben, submission("a", `{"amount":-1}`), model.Invalid, "invalid-params"},
		{"other params", w.ben, submission("taken", string(payoutParams(5001))), model.Conflict, "idempotency-key-reused"},
		{"no provider", w.glo, Submission{Key: "a", Kind: model.KindPayout, Account: "globex", Params: json.RawMessage(good)}, model.Invalid, "invalid-params"},
	} {
		_, err := w.run.Accept(t.Context(), test.actor, test.in)
		if model.KindOf(err) != test.kind || codeOf(err) != test.code {
			t.Errorf("%s: %v (%v, %q)", test.name, err, model.KindOf(err), codeOf(err))
		}
	}
	changed := strings.Replace(strings.Replace(good, "5000", "5001", 1), "2026-10", "2026-11", 1)
	_, err := w.run.Accept(t.Context(), w.ben, submission("taken", strings.TrimSuffix(changed, "}")+`,"memo":"x"}`))
	if fields := extra(err, "fields"); !reflect.DeepEqual(fields, []string{"amount", "period"}) {
		t.Errorf("differing fields %v", fields)
	}
}

func TestFiftyAtOnceAreOneIntent(t *testing.T) {
	w := newWorld(t)
	var wg sync.WaitGroup
	var mu sync.Mutex
	ids, fresh := map[string]bool{}, 0
	for range 50 {
		wg.Go(func() {
			out, err := w.run.Accept(t.Context(), w.key, submission("same", string(payoutParams(5000))))
			if err != nil {
				t.Error(err)
				return
			}
			mu.Lock()
			defer mu.Unlock()
			ids[out.Case.ID] = true
			if !out.Replayed {
				fresh++
			}
		})
	}
	wg.Wait()
	if len(ids) != 1 || fresh != 1 {
		t.Errorf("%d intents, %d of them said to be new", len(ids), fresh)
	}
	for id := range ids {
		if n := len(w.events(id)); n != 1 {
			t.Errorf("%d entries", n)
		}
	}
}

func TestARepeatNeedsNoProvider(t *testing.T) {
	w := newWorld(t)
	id := w.payout("k", 5000)
	none, err := provider.NewRegistry(nil, nil)
	if err != nil {
		t.Fatal(err)
	}
	bare := New(w.db, w.log, workflow.NewBook(none), w.run.timing, w.run.tiers)
	out, err := bare.Accept(t.Context(), w.ben, submission("k", string(payoutParams(5000))))
	if err != nil || !out.Replayed || out.Case.ID != id {
		t.Errorf("%+v %v", out, err)
	}
	results := bare.AcceptBatch(t.Context(), w.ben, []Submission{submission("k", string(payoutParams(5000))), submission("new", string(payoutParams(5000)))})
	if !results[0].Replayed || codeOf(results[1].Err) != "invalid-params" {
		t.Errorf("%+v", results)
	}
}

// TestARepeatIsDecidedBeforeTodaysRules: what earlier rules took stays the one
// intent of its key, for a caller who posts it again.
func TestARepeatIsDecidedBeforeTodaysRules(t *testing.T) {
	w := newWorld(t)
	old := strings.Replace(string(payoutParams(5000)), "2026-10", "2026-13", 1)
	if _, err := w.run.Accept(t.Context(), w.ben, submission("new", old)); codeOf(err) != "invalid-params" {
		t.Fatalf("today's rules take %s: %v", old, err)
	}
	id := w.acceptedBefore("old", old)
	repeat := submission("old", strings.TrimSuffix(old, "}")+`,"memo":"again"}`)
	other := submission("old", strings.Replace(old, "5000", "5001", 1))
	out, err := w.run.Accept(t.Context(), w.ben, repeat)
	if err != nil || !out.Replayed || out.Case.ID != id {
		t.Errorf("repeat: %+v %v", out, err)
	}
	if _, err := w.run.Accept(t.Context(), w.ben, other); !reflect.DeepEqual(extra(err, "fields"), []string{"amount"}) {
		t.Errorf("other contents: %v", err)
	}
	results := w.run.AcceptBatch(t.Context(), w.ben, []Submission{repeat, other, submission("new", old)})
	if !results[0].Replayed || codeOf(results[1].Err) != "idempotency-key-reused" || codeOf(results[2].Err) != "invalid-params" {
		t.Errorf("batch: %+v", results)
	}
}

// acceptedBefore stores a payout with params that today's rules need not take.
func (w *world) acceptedBefore(key, params string) (id string) {
	w.t.Helper()
	d, err := w.run.draft(w.ben, submission(key, string(payoutParams(5000))))
	if err != nil {
		w.t.Fatal(err)
	}
	if d.Fingerprint, err = model.Fingerprint(json.RawMessage(params), notMeaningful...); err != nil {
		w.t.Fatal(err)
	}
	if d.Params, err = model.Canonical([]byte(params)); err != nil {
		w.t.Fatal(err)
	}
	if err := w.run.book.Bind(&d, "acme"); err != nil {
		w.t.Fatal(err)
	}
	w.update(func(tx *store.Tx) error {
		c := newCase(tx, "acme", model.KindPayout, key, d)
		c.Derive(w.run.timing, tx.Now())
		id = c.ID
		_, err := tx.InsertCase(c)
		return err
	})
	return id
}

func TestAcceptWhenTheCommitSeemedToFail(t *testing.T) {
	w := newWorld(t)
	w.lie()
	out, err := w.run.Accept(t.Context(), w.key, submission("k", string(payoutParams(5000))))
	if err != nil || out.Case == nil || out.Replayed {
		t.Errorf("%+v %v", out, err)
	}
}

func TestAcceptNeedsItsEntry(t *testing.T) {
	w := newWorld(t)
	w.breakAudit()
	if _, err := w.run.Accept(t.Context(), w.key, submission("k", string(payoutParams(5000)))); err == nil {
		t.Fatal("accepted without an entry")
	}
	err := w.db.View(t.Context(), func(tx *store.Tx) error {
		_, ok, err := tx.StoredIntent(model.IntentID(tx.Installation(), "acme", "payout", "k"))
		if ok {
			t.Error("the intent is there")
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
}

// breakAudit makes every further audit entry fail.
func (w *world) breakAudit() {
	w.update(func(tx *store.Tx) error {
		return storetest.RefuseInserts(tx, "audit_entries")
	})
}

func TestBatch(t *testing.T) {
	w := newWorld(t)
	w.payout("known", 5000)
	w.payout("reused", 5000)
	var list []Submission
	for i := range 230 {
		list = append(list, submission(fmt.Sprintf("n-%d", i), string(payoutParams(5000+int64(i)))))
	}
	list[3].Key, list[3].Params = "known", payoutParams(5000)
	list[4].Key = "reused"
	list[5].Params = json.RawMessage(`{}`)
	list[6].Account = "globex"
	list[7] = list[8]
	results := w.run.AcceptBatch(t.Context(), w.key, list)
	want := map[int]string{4: "idempotency-key-reused", 5: "invalid-params", 6: "not-found"}
	for i, r := range results {
		if codeOf(r.Err) != want[i] || (r.Err == nil) != (r.Case != nil) {
			t.Errorf("item %d: %+v %v", i, r.Case, r.Err)
		}
	}
	if !results[3].Replayed || results[7].Replayed || !results[8].Replayed || results[7].Case.ID != results[8].Case.ID {
		t.Errorf("repeats: %v %v %v", results[3].Replayed, results[7].Replayed, results[8].Replayed)
	}
	if c := w.load(results[229].Case.ID); c.Creator != w.dan.ID {
		t.Errorf("creator %q", c.Creator)
	}
	for _, r := range w.run.AcceptBatch(t.Context(), w.key, make([]Submission, MaxBatch+1)) {
		if r.Err == nil {
			t.Fatal("too large a batch was taken")
		}
	}
}
