package api_test

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"
)

// reason is a reason that is long enough.
const reason = "checked with the bank by phone"

// lost makes a payout whose answer was lost: the provider took it, and nobody
// here knows. Look-ups fail too, until the world goes on.
func (w *world) lost(key string) string {
	w.Helper()
	w.fault(`{"match":{"method":"POST","path":"/payouts"},"fault":"drop_after_accept","times":1}`)
	id := w.post(key, 5000)
	w.run(100 * time.Millisecond)
	if state := w.step(id, "create-payout")["state"]; state != "outcome_unknown" {
		w.Fatalf("create-payout is %v", state)
	}
	return id
}

func (w *world) fault(body string) {
	w.Helper()
	w.read(http.Post(w.bank.URL()+"/faults", "application/json", strings.NewReader(body)))
}

// step is a step of an intent as olga sees it.
func (w *world) step(intent, name string) map[string]any {
	w.Helper()
	for _, s := range w.call("olga", "GET", "/v1/intents/"+intent, nil).is(200, "").at("steps").([]any) {
		if s := s.(map[string]any); s["name"] == name {
			return s
		}
	}
	w.Fatalf("no step %s", name)
	return nil
}

// preview previews an action as olga.
func (w *world) preview(intent, action, step string, input any) answer {
	w.Helper()
	body := map[string]any{"action": action, "input": input}
	if step != "" {
		body["step"] = step
	}
	return w.call("olga", "POST", "/v1/intents/"+intent+"/previews", body)
}

func (w *world) confirm(who, preview, digest string) answer {
	w.Helper()
	return w.call(who, "POST", "/v1/previews/"+preview+"/confirm", map[string]any{"reason": reason, "digest": digest})
}

func TestReconcile(t *testing.T) {
	w := newWorld(t)
	id := w.lost("pay-1")
	p := w.preview(id, "reconcile", "create-payout", nil).is(201, "")
	same(t, "preview", p.json, "id, intent, action, step, digest, version, plan, people, expires_at")
	same(t, "plan", p.at("plan"), "calls, untouched, then, changes")
	call := p.at("plan", "calls").([]any)[0]
	same(t, "call", call, "step, step_key, wire_key, generation, class, method, url, body, body_sha256, sent_before, last_sent_at, on_repeat, safe_until")
	if got := call.(map[string]any); got["step_key"] != id+":create-payout" || got["method"] != "GET" || got["sent_before"] != 1.0 || got["body"] != nil {
		t.Errorf("call %v", got)
	}
	if p.header.Get("Location") != "/v1/previews/"+p.text("id") {
		t.Errorf("headers %v", p.header)
	}
	if again := w.call("olga", "GET", "/v1/previews/"+p.text("id"), nil).is(200, ""); again.text("digest") != p.text("digest") {
		t.Errorf("read again: %s", again.raw)
	}
	w.call("otto", "GET", "/v1/previews/"+p.text("id"), nil).is(404, "not-found")
	w.confirm("otto", p.text("id"), p.text("digest")).is(404, "not-found")

	first := w.confirm("olga", p.text("id"), p.text("digest")).is(200, "")
	same(t, "receipt", first.json, "outcome, intent, attempt, approval, compensation, audit")
	if repeat := w.confirm("olga", p.text("id"), p.text("digest")).is(200, ""); string(repeat.raw) != string(first.raw) {
		t.Errorf("repeat %s, first %s", repeat.raw, first.raw)
	}
	w.run(10 * time.Second)
	if a := w.call("olga", "GET", "/v1/intents/"+id, nil).is(200, ""); a.text("state") != "completed" {
		t.Errorf("%s", a.raw)
	}
	step := w.step(id, "create-payout")
	same(t, "attempt", step["attempts"].([]any)[0], "number, generation, wire_key, trigger, worker, started_at, finished_at, result, reason, request_id, connections, bytes_out, status, replayed")
	same(t, "evidence", step["evidence"].([]any)[0], "source, says, at, by, ref, wire_key, amount, currency, detail, document")
	w.sequence()
	entry := w.call("reader", "GET", "/v1/audit/"+first.text("audit"), nil).is(200, "")
	same(t, "audit item", entry.json, "index, id, at, actor, event, account, intent, step_key, attempt, preview, reason, result, policy, detail, leaf_hash")
	if entry.text("event") != "action.reconcile.executed" || entry.text("reason") != reason || entry.text("step_key") != id+":create-payout" {
		t.Errorf("entry %s", entry.raw)
	}
}

