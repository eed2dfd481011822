package api_test

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
)

func TestPostIntent(t *testing.T) {
	w := newWorld(t)
	a := w.call("service", "POST", "/v1/intents", payout(125050, "memo", "October"), "Idempotency-Key", `"pay-1"`).is(201, "")
	id := a.text("id")
	if a.header.Get("Location") != "/v1/intents/"+id || a.header.Get("ETag") != `"1"` || a.header.Get("Idempotent-Replayed") != "" {
		t.Errorf("headers %v", a.header)
	}
	if a.text("key") != "pay-1" || a.text("state") != "awaiting_approval" && a.text("state") != "received" || a.at("amount") != 125050.0 {
		t.Errorf("intent %s", a.raw)
	}
	for name, again := range map[string]any{
		"bare key, the same":       payout(125050, "memo", "October"),
		"other note and timestamp": payout(125050, "memo", "x", "requested_at", "2026-11-02T09:00:00Z"),
		"other order": `{"params":{"period":"2026-10","currency":"USD","amount":125050,` +
			`"payee":{"destination":"acct_9","name":"Ada Rep","reference":"rep-118"}},"account":"acme","kind":"payout"}`,
	} {
		a := w.call("service", "POST", "/v1/intents", again, "Idempotency-Key", "pay-1").is(200, "")
		if a.text("id") != id || a.header.Get("Idempotent-Replayed") != "true" || a.header.Get("Location") != "" {
			t.Errorf("%s: %v %s", name, a.header, a.raw)
		}
	}
}

func TestPostedKeyWithOtherParams(t *testing.T) {
	w := newWorld(t)
	w.post("pay-1", 125050)
	a := w.call("service", "POST", "/v1/intents", payout(125051, "period", "2026-11"), "Idempotency-Key", "pay-1").is(422, "idempotency-key-reused")
	if fields := fmt.Sprint(a.at("fields")); fields != "[amount period]" {
		t.Errorf("fields %s", fields)
	}
	if strings.Contains(string(a.raw), "12505") {
		t.Errorf("the problem repeats a value: %s", a.raw)
	}
}

func TestFiftyPostsOfOneKey(t *testing.T) {
	w := newWorld(t)
	var group sync.WaitGroup
	statuses, ids := make([]int, 50), make([]string, 50)
	for i := range 50 {
		group.Go(func() {
			a := w.call("service", "POST", "/v1/intents", payout(125050), "Idempotency-Key", "pay-1")
			statuses[i], ids[i] = a.status, a.json["id"].(string)
		})
	}
	group.Wait()
	slices.Sort(statuses)
	if statuses[0] != 200 || statuses[48] != 200 || statuses[49] != 201 || len(slices.Compact(ids)) != 1 {
		t.Errorf("statuses %v", statuses)
	}
	if a := w.call("service", "GET", "/v1/intents", nil).is(200, ""); a.at("count") != 1.0 {
		t.Errorf("%s", a.raw)
	}
}

func TestIdempotencyKeys(t *testing.T) {
	w := newWorld(t)
	for name, test := range map[string]struct {
		lines  []string
		status int
		name   string
	}{
		"none":                {nil, 400, "idempotency-key-missing"},
		"empty":               {[]string{""}, 400, "idempotency-key-missing"},
		"two":                 {[]string{"a", "b"}, 400, "idempotency-key-invalid"},
		"an address":          {[]string{"ada@example.com"}, 400, "idempotency-key-invalid"},
		"256 bytes":           {[]string{strings.Repeat("k", 256)}, 400, "idempotency-key-invalid"},
		"255 bytes":           {[]string{strings.Repeat("k", 255)}, 201, ""},
		"not ASCII":           {[]string{"sch\xc3\xb6n"}, 400, "idempotency-key-invalid"},
		"a compensation's":    {[]string{"compensate:x"}, 400, "idempotency-key-invalid"},
		"unfinished quote":    {[]string{`"abc`}, 400, "idempotency-key-invalid"},
		"quoted with a space": {[]string{`"a b"`}, 201, ""},
	} {
		t.Run(name, func(t *testing.T) {
			var headers []string
			for _, line := range test.lines {
				headers = append(headers, "Idempotency-Key", line)
			}
			a := w.call("service", "POST", "/v1/intents", payout(125050), headers...)
			a.TB = t
			a.is(test.status, test.name)
		})
	}
}

