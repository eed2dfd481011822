package main

import (
	"encoding/json"
	"testing"
	"time"

	"countersign/internal/model"
)

// visitor calls the API of a demo as one of its people.
type visitor struct {
	t    *testing.T
	d    *demo
	line readyLine
}

func (v visitor) call(who, method, path string, body any, into any) {
	v.t.Helper()
	text, err := json.Marshal(body)
	if err != nil {
		v.t.Fatal(err)
	}
	fetch(v.t, method, v.line.Address+path, v.d.keys[who], string(text), into)
}

// act previews and confirms an action.
func (v visitor) act(who, key, action string, step any, input any) (outcome string) {
	v.t.Helper()
	var preview struct{ ID, Digest string }
	v.call(who, "POST", "/v1/intents/"+v.id(key)+"/previews", map[string]any{"action": action, "step": step, "input": input}, &preview)
	var receipt struct{ Outcome string }
	v.call(who, "POST", "/v1/previews/"+preview.ID+"/confirm", map[string]any{"reason": "As the guide says.", "digest": preview.Digest}, &receipt)
	return receipt.Outcome
}

// sign approves what is open about an intent.
func (v visitor) sign(who, key string) {
	v.t.Helper()
	r := caseOf(v.t, v.d, v.sample(key)).OpenRequest()
	if r == nil {
		v.t.Fatalf("nothing is open about %s", key)
	}
	v.call(who, "POST", "/v1/approvals/"+r.ID+"/approve", map[string]any{"reason": "As the guide says.", "digest": r.Digest}, nil)
}

func (v visitor) sample(key string) sample {
	for _, s := range samples() {
		if s.key == key {
			return s
		}
	}
	v.t.Fatalf("no sample %s", key)
	return sample{}
}

func (v visitor) id(key string) string { return v.sample(key).id(v.d.db.Installation) }

// becomes waits for the state of a sample's intent.
func (v visitor) becomes(key string, want model.IntentState) {
	v.t.Helper()
	v.reaches(v.sample(key), want)
}

// works waits until the engine has brought a new payout to its end: it has taken
// up before it whatever was due before it.
func (v visitor) works(key string) {
	v.t.Helper()
	s := sample{key: key, kind: model.KindPayout, params: payout("Rep", "rep-"+key, 1_000, "EUR")}
	body, err := s.body(time.Now())
	if err != nil {
		v.t.Fatal(err)
	}
	intent, err := json.Marshal(map[string]any{"kind": s.kind, "account": s.owner(), "params": body})
	if err != nil {
		v.t.Fatal(err)
	}
	fetch(v.t, "POST", v.line.Address+"/v1/intents", v.d.keys[demoServiceKey], string(intent), nil, "Idempotency-Key", key)
	v.reaches(s, model.Completed)
}

// reaches waits for an intent's state.
func (v visitor) reaches(s sample, want model.IntentState) {
	v.t.Helper()
	for until := time.Now().Add(20 * time.Second); ; time.Sleep(20 * time.Millisecond) {
		c := caseOf(v.t, v.d, s)
		if c.State == want {
			return
		}
		if time.Now().After(until) {
			v.t.Errorf("%s is %s (%s), want %s", s.key, c.State, c.Reason, want)
			return
		}
	}
}

// What the guide says about each story is what happens.
func TestWhatTheGuideSaysToTry(t *testing.T) {
	d, line, _ := startDemo(t, seeded(t), false)
	v := visitor{t, d, line}
	for key, step := range map[string]string{"story-cut-after-acceptance": "create-payout", "story-500-after-acting": "create-payout",
		"story-not-found-yet": "create-payout", "story-mail-unknown": "send-statement", "story-dispute-unknown": "submit-response"} {
		v.act(priya, key, model.Reconcile, step, nil)
		v.becomes(key, model.Completed)
	}
	v.act(priya, "story-settlement-overdue", model.Reconcile, "create-payout", nil)
	v.becomes("story-settlement-overdue", model.Processing)
	for _, key := range []string{"story-lack-of-funds", "story-budget-spent"} {
		v.act(priya, key, model.RetryUnfinished, nil, nil)
		v.becomes(key, model.Completed)
	}
	v.sign(ingrid, "story-awaiting-approval")
	v.becomes("story-awaiting-approval", model.Completed)
	v.sign(ingrid, "story-compensation-asked")
	v.becomes("story-compensation-asked", model.Compensated)
	v.mark("story-another-amount", 39_600)
	v.sign(ingrid, "story-another-amount")
	v.becomes("story-another-amount", model.Completed)
	v.mark("story-returned", 28_800)
	v.becomes("story-returned", model.NeedsReview) // its ledger entry still stands
	v.act(tomas, "story-returned", model.Compensate, "post-ledger", nil)
	v.sign(ingrid, "story-returned")
	v.becomes("story-returned", model.Compensated)
	v.act(tomas, "story-partial", model.Compensate, "create-payout", nil)
	v.sign(ingrid, "story-partial")
	v.becomes("story-partial", model.Compensated)
	checkBooks(t, d)
}

// mark says that a payout happened, as the bank's statement shows it.
func (v visitor) mark(key string, amount int64) {
	v.t.Helper()
	step := caseOf(v.t, v.d, v.sample(key)).Step("create-payout")
	ref := step.Evidence[len(step.Evidence)-1].Ref // as the page shows it
	input := map[string]any{"result": "happened", "external_ref": ref, "amount": amount, "currency": step.Currency,
		"date": time.Now().UTC().Format(time.DateOnly), "document": map[string]any{"url": "https://bank.example.com/statement/7", "sha256": nil}}
	v.act(priya, key, model.MarkExternalResult, "create-payout", input)
}
