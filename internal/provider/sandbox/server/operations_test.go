package server

import (
	"net/http"
	"net/url"
	"slices"
	"testing"
	"time"
)

func TestPayoutAndCreditSettleAndAreReversed(t *testing.T) {
	in := newInbox(t)
	for i, kind := range []string{"payout", "credit"} {
		t.Run(kind, func(t *testing.T) {
			b := start(t, to(in))
			seen := len(in.got())
			r := b.do(201, "POST", "/"+kind+"s", transfer("pay"), "Idempotency-Key", "pay")
			for name, want := range map[string]any{"object": kind, "reference": "pay", "amount": 125050.0, "currency": "USD",
				"destination": "acct_9", "status": "pending"} {
				if r.body[name] != want {
					t.Errorf("%s: %v", name, r.body[name])
				}
			}
			if _, err := time.Parse(time.RFC3339, r.str("created")); err != nil {
				t.Error(err)
			}
			path := "/" + kind + "s/" + r.str("id")
			b.settles(path, "paid")
			back := `{"reference":"undo","amount":125050,"currency":"USD"}`
			v := b.do(201, "POST", path+"/reversals", back, "Idempotency-Key", "undo")
			if v.str("object") != "reversal" || v.str("source") != r.str("id") || v.str("status") != "succeeded" || v.str("destination") != "acct_9" {
				t.Error(v.raw)
			}
			for _, list := range []string{"/reversals?reference=undo", path + "/reversals"} {
				if len(b.find(list)) != 1 {
					t.Errorf("%s does not find it", list)
				}
			}
			b.do(200, "GET", "/reversals/"+v.str("id"), "")
			if again := b.do(409, "POST", path+"/reversals", back, "Idempotency-Key", "undo#2"); again.code() != "already_reversed" {
				t.Error(again.raw)
			}
			effects := b.wantEffects(2)
			if effects[0].UndoneAt == nil || effects[1].UndoneAt != nil || effects[1].Operation != kind+"_reversals" {
				t.Errorf("books: %+v", effects)
			}
			events := in.wants(t, seen+2)[seen:]
			kinds := []string{events[0].kind, events[1].kind} // each is sent by itself, so either may come first
			if !slices.Contains(kinds, kind+".paid") || !slices.Contains(kinds, "reversal.created") {
				t.Errorf("events of run %d: %+v", i, events)
			}
		})
	}
}

func TestReversalsThatAreRefused(t *testing.T) {
	b := start(t)
	id := b.pay("pay").str("id")
	path := "/payouts/" + id + "/reversals"
	half := `{"reference":"u1","amount":125000,"currency":"USD"}`
	b.do(201, "POST", path, half, "Idempotency-Key", "u1")
	tests := []struct {
		path, body string
		status     int
		code       string
	}{
		{path, half, 422, "amount_too_large"},
		{path, `{"reference":"u","amount":50,"currency":"EUR"}`, 422, "currency_mismatch"},
		{path, `{"reference":"u","amount":50,"currency":"USD","destination":"x"}`, 422, "destination_mismatch"},
		{"/payouts/po_none/reversals", half, 404, "not_found"},
		{"/credits/" + id + "/reversals", half, 404, "not_found"},
	}
	for i, tt := range tests {
		r := b.do(tt.status, "POST", tt.path, tt.body, "Idempotency-Key", string(rune('a'+i)))
		if r.code() != tt.code {
			t.Errorf("%s: %s", tt.body, r.raw)
		}
	}
	if b.wantEffects(2)[0].UndoneAt != nil {
		t.Error("undone though a part is left")
	}
	failed := b.do(201, "POST", "/payouts", transfer("f"), "Idempotency-Key", "f", "Sandbox-Fault", "settle_failed").str("id")
	b.settles("/payouts/"+failed, "failed")
	if r := b.do(409, "POST", "/payouts/"+failed+"/reversals", half, "Idempotency-Key", "z"); r.code() != "not_reversible" {
		t.Error(r.raw)
	}
}