func TestRefusedBodies(t *testing.T) {
	w := newWorld(t)
	params := `{"payee":{"reference":"r","name":"n","destination":"d"},"amount":5000,"currency":"USD"}`
	for name, test := range map[string]struct {
		body, problem, location string
		status                  int
	}{
		"empty":              {"", "invalid-body", "", 400},
		"not JSON":           {"{", "invalid-body", "", 400},
		"two values":         {"{}{}", "invalid-body", "", 400},
		"a member twice":     {`{"kind":"payout","kind":"payout","account":"acme","params":` + params + `}`, "invalid-body", "/kind", 400},
		"twice within":       {`{"kind":"payout","account":"acme","params":{"amount":1,"amount":2}}`, "invalid-body", "/params/amount", 400},
		"unknown member":     {`{"kind":"payout","account":"acme","params":` + params + `,"dry_run":true}`, "invalid-params", "/dry_run", 422},
		"unknown in params":  {`{"kind":"payout","account":"acme","params":{"amount":5000,"tip":1}}`, "invalid-params", "/params/tip", 422},
		"no account":         {`{"kind":"payout","params":` + params + `}`, "invalid-params", "/account", 422},
		"no params":          {`{"kind":"payout","account":"acme"}`, "invalid-params", "/params", 422},
		"unknown kind":       {`{"kind":"gift","account":"acme","params":{}}`, "invalid-params", "/kind", 422},
		"a compensation":     {`{"kind":"compensation","account":"acme","params":{}}`, "invalid-params", "/kind", 422},
		"amount as text":     {`{"kind":"payout","account":"acme","params":{"amount":"5000"}}`, "invalid-params", "/params/amount", 422},
		"no such account":    {`{"kind":"payout","account":"nowhere","params":` + params + `}`, "not-found", "", 404},
		"another's account":  {`{"kind":"payout","account":"globex","params":` + params + `}`, "not-found", "", 404},
		"not UTF-8":          {"{\"kind\":\"\xff\"}", "invalid-body", "", 400},
		"members by case":    {`{"Kind":"payout","account":"acme","params":` + params + `}`, "invalid-params", "/Kind", 422},
		"an array":           {`[]`, "invalid-params", "", 422},
		"over one mebibyte":  {`{"kind":"` + strings.Repeat("x", 1<<20) + `"}`, "too-large", "", 413},
		"nested for ever":    {strings.Repeat("[", 100_000), "invalid-body", "", 400},
		"negative amount":    {`{"kind":"payout","account":"acme","params":{"payee":{"reference":"r","name":"n","destination":"d"},"amount":-1,"currency":"USD"}}`, "invalid-params", "/params/amount", 422},
		"amount over 2^53-1": {`{"kind":"payout","account":"acme","params":{"payee":{"reference":"r","name":"n","destination":"d"},"amount":9007199254740993,"currency":"USD"}}`, "invalid-params", "/params/amount", 422},
	} {
		t.Run(name, func(t *testing.T) {
			a := w.call("service", "POST", "/v1/intents", test.body, "Idempotency-Key", "k")
			a.TB = t
			a.is(test.status, test.problem)
			if errors := a.at("errors").([]any); test.location != "" && (len(errors) == 0 || errors[0].(map[string]any)["location"] != test.location) {
				t.Errorf("errors %v, want one at %s", errors, test.location)
			}
			if a.text("request_id") != "req_test" {
				t.Errorf("%s", a.raw)
			}
		})
	}
	if a := w.call("service", "GET", "/v1/intents", nil).is(200, ""); a.at("count") != 0.0 {
		t.Errorf("something was stored: %s", a.raw)
	}
	w.call("service", "POST", "/v1/intents", "kind=payout", "Content-Type", "application/x-www-form-urlencoded").is(415, "unsupported-media-type")
}

func TestGetIntent(t *testing.T) {
	w := newWorld(t)
	w.post("twin", 5000)
	id := w.post("pay-1", 5000)
	a := w.call("reader", "GET", "/v1/intents/"+id, nil).is(200, "")
	if a.at("look_alikes") != 1.0 {
		t.Errorf("look_alikes %v", a.at("look_alikes"))
	}
	w.call("reader", "GET", "/v1/intents/"+id, nil, "If-None-Match", a.header.Get("ETag")).is(304, "")
	w.call("reader", "GET", "/v1/intents/"+id, nil, "If-None-Match", `"0", W/`+a.header.Get("ETag")).is(304, "")
	w.call("reader", "GET", "/v1/intents/"+id, nil, "If-None-Match", `"99"`).is(200, "")
	w.call("gus", "GET", "/v1/intents/"+id, nil).is(404, "not-found")
	w.call("reader", "GET", "/v1/intents/intent-nothing", nil).is(404, "not-found")
	w.call("", "GET", "/v1/intents/"+id, nil).is(401, "unauthenticated")
	if h := w.call("", "GET", "/v1/intents/"+id, nil).header; h.Get("WWW-Authenticate") == "" {
		t.Errorf("headers %v", h)
	}
}

