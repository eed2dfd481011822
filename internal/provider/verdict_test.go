package provider

import (
	"encoding/json"
	"net/http"
	"testing"
	"time"

	"countersign/internal/model"
)

func (testForm) ReadObject(_ string, body []byte) (Object, bool) {
	var o Object
	if json.Unmarshal(body, &o) != nil {
		return Object{}, false
	}
	o.Phase = map[string]Phase{"paid": Happened, "pending": Settling, "failed": Failed, "returned": CameBack, "queued": Taken}[o.Status]
	return o, true
}

func (testForm) ReadError(_ int, _ http.Header, body []byte) (Refusal, bool) {
	var e struct{ Code, Object string }
	if json.Unmarshal(body, &e) != nil || e.Code == "" {
		return Refusal{}, false
	}
	meanings := map[string]Meaning{
		"reused": KeyReused, "busy": InFlight, "made": AlreadyMade, "reversed": Conflicting,
	}
	return Refusal{Code: e.Code, ObjectID: e.Object, Meaning: meanings[e.Code]}, true
}

var testContract = model.Contract{
	Operation: model.PayoutCreate, ReplayMarker: "Idempotent-Replayed",
	ThrottleCodes: []string{"429", "shed"}, CurableCodes: []string{"no_funds"},
}

// silent is a call without an answer on a connection that was had.
func silent(fault Fault) Reply { return Reply{Fault: fault, Connections: 1, BytesOut: 200} }

// unsent is one without a connection.
func unsent(fault Fault) Reply { return Reply{Fault: fault, Untouched: true} }

func said(status int, body string) Reply {
	return Reply{Status: status, Header: http.Header{"Content-Type": {"application/json"}}, Body: []byte(body), Connections: 1, BytesOut: 200}
}

func cut(fault Fault) Reply {
	r := said(200, paid[:20])
	r.Fault = fault
	return r
}

func html(status int) Reply {
	r := said(status, "<html>proxy</html>")
	r.Header.Set("Content-Type", "text/html")
	return r
}

// named is an object with the given members.
func named(reference, amount, currency, destination, status string) string {
	return `{"id":"po_1","reference":"` + reference + `","amount":` + amount + `,"currency":"` + currency +
		`","destination":"` + destination + `","status":"` + status + `"}`
}