// What a reversal took back cannot come back again by failing.
func TestReversedPayoutDoesNotFail(t *testing.T) {
	var c clock
	b := start(t, func(cfg *Config) { cfg.Now, cfg.Settle = c.now, time.Hour })
	id := b.do(201, "POST", "/payouts", transfer("f"), "Idempotency-Key", "f", "Sandbox-Fault", "settle_failed").str("id")
	b.do(201, "POST", "/payouts/"+id+"/reversals", `{"reference":"u","amount":125050,"currency":"USD"}`, "Idempotency-Key", "u")
	c.advance(2 * time.Hour)
	b.settles("/payouts/"+id, "paid")
}

// A portal without keys: the same POST twice is two effects.
func TestDisputeResponses(t *testing.T) {
	in := newInbox(t)
	b := start(t, to(in))
	contest := `{"reference":"i:submit-response","type":"contest","evidence":[{"type":"shipping","text":"t"}]}`
	first := b.do(202, "POST", "/disputes/dp_31/responses", contest, "Idempotency-Key", "same")
	second := b.do(202, "POST", "/disputes/dp_31/responses", contest, "Idempotency-Key", "same")
	if first.str("status") != "submitted" || first.str("id") == second.str("id") {
		t.Fatal(second.raw)
	}
	if e := b.wantEffects(2); e[0].Key != nil || e[0].Amount != nil || e[0].Operation != "disputes" {
		t.Fatalf("%+v", e)
	}
	for _, list := range []string{"/disputes/responses?reference=i:submit-response", "/disputes/dp_31/responses"} {
		if len(b.find(list)) != 2 {
			t.Errorf("%s", list)
		}
	}
	b.settles("/disputes/responses/"+first.str("id"), "won")
	b.do(404, "GET", "/disputes/dp_31/"+first.str("id"), "")
	lost := b.do(202, "POST", "/disputes/dp_32/responses", contest, "Sandbox-Fault", "settle_failed").str("id")
	b.settles("/disputes/responses/"+lost, "lost")
	accepted := b.do(202, "POST", "/disputes/dp_33/responses", `{"reference":"a","type":"accept","evidence":null}`).str("id")
	b.settles("/disputes/responses/"+accepted, "accepted")
	kinds := map[string]int{}
	for _, e := range in.wants(t, 4) {
		kinds[e.kind]++
	}
	if kinds["dispute.won"] != 2 || kinds["dispute.lost"] != 1 || kinds["dispute.accepted"] != 1 {
		t.Errorf("events: %v", kinds)
	}
}

// A message is found by its message_id only after a while; by its id at once.
func TestMessages(t *testing.T) {
	var c clock
	b := start(t, func(cfg *Config) { cfg.Now = c.now })
	body := `{"message_id":"<i.send@x>","to":"ada@example.com","template":"remittance","subject":"Paid","html":"<p>Paid</p>","text":"Paid"}`
	r := b.do(202, "POST", "/messages", body)
	if r.str("status") != "queued" {
		t.Error(r.raw)
	}
	if e := b.wantEffects(1)[0]; e.Key == nil || *e.Key != "<i.send@x>" || e.Reference != "<i.send@x>" || e.Operation != "messages" {
		t.Errorf("%+v", e)
	}
	b.settles("/messages/"+r.str("id"), "delivered")
	lookup := "/messages?reference=" + url.QueryEscape("<i.send@x>")
	c.advance(28 * time.Second)
	if len(b.find(lookup)) != 0 {
		t.Error("found before the delay")
	}
	c.advance(3 * time.Second)
	if len(b.find(lookup)) != 1 {
		t.Error("not found after the delay")
	}
	bounced := b.do(202, "POST", "/messages", body, "Sandbox-Fault", "settle_failed").str("id")
	b.settles("/messages/"+bounced, "bounced")
	b.wantEffects(2)
}

