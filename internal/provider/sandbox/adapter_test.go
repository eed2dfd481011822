package sandbox

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	standardwebhooks "github.com/standard-webhooks/standard-webhooks/libraries/go"

	"countersign/internal/model"
	"countersign/internal/provider"
)

const (
	payoutKey  = "intent-0123456789abcdefghjkmnpqrs:create-payout"
	messageKey = "intent-0123456789abcdefghjkmnpqrs:send-statement"
	secret     = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"
)

func order(operation string) provider.Order {
	o := provider.Order{Operation: operation, StepKey: payoutKey, WireKey: payoutKey, Amount: 1200, Currency: "USD",
		Destination: "acct_9", Metadata: map[string]string{"b": "2", "a": "<1>"}}
	switch operation {
	case model.PayoutReverse, model.CreditReverse:
		o.Object, o.Destination = "po_1", ""
	case model.DisputeRespond:
		o.Object, o.Response = "dp_31", "contest"
		o.Evidence = []provider.Item{{Type: "shipping", Text: "sent"}}
	case model.MessageSend:
		o.StepKey = messageKey
		o.Message = &provider.Message{To: "ada@example.com", Template: "statement", Subject: "October", HTML: "<p>Hi</p>", Text: "Hi"}
	}
	return o
}

func TestRequestGivesTheSameBytes(t *testing.T) {
	a := New(Config{Name: "bank", URL: "http://bank.example/"})
	tests := map[string]struct{ url, body string }{
		model.PayoutCreate:   {"/payouts", `{"reference":"` + payoutKey + `","destination":"acct_9","amount":1200,"currency":"USD","metadata":{"a":"<1>","b":"2"}}`},
		model.CreditCreate:   {"/credits", `{"reference":"` + payoutKey + `","destination":"acct_9","amount":1200,"currency":"USD","metadata":{"a":"<1>","b":"2"}}`},
		model.PayoutReverse:  {"/payouts/po_1/reversals", `{"reference":"` + payoutKey + `","amount":1200,"currency":"USD","metadata":{"a":"<1>","b":"2"}}`},
		model.CreditReverse:  {"/credits/po_1/reversals", `{"reference":"` + payoutKey + `","amount":1200,"currency":"USD","metadata":{"a":"<1>","b":"2"}}`},
		model.DisputeRespond: {"/disputes/dp_31/responses", `{"reference":"` + payoutKey + `","type":"contest","evidence":[{"type":"shipping","text":"sent"}]}`},
		model.MessageSend: {"/messages", `{"message_id":"<` + strings.Replace(messageKey, ":", ".", 1) +
			`@countersign.invalid>","to":"ada@example.com","template":"statement","subject":"October","html":"<p>Hi</p>","text":"Hi"}`},
	}
	for operation, want := range tests {
		for range 5 {
			got, err := a.Request(order(operation))
			if err != nil || got.URL != "http://bank.example"+want.url || string(got.Body) != want.body || got.Method != "POST" || got.ContentType != "application/json" {
				t.Fatalf("%s: %+v %s %v", operation, got, got.Body, err)
			}
		}
	}
}

func TestRequestRefusesIncompleteOrders(t *testing.T) {
	a := New(Config{})
	tests := []struct {
		name, operation string
		change          func(*provider.Order)
	}{
		{"no step key", model.PayoutCreate, func(o *provider.Order) { o.StepKey = "" }},
		{"no amount", model.PayoutCreate, func(o *provider.Order) { o.Amount = 0 }},
		{"a negative amount", model.CreditCreate, func(o *provider.Order) { o.Amount = -1 }},
		{"no currency", model.PayoutCreate, func(o *provider.Order) { o.Currency = "" }},
		{"no destination", model.CreditCreate, func(o *provider.Order) { o.Destination = "" }},
		{"nothing to reverse", model.PayoutReverse, func(o *provider.Order) { o.Object = "" }},
		{"a path out of the collection", model.PayoutReverse, func(o *provider.Order) { o.Object = "../credits/cr_1" }},
		{"a query in the object", model.CreditReverse, func(o *provider.Order) { o.Object = "cr_1?x=" }},
		{"no dispute", model.DisputeRespond, func(o *provider.Order) { o.Object = ".." }},
		{"no response", model.DisputeRespond, func(o *provider.Order) { o.Response = "maybe" }},
		{"no message", model.MessageSend, func(o *provider.Order) { o.Message = nil }},
		{"nobody to send to", model.MessageSend, func(o *provider.Order) { o.Message.To = "" }},
		{"unknown operation", "launch.rocket", func(*provider.Order) {}},
	}
	for _, test := range tests {
		o := order(test.operation)
		test.change(&o)
		if _, err := a.Request(o); !errors.Is(err, model.Invalid) {
			t.Errorf("%s: %v", test.name, err)
		}
	}
}