// verdicts is the whole table of what a call can come back as.
var verdicts = []struct {
	name   string
	reply  Reply
	result model.Result
	code   string
}{
	{"name not found", unsent(FaultName), model.ResultNotSent, "name_not_found"},
	{"dial refused, unreachable or timed out", unsent(FaultConnect), model.ResultNotSent, "not_connected"},
	{"TLS handshake failed", unsent(FaultHandshake), model.ResultNotSent, "tls_failed"},
	{"cancelled before a connection was had", unsent(FaultCancelled), model.ResultNotSent, "cancelled"},
	{"our own request is none", unsent(FaultRequest), model.ResultNotSent, "bad_request"},
	{"too late for the first byte", Reply{Fault: FaultLate, Connections: 1, Untouched: true}, model.ResultNotSent, "too_late"},
	{"write failed, zero bytes", Reply{Fault: FaultWrite, Connections: 1, Untouched: true}, model.ResultNotSent, "write_failed"},
	{"write failed, bytes unaccounted for", Reply{Fault: FaultWrite, Connections: 1}, model.ResultUnknown, "write_failed"},
	{"no connection, yet bytes out", Reply{Fault: FaultConnect, BytesOut: 1}, model.ResultUnknown, "not_connected"},
	{"timeout after sending", silent(FaultTimeout), model.ResultUnknown, "timeout"},
	{"timeout on a connection before sending", Reply{Fault: FaultTimeout, Connections: 1, Untouched: true}, model.ResultUnknown, "timeout"},
	{"reset after sending", silent(FaultReset), model.ResultUnknown, "reset"},
	{"closed after sending", silent(FaultClosed), model.ResultUnknown, "closed"},
	{"cancelled after a connection was had", Reply{Fault: FaultCancelled, Connections: 1, Untouched: true}, model.ResultUnknown, "cancelled"},
	{"not HTTP", silent(FaultGarbled), model.ResultUnknown, "not_http"},
	{"a fault nobody names", silent("novel"), model.ResultUnknown, "novel"},

	{"confirmed", said(201, paid), model.ResultConfirmed, ""},
	{"accepted", said(201, taken), model.ResultAccepted, ""},
	{"taken is enough", said(202, named(ours, "1200", "USD", "acct_9", "queued")), model.ResultConfirmed, ""},
	{"failed object in a 2xx", said(201, named(ours, "1200", "USD", "acct_9", "failed")), model.ResultFailed, "failed"},
	{"came back already", said(201, named(ours, "1200", "USD", "acct_9", "returned")), model.ResultConfirmed, ""},
	{"a status word nobody knows", said(201, named(ours, "1200", "USD", "acct_9", "parked")), model.ResultUnknown, "other_status"},
	{"no destination named", said(201, named(ours, "1200", "USD", "", "paid")), model.ResultConfirmed, ""},
	{"another key", said(201, named("intent-2:create-payout", "1200", "USD", "acct_9", "paid")), model.ResultUnknown, "other_key"},
	{"no key", said(201, named("", "1200", "USD", "acct_9", "paid")), model.ResultUnknown, "other_key"},
	{"another amount", said(201, named(ours, "1300", "USD", "acct_9", "paid")), model.ResultUnknown, "other_amount"},
	{"another currency", said(201, named(ours, "1200", "EUR", "acct_9", "paid")), model.ResultUnknown, "other_amount"},
	{"another destination", said(201, named(ours, "1200", "USD", "acct_8", "paid")), model.ResultUnknown, "other_destination"},
	{"no id", said(201, `{"reference":"intent-1:create-payout","amount":1200,"currency":"USD","status":"paid"}`), model.ResultUnknown, "unreadable"},
	{"cut short", cut(FaultCut), model.ResultUnknown, "cut_short"},
	{"over the limit", cut(FaultLong), model.ResultUnknown, "too_long"},
	{"not JSON", said(200, "ok"), model.ResultUnknown, "unreadable"},
	{"another type", html(200), model.ResultUnknown, "unreadable"},
	{"2xx without a body", said(204, ""), model.ResultAccepted, "no_body"},

	{"301", said(301, paid), model.ResultUnknown, "redirect"},
	{"303", said(303, ""), model.ResultUnknown, "redirect"},
	{"307", said(307, ""), model.ResultUnknown, "redirect"},
	{"304", said(304, ""), model.ResultUnknown, "redirect"},

	{"402 business decline", said(402, `{"code":"declined","object":"po_7"}`), model.ResultPermanent, "declined"},
	{"402 curable", said(402, `{"code":"no_funds"}`), model.ResultCurable, "no_funds"},
	{"402 in a strange form", html(402), model.ResultUnknown, "http_402"},
	{"422 key used with other params", said(422, `{"code":"reused"}`), model.ResultUnknown, "key_reused"},
	{"400 key used with other params", said(400, `{"code":"reused"}`), model.ResultUnknown, "key_reused"},
	{"409 in flight", said(409, `{"code":"busy"}`), model.ResultUnknown, "in_flight"},
	{"409 already made", said(409, `{"code":"made","object":"po_7"}`), model.ResultUnknown, "already_made"},
	{"409 business conflict", said(409, `{"code":"reversed"}`), model.ResultPermanent, "reversed"},
	{"409 nobody knows", said(409, `{"code":"hm"}`), model.ResultUnknown, "hm"},
	{"409 in a strange form", html(409), model.ResultUnknown, "http_409"},

	{"408", said(408, `{"code":"slow"}`), model.ResultUnknown, "http_408"},
	{"500 in its own form", said(500, `{"code":"internal"}`), model.ResultUnknown, "http_500"},
	{"502", html(502), model.ResultUnknown, "http_502"},
	{"503 that sheds before executing", said(503, `{"code":"shed"}`), model.ResultThrottled, "shed"},
	{"503", said(503, `{"code":"down"}`), model.ResultUnknown, "http_503"},
	{"504", html(504), model.ResultUnknown, "http_504"},
	{"418", said(418, `{"code":"teapot"}`), model.ResultUnknown, "http_418"},
	{"101", said(101, ""), model.ResultUnknown, "http_101"},
	{"425 not named", said(425, `{"code":"early"}`), model.ResultUnknown, "http_425"},
	{"429 named", said(429, `{"code":"rate"}`), model.ResultThrottled, "429"},
}

