package server

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"testing"
	"time"
)

// bitten says how often the only armed fault has bitten.
func (b *bench) bitten() int64 {
	b.t.Helper()
	var all struct{ Faults []armed }
	if err := json.Unmarshal([]byte(b.do(200, "GET", "/faults", "").raw), &all); err != nil {
		b.t.Fatal(err)
	}
	if len(all.Faults) != 1 {
		b.t.Fatalf("armed faults: %+v", all.Faults)
	}
	return all.Faults[0].Bites
}

// TestAnswerFaults has each fault bite one keyed payout, and looks at what
// the caller saw, what the books say and what a repeat of the key answers.
func TestAnswerFaults(t *testing.T) {
	tests := []struct {
		fault   string
		cut     bool // no answer, or one that ends early
		status  int
		code    string
		effects int // after the first request
		// repeat with stores=all, and with stores=successes
		repeat, lax int
		replay      bool // stores=all
		afterLax    int  // effects after the repeat with stores=successes
		laxReplay   bool
	}{
		{fault: "drop_before_accept", cut: true, effects: 0, repeat: 201, lax: 201, afterLax: 1},
		{fault: "drop_after_accept", cut: true, effects: 1, repeat: 201, lax: 201, replay: true, laxReplay: true, afterLax: 1},
		{fault: "hang_after_accept", cut: true, effects: 1, repeat: 201, lax: 201, replay: true, laxReplay: true, afterLax: 1},
		{fault: "500_before", status: 500, code: "internal_error", effects: 0, repeat: 201, lax: 201, afterLax: 1},
		{fault: "500_after", status: 500, code: "internal_error", effects: 1, repeat: 500, lax: 201, replay: true, afterLax: 2},
		{fault: "429", status: 429, code: "rate_limited", effects: 0, repeat: 201, lax: 201, afterLax: 1},
		{fault: "truncated_body", cut: true, status: 201, effects: 1, repeat: 201, lax: 201, replay: true, laxReplay: true, afterLax: 1},
		{fault: "wrong_amount_echo", status: 201, effects: 1, repeat: 201, lax: 201, replay: true, laxReplay: true, afterLax: 1},
		{fault: "other_key_echo", status: 201, effects: 1, repeat: 201, lax: 201, replay: true, laxReplay: true, afterLax: 1},
		{fault: "reject_permanent", status: 422, code: "account_closed", effects: 0, repeat: 422, lax: 201, replay: true, afterLax: 1},
		{fault: "reject_curable", status: 402, code: "insufficient_funds", effects: 0, repeat: 402, lax: 201, replay: true, afterLax: 1},
		{fault: "slow", status: 201, effects: 1, repeat: 201, lax: 201, replay: true, laxReplay: true, afterLax: 1},
	}
	for _, tt := range tests {
		for _, stores := range []string{StoresAll, StoresSuccesses} {
			t.Run(tt.fault+"/"+stores, func(t *testing.T) {
				b := start(t, func(c *Config) { c.Stores = stores })
				b.arm(`{"match":{"operation":"payouts"},"fault":"` + tt.fault + `","times":1,"ms":20}`)
				r, err := b.try("POST", "/payouts", transfer("k"), "Idempotency-Key", "k")
				if (err != nil) != tt.cut || r.status != tt.status || r.code() != tt.code {
					t.Fatalf("answer: %d %q %v", r.status, r.raw, err)
				}
				b.wantEffects(tt.effects)
				if b.bitten() != 1 {
					t.Fatal("the bite is not counted")
				}
				repeat, replay, effects := tt.repeat, tt.replay, min(1, tt.effects+1)
				if tt.status == 422 || tt.status == 402 {
					effects = 0
				}
				if stores == StoresSuccesses {
					repeat, replay, effects = tt.lax, tt.laxReplay, tt.afterLax
				}
				again, err := b.try("POST", "/payouts", transfer("k"), "Idempotency-Key", "k")
				if err != nil {
					t.Fatal(err)
				}
				if again.status != repeat || (again.header.Get("Idempotent-Replayed") == "true") != replay {
					t.Fatalf("repeat: %d %v %s", again.status, again.header, again.raw)
				}
				b.wantEffects(effects)
			})
		}
	}
}