func TestContracts(t *testing.T) {
	a := New(Config{Name: "bank", Pace: 20, Retention: 48 * time.Hour})
	get := func(operation string) model.Contract {
		c, ok := a.Contract(operation)
		if !ok || c.Operation != operation || c.Provider != "bank" || c.Type != "sandbox" || c.ID != provider.Seal(c).ID || c.Source == "" || c.Checked == "" || c.OnRepeat == "" {
			t.Errorf("%s: %v %+v", operation, ok, c)
		}
		if err := c.KeyRule.Validate(); err != nil {
			t.Errorf("%s: %v", operation, err)
		}
		return c
	}
	ids := map[string]bool{}
	for _, operation := range provider.Operations() {
		ids[get(operation).ID] = true
	}
	if len(ids) != len(provider.Operations()) {
		t.Errorf("contracts share ids: %v", ids)
	}
	payout := get(model.PayoutCreate)
	if !payout.Keyed() || !payout.ActsAreStored || payout.Retention != 48*time.Hour || payout.SettleDelay != 250*time.Millisecond ||
		payout.LongestCall != 1500*time.Millisecond || payout.SettleLimit != 3*time.Minute || !payout.Settles || payout.Undo != model.PayoutReverse ||
		!payout.KeyRule.Allows(payoutKey) || payout.KeyRule.WireKey(payoutKey) != payoutKey {
		t.Errorf("payout %+v", payout)
	}
	if c := get(model.CreditCreate); c.Undo != model.CreditReverse || !c.Keyed() {
		t.Errorf("credit %+v", c)
	}
	if c := get(model.PayoutReverse); c.Settles || c.Undo != "" || !c.Keyed() {
		t.Errorf("reversal %+v", c)
	}
	if c := get(model.DisputeRespond); c.Keyed() || c.ActsAreStored || !c.Queryable() || !c.Settles || c.Retention != 0 {
		t.Errorf("dispute %+v", c)
	}
	if c := get(model.MessageSend); c.Keyed() || c.LookupDelay != 1500*time.Millisecond || c.SettleDelay < c.LookupDelay || c.Undo != "" {
		t.Errorf("message %+v", c)
	}
	if _, ok := a.Contract("launch.rocket"); ok {
		t.Error("a contract for anything")
	}
	careful := New(Config{Stores: model.StoredSuccesses})
	if c, _ := careful.Contract(model.PayoutCreate); c.ActsAreStored || len(c.StoredCodes) > 0 || c.Stored != model.StoredSuccesses {
		t.Errorf("successes only: %+v", c)
	}
}

func TestConstructor(t *testing.T) {
	tests := []struct {
		cfg  Config
		want bool
	}{
		{Config{URL: "http://bank"}, true},
		{Config{URL: "http://bank", Secret: secret, Stores: model.StoredSuccesses}, true},
		{Config{}, false},
		{Config{URL: "http://bank", Secret: "%"}, false},
		{Config{URL: "http://bank", Stores: "some"}, false},
		{Config{URL: "http://bank", Retention: -1}, false},
	}
	for _, test := range tests {
		if err := test.cfg.check(); (err == nil) != test.want {
			t.Errorf("%+v: %v", test.cfg, err)
		}
	}
	adapter, err := Constructor(20)(provider.Settings{Name: "bank", URL: "http://bank"})
	if err != nil {
		t.Fatal(err)
	}
	if c, _ := adapter.Contract(model.PayoutCreate); c.Provider != "bank" || c.Retention != 24*time.Hour {
		t.Errorf("%+v", c)
	}
}

