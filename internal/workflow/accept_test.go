package workflow

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"countersign/internal/model"
)

const (
	payoutJSON = `{"payee":{"reference":"rep-118","name":"Ada Rep","destination":"acct_9","email":"ada@example.com"},
		"amount":125050,"currency":"USD","period":"2026-10","memo":"October","requested_at":"2026-11-02T09:00:00Z","trace_id":"t-1"}`
	statementJSON = `{"rep":{"reference":"rep-118","name":"Ada Rép <ops>","email":"ada@example.com"},
		"period":{"from":"2026-10-01","to":"2026-11-01","zone":"America/New_York"},"currency":"USD",
		"lines":[{"reference":"s-1","description":"Sale 1 – 東京 & Søn","amount":90000},{"reference":"c-7","description":"Chargeback","amount":-1250}]}`
	disputeJSON = `{"dispute":"dp_31","charge":"ch_8","amount":4200,"currency":"EUR","reason":"product_not_received",
		"response":"contest","credit":{"payee":{"reference":"rep-118","destination":"acct_9"},"amount":4200},"due_by":"2026-12-10T00:00:00Z",
		"notify":["ada@example.com","ops@example.com"],"evidence":[{"type":"shipping","text":"Line one\nLine two"}]}`
)

var samples = map[string]string{
	model.KindPayout: payoutJSON, model.KindStatement: statementJSON, model.KindDispute: disputeJSON,
}

func kindNamed(t tester, name string) Kind {
	t.Helper()
	k, ok := Lookup(name)
	if !ok {
		t.Fatalf("no kind %s", name)
	}
	return k
}

// edited is the sample with members replaced by path ("payee.name"); nil deletes.
func edited(t tester, kind string, edits map[string]any) json.RawMessage {
	t.Helper()
	var params map[string]any
	if err := json.Unmarshal([]byte(samples[kind]), &params); err != nil {
		t.Fatal(err)
	}
	for path, value := range edits {
		names := strings.Split(path, ".")
		object := params
		for _, name := range names[:len(names)-1] {
			object = object[name].(map[string]any)
		}
		if last := names[len(names)-1]; value == nil {
			delete(object, last)
		} else {
			object[last] = value
		}
	}
	raw, err := json.Marshal(params)
	if err != nil {
		t.Fatal(err)
	}
	return raw
}

func locations(t tester, err error) []string {
	t.Helper()
	var e *model.Error
	if !errors.As(err, &e) || e.Kind != model.Invalid {
		t.Fatalf("error %v is not of kind Invalid", err)
	}
	var found []string
	for _, f := range e.Fields {
		found = append(found, f.Location)
	}
	slices.Sort(found)
	return found
}

type draftedStep struct {
	name      string
	class     model.Class
	operation string
	amount    int64
}

// drafts are what the samples become.
var drafts = []struct {
	kind                              string
	amount                            int64
	currency, payee, payeeRef, period string
	steps                             []draftedStep
}{
	{"payout", 125050, "USD", "Ada Rep", "rep-118", "2026-10", []draftedStep{
		{"verify-payee", "pure", "", 0}, {"approve-payout", "local", "approve", 0}, {"create-payout", "keyed", "payout.create", 125050},
		{"post-ledger", "local", "ledger.post", 125050}, {"send-remittance", "message", "message.send", 0}}},
	{"statement", 88750, "USD", "Ada Rép <ops>", "rep-118", "2026-10-01/2026-11-01 America/New_York", []draftedStep{
		{"calculate-statement", "pure", "", 0}, {"issue-statement", "local", "document.issue", 0}, {"send-statement", "message", "message.send", 0}}},
	{"dispute", 4200, "EUR", "Dispute dp_31", "dp_31", "", []draftedStep{
		{"assemble-evidence", "pure", "", 0}, {"approve-response", "local", "approve", 0}, {"submit-response", "keyed", "dispute.respond", 4200},
		{"record-resolution", "local", "dispute.record", 4200}, {"credit-balance", "keyed", "credit.create", 4200},
		{"notify-parties", "message", "message.send", 0}}},
}