func TestListIntents(t *testing.T) {
	w := newWorld(t)
	var want []string
	for i := range 7 {
		want = append([]string{w.post(fmt.Sprintf("pay-%d", i), int64(5000+i))}, want...)
	}
	var got []string
	path := "/v1/intents?limit=3"
	for path != "" {
		a := w.call("reader", "GET", path, nil).is(200, "")
		for _, item := range a.items() {
			got = append(got, item["id"].(string))
		}
		if len(got) == 3 { // what is new does not move what is read
			w.post("late", 9000)
		}
		path = ""
		if next, ok := a.at("next_cursor").(string); ok {
			path = "/v1/intents?limit=3&cursor=" + next
		}
	}
	if !slices.Equal(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
	page := w.call("reader", "GET", "/v1/intents?q=pay-&limit=4", nil).is(200, "")
	rest := w.call("reader", "GET", "/v1/intents?q=pay-&limit=4&cursor="+page.text("next_cursor"), nil).is(200, "")
	if len(page.items()) != 4 || len(rest.items()) != 3 || rest.at("next_cursor") != nil || rest.items()[2]["id"] != want[6] {
		t.Errorf("search by pages: %d and %d", len(page.items()), len(rest.items()))
	}
	a := w.call("reader", "GET", "/v1/intents?q=pay-3", nil).is(200, "")
	if list := a.items(); len(list) != 1 || list[0]["key"] != "pay-3" || a.at("count") != 1.0 || a.at("next_cursor") != nil {
		t.Errorf("search: %s", a.raw)
	}
	for path, count := range map[string]float64{"?kind=dispute": 0, "?kind=payout": 8, "?account=acme": 8, "?owner=none": 8, "?owner=me": 0, "?state=completed": 0, "?q=pay-": 7} {
		if a := w.call("reader", "GET", "/v1/intents"+path, nil).is(200, ""); a.at("count") != count {
			t.Errorf("%s: %v, want %v", path, a.at("count"), count)
		}
	}
}

func TestListIntentsRefuses(t *testing.T) {
	w := newWorld(t)
	for i := range 3 {
		w.post(fmt.Sprintf("pay-%d", i), 5000)
	}
	next := w.call("reader", "GET", "/v1/intents?limit=1", nil).is(200, "").text("next_cursor")
	for path, want := range map[string]string{
		"?limit=0": "422 invalid-params", "?limit=201": "422 invalid-params", "?limit=many": "422 invalid-params",
		"?state=lost": "422 invalid-params", "?stat=completed": "422 invalid-params", "?account=globex": "404 not-found",
		"?cursor=x": "422 invalid-params", "?cursor=" + next[1:]: "422 invalid-params", "?kind=payout&cursor=" + next: "422 invalid-params",
		"?owner=person-unheard": "422 invalid-params", "?owner=&state=completed": "200 <nil>", "?owner=" + w.people["olga"]: "200 <nil>",
	} {
		a := w.call("reader", "GET", "/v1/intents"+path, nil)
		if got := fmt.Sprint(a.status, " ", strings.TrimPrefix(fmt.Sprint(a.json["type"]), "https://countersign.invalid/problems/")); got != want {
			t.Errorf("%s: %s, want %s", path, got, want)
		}
		if strings.Contains(string(a.raw), "lost") || strings.Contains(string(a.raw), "many") {
			t.Errorf("%s repeats a value: %s", path, a.raw)
		}
	}
	a := w.call("gus", "GET", "/v1/intents", nil).is(200, "")
	if len(a.items()) != 0 || a.at("count") != 0.0 {
		t.Errorf("globex sees acme: %s", a.raw)
	}
}

// members lists the names of an object's members, sorted.
func members(object any) (names []string) {
	for name := range object.(map[string]any) {
		names = append(names, name)
	}
	slices.Sort(names)
	return names
}

func TestMembers(t *testing.T) {
	w := newWorld(t)
	var intent map[string]any
	if err := json.Unmarshal(w.call("reader", "GET", "/v1/intents/"+w.post("pay-1", 5000), nil).raw, &intent); err != nil {
		t.Fatal(err)
	}
	same(t, "intent", intent, "id, key, kind, account, state, reason, amount, currency, exposure, version, created_at, fingerprint, params, owner, parent, look_alikes, steps, actions")
	same(t, "step", intent["steps"].([]any)[0], "name, key, wire_key, generation, class, state, settling, provider, external_ref, amount, attempts, evidence, safe_until, next_try_at, not_found_final_at, compensated_by")
}

func same(t *testing.T, what string, object any, list string) {
	t.Helper()
	want := strings.Split(list, ", ")
	slices.Sort(want)
	if got := members(object); !slices.Equal(got, want) {
		t.Errorf("%s has %v, want %v", what, got, want)
	}
}
