package api_test

import (
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"
)

// bulk asks for a list as somebody.
func (w *world) bulk(who, action string, intents ...string) answer {
	w.Helper()
	return w.call(who, "POST", "/v1/bulk-previews", map[string]any{"action": action, "intents": intents})
}

// word says something on a list: confirm, approve, reject, withdraw.
func (w *world) word(who, word, id, digest string) answer {
	w.Helper()
	return w.call(who, "POST", "/v1/bulk-previews/"+id+"/"+word, map[string]any{"reason": reason, "digest": digest})
}

// carryOut does what confirmed lists have left.
func (w *world) carryOut() {
	w.Helper()
	w.must(w.deps.Runner.WorkBulks(w.Context(), nil))
}

// outcomes are the results of a list's items, "" for those not reached.
func outcomes(a answer) (list []string) {
	for _, item := range a.at("items").([]any) {
		outcome := ""
		if result, ok := item.(map[string]any)["result"].(map[string]any); ok {
			outcome = result["outcome"].(string)
		}
		list = append(list, outcome)
	}
	return list
}

func TestBulkReconcile(t *testing.T) {
	w := newWorld(t)
	ids := []string{w.lost("pay-1"), w.lost("pay-2"), w.lost("pay-3")}
	p := w.bulk("olga", "reconcile", append(ids, "intent-nobody")...).is(201, "")
	same(t, "list", p.json, "id, action, account, state, digest, people, expires_at, requested_by, reason, decisions, included, left, sums, audit, items")
	item := p.at("items").([]any)[0].(map[string]any)
	same(t, "item", item, "intent, allowed, rule, because, step, people, preview, digest, plan, result")
	same(t, "plan", item["plan"], "calls, untouched, then, changes")
	nobody := p.at("items").([]any)[3].(map[string]any)
	if p.header.Get("Location") != "/v1/bulk-previews/"+p.text("id") || item["step"] != "create-payout" || nobody["allowed"] != false || nobody["rule"] != "not-found" || nobody["plan"] != nil {
		t.Errorf("%s", p.raw)
	}
	w.call("otto", "GET", "/v1/bulk-previews/"+p.text("id"), nil).is(404, "not-found")
	w.word("otto", "confirm", p.text("id"), p.text("digest")).is(404, "not-found")
	w.word("olga", "confirm", p.text("id"), "00").is(409, "digest-mismatch")
	first := w.word("olga", "confirm", p.text("id"), p.text("digest")).is(200, "")
	if first.text("state") != "running" || first.at("left") != 3.0 {
		t.Errorf("%s", first.raw)
	}
	w.carryOut()
	again := w.word("olga", "confirm", p.text("id"), p.text("digest")).is(200, "")
	if again.text("state") != "done" || !slices.Equal(outcomes(again), []string{"executed", "executed", "executed", ""}) {
		t.Errorf("%s", again.raw)
	}
	same(t, "result", again.at("items").([]any)[0].(map[string]any)["result"], "outcome, became, because, attempt, audit, at")
	w.call("olga", "POST", "/v1/bulk-previews/"+p.text("id")+"/confirm", map[string]any{"reason": "something else entirely", "digest": p.text("digest")}).is(409, "preview-consumed")
	became := func(want string) {
		for i := range ids {
			result := w.call("olga", "GET", p.header.Get("Location"), nil).is(200, "").at("items").([]any)[i].(map[string]any)["result"].(map[string]any)
			if result["became"] != want {
				t.Errorf("it became %v, want %s", result["became"], want)
			}
		}
	}
	became("ordered")
	w.run(10 * time.Second)
	became("confirmed")
	for _, id := range ids {
		if a := w.call("olga", "GET", "/v1/intents/"+id, nil).is(200, ""); a.text("state") != "completed" {
			t.Errorf("%s", a.raw)
		}
	}
	w.sequence()
	if entries := w.call("reader", "GET", "/v1/audit?event=bulk.confirmed", nil).is(200, ""); len(entries.at("items").([]any)) != 1 {
		t.Errorf("%s", entries.raw)
	}
}