// TestProblemsOfConfirm meets every way in which a confirmation is refused.
func TestProblemsOfConfirm(t *testing.T) {
	w := newWorld(t)
	id := w.lost("pay-1")
	p := w.preview(id, "reconcile", "create-payout", nil).is(201, "")
	w.confirm("olga", p.text("id"), "0000").is(409, "digest-mismatch")
	w.call("olga", "POST", "/v1/previews/"+p.text("id")+"/confirm", map[string]any{"reason": "short", "digest": p.text("digest")}).is(422, "invalid-params")
	w.call("olga", "POST", "/v1/previews/"+p.text("id")+"/confirm", map[string]any{"reason": reason, "digest": p.text("digest"), "force": true}).is(422, "invalid-params")
	empty := w.call("olga", "POST", "/v1/previews/"+p.text("id")+"/confirm", map[string]any{}).is(422, "invalid-params")
	if faults, _ := json.Marshal(empty.at("errors")); !strings.Contains(string(faults), "/reason") || !strings.Contains(string(faults), "/digest") {
		t.Errorf("an empty word is refused for %s", faults)
	}
	w.advance(11 * time.Minute)
	w.confirm("olga", p.text("id"), p.text("digest")).is(409, "preview-expired")

	p = w.preview(id, "abandon", "", map[string]any{"acknowledge": []string{id + ":create-payout"}}).is(201, "")
	w.run(10 * time.Second)
	stale := w.confirm("olga", p.text("id"), p.text("digest")).is(409, "preview-stale")
	if changes := stale.at("changes").([]any); len(changes) == 0 {
		t.Errorf("%s", stale.raw)
	}
	stale.at("preview")

	p = w.preview(id, "reconcile", "create-payout", nil).is(201, "")
	w.confirm("olga", p.text("id"), p.text("digest")).is(200, "")
	w.call("olga", "POST", "/v1/previews/"+p.text("id")+"/confirm", map[string]any{"reason": reason + ", twice", "digest": p.text("digest")}).is(409, "preview-consumed")
}

// TestStalePreview signs an intent between preview and confirmation: nothing is
// done, and the answer names what moved and a fresh preview.
func TestStalePreview(t *testing.T) {
	w := newWorld(t)
	intent, approval := w.waitingForApproval("pay-1")
	p := w.preview(intent, "abandon", "", nil).is(201, "")
	digest := w.call("ann", "GET", "/v1/approvals/"+approval, nil).text("digest")
	w.call("ann", "POST", "/v1/approvals/"+approval+"/approve", map[string]any{"reason": reason, "digest": digest}).is(200, "")
	stale := w.confirm("olga", p.text("id"), p.text("digest")).is(409, "preview-stale")
	if changes := stale.at("changes").([]any); len(changes) == 0 {
		t.Errorf("%s", stale.raw)
	}
	fresh := w.call("olga", "GET", "/v1/previews/"+stale.text("preview"), nil).is(200, "")
	w.confirm("olga", fresh.text("id"), fresh.text("digest")).is(200, "")
	if a := w.call("olga", "GET", "/v1/intents/"+intent, nil); a.text("state") != "abandoned" {
		t.Errorf("%s", a.raw)
	}
	for state, count := range map[string]float64{"abandoned": 1, "completed": 0, "needs_review": 0} {
		if a := w.call("olga", "GET", "/v1/intents?state="+state, nil).is(200, ""); a.at("count") != count || float64(len(a.items())) != count {
			t.Errorf("%s: %s", state, a.raw)
		}
	}
}