func TestListsAreExactAndPaged(t *testing.T) {
	b := start(t)
	b.pay("k-1")
	middle := b.pay("k-10").str("created")
	b.pay("k-2")
	if found := b.find("/payouts?reference=k-1"); len(found) != 1 || found[0]["reference"] != "k-1" {
		t.Errorf("reference is not exact: %v", found)
	}
	if found := b.find("/payouts?since=" + middle); len(found) != 2 {
		t.Errorf("since: %v", found)
	}
	first := b.do(200, "GET", "/payouts?limit=2", "")
	next := first.str("next_cursor")
	last := b.do(200, "GET", "/payouts?limit=2&cursor="+next, "")
	if len(first.body["items"].([]any)) != 2 || len(last.body["items"].([]any)) != 1 || last.body["next_cursor"] != nil {
		t.Errorf("pages: %s %s", first.raw, last.raw)
	}
	for _, query := range []string{"refrence=k", "since=yesterday", "cursor=!", "limit=0", "limit=1000", "reference=a&reference=b"} {
		b.do(422, "GET", "/payouts?"+query, "")
	}
}

func TestStrictBodies(t *testing.T) {
	b := start(t)
	tests := []struct {
		path, body string
		status     int
	}{
		{"/payouts", `{`, 400},
		{"/payouts", `{"reference":"k","reference":"k"}`, 400},
		{"/payouts", transfer("k") + `{}`, 400},
		{"/payouts", `[]`, 422},
		{"/payouts", `{"reference":"k","destination":"d","amount":0,"currency":"USD"}`, 422},
		{"/payouts", `{"reference":"k","destination":"d","amount":-1,"currency":"USD"}`, 422},
		{"/payouts", `{"reference":"k","destination":"d","amount":1.5,"currency":"USD"}`, 422},
		{"/payouts", `{"reference":"k","destination":"d","amount":"1","currency":"USD"}`, 422},
		{"/payouts", `{"reference":"k","destination":"d","amount":9007199254740992,"currency":"USD"}`, 422},
		{"/payouts", `{"reference":"k","destination":"d","amount":1,"currency":"usd"}`, 422},
		{"/payouts", `{"reference":"k","destination":"d","amount":1}`, 422},
		{"/payouts", `{"reference":"k","amount":1,"currency":"USD"}`, 422},
		{"/payouts", `{"destination":"d","amount":1,"currency":"USD"}`, 422},
		{"/payouts", `{"reference":"k","destination":"d","amount":1,"currency":"USD","memo":"m"}`, 422},
		{"/payouts", `{"reference":"k","destination":"d","amount":1,"currency":"USD","metadata":[]}`, 422},
		{"/disputes/d/responses", `{"reference":"k","type":"shrug"}`, 422},
		{"/messages", `{"message_id":"m","text":"t"}`, 422},
		{"/messages", `{"message_id":"m","to":"t"}`, 422},
	}
	for _, tt := range tests {
		b.do(tt.status, "POST", tt.path, tt.body, "Idempotency-Key", "k")
	}
	b.do(413, "POST", "/payouts", string(make([]byte, maxBody+1)), "Idempotency-Key", "k")
	b.wantEffects(0)
	b.pay("k") // a body that was refused before executing has not used the key up
}

func TestUnknownEndpoints(t *testing.T) {
	b := start(t)
	for _, path := range []string{"/", "/nothing", "/payouts/po_none", "/disputes/dp/dr"} {
		if r := b.do(404, "GET", path, ""); r.code() != "not_found" {
			t.Errorf("%s: %s", path, r.raw)
		}
	}
	b.do(404, "DELETE", "/payouts", "")
}

func TestDateFollowsTheClock(t *testing.T) {
	var c clock
	b := start(t, func(cfg *Config) { cfg.Now = c.now })
	c.advance(48 * time.Hour)
	date, err := http.ParseTime(b.do(200, "GET", "/books", "").header.Get("Date"))
	if err != nil || time.Until(date) < 47*time.Hour {
		t.Fatalf("Date: %v %v", date, err)
	}
}