func TestErrorForm(t *testing.T) {
	b := start(t)
	r := b.do(402, "POST", "/payouts", transfer("k"), "Idempotency-Key", "k", "Sandbox-Fault", "reject_curable")
	inner := r.body["error"].(map[string]any)
	if len(r.body) != 1 || inner["code"] == "" || inner["message"] == "" || inner["object_id"] != nil || len(inner) != 3 {
		t.Fatalf("error form: %s", r.raw)
	}
}

func TestTooManySaysWhenToComeBack(t *testing.T) {
	b := start(t)
	r := b.do(429, "POST", "/payouts", transfer("k"), "Idempotency-Key", "k", "Sandbox-Fault", "429;ms=2500")
	if r.header.Get("Retry-After") != "3" {
		t.Fatalf("Retry-After: %v", r.header)
	}
}

func TestTruncatedBodyEndsEarly(t *testing.T) {
	b := start(t)
	r, err := b.try("POST", "/payouts", transfer("k"), "Idempotency-Key", "k", "Sandbox-Fault", "truncated_body")
	if !errors.Is(err, io.ErrUnexpectedEOF) || !strings.HasPrefix(r.raw, `{"id"`) {
		t.Fatalf("%v %q", err, r.raw)
	}
}

func TestSlowIsSlow(t *testing.T) {
	b := start(t)
	begin := time.Now()
	b.do(201, "POST", "/payouts", transfer("k"), "Idempotency-Key", "k", "Sandbox-Fault", "slow;ms=80")
	if took := time.Since(begin); took < 80*time.Millisecond {
		t.Fatalf("took %s", took)
	}
}

// A wrong amount is what really happened: the query finds it too.
func TestWrongAmountIsInTheObject(t *testing.T) {
	b := start(t)
	r := b.do(201, "POST", "/payouts", transfer("k"), "Idempotency-Key", "k", "Sandbox-Fault", "wrong_amount_echo")
	found := b.find("/payouts?reference=k")
	if r.body["amount"] != 125150.0 || found[0]["amount"] != 125150.0 || *b.wantEffects(1)[0].Amount != 125150 {
		t.Fatalf("%s %v", r.raw, found)
	}
}

// Another key is only in the answer: the object has ours.
func TestOtherKeyIsOnlyInTheAnswer(t *testing.T) {
	b := start(t)
	r := b.do(201, "POST", "/payouts", transfer("k"), "Idempotency-Key", "k", "Sandbox-Fault", "other_key_echo")
	if r.str("reference") == "k" || len(b.find("/payouts?reference=k")) != 1 || b.wantEffects(1)[0].Reference != "k" {
		t.Fatal(r.raw)
	}
}

// A key is free before its request's end can be read: who repeats at once is not
// told that the first is still in flight.
func TestTheKeyIsFreeWhenTheCallerReadsOfTheEnd(t *testing.T) {
	b := start(t)
	b.arm(`{"match":{"operation":"payouts"},"fault":"drop_before_accept","times":300}`)
	for range 300 {
		if r, err := b.try("POST", "/payouts", transfer("k"), "Idempotency-Key", "k"); err == nil {
			t.Fatalf("the connection was not cut: %d %s", r.status, r.raw)
		}
	}
	b.do(201, "POST", "/payouts", transfer("k"), "Idempotency-Key", "k")
}

// A hanging request is in flight until its caller leaves.
func TestHangKeepsTheKeyInFlight(t *testing.T) {
	b := start(t)
	ctx, leave := context.WithCancel(t.Context())
	r, err := http.NewRequestWithContext(ctx, "POST", b.URL()+"/payouts", strings.NewReader(transfer("k")))
	if err != nil {
		t.Fatal(err)
	}
	r.Header.Set("Idempotency-Key", "k")
	r.Header.Set("Sandbox-Fault", "hang_after_accept;ms=60000")
	done := make(chan error, 1)
	go func() {
		_, err := b.client.Do(r)
		done <- err
	}()
	eventually(t, "the effect is in the books", func() bool { return len(b.effects()) == 1 })
	if r := b.do(409, "POST", "/payouts", transfer("k"), "Idempotency-Key", "k"); r.code() != "key_in_use" {
		t.Fatal(r.raw)
	}
	leave()
	if err := <-done; err == nil {
		t.Fatal("a hanging request was answered")
	}
	eventually(t, "the key is free", func() bool {
		r, err := b.try("POST", "/payouts", transfer("k"), "Idempotency-Key", "k")
		return err == nil && r.status == 201
	})
	b.wantEffects(1)
}