// TestConfirmWaits has an engine that is woken by the confirmation: whoever
// looks at the intent next sees what came of it.
func TestConfirmWaits(t *testing.T) {
	w := newWorld(t)
	id := w.lost("pay-1")
	deps := w.deps
	deps.Wait = 10 * time.Second
	deps.Wake = func() { go w.engine.Pass(context.Background()) }
	w.serve(deps)
	p := w.preview(id, "reconcile", "create-payout", nil).is(201, "")
	before := len(w.step(id, "create-payout")["evidence"].([]any))
	w.confirm("olga", p.text("id"), p.text("digest")).is(200, "")
	if after := len(w.step(id, "create-payout")["evidence"].([]any)); after != before+1 {
		t.Errorf("%d pieces of evidence, had %d", after, before)
	}
}

func TestProblemsOfPreview(t *testing.T) {
	w := newWorld(t)
	id := w.lost("pay-1")
	for name, test := range map[string]struct {
		who, intent string
		body        map[string]any
		status      int
		problem     string
	}{
		"refused":        {"olga", id, map[string]any{"action": "compensate", "step": "create-payout"}, 409, "action-refused"},
		"no action":      {"olga", id, map[string]any{}, 422, "invalid-params"},
		"unknown action": {"olga", id, map[string]any{"action": "run_again"}, 422, "invalid-params"},
		"unknown step":   {"olga", id, map[string]any{"action": "reconcile", "step": "pay"}, 422, "invalid-params"},
		"unknown member": {"olga", id, map[string]any{"action": "reconcile", "all": true}, 422, "invalid-params"},
		"service key":    {"service", id, map[string]any{"action": "reconcile", "step": "create-payout"}, 403, "denied"},
		"approver":       {"ann", id, map[string]any{"action": "reconcile", "step": "create-payout"}, 403, "denied"},
		"no step-up":     {"unfresh", id, map[string]any{"action": "abandon"}, 403, "step-up-required"},
		"other account":  {"gus", id, map[string]any{"action": "reconcile", "step": "create-payout"}, 404, "not-found"},
		"no such intent": {"olga", "intent-x", map[string]any{"action": "abandon"}, 404, "not-found"},
	} {
		t.Run(name, func(t *testing.T) {
			a := w.call(test.who, "POST", "/v1/intents/"+test.intent+"/previews", test.body)
			a.TB = t
			a.is(test.status, test.problem)
			if test.problem == "action-refused" && (a.text("rule") == "" || a.text("because") == "") {
				t.Errorf("%s", a.raw)
			}
		})
	}
	w.sequence()
	if a := w.call("reader", "GET", "/v1/audit?event=action.reconcile.denied", nil).is(200, ""); a.at("count") != 2.0 {
		t.Errorf("denials: %s", a.raw)
	}
}

func TestApproval(t *testing.T) {
	w := newWorld(t)
	intent, approval := w.waitingForApproval("pay-1")
	path := "/v1/approvals/" + approval
	a := w.call("ann", "GET", path, nil).is(200, "")
	same(t, "approval", a.json, "id, state, action, intent, step_key, digest, plan, requested_by, needed, decisions, may_approve, expires_at")
	if a.text("action") != "approve_intent" || a.text("intent") != intent || fmt.Sprint(a.at("may_approve")) != "[abe ann]" {
		t.Errorf("%s", a.raw)
	}
	word := map[string]any{"reason": reason, "digest": a.text("digest")}
	w.call("ada", "POST", path+"/approve", word).is(403, "self-approval") // answers for the service key
	w.call("olga", "POST", path+"/approve", word).is(403, "denied")
	w.call("ann", "POST", path+"/approve", map[string]any{"reason": reason, "digest": "x"}).is(409, "digest-mismatch")
	if r := w.call("ann", "POST", path+"/approve", word).is(200, ""); r.text("outcome") != "executed" || r.text("approval") != approval {
		t.Errorf("receipt %s", r.raw)
	}
	closed := w.call("abe", "POST", path+"/reject", word).is(409, "approval-closed")
	if closed.text("state") != "executed" {
		t.Errorf("%s", closed.raw)
	}
	decision := w.call("ann", "GET", path, nil).is(200, "").at("decisions").([]any)[0]
	same(t, "decision", decision, "by, at, says, reason")
	w.run(10 * time.Second)
	if a := w.call("olga", "GET", "/v1/intents/"+intent, nil); a.text("state") != "completed" {
		t.Errorf("%s", a.raw)
	}
}

