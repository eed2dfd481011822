package api

import (
	"bytes"
	"encoding/json"
	"flag"
	"os"
	"path/filepath"
	"testing"
	"time"

	"countersign/internal/actions"
	"countersign/internal/audit"
	"countersign/internal/model"
)

var update = flag.Bool("update", false, "write the golden files anew")

const (
	now  = model.Time(1_795_683_600_000_000) // 2026-11-26T09:00:00Z
	hour = model.Time(time.Hour / time.Microsecond)
)

// unknownPayout is a payout whose second step nobody knows about, marked once by
// a person, and compensated.
func unknownPayout() *model.Case {
	contract := model.Contract{Carrier: "header Idempotency-Key", Retention: 24 * time.Hour, ActsAreStored: true, Lookup: model.LookupReference, LongestCall: 30 * time.Second}
	return &model.Case{
		Intent: model.Intent{ID: "intent-1", Key: "pay-1", Kind: "payout", Account: "acme", State: model.NeedsReview, Reason: "Unknown.",
			Amount: 5000, Currency: "USD", Uncertain: 5000, Version: 7, CreatedAt: now, Fingerprint: []byte{0xab, 0xcd}, Params: []byte(`{"amount":5000}`),
			Owner: "person-1"},
		Compensations: []model.Compensation{{Step: "create-payout", State: model.CompensationOpen, ChildID: "intent-2"}},
		Steps: []*model.Step{
			{IntentID: "intent-1", Name: "verify-payee", Position: 1, Class: model.Pure, Generation: 1, State: model.Confirmed},
			{IntentID: "intent-1", Name: "create-payout", Position: 2, Class: model.Keyed, Generation: 2, WireKey: "intent-1:create-payout#2", State: model.OutcomeUnknown,
				Provider: "bank", Amount: 5000, Currency: "USD", NextTryAt: now + hour, Contract: contract,
				Generations: []model.Generation{{Number: 2, FrozenAt: now}},
				Attempts: []model.Attempt{
					{Number: 1, Generation: 1, WireKey: "intent-1:create-payout", Trigger: model.ByEngine, Worker: "boot-1/1", StartedAt: now, FinishedAt: now + 1,
						Result: model.ResultCurable, Reason: "Refused.", RequestID: "req-1", Connections: 1, BytesOut: 300, Status: 402, Replayed: true},
					{Number: 2, Generation: 2, WireKey: "intent-1:create-payout#2", Trigger: model.ByOperator, Worker: "boot-1/2", StartedAt: now + 2}},
				Evidence: []model.Evidence{
					{Source: model.FromQuery, Says: model.Inconclusive, At: now + 3, By: "boot-1/2", WireKey: "intent-1:create-payout#2", Detail: "No answer."},
					{Source: model.FromOperator, Says: model.Happened, At: now + 4, By: "Olga", Ref: "po_9", Amount: 5000, Currency: "USD", Document: "upload:upload-1", DocSHA256: "ff00"},
					{Source: model.FromOperator, Says: model.Happened, At: now + 5, By: "Olga", Ref: "po_9", Document: "https://bank.example/9"}}},
			{IntentID: "intent-1", Name: "post-ledger", Position: 3, Class: model.Local, Generation: 1, State: model.Confirmed, Operation: "ledger.post", Amount: 5000, Currency: "USD"},
			{IntentID: "intent-1", Name: "send-remittance", Position: 4, Class: model.Message, Generation: 1, State: model.Pending},
		},
	}
}

