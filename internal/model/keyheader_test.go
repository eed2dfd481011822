package model

import (
	"encoding/json"
	"errors"
	"os"
	"slices"
	"testing"
)

func TestParseIdempotencyKeyVectors(t *testing.T) {
	raw, err := os.ReadFile("testdata/idempotency-key-header.json")
	if err != nil {
		t.Fatal(err)
	}
	var vectors struct {
		Cases []struct {
			Raw   []string
			Value string
			Error bool
		}
	}
	if err := json.Unmarshal(raw, &vectors); err != nil || len(vectors.Cases) != 18 {
		t.Fatalf("%d cases, %v", len(vectors.Cases), err)
	}
	bare := []string{"8e03978e-40d5-43e8-bc93-6894a57f9324", "123"}
	for _, tt := range vectors.Cases {
		want, refused := tt.Value, tt.Error
		if slices.Contains(bare, tt.Raw[0]) {
			want, refused = tt.Raw[0], false
		}
		got, err := ParseIdempotencyKey(tt.Raw)
		if refused != (err != nil) || got != want {
			t.Errorf("%q: got %q, %v", tt.Raw, got, err)
		}
	}
}

func TestParseIdempotencyKey(t *testing.T) {
	const missing, invalid = "idempotency-key-missing", "idempotency-key-invalid"
	tests := []struct {
		name   string
		header []string
		key    string
		code   string
	}{
		{"quoted", []string{`"payout-118"`}, "payout-118", ""},
		{"bare is the same key", []string{`payout-118`}, "payout-118", ""},
		{"bare with colon and slash", []string{`acme:2026/10`}, "acme:2026/10", ""},
		{"bare base64", []string{`aGk+/w==`}, "aGk+/w==", ""},
		{"bare address, for CheckIntentKey to refuse", []string{`ada@example.com`}, "ada@example.com", ""},
		{"several parameters", []string{`"k";a;b=?1; c="x\"y";d=:aGk=:`}, "k", ""},
		{"no line", nil, "", missing},
		{"empty line", []string{""}, "", missing},
		{"blank line", []string{"  "}, "", missing},
		{"two lines, the same", []string{"k", "k"}, "", invalid},
		{"an empty line and a key", []string{"", "k"}, "", invalid},
		{"bare list", []string{"a,b"}, "", invalid},
		{"bare with space", []string{"a b"}, "", invalid},
		{"bare with parameter", []string{"a;b=1"}, "", invalid},
		{"bare with quote inside", []string{`a"b`}, "", invalid},
		{"bare not ASCII", []string{"clé"}, "", invalid},
		{"broken parameter", []string{`"k";`}, "", invalid},
		{"parameter without name", []string{`"k";=1`}, "", invalid},
		{"parameter without value", []string{`"k";a=`}, "", invalid},
		{"text behind", []string{`"k"x`}, "", invalid},
		{"newline behind", []string{"\"k\"\n"}, "", invalid},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			key, err := ParseIdempotencyKey(tt.header)
			if key != tt.key {
				t.Errorf("got %q", key)
			}
			because := map[string]string{missing: "missing", invalid: "idempotency key"}[tt.code]
			wantKeyError(t, err, tt.code, because)
			if errors.Is(err, ErrKeyMissing) != (tt.code == missing) {
				t.Errorf("missing or not: got %v", err)
			}
		})
	}
}