// The provider's books show one payout for each intent of a list that was sent
// again, however often it was confirmed.
func TestBulkRetryHasOneEffectEach(t *testing.T) {
	w := newWorld(t)
	var ids []string
	for i := range 4 {
		w.fault(`{"match":{"method":"POST","path":"/payouts"},"fault":"reject_curable","times":1}`)
		id := w.post(fmt.Sprintf("pay-%d", i), 5000)
		w.run(100 * time.Millisecond)
		ids = append(ids, id)
	}
	p := w.bulk("olga", "retry_unfinished", ids...).is(201, "")
	for range 3 {
		w.word("olga", "confirm", p.text("id"), p.text("digest")).is(200, "")
		w.carryOut()
	}
	w.run(10 * time.Second)
	books := string(w.read(http.Get(w.bank.URL() + "/books")).raw)
	for _, id := range ids {
		if n := strings.Count(books, `"reference":"`+id+`:create-payout`); n != 1 {
			t.Errorf("%d effects of %s in %s", n, id, books)
		}
	}
}

func TestBulkByTwo(t *testing.T) {
	w := newWorld(t)
	ids := []string{w.lost("pay-1"), w.lost("pay-2")}
	bare := w.bulk("olga", "abandon", ids...).is(201, "")
	if bare.at("included") != 0.0 || bare.at("people") != 1.0 {
		t.Errorf("%s", bare.raw)
	}
	if r := w.word("olga", "confirm", bare.text("id"), bare.text("digest")).is(409, "action-refused"); r.text("rule") != "bulk.nothing-left" {
		t.Errorf("%s", r.raw)
	}
	p := w.call("olga", "POST", "/v1/bulk-previews", map[string]any{"action": "abandon", "intents": ids,
		"acknowledge": []string{ids[0] + ":create-payout", ids[1] + ":create-payout"}}).is(201, "")
	if asked := w.word("olga", "confirm", p.text("id"), p.text("digest")).is(200, ""); asked.text("state") != "open" || asked.at("people") != 2.0 {
		t.Errorf("%s", asked.raw)
	}
	list := w.call("ann", "GET", "/v1/bulk-previews?state=open", nil).is(200, "")
	entry := list.at("items").([]any)[0]
	same(t, "request", entry, "id, action, account, state, digest, requested_by, reason, included, sums, expires_at")
	w.call("ann", "GET", "/v1/bulk-previews/"+p.text("id"), nil).is(200, "")
	w.call("gus", "GET", "/v1/bulk-previews/"+p.text("id"), nil).is(404, "not-found")
	w.word("olga", "approve", p.text("id"), p.text("digest")).is(403, "self-approval")
	w.word("audrey", "approve", p.text("id"), p.text("digest")).is(403, "denied")
	w.word("ann", "approve", p.text("id"), p.text("digest")).is(200, "")
	w.carryOut()
	if done := w.call("olga", "GET", "/v1/bulk-previews/"+p.text("id"), nil).is(200, ""); done.text("state") != "done" || !slices.Equal(outcomes(done), []string{"executed", "executed"}) {
		t.Errorf("%s", done.raw)
	}
	w.word("abe", "reject", p.text("id"), p.text("digest")).is(409, "approval-closed")
}

func TestBulkProblems(t *testing.T) {
	w := newWorld(t)
	id := w.lost("pay-1")
	w.bulk("service", "reconcile", id).is(403, "denied")
	w.bulk("ann", "reconcile", id).is(403, "denied")
	w.bulk("gus", "reconcile", id).is(404, "not-found")
	w.bulk("olga", "compensate", id).is(409, "action-refused")
	w.bulk("olga", "mark_external_result", id).is(409, "action-refused")
	w.bulk("olga", "explode", id).is(422, "invalid-params")
	w.bulk("olga", "reconcile").is(422, "invalid-params")
	many := make([]string, 501)
	for i := range many {
		many[i] = fmt.Sprintf("intent-%d", i)
	}
	w.bulk("olga", "reconcile", many...).is(413, "too-large")
	p := w.bulk("olga", "reconcile", id).is(201, "")
	w.advance(11 * time.Minute)
	w.word("olga", "confirm", p.text("id"), p.text("digest")).is(409, "preview-expired")
	w.call("olga", "POST", "/v1/bulk-previews", map[string]any{"action": "reconcile", "intents": []string{id}, "everything": true}).is(422, "invalid-params")
}