func TestAcceptDrafts(t *testing.T) {
	for _, tc := range drafts {
		t.Run(tc.kind, func(t *testing.T) {
			k := kindNamed(t, tc.kind)
			d, err := k.Accept(json.RawMessage(samples[tc.kind]))
			if err != nil || k.Name() != tc.kind {
				t.Fatalf("%s: %v", k.Name(), err)
			}
			if d.Amount != tc.amount || d.Currency != tc.currency || d.Payee != tc.payee || d.PayeeRef != tc.payeeRef || d.Period != tc.period {
				t.Errorf("facts: %+v", d)
			}
			if want := LookAlike(tc.kind, tc.payeeRef, tc.amount, tc.currency, tc.period); d.LookAlike != want || len(want) != 64 {
				t.Errorf("look-alike %q, want %q", d.LookAlike, want)
			}
			var got []draftedStep
			for i, s := range d.Steps {
				if s.State != model.Pending || s.Position != i+1 || s.Generation != 1 {
					t.Errorf("step %s: state %s, position %d, generation %d", s.Name, s.State, s.Position, s.Generation)
				}
				got = append(got, draftedStep{s.Name, s.Class, s.Operation, s.Amount})
			}
			if !slices.Equal(got, tc.steps) {
				t.Errorf("steps\n%v, want\n%v", got, tc.steps)
			}
		})
	}
	d, _ := kindNamed(t, "dispute").Accept(json.RawMessage(disputeJSON))
	if d.DueBy.String() != "2026-12-10T00:00:00.000000Z" {
		t.Errorf("due by %s", d.DueBy)
	}
}

func TestAcceptLeavesMootSteps(t *testing.T) {
	cases := []struct {
		kind, without, step string
	}{
		{"payout", "payee.email", "send-remittance"}, {"statement", "rep.email", "send-statement"},
		{"dispute", "notify", "notify-parties"}, {"dispute", "credit", "credit-balance"},
	}
	for _, tc := range cases {
		d, err := kindNamed(t, tc.kind).Accept(edited(t, tc.kind, map[string]any{tc.without: nil}))
		if err != nil {
			t.Fatal(err)
		}
		for _, s := range d.Steps {
			want := model.Pending
			if s.Name == tc.step {
				want = model.NotNeeded
			}
			if s.State != want || (s.Reason != "") != (want == model.NotNeeded) {
				t.Errorf("%s without %s: %s is %s (%q)", tc.kind, tc.without, s.Name, s.State, s.Reason)
			}
		}
	}
}

var long = strings.Repeat("x", 201)

func line(amount int64) map[string]any {
	return map[string]any{"reference": fmt.Sprint("l", amount), "description": "d", "amount": amount}
}