func TestClassify(t *testing.T) {
	for _, test := range verdicts {
		t.Run(test.name, func(t *testing.T) {
			got := Classify(testContract, testForm{}, payoutCall(""), test.reply)
			if got.Result != test.result || got.Code != test.code {
				t.Errorf("got %s %q, want %s %q", got.Result, got.Code, test.result, test.code)
			}
			if got.HTTPStatus != test.reply.Status || got.Connections != test.reply.Connections || got.BytesOut != test.reply.BytesOut {
				t.Errorf("the record of the call is lost: %+v", got)
			}
			if test.result == model.ResultUnknown && (got.Final || got.Detail == "" && test.reply.Fault == "" && got.HTTPStatus != 409 && got.HTTPStatus/100 != 4) {
				t.Errorf("unknown without a reason, or called final: %+v", got)
			}
		})
	}
}

func TestRefusingStatuses(t *testing.T) {
	for _, status := range []int{400, 401, 403, 404, 405, 410, 413, 415, 422} {
		if got := Classify(testContract, testForm{}, payoutCall(""), said(status, `{"code":"no"}`)); got.Result != model.ResultPermanent || got.Code != "no" {
			t.Errorf("%d in its own form: %s %q", status, got.Result, got.Code)
		}
		if got := Classify(testContract, testForm{}, payoutCall(""), said(status, `{"code":"no_funds"}`)); got.Result != model.ResultCurable {
			t.Errorf("%d curable: %s", status, got.Result)
		}
		for _, strange := range []Reply{html(status), said(status, `{"message":"from a proxy"}`), said(status, "")} {
			if got := Classify(testContract, testForm{}, payoutCall(""), strange); got.Result != model.ResultUnknown {
				t.Errorf("%d in a strange form: %s", status, got.Result)
			}
		}
		short := said(status, `{"code":"no"}`)
		short.Fault = FaultCut
		if got := Classify(testContract, testForm{}, payoutCall(""), short); got.Result != model.ResultUnknown {
			t.Errorf("%d cut short: %s", status, got.Result)
		}
	}
}

func TestUnnamedThrottleIsUnknown(t *testing.T) {
	contract := testContract
	contract.ThrottleCodes = nil
	for _, status := range []int{425, 429, 503} {
		if got := Classify(contract, testForm{}, payoutCall(""), said(status, `{"code":"rate"}`)); got.Result != model.ResultUnknown {
			t.Errorf("%d: %s", status, got.Result)
		}
	}
}

func TestClassifyKeepsWhatTheAnswerNames(t *testing.T) {
	declined := Classify(testContract, testForm{}, payoutCall(""), said(402, `{"code":"declined","object":"po_7"}`))
	if declined.ExternalRef != "po_7" {
		t.Errorf("the failed object's id is lost: %+v", declined)
	}
	other := Classify(testContract, testForm{}, payoutCall(""), said(201, `{"id":"po_1","reference":"`+ours+`","amount":1300,"currency":"USD","status":"paid"}`))
	if other.ExternalRef != "po_1" || other.Amount != 1300 {
		t.Errorf("our object with another amount is to be looked up: %+v", other)
	}
	stranger := Classify(testContract, testForm{}, payoutCall(""), said(201, `{"id":"po_2","reference":"else","amount":1200,"currency":"USD","status":"paid"}`))
	if stranger.ExternalRef != "" {
		t.Errorf("somebody else's object became ours: %+v", stranger)
	}
	call := payoutCall("")
	call.Expect = Expect{}
	if got := Classify(testContract, testForm{}, call, said(201, `{"id":"po_1","status":"paid"}`)); got.Result != model.ResultUnknown {
		t.Errorf("an answer that nothing is compared with was believed: %+v", got)
	}
}