func TestRefuseConnectClosesAndReopensThePort(t *testing.T) {
	b := start(t)
	addr := b.Addr()
	b.client.Transport = nil // a client that keeps its connection
	b.pay("warm")
	b.arm(`{"match":{},"fault":"refuse_connect","ms":400}`)
	if conn, err := net.Dial("tcp", addr); err == nil {
		conn.Close()
		t.Fatal("the port still takes connections")
	}
	if _, err := b.try("POST", "/payouts", transfer("k"), "Idempotency-Key", "k"); err == nil {
		t.Fatal("an old connection still works")
	}
	eventually(t, "the port is open again", func() bool {
		_, err := b.try("GET", "/books", "")
		return err == nil
	})
	if b.Addr() != addr || b.bitten() != 1 {
		t.Fatalf("address %s, was %s", b.Addr(), addr)
	}
	b.wantEffects(1)
}

func TestSettlementFaults(t *testing.T) {
	var c clock
	b := start(t, func(cfg *Config) { cfg.Now = c.now })
	send := func(key, faults string) string {
		return b.do(201, "POST", "/payouts", transfer(key), "Idempotency-Key", key, "Sandbox-Fault", faults).str("id")
	}
	never, late := send("never", "settle_never"), send("late", "settle_late;ms=3600000")
	failed, returned := send("failed", "settle_failed"), send("returned", "settle_then_return;ms=50")
	b.settles("/payouts/"+failed, "failed")
	b.settles("/payouts/"+returned, "returned")
	if s := b.do(200, "GET", "/payouts/"+late, "").str("status"); s != "pending" {
		t.Errorf("settle_late: %s too early", s)
	}
	c.advance(2 * time.Hour)
	b.settles("/payouts/"+late, "paid")
	if s := b.do(200, "GET", "/payouts/"+never, "").str("status"); s != "pending" {
		t.Errorf("settle_never: %s", s)
	}
	for _, e := range b.wantEffects(4) {
		undone := e.Reference == "failed" || e.Reference == "returned"
		if (e.UndoneAt != nil) != undone {
			t.Errorf("%s: undone_at %v", e.Reference, e.UndoneAt)
		}
	}
}

func TestWebhookFaults(t *testing.T) {
	var c clock
	in := newInbox(t)
	b := start(t, to(in), func(cfg *Config) { cfg.Now = c.now })
	send := func(key, faults string) string {
		return b.do(201, "POST", "/payouts", transfer(key), "Idempotency-Key", key, "Sandbox-Fault", faults).str("id")
	}
	twice := send("twice", "webhook_twice")
	if e := in.wants(t, 2); e[0] != e[1] || e[0].object != twice {
		t.Fatalf("webhook_twice: %+v", e)
	}
	late := send("late", "webhook_late;ms=200000")
	b.settles("/payouts/"+late, "paid")
	early := send("early", "")
	in.wants(t, 3)
	c.advance(201 * time.Second)
	if e := in.wants(t, 4); e[2].object != early || e[3].object != late {
		t.Fatalf("webhook_late: %+v", e)
	}
	send("mixed", "webhook_out_of_order;ms=90000, settle_then_return;ms=30")
	if e := in.wants(t, 6); e[4].kind != "payout.returned" || e[5].kind != "payout.paid" {
		t.Fatalf("webhook_out_of_order: %+v", e[4:])
	}
}

func TestNotFoundForAWhile(t *testing.T) {
	var c clock
	b := start(t, func(cfg *Config) { cfg.Now = c.now })
	r := b.do(201, "POST", "/payouts", transfer("k"), "Idempotency-Key", "k", "Sandbox-Fault", "not_found_for_a_while;ms=60000")
	b.do(404, "GET", "/payouts/"+r.str("id"), "")
	if found := b.find("/payouts?reference=k"); len(found) != 0 {
		t.Fatalf("found too early: %v", found)
	}
	b.wantEffects(1)
	c.advance(61 * time.Second)
	if found := b.find("/payouts?reference=k"); len(found) != 1 {
		t.Fatalf("not found in the end: %v", found)
	}
	b.do(200, "GET", "/payouts/"+r.str("id"), "")
}

