package actions

import (
	"bytes"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"sync"
	"testing"
	"time"

	"countersign/internal/audit"
	"countersign/internal/authz"
	"countersign/internal/model"
	"countersign/internal/provider"
	"countersign/internal/provider/sandbox"
	"countersign/internal/store"
	"countersign/internal/store/storetest"
	"countersign/internal/workflow"
)

// world is an installation without an engine: tests play the engine's part.
type world struct {
	t     testing.TB
	db    *store.DB
	log   *audit.Log
	run   *Runner
	book  *workflow.Book
	mu    sync.Mutex
	clock time.Time
	after func() error // stands behind every commit

	ada, ben, cleo, dan, aud, glo, key authz.Actor // operators, approvers, auditor, operator elsewhere, service key
}

func newWorld(t testing.TB) *world {
	t.Helper()
	w := &world{t: t, clock: time.Date(2026, 11, 29, 12, 0, 0, 0, time.UTC)}
	bank := sandbox.New(sandbox.Config{Name: "bank", URL: "http://127.0.0.1:1"})
	deaf := otherBank{bank, func(c *model.Contract) { c.Provider, c.Lookup = "deaf", model.LookupNone }}
	weak := otherBank{bank, func(c *model.Contract) {
		c.Provider, c.ActsAreStored, c.UndoBefore, c.UndoLimit = "weak", false, false, 24*time.Hour
	}}
	reg, err := provider.NewRegistry(map[string]provider.Adapter{"bank": bank, "deaf": deaf, "weak": weak}, map[string]provider.Routes{
		"acme": {Payouts: "bank", Credits: "bank", Disputes: "bank", Messages: "bank"},
		"weak": {Payouts: "weak", Credits: "weak", Disputes: "weak", Messages: "weak"},
		"mute": {Payouts: "deaf", Credits: "deaf", Disputes: "deaf", Messages: "deaf"},
	})
	if err != nil {
		t.Fatal(err)
	}
	w.db = storetest.Open(t, store.Options{Clock: w.now, AfterCommit: w.committed})
	w.log = audit.New(w.db, bytes.Repeat([]byte{7}, 32))
	w.book = workflow.NewBook(reg)
	w.run = New(w.db, w.log, w.book, model.NormalPace(), authz.DefaultTiers)
	w.update(func(tx *store.Tx) error { return w.populate(tx, reg) })
	return w
}

// otherBank is the bank under other promises.
type otherBank struct {
	*sandbox.Adapter
	promise func(*model.Contract)
}

func (b otherBank) Contract(operation string) (model.Contract, bool) {
	c, ok := b.Adapter.Contract(operation)
	b.promise(&c)
	return provider.Seal(c), ok
}

func (w *world) populate(tx *store.Tx, reg *provider.Registry) error {
	if err := tx.RecordContracts(reg.Contracts()); err != nil {
		return err
	}
	for _, p := range []struct {
		into    *authz.Actor
		name    string
		account string
		role    model.Role
	}{
		{&w.ada, "Ada", "acme", model.RoleOperator}, {&w.ben, "Ben", "acme", model.RoleOperator},
		{&w.cleo, "Cleo", "acme", model.RoleApprover}, {&w.dan, "Dan", "acme", model.RoleApprover},
		{&w.aud, "Aud", "acme", model.RoleAuditor}, {&w.glo, "Glo", "globex", model.RoleOperator},
	} {
		person, err := tx.AddPerson(p.name+"@example.com", p.name)
		if err != nil {
			return err
		}
		if err := tx.Grant(person.ID, p.account, p.role); err != nil {
			return err
		}
		if p.role == model.RoleOperator || p.role == model.RoleApprover {
			if err := errors.Join(tx.Grant(person.ID, "mute", p.role), tx.Grant(person.ID, "weak", p.role)); err != nil {
				return err
			}
		}
		_, key, err := tx.AddPersonKey(person.ID, "test", tx.Now().Add(1000*time.Hour))
		if err != nil {
			return err
		}
		if *p.into, err = actorBy(tx, key); err != nil {
			return err
		}
	}
	_, key, err := tx.AddServiceKey("acme", "payroll", w.dan.ID, []model.Ability{model.CanReadIntents, model.CanWriteIntents})
	if err != nil {
		return err
	}
	w.key, err = actorBy(tx, key)
	return err
}

func actorBy(tx *store.Tx, key string) (authz.Actor, error) {
	a, err := tx.ActorByKey(key)
	return authz.Actor(a), err
}

func (w *world) now() time.Time {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.clock
}

func (w *world) wait(d time.Duration) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.clock = w.clock.Add(d)
}

func (w *world) committed() error {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.after != nil {
		return w.after()
	}
	return nil
}

// lie makes the next commit report an error though it was kept.
func (w *world) lie() {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.after = func() error { w.after = nil; return errors.New("connection lost") }
}

func (w *world) update(fn func(*store.Tx) error) {
	w.t.Helper()
	if err := w.db.Update(w.t.Context(), fn); err != nil {
		w.t.Fatal(err)
	}
}

func payoutParams(amount int64) json.RawMessage {
	return fmt.Appendf(nil, `{"payee":{"reference":"rep-118","name":"Ada Rep","destination":"acct_9","email":"rep@example.com"},"amount":%d,"currency":"USD","period":"2026-10"}`, amount)
}

// payout accepts a payout posted by Ben and gives its id.
func (w *world) payout(key string, amount int64) string { return w.post("acme", key, amount).ID }

