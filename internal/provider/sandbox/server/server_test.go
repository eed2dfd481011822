package server

import (
	"testing"
)

func TestCutAfterAcceptanceIsFoundByReference(t *testing.T) {
	in := newInbox(t)
	b := start(t, to(in))
	b.arm(`{"match":{"reference":"intent-1"},"fault":"drop_after_accept"}`)
	if r, err := b.try("POST", "/payouts", transfer("intent-1:create-payout"), "Idempotency-Key", "intent-1:create-payout"); err == nil {
		t.Fatalf("the connection was not cut: %+v", r)
	}
	b.wantEffects(1)
	found := b.find("/payouts?reference=intent-1:create-payout")
	if len(found) != 1 || found[0]["amount"] != 125050.0 {
		t.Fatalf("look-up by reference: %v", found)
	}
	again := b.pay("intent-1:create-payout")
	if again.header.Get("Idempotent-Replayed") != "true" || again.str("id") != found[0]["id"] {
		t.Fatalf("a repeat is not the stored result: %v %v", again.header, again.raw)
	}
	b.wantEffects(1)
	events := in.wants(t, 1)
	if events[0].kind != "payout.paid" || events[0].object != again.str("id") || events[0].status != "paid" {
		t.Fatalf("webhook: %+v", events)
	}
}
