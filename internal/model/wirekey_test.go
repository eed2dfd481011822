package model

import (
	"regexp"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

var wireRules = map[string]WireKeyRule{
	"any":           {},
	"255":           {MinLen: 1, MaxLen: 255},
	"64":            {MaxLen: 64},
	"45":            {MaxLen: 45},
	"36 plain":      {MinLen: 4, MaxLen: 36, Alphabet: "[0-9A-Za-z_-]"},
	"hexadecimal":   {MinLen: 64, MaxLen: 64, Alphabet: "[0-9a-f]"},
	"digits":        {MaxLen: 38, Alphabet: "[0-9]"},
	"capitals":      {MaxLen: 30, Alphabet: "[A-Z]"},
	"long at least": {MinLen: 80, Alphabet: "[0-9a-z]"},
	"uuid":          {Form: FormUUID},
}

// Wire keys are what a provider recognises a repeat by: they never change.
func TestWireKeyIsStable(t *testing.T) {
	key := StepKey("intent-0123456789abcdefghjkmnpqrs", "create-payout", 1)
	for name, want := range map[string]string{
		"any": key, "255": key, "64": key,
		"45":       "dm4stfn5zvx5djgncen0xcys861arthrq4f5casr70y3b",
		"36 plain": "dm4stfn5zvx5djgncen0xcys861arthrq4f5",
		"uuid":     "d1045758-b1f8-47c6-94c2-bc97c4758504",
		"digits":   "35895093589571755470816928884297192032",
	} {
		if got := wireRules[name].WireKey(key); got != want {
			t.Errorf("%s: got %s, want %s", name, got, want)
		}
	}
}

func TestWireKeysAreAllowedAndDistinct(t *testing.T) {
	for name, rule := range wireRules {
		t.Run(name, func(t *testing.T) {
			if err := rule.Validate(); err != nil {
				t.Fatal(err)
			}
			seen := map[string]string{}
			rapid.Check(t, func(t *rapid.T) {
				id := IntentID("i", "acme", "payout", rapid.String().Draw(t, "key"))
				step := rapid.SampledFrom([]string{"a", "create-payout", "submit-response", "reverse-payout"}).Draw(t, "step")
				stepKey := StepKey(id, step, rapid.IntRange(1, 12).Draw(t, "generation"))
				wire := rule.WireKey(stepKey)
				if !rule.Allows(wire) || wire != rule.WireKey(stepKey) {
					t.Fatalf("%s becomes %s", stepKey, wire)
				}
				if other, used := seen[wire]; used && other != stepKey {
					t.Fatalf("%s and %s share %s", stepKey, other, wire)
				}
				seen[wire] = stepKey
			})
		})
	}
}

func TestDerivedUUID(t *testing.T) {
	version4 := regexp.MustCompile(`^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$`)
	if got := wireRules["uuid"].WireKey("intent-x:create-payout"); !version4.MatchString(got) {
		t.Errorf("got %s", got)
	}
}

func TestWireKeyRuleValidate(t *testing.T) {
	for because, rule := range map[string]WireKeyRule{
		"unknown form":   {Form: "ulid"},
		"alphabet":       {Alphabet: "[z-a]"},
		"less than 120":  {MaxLen: 23, Alphabet: "[0-9a-z]"},
		"nothing to":     {Alphabet: "[x]"},
		"no length":      {MinLen: 40, MaxLen: 30},
		"no length betw": {MinLen: -1},
	} {
		if err := rule.Validate(); err == nil || !strings.Contains(err.Error(), because) {
			t.Errorf("%+v: got %v, want %q", rule, err, because)
		}
	}
}