func TestClassifyReadsHeaders(t *testing.T) {
	now := time.Date(2026, 11, 29, 12, 0, 0, 0, time.UTC)
	reply := said(429, `{"code":"rate"}`)
	reply.Received = now
	reply.Header.Set("Date", now.Add(90*time.Second).Format(http.TimeFormat))
	reply.Header.Set("Idempotent-Replayed", "true")
	for value, want := range map[string]time.Duration{
		"7": 7 * time.Second, "-1": 0, "soon": 0, "": 0, "99999999": 24 * time.Hour,
		now.Add(time.Minute).Format(http.TimeFormat):  time.Minute,
		now.Add(-time.Minute).Format(http.TimeFormat): 0,
	} {
		reply.Header.Set("Retry-After", value)
		got := Classify(testContract, testForm{}, payoutCall(""), reply)
		if got.RetryAfter != want || got.Skew != 90*time.Second || !got.Replayed || got.RequestID != "req-1" {
			t.Errorf("Retry-After %q: %+v", value, got)
		}
	}
	reply.Header.Set("Idempotent-Replayed", "false")
	if Classify(testContract, testForm{}, payoutCall(""), reply).Replayed {
		t.Error("a marker that says false is no replay")
	}
}

func TestObserve(t *testing.T) {
	object := func(change func(*Object)) Object {
		o := Object{ID: "po_1", Reference: ours, Amount: 1200, Currency: "USD", Destination: "acct_9", Status: "paid", Phase: Happened}
		change(&o)
		return o
	}
	same := object(func(*Object) {})
	tests := []struct {
		name    string
		objects []Object
		want    model.Finding
	}{
		{"nothing", nil, model.FoundNone},
		{"happened", []Object{same}, model.FoundHappened},
		{"taken", []Object{object(func(o *Object) { o.Phase = Taken })}, model.FoundHappened},
		{"settling", []Object{object(func(o *Object) { o.Phase = Settling })}, model.FoundSettling},
		{"failed", []Object{object(func(o *Object) { o.Phase = Failed })}, model.FoundFailed},
		{"returned", []Object{object(func(o *Object) { o.Phase = CameBack })}, model.FoundReturned},
		{"a word nobody knows", []Object{object(func(o *Object) { o.Phase = "" })}, model.FoundNothing},
		{"another amount", []Object{object(func(o *Object) { o.Amount++ })}, model.FoundOther},
		{"another currency", []Object{object(func(o *Object) { o.Currency = "EUR" })}, model.FoundOther},
		{"another destination", []Object{object(func(o *Object) { o.Destination = "acct_8" })}, model.FoundOther},
		{"two", []Object{same, object(func(o *Object) { o.ID = "po_2" })}, model.FoundSeveral},
		{"the search was not ours", []Object{object(func(o *Object) { o.Reference += "-2" })}, model.FoundNothing},
		{"ours among others", []Object{same, object(func(o *Object) { o.Reference = "x" })}, model.FoundNothing},
	}
	for _, test := range tests {
		got := Observe(test.objects, payoutCall("").Expect)
		if got.Finding != test.want {
			t.Errorf("%s: %s, want %s", test.name, got.Finding, test.want)
		}
		if test.want == model.FoundSeveral && len(got.Refs) != 2 {
			t.Errorf("%s: refs %v", test.name, got.Refs)
		}
	}
}
