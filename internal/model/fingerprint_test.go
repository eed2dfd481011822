package model

import (
	"bytes"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

func TestCanonicalVectors(t *testing.T) {
	inputs, err := filepath.Glob("testdata/jcs/input/*.json")
	if err != nil || len(inputs) != 3 {
		t.Fatalf("%d vectors, %v", len(inputs), err)
	}
	for _, path := range inputs {
		input, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		want, err := os.ReadFile(strings.Replace(path, "input", "output", 1))
		if err != nil {
			t.Fatal(err)
		}
		got, err := Canonical(input)
		if err != nil || !bytes.Equal(got, want) {
			t.Errorf("%s: got %s, %v", path, got, err)
		}
	}
}

func TestCanonicalRefuses(t *testing.T) {
	for _, raw := range []string{"", `{"a":1,"a":2}`, `{} x`, "\"\xff\"", `1e999`, `"\ud800"`} {
		if _, err := Canonical([]byte(raw)); !errors.Is(err, Invalid) {
			t.Errorf("%q: got %v", raw, err)
		}
	}
}

// fingerprint is Fingerprint for params that must pass.
func fingerprint(t *testing.T, params string, notMeaningful ...string) [32]byte {
	t.Helper()
	sum, err := Fingerprint(json.RawMessage(params), notMeaningful...)
	if err != nil {
		t.Fatalf("%s: %v", params, err)
	}
	return sum
}

func TestFingerprint(t *testing.T) {
	const params = `{"amount":125050,"payee":{"name":"Ada Ω","memo":"x"},"memo":"October"}`
	same := fingerprint(t, params, "memo", "trace_id")
	tests := []struct {
		name, params string
		equal        bool
	}{
		{"other order and spacing", ` { "memo":"Oct", "payee":{"memo":"x","name":"Ada Ω"}, "amount":125050 } `, true},
		{"other spelling", `{"amount":1.2505e5,"p\u0061yee":{"name":"Ada \u03a9","memo":"x"}}`, true},
		{"not meaningful left out", `{"amount":125050,"payee":{"name":"Ada Ω","memo":"x"}}`, true},
		{"not meaningful added", `{"amount":125050,"payee":{"name":"Ada Ω","memo":"x"},"trace_id":[1,{"a":null}]}`, true},
		{"another amount", `{"amount":125051,"payee":{"name":"Ada Ω","memo":"x"}}`, false},
		{"an inner memo counts", `{"amount":125050,"payee":{"name":"Ada Ω","memo":"y"}}`, false},
		{"a number is not its text", `{"amount":"125050","payee":{"name":"Ada Ω","memo":"x"}}`, false},
		{"null is not absent", `{"amount":125050,"payee":{"name":"Ada Ω","memo":"x"},"email":null}`, false},
		{"one more member", `{"amount":125050,"payee":{"name":"Ada Ω","memo":"x"},"currency":"USD"}`, false},
		{"composed or not", `{"amount":125050,"payee":{"name":"Ada \u03a9\u0301","memo":"x"}}`, false},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if got := fingerprint(t, tt.params, "memo", "trace_id"); (got == same) != tt.equal {
				t.Errorf("equal: %v, want %v", got == same, tt.equal)
			}
		})
	}
}

func TestFingerprintNumbers(t *testing.T) {
	for number, location := range map[string]string{
		"9007199254740991": "", "-9007199254740991": "", "0": "", "-0": "", "0.1": "", "1.10": "", "1E2": "", "-1250.5": "",
		"5e-324": "", "0e999999999999": "",
		"9007199254740992": "/n/0", "9007199254740993": "/n/0", "-9007199254740992": "/n/0", "9007199254740992.0": "/n/0",
		"1e16": "/n/0", "1e999": "/n/0", "1e-999": "/n/0", "1e-99999999999": "/n/0", "1e99999999999": "/n/0",
		"0.1000000000000000000001": "/n/0", "333333333.33333329": "/n/0", "4503599627370497.55": "/n/0",
	} {
		t.Run(number, func(t *testing.T) {
			_, err := Fingerprint(json.RawMessage(`{"n":[` + number + `]}`))
			wantField(t, err, "invalid-params", location)
		})
	}
}

func TestFingerprintRefuses(t *testing.T) {
	for _, raw := range []string{"", "null", "[]", `"a"`, "1", `{"a":1,"a":1}`, `{"a":1}{}`, `{"memo":1e999}`, "{\"a\":\"\xff\"}"} {
		if _, err := Fingerprint(json.RawMessage(raw), "memo"); !errors.Is(err, Invalid) {
			t.Errorf("%q: got %v", raw, err)
		}
	}
}

func TestFingerprintIgnoresMemberOrder(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		members := rapid.MapOfN(rapid.String(), rapid.Int64Range(-MaxAmount, MaxAmount), 0, 8).Draw(t, "members")
		var written []string
		for name, value := range members {
			text, err := json.Marshal(map[string]int64{name: value})
			if err != nil {
				t.Fatal(err)
			}
			written = append(written, strings.TrimSuffix(strings.TrimPrefix(string(text), "{"), "}"))
		}
		shuffled := rapid.Permutation(written).Draw(t, "order")
		one, err1 := Fingerprint(json.RawMessage("{" + strings.Join(written, ",") + "}"))
		two, err2 := Fingerprint(json.RawMessage("{" + strings.Join(shuffled, " , ") + "}"))
		if err1 != nil || err2 != nil || one != two {
			t.Fatalf("%v and %v differ: %v, %v", written, shuffled, err1, err2)
		}
	})
}

func FuzzFingerprint(f *testing.F) {
	for _, seed := range []string{
		`{"amount":1,"memo":"x"}`, `{"a":{"b":[1.5,-0,1e2]}}`, `{"a":9007199254740993}`, `{"\u2028<":"é"}`, `[]`, `{"a":1e999}`,
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, raw []byte) {
		sum, err := Fingerprint(raw)
		if err != nil {
			if KindOf(err) != Invalid {
				t.Errorf("%q: kind %v", raw, KindOf(err))
			}
			return
		}
		canonical, err := Canonical(raw)
		if err != nil {
			t.Fatalf("%q has a fingerprint but no canonical form: %v", raw, err)
		}
		if again, err := Fingerprint(canonical); err != nil || again != sum {
			t.Errorf("%q: its canonical form %q has another fingerprint, %v", raw, canonical, err)
		}
	})
}