// refusals are edits of the samples with the locations at fault.
var refusals = []struct {
	name, kind string
	edits      map[string]any
	want       string
}{
	{"unknown member", "payout", map[string]any{"note": 1}, "/note"},
	{"unknown inner member", "payout", map[string]any{"payee.iban": "x"}, "/payee/iban"},
	{"other case of a member", "payout", map[string]any{"Amount": 1}, "/Amount"},
	{"amount as text", "payout", map[string]any{"amount": "12"}, "/amount"},
	{"fraction", "payout", map[string]any{"amount": 12.5}, "/amount"},
	{"no amount", "payout", map[string]any{"amount": nil}, "/amount"},
	{"zero", "payout", map[string]any{"amount": 0}, "/amount"},
	{"negative", "payout", map[string]any{"amount": -1}, "/amount"},
	{"over 2^53-1", "payout", map[string]any{"amount": int64(1) << 53}, "/amount"},
	{"no currency", "payout", map[string]any{"currency": nil}, "/currency"},
	{"small letters", "payout", map[string]any{"currency": "usd"}, "/currency"},
	{"gold", "payout", map[string]any{"currency": "XAU"}, "/currency"},
	{"no payee", "payout", map[string]any{"payee": nil}, "/payee/destination /payee/name /payee/reference"},
	{"empty reference", "payout", map[string]any{"payee.reference": ""}, "/payee/reference"},
	{"reference not ASCII", "payout", map[string]any{"payee.reference": "ré"}, "/payee/reference"},
	{"long reference", "payout", map[string]any{"payee.reference": long}, "/payee/reference"},
	{"destination with a space", "payout", map[string]any{"payee.destination": "acct 9"}, "/payee/destination"},
	{"long name", "payout", map[string]any{"payee.name": long}, "/payee/name"},
	{"line break in the name", "payout", map[string]any{"payee.name": "a\nb"}, "/payee/name"},
	{"text direction in the name", "payout", map[string]any{"payee.name": "a\u202eb"}, "/payee/name"},
	{"name of spaces", "payout", map[string]any{"payee.name": " \u3000 "}, "/payee/name"},
	{"name of no width", "payout", map[string]any{"payee.name": "\u200b\u2060\u3164"}, "/payee/name"},
	{"blank period", "payout", map[string]any{"period": "\u00a0"}, "/period"},
	{"thirteenth month", "payout", map[string]any{"period": "2026-13"}, "/period"},
	{"month of none", "payout", map[string]any{"period": "2026-10/2026-00"}, "/period"},
	{"period on no day", "payout", map[string]any{"period": "2026-02-30"}, "/period"},
	{"week of none", "payout", map[string]any{"period": "2025-W53"}, "/period"},
	{"fifth quarter", "payout", map[string]any{"period": "2026-Q5"}, "/period"},
	{"not an address", "payout", map[string]any{"payee.email": "ada"}, "/payee/email"},
	{"two addresses", "payout", map[string]any{"payee.email": "a@b.com,c@d.com"}, "/payee/email"},
	{"named address", "payout", map[string]any{"payee.email": "Ada <a@b.com>"}, "/payee/email"},
	{"header in an address", "payout", map[string]any{"payee.email": "a@b.com\r\nBcc: c@d.com"}, "/payee/email"},
	{"long period", "payout", map[string]any{"period": long}, "/period"},
	{"bad time", "payout", map[string]any{"requested_at": "yesterday"}, "/requested_at"},
	{"control character in the memo", "payout", map[string]any{"memo": "a\x00"}, "/memo"},
	{"long trace id", "payout", map[string]any{"trace_id": long}, "/trace_id"},
	{"all at once", "payout", map[string]any{"amount": 0, "currency": "XXX", "payee.name": ""}, "/amount /currency /payee/name"},

	{"no rep name", "statement", map[string]any{"rep.name": nil}, "/rep/name"},
	{"rep of no width", "statement", map[string]any{"rep.name": "\u200d"}, "/rep/name"},
	{"line that says nothing", "statement", map[string]any{"lines": []any{map[string]any{"reference": "s-1", "description": " ", "amount": 1}}}, "/lines/0/description"},
	{"no rep reference", "statement", map[string]any{"rep.reference": nil}, "/rep/reference"},
	{"rep address", "statement", map[string]any{"rep.email": "x@"}, "/rep/email"},
	{"no zone", "statement", map[string]any{"period.zone": nil}, "/period/zone"},
	{"this machine's zone", "statement", map[string]any{"period.zone": "Local"}, "/period/zone"},
	{"no such zone", "statement", map[string]any{"period.zone": "Mars/Olympus"}, "/period/zone"},
	{"zone as a path", "statement", map[string]any{"period.zone": "../../etc/passwd"}, "/period/zone"},
	{"empty period", "statement", map[string]any{"period.to": "2026-10-01"}, "/period/to"},
	{"backward period", "statement", map[string]any{"period.to": "2026-09-01"}, "/period/to"},
	{"no such day", "statement", map[string]any{"period.from": "2026-02-30"}, "/period/from"},
	{"time instead of a day", "statement", map[string]any{"period.from": "2026-10-01T00:00:00Z"}, "/period/from"},
	{"no lines", "statement", map[string]any{"lines": nil}, "/lines"},
	{"too many lines", "statement", map[string]any{"lines": make([]map[string]any, maxLines+1)}, "/lines"},
	{"empty line", "statement", map[string]any{"lines": []any{map[string]any{}}}, "/lines/0/description /lines/0/reference"},
	{"the same line twice", "statement", map[string]any{"lines": []any{line(1), line(1)}}, "/lines/1/reference"},
	{"line below the range", "statement", map[string]any{"lines": []any{line(-1 << 53)}}, "/lines /lines/0/amount"},
	{"sum over the range", "statement", map[string]any{"lines": []any{line(int64(model.MaxAmount)), line(1)}}, "/lines"},
	{"sum below the range", "statement", map[string]any{"lines": []any{line(-int64(model.MaxAmount)), line(-1)}}, "/lines"},
	{"statement currency", "statement", map[string]any{"currency": "ABC"}, "/currency"},

	{"no dispute", "dispute", map[string]any{"dispute": nil}, "/dispute"},
	{"dispute as a path", "dispute", map[string]any{"dispute": "../x"}, "/dispute"},
	{"no charge", "dispute", map[string]any{"charge": nil}, "/charge"},
	{"no reason", "dispute", map[string]any{"reason": nil}, "/reason"},
	{"reason of no width", "dispute", map[string]any{"reason": "\ufeff"}, "/reason"},
	{"credit to spaces", "dispute", map[string]any{"credit.payee.name": "  "}, "/credit/payee/name"},
	{"evidence that says nothing", "dispute", map[string]any{"evidence": []any{map[string]string{"type": "\u00ad", "text": "\n\u200b\n"}}}, "/evidence/0/text /evidence/0/type"},
	{"other response", "dispute", map[string]any{"response": "ignore"}, "/response"},
	{"dispute amount", "dispute", map[string]any{"amount": -5}, "/amount"},
	{"no deadline", "dispute", map[string]any{"due_by": nil}, "/due_by"},
	{"deadline without zone", "dispute", map[string]any{"due_by": "2026-12-10T00:00:00"}, "/due_by"},
	{"credit without payee", "dispute", map[string]any{"credit.payee": nil}, "/credit/payee"},
	{"credit without amount", "dispute", map[string]any{"credit.amount": nil}, "/credit/amount"},
	{"credit without destination", "dispute", map[string]any{"credit.payee.destination": nil}, "/credit/payee/destination"},
	{"credit over the dispute", "dispute", map[string]any{"credit.amount": 4201}, "/credit/amount"},
	{"notify", "dispute", map[string]any{"notify": []string{"a@b.com", "nobody"}}, "/notify/1"},
	{"notify twice", "dispute", map[string]any{"notify": []string{"a@b.com", "a@b.com"}}, "/notify/1"},
	{"notify too many", "dispute", map[string]any{"notify": make([]string, maxNotified+1)}, "/notify"},
	{"contest without evidence", "dispute", map[string]any{"evidence": nil}, "/evidence"},
	{"too much evidence", "dispute", map[string]any{"evidence": make([]map[string]string, maxItems+1)}, "/evidence"},
	{"empty evidence", "dispute", map[string]any{"evidence": []any{map[string]string{}}}, "/evidence/0/text /evidence/0/type"},
	{"control character in evidence", "dispute", map[string]any{"evidence": []any{map[string]string{"type": "a", "text": "\x1b[2J"}}}, "/evidence/0/text"},
	{"long evidence", "dispute", map[string]any{"evidence": []any{map[string]string{"type": "a", "text": strings.Repeat("x", maxEvidence+1)}}}, "/evidence/0/text"},
}

