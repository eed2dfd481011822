package api_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"
)

// item is an item of a batch.
func item(key string, amount int64) map[string]any {
	body := payout(amount)
	body["key"] = key
	return body
}

func TestBatchOfAThousand(t *testing.T) {
	w := newWorld(t)
	w.post("known", 5000)
	items := make([]any, 1000)
	for i := range items {
		items[i] = item(fmt.Sprintf("pay-%d", i), int64(1000+i))
	}
	items[1], items[2] = item("known", 5000), item("known", 6000)
	items[3], items[4] = item("ada@example.com", 5000), item("", 5000)
	items[5] = map[string]any{"key": "k", "kind": "payout", "account": "globex", "params": map[string]any{}}
	items[6], items[7] = map[string]any{"key": "k", "keys": 1}, "not an object"
	items[8] = item("pay-0", 1000)
	a := w.call("service", "POST", "/v1/intent-batches", map[string]any{"items": items}).is(200, "")
	list := a.items()
	want := map[int]string{1: "200 ", 2: "422 idempotency-key-reused", 3: "400 idempotency-key-invalid", 4: "400 idempotency-key-missing",
		5: "404 not-found", 6: "422 invalid-params", 7: "422 invalid-params", 8: "200 "}
	for i, got := range list {
		same(t, "result", got, "status, intent, problem")
		name := ""
		if problem, ok := got["problem"].(map[string]any); ok {
			name = strings.TrimPrefix(problem["type"].(string), "https://countersign.invalid/problems/")
		}
		expected, ok := want[i]
		if !ok {
			expected = "201 "
		}
		if is := fmt.Sprintf("%v %s", got["status"], name); is != expected || (got["intent"] == nil) != (name != "") {
			t.Errorf("item %d: %s, want %s: %v", i, is, expected, got)
		}
	}
	if len(list) != 1000 {
		t.Errorf("%d results", len(list))
	}
	if a := w.call("service", "GET", "/v1/intents?limit=1", nil); a.at("count") != 993.0 {
		t.Errorf("count %v", a.at("count"))
	}
}

func TestRefusedBatches(t *testing.T) {
	w := newWorld(t)
	for name, test := range map[string]struct {
		body, problem string
		status        int
	}{
		"too many":     {`{"items":[` + strings.Repeat("{},", 1000) + `{}]}`, "too-large", 413},
		"too large":    {`{"items":["` + strings.Repeat("x", 8<<20) + `"]}`, "too-large", 413},
		"no items":     {`{}`, "invalid-params", 422},
		"twice":        {`{"items":[],"items":[]}`, "invalid-body", 400},
		"twice within": {`{"items":[{"key":"a","key":"b"}]}`, "invalid-body", 400},
	} {
		t.Run(name, func(t *testing.T) {
			a := w.call("service", "POST", "/v1/intent-batches", test.body)
			a.TB = t
			a.is(test.status, test.problem)
		})
	}
	if a := w.call("service", "POST", "/v1/intent-batches", map[string]any{"items": []any{}}).is(200, ""); len(a.items()) != 0 {
		t.Errorf("%s", a.raw)
	}
}

func TestDatabaseInTrouble(t *testing.T) {
	w := newWorld(t)
	w.failNext(&w.hooks.after, errors.New("the answer to the commit was lost"))
	w.post("pay-1", 5000) // it is there: the answer is the intent, not the doubt
	w.failNext(&w.hooks.before, errors.New("the commit was lost"))
	a := w.call("service", "POST", "/v1/intents", payout(5000), "Idempotency-Key", "pay-2").is(503, "outcome-unknown")
	if a.header.Get("Retry-After") == "" || strings.Contains(string(a.raw), "lost") {
		t.Errorf("%v %s", a.header, a.raw)
	}
	w.call("service", "POST", "/v1/intents", payout(5000), "Idempotency-Key", "pay-2").is(201, "")
	w.db.Close()
	if a := w.call("service", "GET", "/v1/intents", nil).is(500, "internal"); strings.Contains(string(a.raw), "sql") {
		t.Errorf("%s", a.raw)
	}
}