// lookup answers one query with the given answer.
func lookup(t *testing.T, l provider.Lookup, status int, media, body string) (model.Observation, string) {
	t.Helper()
	var asked string
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		asked = r.Method + " " + r.URL.RequestURI()
		w.Header().Set("Content-Type", media)
		w.WriteHeader(status)
		io.WriteString(w, body) //nolint:errcheck // the test sees it
	}))
	defer server.Close()
	a := New(Config{URL: server.URL})
	defer a.client.Close()
	return a.Query(t.Context(), l), asked
}

func payout(id, status string, amount int) string {
	return fmt.Sprintf(`{"id":%q,"object":"payout","reference":%q,"amount":%d,"currency":"USD","destination":"acct_9","status":%q,"created":"2026-11-29T00:00:00Z","metadata":{}}`,
		id, payoutKey, amount, status)
}

func listed(objects ...string) string {
	return `{"items":[` + strings.Join(objects, ",") + `],"next_cursor":null}`
}

var paidPayout = payout("po_1", "paid", 1200)

const absent = `{"error":{"code":"not_found","message":"There is no such object.","object_id":null}}`

// lookups are answers to a look-up and what they say.
var lookups = []struct {
	name, ref string
	status    int
	body      string
	want      model.Finding
}{
	{"paid", "", 200, listed(paidPayout), model.FoundHappened},
	{"pending", "", 200, listed(payout("po_1", "pending", 1200)), model.FoundSettling},
	{"failed", "", 200, listed(payout("po_1", "failed", 1200)), model.FoundFailed},
	{"returned", "", 200, listed(payout("po_1", "returned", 1200)), model.FoundReturned},
	{"another amount", "", 200, listed(payout("po_1", "paid", 1300)), model.FoundOther},
	{"two", "", 200, listed(paidPayout, payout("po_2", "paid", 1200)), model.FoundSeveral},
	{"none", "", 200, listed(), model.FoundNone},
	{"a list that goes on", "", 200, `{"items":[],"next_cursor":"x"}`, model.FoundNothing},
	{"a list of something else", "", 200, listed(`{"id":"cr_1","object":"credit"}`), model.FoundNothing},
	{"no list", "", 200, `{}`, model.FoundNothing},
	{"not JSON", "", 200, `nothing`, model.FoundNothing},
	{"a list that is not there", "", 404, absent, model.FoundNothing},
	{"500", "", 500, listed(), model.FoundNothing},
	{"by id, paid", "po_1", 200, paidPayout, model.FoundHappened},
	{"by id, another id", "po_1", 200, payout("po_2", "paid", 1200), model.FoundNothing},
	{"by id, not there", "po_1", 404, absent, model.FoundNone},
	{"by id, a proxy's page", "po_1", 404, `<html>`, model.FoundNothing},
	{"by id, another refusal", "po_1", 403, absent, model.FoundNothing},
}

func TestQuery(t *testing.T) {
	for _, test := range lookups {
		got, asked := lookup(t, provider.Lookup{Operation: model.PayoutCreate, StepKey: payoutKey, ExternalRef: test.ref,
			Expect: provider.Expect{Amount: 1200, Currency: "USD", Destination: "acct_9"}}, test.status, "application/json", test.body)
		if got.Finding != test.want || got.HTTPStatus != test.status {
			t.Errorf("%s: %s (%s), want %s", test.name, got.Finding, got.Detail, test.want)
		}
		want := "GET /payouts?reference=" + strings.NewReplacer(":", "%3A").Replace(payoutKey)
		if test.ref != "" {
			want = "GET /payouts/po_1"
		}
		if asked != want {
			t.Errorf("%s: asked %s, want %s", test.name, asked, want)
		}
		if test.want == model.FoundReturned && got.Returned != 1200 {
			t.Errorf("came back: %d", got.Returned)
		}
	}
}

func TestQueryWithoutAnAnswer(t *testing.T) {
	server := httptest.NewServer(nil)
	server.Close()
	a := New(Config{URL: server.URL})
	for _, operation := range []string{model.PayoutCreate, "launch.rocket"} {
		if got := a.Query(t.Context(), provider.Lookup{Operation: operation, StepKey: payoutKey}); got.Finding != model.FoundNothing {
			t.Errorf("%s: %s", operation, got.Finding)
		}
	}
}

