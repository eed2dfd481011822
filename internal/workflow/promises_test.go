package workflow

import (
	"errors"
	"slices"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"countersign/internal/model"
	"countersign/internal/provider"
)

// bindable is an effect as a kind drafts it.
func bindable(kind string, s *model.Step) string {
	return kind + " " + s.Name + " " + s.Operation
}

// The list of effects is what the kinds really draft, and what undoes it.
func TestEffectsAreAllStepsThatAreBound(t *testing.T) {
	drafted := map[string]bool{}
	for kind := range samples {
		c := confirmAll(accepted(t, kind, nil))
		for _, s := range c.Steps {
			if s.Class.Effect() {
				drafted[bindable(kind, s)] = true
			}
			if u, ok := undoOf(s); ok && u.Step.Class.Effect() {
				drafted[bindable(model.KindCompensation, &u.Step)] = true
			}
		}
	}
	listed := map[string]bool{}
	for _, e := range Effects() {
		listed[bindable(e.Kind, &model.Step{Name: e.Step, Operation: e.Operation})] = true
	}
	for name := range drafted {
		if !listed[name] {
			t.Errorf("%s is drafted and not in the list", name)
		}
	}
	for name := range listed {
		if !drafted[name] {
			t.Errorf("%s is in the list and never drafted", name)
		}
	}
}

// promising is an adapter with contracts of a test's own.
type promising struct {
	servesNothing
	contracts map[string]model.Contract
}

func (p promising) Contract(operation string) (model.Contract, bool) {
	c, ok := p.contracts[operation]
	return c, ok
}

// promised is the sandbox's contract of payouts and reversals, changed.
func promised(t *testing.T, change func(*model.Contract)) *provider.Registry {
	t.Helper()
	bank, _ := registry(t).Adapter("bank")
	contracts := map[string]model.Contract{}
	for _, operation := range []string{model.PayoutCreate, model.PayoutReverse} {
		contracts[operation], _ = bank.Contract(operation)
	}
	c := contracts[model.PayoutCreate]
	change(&c)
	contracts[model.PayoutCreate] = c
	reg, err := provider.NewRegistry(map[string]provider.Adapter{"bank": promising{contracts: contracts}}, nil)
	if err != nil {
		t.Fatal(err)
	}
	return reg
}

func TestCheckContracts(t *testing.T) {
	if err := CheckContracts(registry(t)); err != nil {
		t.Errorf("the sandbox: %v", err)
	}
	tests := []struct {
		name   string
		change func(*model.Contract)
		at     []string // "" is sound
	}{
		{"as it is", func(*model.Contract) {}, nil},
		{"a short key", func(c *model.Contract) { c.KeyRule = model.WireKeyRule{MaxLen: 36, Alphabet: "[0-9A-Za-z_-]"} }, nil},
		{"a UUID", func(c *model.Contract) { c.KeyRule = model.WireKeyRule{Form: model.FormUUID} }, nil},
		{"too short to tell steps apart", func(c *model.Contract) { c.KeyRule = model.WireKeyRule{MaxLen: 12} }, []string{"key"}},
		{"no class", func(c *model.Contract) { c.KeyRule = model.WireKeyRule{Alphabet: "[a-z]{3}"} }, []string{"key"}},
		{"no source and no day", func(c *model.Contract) { c.Source, c.Checked = "", "soon" }, []string{"source", "checked"}},
		{"acts stored, but successes only", func(c *model.Contract) { c.Stored, c.StoredCodes = model.StoredSuccesses, nil }, []string{"acts_are_stored"}},
		{"an undo that is not served", func(c *model.Contract) { c.Undo = model.CreditReverse }, []string{"undo"}},
		{"a key that is none", func(c *model.Contract) { c.Carrier = "" }, []string{"carrier"}},
		{"an odd look-up", func(c *model.Contract) { c.Lookup = "hope" }, []string{"lookup"}},
	}
	for _, test := range tests {
		err := CheckContracts(promised(t, test.change))
		if (err == nil) != (len(test.at) == 0) || err != nil && !errors.Is(err, model.Invalid) {
			t.Errorf("%s: %v", test.name, err)
			continue
		}
		for _, at := range test.at {
			if !strings.Contains(err.Error(), "provider.bank: payout.create."+at) {
				t.Errorf("%s: %s is not named in %v", test.name, at, err)
			}
		}
	}
}

// A provider with neither key nor look-up is for steps that may wait for a person.
func TestNeitherKeyNorLookup(t *testing.T) {
	blind := func(c *model.Contract) {
		c.Carrier, c.ActsAreStored, c.StoredCodes, c.Retention, c.Lookup = "", false, nil, 0, model.LookupNone
	}
	reg := promised(t, blind)
	if err := CheckContracts(reg); err != nil {
		t.Error(err)
	}
	effects := Effects()
	for i := range effects {
		effects[i].Review = false
	}
	if err := checkContracts(reg, effects); err == nil || !strings.Contains(err.Error(), "may not wait for a person") {
		t.Errorf("a step that may not wait: %v", err)
	}
	bank, _ := reg.Adapter("bank")
	c, _ := bank.Contract(model.PayoutCreate)
	if words := strings.Join(Follows(c, time.Minute), " "); !strings.Contains(words, "waits for a person") {
		t.Errorf("it is not said aloud: %s", words)
	}
}

