package sandbox

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"net/http"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"countersign/internal/model"
	"countersign/internal/provider"
	"countersign/internal/provider/sandbox/server"
)

// live is a sandbox with its adapter.
type live struct {
	t       *testing.T
	server  *server.Server
	adapter *Adapter
}

// open starts a sandbox of the test's own, and lets the tests run side by side:
// most of their time is waiting.
func open(t *testing.T, stores model.Stored) *live {
	t.Helper()
	t.Parallel()
	s, err := server.Open(server.Config{Data: filepath.Join(t.TempDir(), "sandbox.db"), Stores: string(stores), Pace: 20,
		Settle: 2 * time.Second, Logger: slog.New(slog.DiscardHandler)})
	if err != nil {
		t.Fatal(err)
	}
	if err := s.Start(); err != nil {
		t.Fatal(err)
	}
	l := &live{t: t, server: s, adapter: New(Config{Name: "bank", URL: s.URL(), Pace: 20, Stores: stores})}
	t.Cleanup(func() {
		l.adapter.client.Close()
		ctx, cancel := context.WithTimeout(context.Background(), 100*time.Millisecond)
		defer cancel()
		s.Close(ctx) //nolint:errcheck // hanging answers are cut, which is an error by design
	})
	return l
}

// arm sets a fault for the next POST that carries the reference.
func (l *live) arm(fault, reference string, ms int) {
	l.t.Helper()
	body := fmt.Sprintf(`{"match":{"reference":%q,"method":"POST"},"fault":%q,"times":1,"ms":%d}`, reference, fault, ms)
	response, err := http.Post(l.server.URL()+"/faults", "application/json", bytes.NewReader([]byte(body)))
	if err != nil {
		l.t.Fatal(err)
	}
	response.Body.Close()
	if response.StatusCode != http.StatusCreated {
		l.t.Fatalf("arming %s: %s", fault, response.Status)
	}
}

// effects counts the standing effects in the provider's own books.
func (l *live) effects(reference string) int {
	l.t.Helper()
	response, err := http.Get(l.server.URL() + "/books")
	if err != nil {
		l.t.Fatal(err)
	}
	defer response.Body.Close()
	var books struct {
		Effects []struct {
			Reference string  `json:"reference"`
			UndoneAt  *string `json:"undone_at"`
		} `json:"effects"`
	}
	if err := json.NewDecoder(response.Body).Decode(&books); err != nil {
		l.t.Fatal(err)
	}
	n := 0
	for _, e := range books.Effects {
		if e.Reference == reference && e.UndoneAt == nil {
			n++
		}
	}
	return n
}

func (l *live) send(o provider.Order, deadline time.Duration) model.Outcome {
	l.t.Helper()
	request, err := l.adapter.Request(o)
	if err != nil {
		l.t.Fatal(err)
	}
	contract, _ := l.adapter.Contract(o.Operation)
	return l.adapter.Send(l.t.Context(), provider.Call{Request: request, Operation: o.Operation, WireKey: o.WireKey, KeyHeader: contract.KeyHeader(),
		RequestID: "req-1", Deadline: deadline, Expect: expectation(o)})
}

// sendAgain sends under a key that was used before. The provider lets go of a
// key a moment after its caller has seen the end of the first request.
func (l *live) sendAgain(o provider.Order) model.Outcome {
	l.t.Helper()
	got := l.send(o, 5*time.Second)
	for got.Code == "in_flight" {
		got = l.send(o, 5*time.Second)
	}
	return got
}

func expectation(o provider.Order) provider.Expect {
	return provider.Expect{Reference: o.StepKey, Amount: o.Amount, Currency: o.Currency, Destination: o.Destination}
}

func (l *live) query(o provider.Order, ref string) model.Observation {
	return l.adapter.Query(l.t.Context(), provider.Lookup{Operation: o.Operation, StepKey: o.StepKey, ExternalRef: ref, Expect: expectation(o)})
}