func TestMatch(t *testing.T) {
	tests := []struct {
		match string
		bites bool
	}{
		{`{}`, true},
		{`{"key":"k-1"}`, true},
		{`{"key":"k"}`, false},
		{`{"reference":"k"}`, true},
		{`{"reference":"other"}`, false},
		{`{"operation":"payouts","method":"post","path":"/payouts"}`, true},
		{`{"operation":"payout"}`, true},
		{`{"operation":"credits"}`, false},
		{`{"method":"GET"}`, false},
		{`{"path":"/credits"}`, false},
		{`{"key":"k-1","reference":"other"}`, false},
	}
	for _, tt := range tests {
		t.Run(tt.match, func(t *testing.T) {
			b := start(t)
			b.arm(`{"match":` + tt.match + `,"fault":"500_before"}`)
			r, err := b.try("POST", "/payouts", transfer("k-1"), "Idempotency-Key", "k-1")
			if err != nil || (r.status == 500) != tt.bites || (b.bitten() == 1) != tt.bites {
				t.Fatalf("status %d, bites %d, %v", r.status, b.bitten(), err)
			}
		})
	}
}

// A look-up is disturbed only by a fault that is meant for it.
func TestFaultsOnLookUps(t *testing.T) {
	b := start(t)
	b.pay("k")
	b.arm(`{"match":{"reference":"k"},"fault":"500_before"}`)
	b.do(200, "GET", "/payouts?reference=k", "")
	b.do(200, "DELETE", "/faults", "")
	b.arm(`{"match":{"reference":"k","method":"GET"},"fault":"500_before"}`)
	b.do(500, "GET", "/payouts?reference=k", "")
	b.do(200, "GET", "/payouts?reference=k", "")
	if _, err := b.try("GET", "/payouts?reference=k", "", "Sandbox-Fault", "drop_before_accept"); err == nil {
		t.Fatal("not cut")
	}
}

func TestFaultsTakeTurnsAndEnd(t *testing.T) {
	b := start(t)
	b.arm(`{"fault":"500_before","times":2}`)
	b.arm(`{"fault":"429"}`)
	for i, want := range []int{500, 500, 429, 201} {
		key := fmt.Sprint("k", i)
		b.do(want, "POST", "/payouts", transfer(key), "Idempotency-Key", key)
	}
	b.do(200, "DELETE", "/faults", "")
	if raw := b.do(200, "GET", "/faults", "").raw; strings.TrimSpace(raw) != `{"faults":[]}` {
		t.Fatal(raw)
	}
}

func TestOneFaultIsTakenBack(t *testing.T) {
	b := start(t)
	b.arm(`{"fault":"500_before"}`)
	b.arm(`{"fault":"429"}`)
	if left := b.do(200, "DELETE", "/faults/1", "").raw; strings.Contains(left, "500_before") || !strings.Contains(left, `"429"`) {
		t.Fatal(left)
	}
	b.do(404, "DELETE", "/faults/1", "")
	b.do(404, "DELETE", "/faults/first", "")
	b.do(429, "POST", "/payouts", transfer("k"), "Idempotency-Key", "k")
}

func TestFaultsThatAreRefused(t *testing.T) {
	b := start(t)
	for _, body := range []string{`{"fault":"explode"}`, `{"fault":"slow","times":0}`, `{"fault":"slow","ms":-1}`,
		`{"fault":"slow","match":{"colour":"red"}}`, `{"fault":"slow","match":{"operation":"robbery"}}`} {
		b.do(422, "POST", "/faults", body)
	}
	b.do(400, "POST", "/faults", `{`)
	b.do(422, "POST", "/payouts", transfer("k"), "Idempotency-Key", "k", "Sandbox-Fault", "explode")
	b.do(422, "POST", "/payouts", transfer("k"), "Idempotency-Key", "k", "Sandbox-Fault", "slow;soon")
	b.wantEffects(0)
}

// Every fault of the list can be armed, so that none is only a name.
func TestEveryFaultCanBeArmed(t *testing.T) {
	b := start(t)
	for _, name := range faultNames() {
		if name != refuseConnect {
			b.arm(`{"fault":"` + name + `"}`)
		}
	}
	if n := len(faultNames()); n != 21 {
		t.Fatalf("%d faults", n)
	}
}
