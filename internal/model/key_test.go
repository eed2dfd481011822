package model

import (
	"errors"
	"regexp"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

func TestCheckIntentKey(t *testing.T) {
	tests := []struct{ name, key, because string }{
		{"a plain key", "payout-118-2026-10", ""},
		{"every printable kind", `a "b" \ ~!#$%&'()*+,-./:;<=>?[]^_{|}`, ""},
		{"255 bytes", strings.Repeat("k", 255), ""},
		{"compensate inside", "x-compensate:y", ""},
		{"256 bytes", strings.Repeat("k", 256), "longer than 255"},
		{"empty", "", "empty"},
		{"an address", "ada@example.com", "personal data"},
		{"reserved", "compensate:intent-1:create-payout", "compensate:"},
		{"not ASCII", "clé", "printable ASCII"},
		{"newline", "a\nb", "printable ASCII"},
		{"tab", "a\tb", "printable ASCII"},
		{"DEL", "a\x7f", "printable ASCII"},
		{"NUL", "a\x00", "printable ASCII"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			wantKeyError(t, CheckIntentKey(tt.key), "idempotency-key-invalid", tt.because)
		})
	}
}

// wantKeyError checks kind, code and reason of a refusal; no reason, no error.
func wantKeyError(t *testing.T, err error, code, because string) {
	t.Helper()
	if because == "" {
		if err != nil {
			t.Fatalf("refused: %v", err)
		}
		return
	}
	var refusal *Error
	if !errors.As(err, &refusal) || refusal.Kind != Invalid || refusal.Code != code {
		t.Fatalf("got %#v, want %s", err, code)
	}
	if !strings.Contains(refusal.Message, because) {
		t.Errorf("%q does not say %q", refusal.Message, because)
	}
}

// Ids are in databases and at providers: they must never come out differently.
func TestIntentIDIsStable(t *testing.T) {
	got := IntentID("installation-1", "acme", "payout", "payout-118")
	if want := "intent-7azssfsv0cmpyn66q89qs8f910"; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}

func TestIntentIDTellsItsInputsApart(t *testing.T) {
	form := regexp.MustCompile(`^intent-[0-9a-hjkmnp-tv-z]{26}$`)
	seen := map[string][4]string{}
	for _, in := range [][4]string{
		{"i", "acme", "payout", "k"},
		{"j", "acme", "payout", "k"},
		{"i", "globex", "payout", "k"},
		{"i", "acme", "statement", "k"},
		{"i", "acme", "payout", "K"},
		{"i", "acmepayout", "", "k"},
		{"i", "acme", "payoutk", ""},
		{"iacme", "", "payout", "k"},
		{"", "iacme", "payout", "k"},
	} {
		id := IntentID(in[0], in[1], in[2], in[3])
		if !form.MatchString(id) {
			t.Errorf("%v: malformed id %q", in, id)
		}
		if other, twice := seen[id]; twice {
			t.Errorf("%v and %v share %s", in, other, id)
		}
		seen[id] = in
	}
}

func TestStepKey(t *testing.T) {
	for generation, want := range map[int]string{
		0: "intent-x:create-payout", 1: "intent-x:create-payout",
		2: "intent-x:create-payout#2", 11: "intent-x:create-payout#11",
	} {
		if got := StepKey("intent-x", "create-payout", generation); got != want {
			t.Errorf("generation %d: got %s, want %s", generation, got, want)
		}
	}
}

func TestSplitStepKeyReadsBack(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		id := IntentID("i", "acme", "payout", rapid.String().Draw(t, "key"))
		step := rapid.StringMatching(`[a-z][a-z0-9-]{0,20}`).Draw(t, "step")
		generation := rapid.IntRange(1, 999_999_999).Draw(t, "generation")
		gotID, gotStep, gotGeneration, err := SplitStepKey(StepKey(id, step, generation))
		if err != nil || gotID != id || gotStep != step || gotGeneration != generation {
			t.Fatalf("%s: got %s %s %d %v", StepKey(id, step, generation), gotID, gotStep, gotGeneration, err)
		}
	})
}

func TestSplitStepKeyRefuses(t *testing.T) {
	id := IntentID("i", "acme", "payout", "k")
	for _, key := range []string{
		"", id, id + ":", ":create-payout", id + ":create-payout#1", id + ":create-payout#0",
		id + ":create-payout#02", id + ":create-payout#", id + ":create-payout#-2", id + ":create-payout#2#3",
		id + ":create-payout#99999999999999999999", id + ":Create", id + ":a:b", id + ":create-payout\n",
		" " + id + ":create-payout", "intent-short:create-payout", strings.ToUpper(id) + ":create-payout",
	} {
		if _, _, _, err := SplitStepKey(key); !errors.Is(err, Invalid) {
			t.Errorf("%q: got %v", key, err)
		}
	}
}
