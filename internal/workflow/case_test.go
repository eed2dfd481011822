package workflow

import (
	"encoding/json"
	"time"

	"countersign/internal/model"
	"countersign/internal/provider"
	"countersign/internal/provider/sandbox"
)

// tester is what an ordinary test and a property test have in common.
type tester interface {
	Helper()
	Fatal(args ...any)
	Fatalf(format string, args ...any)
}

var intentID = model.IntentID("installation", "acme", "payout", "key-1")

var created = model.At(time.Date(2026, 11, 2, 1, 30, 0, 0, time.UTC))

func registry(t tester) *provider.Registry {
	t.Helper()
	bank := sandbox.New(sandbox.Config{Name: "bank", URL: "http://127.0.0.1:9"})
	r, err := provider.NewRegistry(map[string]provider.Adapter{"bank": bank},
		map[string]provider.Routes{"acme": {Payouts: "bank", Credits: "bank", Disputes: "bank", Messages: "bank"},
			"globex": {Messages: "bank"}})
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// caseOf is a bound draft as an intent.
func caseOf(t tester, kind string, d Draft) *model.Case {
	t.Helper()
	if err := Bind(&d, "acme", registry(t)); err != nil {
		t.Fatal(err)
	}
	c := &model.Case{Intent: model.Intent{ID: intentID, Account: "acme", Kind: kind, Params: d.Params, Amount: d.Amount, Currency: d.Currency,
		Payee: d.Payee, PayeeRef: d.PayeeRef, Period: d.Period, DueBy: d.DueBy, CreatedAt: created}}
	for _, s := range d.Steps {
		s.IntentID = c.ID
		s.WireKey = s.Key()
		c.Steps = append(c.Steps, &s)
	}
	return c
}

func accepted(t tester, kind string, edits map[string]any) *model.Case {
	t.Helper()
	d, err := kindNamed(t, kind).Accept(edited(t, kind, edits))
	if err != nil {
		t.Fatal(err)
	}
	return caseOf(t, kind, d)
}

// confirmAll makes every step happen as asked, but those that are moot.
func confirmAll(c *model.Case) *model.Case {
	for _, s := range c.Steps {
		if s.State == model.NotNeeded {
			continue
		}
		s.State = model.Confirmed
		if s.Class.Effect() {
			s.ExternalRef = "obj_" + s.Name
		}
		if s.MovesMoney() {
			s.Moved = s.Amount
		}
	}
	return c
}

func says(s *model.Step, says model.Says, status string) {
	s.Evidence = append(s.Evidence, model.Evidence{Says: says, Status: status})
}

func work(t tester, c *model.Case, step string) Work {
	t.Helper()
	w, err := kindNamed(t, c.Kind).Work(c, c.Step(step))
	if err != nil {
		t.Fatalf("%s: %v", step, err)
	}
	return w
}

func orderOf(t tester, c *model.Case, step string) provider.Order {
	t.Helper()
	o, err := kindNamed(t, c.Kind).Order(c, c.Step(step))
	if err != nil {
		t.Fatalf("%s: %v", step, err)
	}
	return o
}

func asJSON(t tester, v any) string {
	t.Helper()
	raw, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	return string(raw)
}