func TestFollows(t *testing.T) {
	tests := []struct {
		change func(*model.Contract)
		says   string
	}{
		{func(*model.Contract) {}, "Step keys are sent as they are."},
		{func(*model.Contract) {}, "sent again for 21 h 36 min after its first send"},
		{func(*model.Contract) {}, "final 35 s after the last possible send"},
		{func(*model.Contract) {}, "undone by payout.reverse, also while it is settling"},
		{func(c *model.Contract) { c.KeyRule.Alphabet = "[0-9a-z:-]" }, "later generations as a digest"},
		{func(c *model.Contract) { c.KeyRule.MaxLen = 40 }, "Step keys are sent as a digest"},
		{func(c *model.Contract) { c.Retention = 4 * time.Minute }, "never re-sent while unknown"},
		{func(c *model.Contract) { c.Retention = 0 }, "not known: nothing is sent again"},
		{func(c *model.Contract) { c.ActsAreStored = false }, "may not be kept"},
		{func(c *model.Contract) { c.SettleDelay = -1 }, "never proves"},
		{func(c *model.Contract) { c.Lookup = model.LookupCompare }, "never proves"},
		{func(c *model.Contract) { c.Undo, c.UndoBefore, c.UndoStates = "", false, nil }, "no way to undo"},
	}
	for _, test := range tests {
		bank, _ := promised(t, test.change).Adapter("bank")
		c, _ := bank.Contract(model.PayoutCreate)
		if words := strings.Join(Follows(c, 35*time.Second), " "); !strings.Contains(words, test.says) {
			t.Errorf("%q is not in: %s", test.says, words)
		}
	}
}

// anyRule draws a rule as a provider may have it; some are refused.
func anyRule(t *rapid.T) model.WireKeyRule {
	var alphabet strings.Builder
	for _, part := range []string{"0-9", "a-z", "A-Z", "_", ".", ":", "#", "-"} {
		if rapid.Bool().Draw(t, part) {
			alphabet.WriteString(part)
		}
	}
	rule := model.WireKeyRule{MinLen: rapid.IntRange(0, 80).Draw(t, "least"), MaxLen: rapid.IntRange(0, 260).Draw(t, "most"),
		Form: rapid.SampledFrom([]string{"", "", "", model.FormUUID}).Draw(t, "form")}
	if alphabet.Len() > 0 {
		rule.Alphabet = "[" + alphabet.String() + "]"
	}
	return rule
}

// Whatever rule a provider has, where it is accepted each step key has one wire
// key, always the same, which the provider takes and no other step has.
func TestWireKeysUnderAnyRule(t *testing.T) {
	checked := 0
	rapid.Check(t, func(t *rapid.T) {
		rule := anyRule(t)
		if rule.Validate() != nil {
			return
		}
		checked++
		contract := model.Contract{Carrier: "header Idempotency-Key", KeyRule: rule}
		names := rapid.SliceOfNDistinct(rapid.StringMatching(`[a-z][a-z0-9-]{0,30}`), 2, 4, rapid.ID).Draw(t, "steps")
		id := model.IntentID("i", "acme", "payout", rapid.String().Draw(t, "key"))
		generations := rapid.SliceOfNDistinct(rapid.IntRange(1, lastGeneration), 2, 4, rapid.ID).Draw(t, "generations")
		seen := map[string]string{}
		for _, name := range names {
			for _, generation := range generations {
				s := &model.Step{IntentID: id, Name: name, Generation: generation, Provider: "bank", Class: model.Keyed, Contract: contract}
				wire := WireKey(s)
				if !rule.Allows(wire) || WireKey(s) != wire {
					t.Fatalf("%+v: %s becomes %s", rule, s.Key(), wire)
				}
				if other, used := seen[wire]; used {
					t.Fatalf("%+v: %s and %s share %s", rule, s.Key(), other, wire)
				}
				seen[wire] = s.Key()
			}
		}
	})
	if checked < 5 {
		t.Errorf("only %d rules were accepted", checked)
	}
}

// The ids of messages keep to what RFC 5322 allows in a line, and are distinct.
func TestMessageIDsFit(t *testing.T) {
	var all []string
	for _, e := range Effects() {
		for _, key := range e.keys() {
			id := wireKeyOf(model.Contract{}, model.Message, key)
			if len(id) > 998 || slices.Contains(all, id) {
				t.Errorf("%s: %d characters, or used twice", id, len(id))
			}
			all = append(all, id)
		}
	}
}
