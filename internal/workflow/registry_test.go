package workflow

import (
	"bytes"
	"encoding/json"
	"maps"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"countersign/internal/model"
	"countersign/internal/provider"
)

func TestKinds(t *testing.T) {
	want := []string{"compensation", "dispute", "payout", "statement"}
	all := Kinds()
	if got := slices.Sorted(maps.Keys(all)); !slices.Equal(got, want) {
		t.Errorf("kinds %v", got)
	}
	for name, k := range all {
		if k.Name() != name {
			t.Errorf("%s is called %s", name, k.Name())
		}
	}
	delete(all, "payout")
	if _, ok := Lookup("payout"); !ok {
		t.Error("a caller could take a kind away")
	}
	if _, ok := Lookup("other"); ok {
		t.Error("a kind that is none")
	}
}

func TestBind(t *testing.T) {
	bound := map[string]model.Class{CreatePayout: model.Keyed, SendRemittance: model.Message, SubmitResponse: model.Unkeyed,
		CreditBalance: model.Keyed, NotifyParties: model.Message, SendStatement: model.Message}
	for kind := range samples {
		for _, s := range accepted(t, kind, nil).Steps {
			class, ok := bound[s.Name]
			if ok != (s.Provider == "bank") || ok != (s.ContractID != "") || s.ContractID != s.Contract.ID || ok && s.Class != class {
				t.Errorf("%s: provider %q, contract %q, class %s", s.Name, s.Provider, s.ContractID, s.Class)
			}
		}
	}
}

func TestBindNamesWhatNobodyServes(t *testing.T) {
	draft := func(kind string, edits map[string]any) *Draft {
		d, err := kindNamed(t, kind).Accept(edited(t, kind, edits))
		if err != nil {
			t.Fatal(err)
		}
		return &d
	}
	err := Bind(draft("dispute", nil), "globex", registry(t))
	if got := locations(t, err); len(got) != 2 || !strings.Contains(err.Error(), "dispute.respond") || !strings.Contains(err.Error(), "credit.create") {
		t.Errorf("error %v", err)
	}
	if err := Bind(draft("statement", nil), "globex", registry(t)); err != nil {
		t.Error(err)
	}
	if err := Bind(draft("statement", map[string]any{"rep.email": nil}), "nobody", registry(t)); err != nil {
		t.Errorf("a moot step wants a provider: %v", err)
	}
}

func TestBindKeepsTheProviderOfTheEffect(t *testing.T) {
	d := Draft{Steps: []model.Step{{Name: ReversePayout, Class: model.Keyed, Operation: model.PayoutReverse, Provider: "bank"}}}
	if err := Bind(&d, "nobody", registry(t)); err != nil || d.Steps[0].Contract.Operation != model.PayoutReverse {
		t.Errorf("%+v, %v", d.Steps[0], err)
	}
	d.Steps[0].Provider = "gone"
	if err := Bind(&d, "acme", registry(t)); err == nil || !strings.Contains(err.Error(), "payout.reverse") {
		t.Errorf("error %v", err)
	}
	d.Steps[0].Provider = "messages"
	mail, err := provider.NewRegistry(map[string]provider.Adapter{"messages": servesNothing{}}, nil)
	if err != nil {
		t.Fatal(err)
	}
	if err := Bind(&d, "acme", mail); err == nil || !strings.Contains(err.Error(), "payout.reverse") {
		t.Errorf("error %v", err)
	}
}

type servesNothing struct{ provider.Adapter }

func (servesNothing) Contract(string) (model.Contract, bool) { return model.Contract{}, false }

func TestRequest(t *testing.T) {
	c := accepted(t, "payout", nil)
	k := kindNamed(t, "payout")
	r, err := Request(k, c, c.Step(CreatePayout), registry(t))
	want := `{"reference":"` + intentID + `:create-payout","destination":"acct_9","amount":125050,"currency":"USD",` +
		`"metadata":{"intent":"` + intentID + `","payee":"rep-118","period":"2026-10"}}`
	if err != nil || r.Method != "POST" || r.URL != "http://127.0.0.1:9/payouts" || string(r.Body) != want {
		t.Errorf("%s %s %s, %v", r.Method, r.URL, r.Body, err)
	}
	s := *c.Step(CreatePayout)
	s.Provider = "gone"
	if _, err := Request(k, c, &s, registry(t)); model.KindOf(err) != model.Conflict {
		t.Errorf("a provider that is gone: %v", err)
	}
	s = model.Step{Name: "other", Provider: "bank"}
	if _, err := Request(k, c, &s, registry(t)); err == nil {
		t.Error("a step that is none")
	}
}

// effects are the steps of all kinds that have a request, each with its case.
func effects(t tester) (cases []*model.Case, steps []*model.Step) {
	parents := []*model.Case{}
	for _, kind := range slices.Sorted(maps.Keys(samples)) {
		parents = append(parents, confirmAll(accepted(t, kind, nil)))
	}
	all := append(parents, child(t, parents[0], SubmitResponse), child(t, parents[1], CreatePayout))
	for _, c := range all {
		for _, s := range c.Steps {
			if s.Class.Effect() {
				cases, steps = append(cases, c), append(steps, s)
			}
		}
	}
	return cases, steps
}

func TestGenerationsDifferInTheKeyOnly(t *testing.T) {
	cases, steps := effects(t)
	reg := registry(t)
	rapid.Check(t, func(t *rapid.T) {
		i := rapid.IntRange(0, len(steps)-1).Draw(t, "effect")
		generation := rapid.IntRange(2, 1_000_000).Draw(t, "generation")
		request := func(generation int) []byte {
			s := *steps[i]
			s.Generation = generation
			s.WireKey = s.Key()
			r, err := Request(kindNamed(t, cases[i].Kind), cases[i], &s, reg)
			if err != nil {
				t.Fatal(err)
			}
			return r.Body
		}
		first, later := request(1), request(generation)
		if !bytes.Equal(later, request(generation)) {
			t.Fatal("the same order gave other bytes")
		}
		if got := differing(t, first, later); !slices.Equal(got, []string{"message_id"}) && !slices.Equal(got, []string{"reference"}) {
			t.Fatalf("%s: generations differ in %v", steps[i].Name, got)
		}
	})
}

// differing names the members that two objects do not share.
func differing(t *rapid.T, one, two []byte) []string {
	var a, b map[string]json.RawMessage
	if json.Unmarshal(one, &a) != nil || json.Unmarshal(two, &b) != nil {
		t.Fatalf("not objects: %s %s", one, two)
	}
	var found []string
	for _, name := range slices.Sorted(maps.Keys(a)) {
		if !bytes.Equal(a[name], b[name]) {
			found = append(found, name)
		}
		delete(b, name)
	}
	return slices.AppendSeq(found, maps.Keys(b))
}