func TestAcceptRefuses(t *testing.T) {
	for _, tc := range refusals {
		t.Run(tc.kind+" "+tc.name, func(t *testing.T) {
			_, err := kindNamed(t, tc.kind).Accept(edited(t, tc.kind, tc.edits))
			if got := strings.Join(locations(t, err), " "); got != tc.want {
				t.Errorf("faults at %q, want %q (%v)", got, tc.want, err)
			}
		})
	}
}

func TestAcceptTakes(t *testing.T) {
	cases := []struct {
		name, kind string
		edits      map[string]any
	}{
		{"largest amount", "payout", map[string]any{"amount": int64(model.MaxAmount)}},
		{"no notes and no options", "payout", map[string]any{"memo": nil, "trace_id": nil, "requested_at": nil, "period": nil, "payee.email": nil}},
		{"names of any script", "payout", map[string]any{"payee.name": "Łukasz 渡辺 עדה"}},
		{"a name of one letter", "payout", map[string]any{"payee.name": "李"}},
		{"a period in words", "payout", map[string]any{"period": "October run 2026-13"}},
		{"a week that there is", "payout", map[string]any{"period": "2026-W53"}},
		{"a quarter", "payout", map[string]any{"period": "2026-Q4"}},
		{"an interval", "payout", map[string]any{"period": "2026-10-01/2026-11-01"}},
		{"accepting without evidence", "dispute", map[string]any{"response": "accept", "evidence": nil}},
		{"a period without entries", "statement", map[string]any{"lines": []any{}}},
		{"zone of the world", "statement", map[string]any{"period.zone": "UTC"}},
	}
	for _, tc := range cases {
		if _, err := kindNamed(t, tc.kind).Accept(edited(t, tc.kind, tc.edits)); err != nil {
			t.Errorf("%s: %v", tc.name, err)
		}
	}
}

