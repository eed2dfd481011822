package api

import (
	"encoding/json"
	"testing"

	"github.com/danielgtaylor/huma/v2"

	"countersign/internal/workflow"
)

// examples are bodies as callers send them.
var examples = []string{
	`{"kind":"payout","account":"acme","params":{"payee":{"reference":"rep-118","name":"Ada Rep","destination":"acct_9","email":"ada@example.com"},
	"amount":125050,"currency":"USD","period":"2026-10","memo":"October","requested_at":"2026-11-02T09:00:00Z"}}`,
	`{"kind":"payout","account":"acme","params":{"payee":{"reference":"rep-118","name":"Ada Rep","destination":"acct_9"},"amount":1,"currency":"JPY"}}`,
	`{"kind":"statement","account":"acme","params":{"rep":{"reference":"rep-118","name":"Ada Rep","email":"ada@example.com"},
	"period":{"from":"2026-10-01","to":"2026-11-01","zone":"America/New_York"},"currency":"USD",
	"lines":[{"reference":"s-1","description":"Sale 1","amount":90000},{"reference":"c-7","description":"Chargeback","amount":-1250}]}}`,
	`{"kind":"dispute","account":"acme","params":{"dispute":"dp_31","charge":"ch_8","amount":4200,"currency":"EUR","reason":"product_not_received",
	"response":"contest","credit":{"payee":{"reference":"rep-118","destination":"acct_9"},"amount":4200},"due_by":"2026-12-10T00:00:00Z",
	"notify":["ada@example.com"],"evidence":[{"type":"shipping","text":"sent"}]}}`,
	`{"kind":"dispute","account":"acme","params":{"dispute":"dp_31","charge":"ch_8","amount":4200,"currency":"EUR","reason":"fraud",
	"response":"accept","due_by":"2026-12-10T00:00:00Z"}}`,
}

// TestDocumentedParams holds the documented schemas against what is accepted.
func TestDocumentedParams(t *testing.T) {
	registry := huma.NewMapRegistry("#/components/schemas/", huma.DefaultSchemaNamer)
	schema := schemaOf[newIntent](registry)
	for _, example := range examples {
		var body any
		var asked newIntent
		if err := json.Unmarshal([]byte(example), &body); err != nil {
			t.Fatal(err)
		}
		result := &huma.ValidateResult{}
		huma.Validate(registry, schema, huma.NewPathBuffer([]byte{}, 0), huma.ModeWriteToServer, body, result)
		if len(result.Errors) > 0 {
			t.Errorf("documented otherwise: %v: %s", result.Errors, example)
		}
		if err := json.Unmarshal([]byte(example), &asked); err != nil {
			t.Fatal(err)
		}
		kind, _ := workflow.Lookup(asked.Kind)
		if _, err := kind.Accept(asked.Params); err != nil {
			t.Errorf("not accepted: %v: %s", err, example)
		}
	}
}
