package model

import (
	"encoding/json"
	"reflect"
	"strings"
	"testing"
	"time"
)

type strictBody struct {
	Kind   string    `json:"kind"`
	Amount int64     `json:"amount"`
	Due    time.Time `json:"due_by"`
	Payee  struct {
		Reference string `json:"reference"`
	} `json:"payee"`
	Tags   []string        `json:"tags"`
	Params json.RawMessage `json:"params"`
}

func TestDecodeStrict(t *testing.T) {
	var got strictBody
	raw := ` {"kind":"payout","amount":125050,"due_by":"2026-12-10T00:00:00Z","payee":{"reference":"rep-118"},"tags":["a"],"params":{"x": [1]}} `
	if err := DecodeStrict([]byte(raw), &got); err != nil {
		t.Fatal(err)
	}
	want := strictBody{Kind: "payout", Amount: 125050, Due: time.Date(2026, 12, 10, 0, 0, 0, 0, time.UTC), Tags: []string{"a"}, Params: json.RawMessage(`{"x": [1]}`)}
	want.Payee.Reference = "rep-118"
	if !reflect.DeepEqual(got, want) {
		t.Errorf("got %+v", got)
	}
}

func TestDecodeStrictRefuses(t *testing.T) {
	const body, params = "invalid-body", "invalid-params"
	deep := strings.Repeat("[", 70) + strings.Repeat("]", 70)
	tests := []struct{ name, raw, code, location, says string }{
		{"nothing", ``, body, "", "empty"},
		{"blank", "  \n", body, "", "empty"},
		{"not JSON", `SECRET`, body, "", "well-formed"},
		{"cut", `{"kind":"SECRET`, body, "/kind", "cut short"},
		{"duplicate", `{"kind":"a","kind":"a"}`, body, "/kind", "twice"},
		{"duplicate by escape", `{"kind":"a","\u006bind":"a"}`, body, "/kind", "twice"},
		{"duplicate inside", `{"payee":{"reference":"a","reference":"b"}}`, body, "/payee/reference", "twice"},
		{"duplicate in what stays raw", `{"params":{"a":[{"b":1,"b":2}]}}`, body, "/params/a/0/b", "twice"},
		{"trailing value", `{} {}`, body, "", "more"},
		{"trailing text", `{} SECRET`, body, "", "more"},
		{"invalid UTF-8", "{\"kind\":\"\xff\"}", body, "/kind", "UTF-8"},
		{"lone surrogate", `{"kind":"\ud800"}`, body, "/kind", "UTF-8"},
		{"trailing comma", `{"kind":"a",}`, body, "", "well-formed"},
		{"comment", `{/*SECRET*/}`, body, "", "well-formed"},
		{"NaN", `{"amount":NaN}`, body, "/amount", "well-formed"},
		{"too deep", `{"params":` + deep + `}`, body, "/params" + strings.Repeat("/0", 63), "deeply"},
		{"unknown", `{"knd":"SECRET"}`, params, "/knd", "known member"},
		{"other capitals", `{"Kind":"SECRET"}`, params, "/Kind", "known member"},
		{"unknown inside", `{"payee":{"ref":"SECRET"}}`, params, "/payee/ref", "known member"},
		{"wrong type", `{"kind":12345}`, params, "/kind", "a string"},
		{"fraction", `{"amount":12345.5}`, params, "/amount", "an integer"},
		{"integer with a fraction", `{"amount":12345.0}`, params, "/amount", "an integer"},
		{"too large", `{"amount":12345678901234567890}`, params, "/amount", "an integer"},
		{"number in quotes", `{"amount":"12345"}`, params, "/amount", "an integer"},
		{"time", `{"due_by":"SECRET"}`, params, "/due_by", "RFC 3339"},
		{"array for object", `[1]`, params, "", "right type"},
		{"object for array", `{"tags":{}}`, params, "/tags", "an array"},
		{"element", `{"tags":["a",12345]}`, params, "/tags/1", "a string"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			var into strictBody
			err := DecodeStrict([]byte(tt.raw), &into)
			refusal, ok := err.(*Error)
			if !ok || len(refusal.Fields) != 1 {
				t.Fatalf("got %v", err)
			}
			field := refusal.Fields[0]
			if refusal.Kind != Invalid || refusal.Code != tt.code || field.Location != tt.location || !strings.Contains(field.Message, tt.says) {
				t.Errorf("got %v %s %+v", refusal.Kind, refusal.Code, field)
			}
			if text := err.Error(); strings.Contains(text, "SECRET") || strings.Contains(text, "12345") {
				t.Errorf("%q repeats the input", text)
			}
		})
	}
}

func TestDecodeStrictBoundsLocations(t *testing.T) {
	err := DecodeStrict([]byte(`{"`+strings.Repeat("é", 5000)+`":1}`), &strictBody{})
	refusal, ok := err.(*Error)
	if !ok || len(refusal.Fields[0].Location) > maxLocation+len("…") {
		t.Errorf("got %v", err)
	}
}

func FuzzDecodeStrict(f *testing.F) {
	for _, seed := range []string{
		`{"kind":"payout","amount":1}`, `{"kind":"a","kind":"b"}`, `{} {}`, `[`, "\xff", `{"a":"\ud800"}`, `{"params":{"é":[null,true,1e5]}}`,
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, raw []byte) {
		var strict, lax strictBody
		if err := DecodeStrict(raw, &strict); err != nil {
			if KindOf(err) != Invalid {
				t.Errorf("%q: kind %v", raw, KindOf(err))
			}
			return
		}
		// What passes means the same to the standard library.
		if err := json.Unmarshal(raw, &lax); err != nil || strict.Kind != lax.Kind || strict.Amount != lax.Amount {
			t.Errorf("%q: %+v but %+v, %v", raw, strict, lax, err)
		}
	})
}