// await queries until the finding is the wanted one, or fails.
func (l *live) await(o provider.Order, ref string, want model.Finding) model.Observation {
	l.t.Helper()
	var got model.Observation
	for deadline := time.Now().Add(5 * time.Second); time.Now().Before(deadline); time.Sleep(20 * time.Millisecond) {
		if got = l.query(o, ref); got.Finding == want {
			return got
		}
	}
	l.t.Fatalf("still %s (%s), want %s", got.Finding, got.Detail, want)
	return got
}

func orderOf(operation, intent string) provider.Order {
	o := order(operation)
	o.StepKey = intent + ":step"
	o.WireKey = o.StepKey
	return o
}

// faults are what the sandbox can be told to do, and what a payout then is.
var faults = []struct {
	fault   string
	result  model.Result
	code    string
	effects int
	found   model.Finding
}{
	{"drop_before_accept", model.ResultUnknown, "reset", 0, model.FoundNone},
	{"drop_after_accept", model.ResultUnknown, "reset", 1, model.FoundSettling},
	{"hang_after_accept", model.ResultUnknown, "timeout", 1, model.FoundSettling},
	{"500_before", model.ResultUnknown, "http_500", 0, model.FoundNone},
	{"500_after", model.ResultUnknown, "http_500", 1, model.FoundSettling},
	{"429", model.ResultThrottled, "429", 0, model.FoundNone},
	{"truncated_body", model.ResultUnknown, "cut_short", 1, model.FoundSettling},
	{"wrong_amount_echo", model.ResultUnknown, "other_amount", 1, model.FoundOther},
	{"other_key_echo", model.ResultUnknown, "other_key", 1, model.FoundSettling},
	{"reject_permanent", model.ResultPermanent, "account_closed", 0, model.FoundNone},
	{"reject_curable", model.ResultCurable, "insufficient_funds", 0, model.FoundNone},
	{"slow", model.ResultAccepted, "", 1, model.FoundSettling},
	{"settle_never", model.ResultAccepted, "", 1, model.FoundSettling},
	{"not_found_for_a_while", model.ResultAccepted, "", 1, model.FoundNone},
}

func TestEveryFaultHasItsOutcome(t *testing.T) {
	l := open(t, model.StoredAll)
	for i, test := range faults {
		o := orderOf(model.PayoutCreate, fmt.Sprintf("intent-%d", i))
		ms, deadline := 60_000, 5*time.Second
		switch test.fault {
		case "hang_after_accept":
			deadline = time.Second
		case "slow":
			ms = 50
		}
		if test.found == model.FoundSettling {
			l.arm("settle_never", o.StepKey, 0)
		}
		if test.fault != "settle_never" {
			l.arm(test.fault, o.StepKey, ms)
		}
		got := l.send(o, deadline)
		if got.Result != test.result || got.Code != test.code {
			t.Errorf("%s: %s %q (%s), want %s %q", test.fault, got.Result, got.Code, got.Detail, test.result, test.code)
		}
		if got.Connections != 1 || got.BytesOut == 0 {
			t.Errorf("%s: %d bytes over %d connections", test.fault, got.BytesOut, got.Connections)
		}
		if n := l.effects(o.StepKey); n != test.effects {
			t.Errorf("%s: the provider has %d effects, want %d", test.fault, n, test.effects)
		}
		if found := l.query(o, ""); found.Finding != test.found {
			t.Errorf("%s: the look-up says %s (%s), want %s", test.fault, found.Finding, found.Detail, test.found)
		}
		if test.fault == "429" && got.RetryAfter != time.Minute {
			t.Errorf("429: retry after %s", got.RetryAfter)
		}
	}
}