func TestCompensation(t *testing.T) {
	w := newWorld(t)
	id := w.post("pay-1", 5000)
	w.run(10 * time.Second)
	p := w.preview(id, "compensate", "create-payout", nil).is(201, "")
	r := w.confirm("olga", p.text("id"), p.text("digest")).is(200, "")
	if r.text("outcome") != "awaiting_approval" || r.at("compensation") != nil {
		t.Fatalf("receipt %s", r.raw)
	}
	path := "/v1/approvals/" + r.text("approval")
	word := map[string]any{"reason": reason, "digest": p.text("digest")}
	w.call("olga", "POST", path+"/approve", word).is(403, "self-approval")
	w.call("otto", "POST", path+"/withdraw", word).is(403, "denied")
	done := w.call("ann", "POST", path+"/approve", word).is(200, "")
	child := done.text("compensation")
	w.run(10 * time.Second)
	if by := w.step(id, "create-payout")["compensated_by"]; by != child {
		t.Errorf("compensated_by %v, want %s", by, child)
	}
	a := w.call("olga", "GET", "/v1/intents/"+child, nil).is(200, "")
	if a.text("parent") != id || a.text("kind") != "compensation" || a.text("key") != "compensate:"+id+":create-payout" {
		t.Errorf("child %s", a.raw)
	}
	if a := w.call("olga", "GET", "/v1/intents/"+id, nil); a.text("state") != "compensated" || a.at("exposure") != 0.0 {
		t.Errorf("%s", a.raw)
	}
}

func TestUncertain(t *testing.T) {
	w := newWorld(t)
	w.fault(`{"match":{"method":"GET"},"fault":"500_before","times":50}`)
	w.lost("pay-1")
	w.advance(2 * time.Hour)
	a := w.call("reader", "GET", "/v1/uncertain", nil).is(200, "")
	list := a.items()
	if len(list) != 1 || list[0]["provider"] != "bank" || list[0]["currency"] != "USD" || list[0]["amount"] != 5000.0 || list[0]["age"] != "under_6h" {
		t.Errorf("%s", a.raw)
	}
	if a := w.call("gus", "GET", "/v1/uncertain", nil).is(200, ""); len(a.items()) != 0 {
		t.Errorf("globex sees acme: %s", a.raw)
	}
	w.call("gus", "GET", "/v1/uncertain?account=acme", nil).is(404, "not-found")
}

func TestUploadAndMark(t *testing.T) {
	w := newWorld(t)
	w.fault(`{"match":{"method":"GET"},"fault":"500_before","times":50}`)
	id := w.lost("pay-1")
	w.call("olga", "POST", "/v1/uploads", "MZ\x90\x00", "Content-Type", "application/pdf").is(422, "invalid-params")
	w.call("olga", "POST", "/v1/uploads", "%PDF-"+strings.Repeat("x", 5<<20), "Content-Type", "application/pdf").is(413, "too-large")
	form := "--b\r\nContent-Disposition: form-data; name=\"file\"; filename=\"bank.pdf\"\r\n\r\n%PDF-1.7 letter\r\n--b--\r\n"
	u := w.call("olga", "POST", "/v1/uploads", form, "Content-Type", "multipart/form-data; boundary=b").is(201, "")
	if u.text("name") != "bank.pdf" || u.text("media_type") != "application/pdf" {
		t.Errorf("%s", u.raw)
	}
	w.call("olga", "POST", "/v1/uploads", "--b\r\n", "Content-Type", "multipart/form-data; boundary=b").is(400, "invalid-body")
	p := w.preview(id, "mark_external_result", "create-payout", map[string]any{"result": "happened", "external_ref": "po_9",
		"amount": 5000, "currency": "USD", "date": "2026-11-27", "document": map[string]any{"upload": u.text("id")}}).is(201, "")
	w.confirm("olga", p.text("id"), p.text("digest")).is(200, "")
	for _, e := range w.step(id, "create-payout")["evidence"].([]any) {
		if e := e.(map[string]any); e["source"] == "operator" {
			document := e["document"].(map[string]any)
			if document["upload"] != u.text("id") || document["url"] != nil || document["sha256"] != u.text("sha256") {
				t.Errorf("document %v", document)
			}
			return
		}
	}
	t.Error("no evidence of the mark")
}