func TestAcceptNeverRepeatsValues(t *testing.T) {
	raw := edited(t, "payout", map[string]any{"payee.email": "secret-address", "payee.reference": "secret reference", "currency": "SECRET"})
	_, err := kindNamed(t, "payout").Accept(raw)
	if err == nil || strings.Contains(strings.ToLower(err.Error()), "secret") {
		t.Errorf("error %v", err)
	}
}

func TestNegativeStatement(t *testing.T) {
	d, err := kindNamed(t, "statement").Accept(edited(t, "statement", map[string]any{
		"lines": []any{map[string]any{"reference": "c-1", "description": "Chargeback", "amount": -500}}}))
	if err != nil || d.Amount != -500 {
		t.Errorf("amount %d, %v", d.Amount, err)
	}
}

func TestFingerprintCoversWhatIsMeaningful(t *testing.T) {
	k := kindNamed(t, "payout")
	first, err := k.Accept(json.RawMessage(payoutJSON))
	if err != nil {
		t.Fatal(err)
	}
	same := map[string]any{"memo": "another", "requested_at": "2027-01-01T00:00:00Z", "trace_id": nil}
	other := map[string]map[string]any{"amount": {"amount": 125051}, "period": {"period": "2026-11"}, "name": {"payee.name": "Eve"},
		"destination": {"payee.destination": "acct_8"}, "email": {"payee.email": nil}}
	if d, err := k.Accept(edited(t, "payout", same)); err != nil || d.Fingerprint != first.Fingerprint {
		t.Errorf("notes changed the fingerprint (%v)", err)
	}
	for _, name := range slices.Sorted(maps.Keys(other)) {
		if d, err := k.Accept(edited(t, "payout", other[name])); err != nil || d.Fingerprint == first.Fingerprint {
			t.Errorf("%s did not change the fingerprint (%v)", name, err)
		}
	}
	if !strings.Contains(string(first.Params), `"memo":"October"`) {
		t.Error("the notes are not kept")
	}
}

func TestLookAlikeTellsApart(t *testing.T) {
	base := LookAlike("payout", "rep-1", 100, "USD", "2026-10")
	others := []string{
		LookAlike("statement", "rep-1", 100, "USD", "2026-10"), LookAlike("payout", "rep-2", 100, "USD", "2026-10"),
		LookAlike("payout", "rep-1", 101, "USD", "2026-10"), LookAlike("payout", "rep-1", 100, "EUR", "2026-10"),
		LookAlike("payout", "rep-1", 100, "USD", ""), LookAlike("payout", "rep-1\",\"", 100, "USD", "2026-10"),
	}
	for i, other := range others {
		if other == base {
			t.Errorf("%d equals the base", i)
		}
	}
}