func TestRepeatUnderTheSameKeyIsAReplay(t *testing.T) {
	l := open(t, model.StoredAll)
	o := orderOf(model.PayoutCreate, "intent-replay")
	l.arm("drop_after_accept", o.StepKey, 0)
	if first := l.send(o, 5*time.Second); first.Result != model.ResultUnknown || first.Replayed {
		t.Fatalf("%+v", first)
	}
	second := l.sendAgain(o)
	if second.Result != model.ResultAccepted || !second.Replayed || second.ExternalRef == "" || second.Final {
		t.Errorf("%+v", second)
	}
	changed := o
	changed.Amount++
	if third := l.sendAgain(changed); third.Result != model.ResultUnknown || third.Code != "key_reused" {
		t.Errorf("same key, other body: %+v", third)
	}
	if n := l.effects(o.StepKey); n != 1 {
		t.Errorf("%d effects", n)
	}
}

func TestKeyInFlight(t *testing.T) {
	l := open(t, model.StoredAll)
	o := orderOf(model.PayoutCreate, "intent-flight")
	l.arm("slow", o.StepKey, 1500)
	first := make(chan model.Outcome)
	go func() { first <- l.send(o, 5*time.Second) }()
	for l.effects(o.StepKey) == 0 { // executed, and not yet answered
		time.Sleep(5 * time.Millisecond)
	}
	if second := l.send(o, 5*time.Second); second.Result != model.ResultUnknown || second.Code != "in_flight" {
		t.Errorf("%+v", second)
	}
	if got := <-first; got.Result != model.ResultAccepted {
		t.Errorf("%+v", got)
	}
}

func TestSettlement(t *testing.T) {
	tests := []struct {
		operation, fault string
		want             model.Finding
		status           string
	}{
		{model.PayoutCreate, "", model.FoundHappened, "paid"},
		{model.CreditCreate, "", model.FoundHappened, "paid"},
		{model.PayoutCreate, "settle_failed", model.FoundFailed, "failed"},
		{model.PayoutCreate, "settle_then_return", model.FoundReturned, "returned"},
		{model.DisputeRespond, "", model.FoundHappened, "won"},
		{model.DisputeRespond, "settle_failed", model.FoundHappened, "lost"},
	}
	l := open(t, model.StoredAll)
	for i, test := range tests {
		o := orderOf(test.operation, fmt.Sprintf("intent-s%d", i))
		if test.fault != "" {
			l.arm(test.fault, o.StepKey, 20)
		}
		sent := l.send(o, 5*time.Second)
		if sent.Result != model.ResultAccepted || sent.ExternalRef == "" {
			t.Fatalf("%s: %+v", test.operation, sent)
		}
		for _, ref := range []string{"", sent.ExternalRef} {
			got := l.await(o, ref, test.want)
			if deadline := time.Now().Add(5 * time.Second); got.Status != test.status {
				for got.Status != test.status && time.Now().Before(deadline) {
					got = l.query(o, ref)
				}
			}
			if got.Status != test.status || got.ExternalRef != sent.ExternalRef {
				t.Errorf("%s with %q: %+v", test.operation, test.fault, got)
			}
			if test.want == model.FoundReturned && got.Returned != o.Amount {
				t.Errorf("%d came back", got.Returned)
			}
		}
	}
}

func TestReversals(t *testing.T) {
	l := open(t, model.StoredAll)
	for _, pair := range [][2]string{{model.PayoutCreate, model.PayoutReverse}, {model.CreditCreate, model.CreditReverse}} {
		o := orderOf(pair[0], "intent-"+pair[0])
		made := l.send(o, 5*time.Second)
		undo := orderOf(pair[1], "intent-"+pair[1])
		undo.Object = made.ExternalRef
		got := l.send(undo, 5*time.Second)
		if got.Result != model.ResultConfirmed || !got.Final || got.ExternalRef == made.ExternalRef {
			t.Errorf("%s: %+v", pair[1], got)
		}
		for _, ref := range []string{"", got.ExternalRef} {
			if found := l.query(undo, ref); found.Finding != model.FoundHappened {
				t.Errorf("%s by %q: %+v", pair[1], ref, found)
			}
		}
		again := orderOf(pair[1], "intent-again-"+pair[1])
		again.Object = made.ExternalRef
		if second := l.send(again, 5*time.Second); second.Result != model.ResultPermanent || second.Code != "already_reversed" || second.ExternalRef != "" {
			t.Errorf("a second reversal: %+v", second)
		}
		if l.effects(o.StepKey) != 0 || l.effects(undo.StepKey) != 1 {
			t.Errorf("%s: %d and %d effects", pair[1], l.effects(o.StepKey), l.effects(undo.StepKey))
		}
	}
}