func (w *world) post(account, key string, amount int64) *model.Case {
	w.t.Helper()
	out, err := w.run.Accept(w.t.Context(), w.ben, Submission{Key: key, Kind: model.KindPayout, Account: account, Params: payoutParams(amount)})
	if err != nil {
		w.t.Fatal(err)
	}
	return out.Case
}

func (w *world) load(id string) (c *model.Case) {
	w.t.Helper()
	err := w.db.View(w.t.Context(), func(tx *store.Tx) (err error) { c, err = tx.Case(id); return err })
	if err != nil {
		w.t.Fatal(err)
	}
	return c
}

// engine changes an intent as the engine would.
func (w *world) engine(id string, change func(*model.Case, *store.Tx)) {
	w.t.Helper()
	w.update(func(tx *store.Tx) error {
		c, err := tx.LockCase(id)
		if err != nil {
			return err
		}
		c.Fence++
		change(c, tx)
		return w.log.Record(tx, c, audit.Actor{Type: "engine", ID: "engine", Name: "engine"}, w.run.timing)
	})
}

// pass confirms the next steps, up to and with the named one.
func (w *world) pass(id, upTo string) {
	w.t.Helper()
	w.engine(id, func(c *model.Case, tx *store.Tx) {
		for s := c.Unfinished(); s != nil; s = c.Unfinished() {
			out := model.Outcome{Result: model.ResultDone, Final: true, ByRule: s.Operation == model.ApprovalStep}
			if s.Class.Effect() {
				out = model.Outcome{Result: model.ResultConfirmed, ExternalRef: "obj_" + s.Name + "_" + c.Key, Final: true}
			}
			w.attempt(c, s, tx, out)
			if s.Name == upTo {
				return
			}
		}
	})
}

// send makes one attempt of the first unfinished step, with an outcome.
func (w *world) send(id string, out model.Outcome) {
	w.t.Helper()
	w.engine(id, func(c *model.Case, tx *store.Tx) { w.attempt(c, c.Unfinished(), tx, out) })
}

func (w *world) attempt(c *model.Case, s *model.Step, tx *store.Tx, out model.Outcome) {
	w.t.Helper()
	w.reserve(c, s, tx)
	if _, err := c.Settle(s, out, tx.NewID("evidence"), w.run.timing, 0.5, tx.Now()); err != nil {
		w.t.Fatal(err)
	}
}

// reserve freezes the bytes and opens an attempt.
func (w *world) reserve(c *model.Case, s *model.Step, tx *store.Tx) {
	w.t.Helper()
	if s.Class.Effect() && s.Frozen() == nil {
		request, err := w.book.Request(c, s)
		if err != nil {
			w.t.Fatal(err)
		}
		sum := sha256.Sum256(request.Body)
		s.Generations = append(s.Generations, model.Generation{IntentID: c.ID, Step: s.Name, Number: s.Generation, WireKey: s.WireKey, Method: request.Method,
			URL: request.URL, ContentType: request.ContentType, Body: request.Body, BodySHA256: sum[:], FrozenAt: tx.Now()})
	}
	s.Ordered, s.OrderID, s.OrderBy, s.OrderAt, s.OrderDigest = "", "", "", 0, nil
	if _, err := c.Reserve(s, model.Attempt{Trigger: model.ByEngine, Worker: "w1", Boot: "b1", Fence: c.Fence, DeadlineAt: tx.Now().Add(30 * time.Second)}, tx.Now()); err != nil {
		w.t.Fatal(err)
	}
}

// ask records a look that found nothing conclusive.
func (w *world) ask(id, step string) {
	w.t.Helper()
	w.engine(id, func(c *model.Case, tx *store.Tx) {
		look := model.Look{Observation: model.Observation{Finding: model.FoundNone}, Source: model.FromQuery, By: "w1", EvidenceID: tx.NewID("evidence"), Began: tx.Now()}
		if _, err := c.Observe(c.Step(step), look, w.run.timing, 0.5, tx.Now()); err != nil {
			w.t.Fatal(err)
		}
	})
}

// events lists what the log holds about an intent, steps and states left out.
func (w *world) events(id string) (list []string) {
	w.t.Helper()
	err := w.db.View(w.t.Context(), func(tx *store.Tx) error {
		return tx.Select(&list, `SELECT event FROM audit_entries WHERE intent_id = ? AND
			(event LIKE 'action.%' OR event LIKE 'approval.%' OR event LIKE 'owner.%' OR event LIKE 'intent.accepted') ORDER BY `+storetest.Inserted(), id)
	})
	if err != nil {
		w.t.Fatal(err)
	}
	return list
}

func (w *world) preview(actor authz.Actor, id, action, step, input string) Preview {
	w.t.Helper()
	p, err := w.run.Preview(w.t.Context(), actor, PreviewRequest{Intent: id, Action: action, Step: step, Input: json.RawMessage(input)})
	if err != nil {
		w.t.Fatalf("preview %s: %v", action, err)
	}
	return p
}

const reason = "looked at the bank's own list"

func (w *world) confirm(actor authz.Actor, p Preview) Receipt {
	w.t.Helper()
	r, err := w.run.Confirm(w.t.Context(), actor, p.ID, Confirmation{Reason: reason, Digest: p.Digest})
	if err != nil {
		w.t.Fatalf("confirm %s: %v", p.Action, err)
	}
	return r
}

// wantCode checks the problem's name of an error.
func wantCode(t *testing.T, err error, code string) {
	t.Helper()
	if codeOf(err) != code {
		t.Errorf("error %v has the code %q, want %q", err, codeOf(err), code)
	}
}

func extra(err error, name string) any {
	var known *model.Error
	if errors.As(err, &known) {
		return known.Extra[name]
	}
	return nil
}