func somePlan() model.Plan {
	return model.Plan{
		Calls: []model.PlannedCall{{Step: "create-payout", StepKey: "intent-1:create-payout", WireKey: "k", Generation: 1, Class: model.Keyed, Method: "POST", URL: "http://bank/payouts",
			Body: "{}", BodySHA256: "aa", SentBefore: 1, LastSentAt: now, OnRepeat: "replays", SafeUntil: now + hour},
			{Step: "post-ledger", StepKey: "intent-1:post-ledger", Generation: 1, Class: model.Local}},
		Untouched: []model.PlannedStep{{Step: "verify-payee", StepKey: "intent-1:verify-payee", Class: model.Pure, State: model.Confirmed}},
		Then:      []model.PlannedStep{{Step: "send-remittance", StepKey: "intent-1:send-remittance", Class: model.Message, State: model.Pending}},
		Changes:   []model.PlannedChange{{Subject: "intent-1", From: "needs_review", To: "abandoned", Because: "Given up."}},
	}
}

func TestShapes(t *testing.T) {
	step, attempt, index, approval := "create-payout", 3, int64(4), "approval-1"
	plan, err := json.Marshal(somePlan())
	if err != nil {
		t.Fatal(err)
	}
	request, err := approvalOf(actions.Approval{ID: "approval-1", State: "open", Action: "compensate", Intent: "intent-1", Digest: "d1", Plan: plan, RequestedBy: "Olga", Needed: 1,
		Decisions: []actions.Decision{{By: "Ann", At: now, Says: "approve", Reason: "looks right"}}, ExpiresAt: now + hour})
	if err != nil {
		t.Fatal(err)
	}
	var item audit.Item
	if err := json.Unmarshal([]byte(`{"id":"audit-1","at":"2026-11-26T09:00:00Z","actor":{"type":"person","id":"person-1","name":"Olga","roles":["operator"]},
		"event":"action.retry_unfinished.executed","account":"acme","intent":"intent-1","step_key":"intent-1:create-payout","attempt":2,"reason":"because of this","detail":{"n":1},"leaf_hash":"00"}`), &item); err != nil {
		t.Fatal(err)
	}
	bare := item
	bare.Index, bare.Attempt, bare.Intent, bare.StepKey, bare.Account, bare.Reason = &index, 0, "", "", "", ""
	for name, shape := range map[string]any{
		"intent": intentOf(unknownPayout(), 2, verdictsOf([]actions.Verdict{
			{Action: "reconcile", Step: &step, Allowed: true, Rule: "reconcile.uncertain", Because: "It can be asked.", People: 1, Approvers: []string{}},
			{Action: "abandon", Rule: "rights.action.abandon", Because: "Only operators may.", People: 2, Approvers: []string{"Ann"}}}), model.NormalPace()),
		"intent-empty":  intentOf(&model.Case{Intent: model.Intent{ID: "intent-3", Params: []byte("{}")}}, 0, []Verdict{}, model.NormalPace()),
		"preview":       previewOf(actions.Preview{ID: "preview-1", Intent: "intent-1", Action: "retry_unfinished", Step: &step, Digest: "d1", Version: 7, Plan: somePlan(), People: 1, ExpiresAt: now + hour}),
		"preview-empty": previewOf(actions.Preview{ID: "preview-1", Intent: "intent-1", Action: "abandon", Digest: "d1", Version: 7, People: 2}),
		"approval":      request,
		"receipt":       Receipt(actions.Receipt{Outcome: "executed", Intent: "intent-1", Attempt: &attempt, Approval: &approval, Audit: "audit-1"}),
		"audit-waiting": auditItemOf(item),
		"audit-bare":    auditItemOf(bare),
	} {
		t.Run(name, func(t *testing.T) { golden(t, name, shape) })
	}
}

// golden compares a shape with its file in testdata.
func golden(t *testing.T, name string, shape any) {
	t.Helper()
	var got bytes.Buffer
	encoder := json.NewEncoder(&got)
	encoder.SetIndent("", "  ")
	encoder.SetEscapeHTML(false)
	if err := encoder.Encode(shape); err != nil {
		t.Fatal(err)
	}
	file := filepath.Join("testdata", name+".json")
	if *update {
		if err := os.WriteFile(file, got.Bytes(), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(got.Bytes(), want) {
		t.Errorf("got %s, want %s", got.Bytes(), want)
	}
}