func TestMessages(t *testing.T) {
	l := open(t, model.StoredAll)
	o := orderOf(model.MessageSend, "intent-mail")
	sent := l.send(o, 5*time.Second)
	if sent.Result != model.ResultConfirmed || sent.Final || sent.ExternalRef == "" || sent.Amount != 0 {
		t.Errorf("%+v", sent)
	}
	if found := l.query(o, ""); found.Finding != model.FoundNone {
		t.Errorf("found before the delay: %+v", found)
	}
	if found := l.query(o, sent.ExternalRef); found.Finding != model.FoundHappened {
		t.Errorf("by id: %+v", found)
	}
	l.await(o, "", model.FoundHappened)
	bounced := orderOf(model.MessageSend, "intent-bounce")
	l.arm("settle_failed", provider.MessageID(bounced.StepKey), 0)
	ref := l.send(bounced, 5*time.Second).ExternalRef
	if got := l.await(bounced, ref, model.FoundFailed); got.Status != "bounced" {
		t.Errorf("%+v", got)
	}
	l.send(o, 5*time.Second) // a second send is a second mail: nothing at the provider protects it
	if got := l.await(o, "", model.FoundSeveral); len(got.Refs) != 2 {
		t.Errorf("%+v", got)
	}
}

func TestSuccessesOnlyExecutesAgain(t *testing.T) {
	l := open(t, model.StoredSuccesses)
	o := orderOf(model.PayoutCreate, "intent-twice")
	l.arm("500_after", o.StepKey, 0)
	first, second := l.send(o, 5*time.Second), l.sendAgain(o)
	if first.Result != model.ResultUnknown || second.Result != model.ResultAccepted || second.Replayed {
		t.Errorf("%+v, %+v", first, second)
	}
	if found := l.query(o, ""); found.Finding != model.FoundSeveral || l.effects(o.StepKey) != 2 {
		t.Errorf("%+v", found)
	}
}

func TestRefusedConnection(t *testing.T) {
	l := open(t, model.StoredAll)
	l.arm("refuse_connect", "", 300)
	o := orderOf(model.PayoutCreate, "intent-refused")
	got := l.send(o, 5*time.Second)
	if got.Result != model.ResultNotSent || got.BytesOut != 0 || got.Connections != 0 {
		t.Errorf("%+v", got)
	}
	if found := l.query(o, ""); found.Finding != model.FoundNothing && found.Finding != model.FoundNone {
		t.Errorf("%+v", found)
	}
}

// Every refusal that the contract calls stored must come back as a replay, as a
// retry under the same key then needs another generation.
func TestStoredRefusalsAreReplayed(t *testing.T) {
	l := open(t, model.StoredAll)
	for fault, code := range map[string]string{"reject_permanent": "account_closed", "reject_curable": "insufficient_funds"} {
		o := orderOf(model.PayoutCreate, "intent-"+fault)
		l.arm(fault, o.StepKey, 0)
		first, second := l.send(o, 5*time.Second), l.sendAgain(o)
		c, _ := l.adapter.Contract(o.Operation)
		if first.Replayed || !second.Replayed || second.Result != first.Result || second.Code != code || !slices.Contains(c.StoredCodes, code) {
			t.Errorf("%s: %+v, then %+v", fault, first, second)
		}
	}
}