func TestWebhook(t *testing.T) {
	a := New(Config{Secret: secret})
	now := time.Unix(1_800_000_000, 0)
	signer, err := standardwebhooks.NewWebhook(secret)
	if err != nil {
		t.Fatal(err)
	}
	notice := func(body string) (provider.Event, error) {
		signature, err := signer.Sign("msg_1", now, []byte(body))
		if err != nil {
			t.Fatal(err)
		}
		h := http.Header{}
		h.Set("webhook-id", "msg_1")
		h.Set("webhook-timestamp", strconv.FormatInt(now.Unix(), 10))
		h.Set("webhook-signature", signature)
		return a.Webhook(h, []byte(body), now)
	}
	data := func(kind, extra string) string {
		return `{"type":"x.y","timestamp":"2026-11-29T10:00:00.000001Z","data":{"id":"ob_1","object":"` + kind + `",` + extra + `"status":"paid"}}`
	}
	tests := []struct{ body, operation, reference string }{
		{data("payout", `"reference":"`+payoutKey+`",`), model.PayoutCreate, payoutKey},
		{data("credit", ``), model.CreditCreate, ""},
		{data("reversal", `"source":"po_1",`), model.PayoutReverse, ""},
		{data("reversal", `"source":"cr_1",`), model.CreditReverse, ""},
		{data("dispute_response", ``), model.DisputeRespond, ""},
		{data("message", `"reference":"`+provider.MessageID(messageKey)+`",`), model.MessageSend, messageKey},
		{data("refund", ``), "", ""},
	}
	for _, test := range tests {
		got, err := notice(test.body)
		if err != nil || got.ID != "msg_1" || got.Type != "x.y" || got.Ref != "ob_1" || got.Operation != test.operation || got.Reference != test.reference || got.At.Year() != 2026 {
			t.Errorf("%s: %+v %v", test.body, got, err)
		}
	}
	for _, body := range []string{`{}`, `[]`, `{"type":"payout.paid"}`, `nonsense`} {
		if _, err := notice(body); !errors.Is(err, model.Invalid) {
			t.Errorf("%s: %v", body, err)
		}
	}
	if _, err := a.Webhook(http.Header{}, []byte(data("payout", "")), now); !errors.Is(err, model.Unauthenticated) {
		t.Errorf("no signature: %v", err)
	}
}

func TestContractSurvivesStorage(t *testing.T) {
	c, _ := New(Config{}).Contract(model.PayoutCreate)
	raw, err := json.Marshal(c)
	var back model.Contract
	if err != nil || json.Unmarshal(raw, &back) != nil || provider.Seal(back).ID != c.ID {
		t.Errorf("a contract that is stored and read again is another one: %s", raw)
	}
}

func TestLoadedFromAFile(t *testing.T) {
	load := func(settings string) (*provider.Registry, error) {
		path := filepath.Join(t.TempDir(), "providers.toml")
		text := "[provider.bank]\ntype = \"sandbox\"\nurl = \"http://127.0.0.1:9090\"\n" + settings + "\n[account.acme]\npayouts = \"bank\"\n"
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		return provider.Load(path, map[string]provider.Constructor{"sandbox": Constructor(1)})
	}
	r, err := load("stores = \"successes\"\nretention = \"1h\"\nsettle_limit = \"10m\"")
	if err != nil {
		t.Fatal(err)
	}
	_, a, err := r.For("acme", model.PayoutCreate)
	if err != nil {
		t.Fatal(err)
	}
	c, _ := a.Contract(model.PayoutCreate)
	if c.Stored != model.StoredSuccesses || c.Retention != time.Hour || c.SettleLimit != 10*time.Minute || c.Provider != "bank" {
		t.Errorf("%+v", c)
	}
	for _, wrong := range []string{`retention = "long"`, `stores = "some"`, `settle_limit = "-1s"`, `colour = "red"`} {
		if _, err := load(wrong); !errors.Is(err, model.Invalid) || !strings.Contains(err.Error(), "provider.bank") {
			t.Errorf("%s: %v", wrong, err)
		}
	}
}
