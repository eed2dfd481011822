package e2e

import (
	"bytes"
	"encoding/json"
	"net/http"
	"testing"
	"time"
)

// ages is longer than any test.
const ages = 24 * time.Hour

// arm tells the bank to have a fault with one step of an intent.
func (p *product) arm(t *testing.T, reference, operation, fault string, lasts time.Duration) {
	t.Helper()
	body, err := json.Marshal(map[string]any{"match": map[string]string{"reference": reference, "operation": operation}, "fault": fault,
		"times": 1000, "ms": lasts.Milliseconds()})
	if err != nil {
		t.Fatal(err)
	}
	answer, err := http.Post(p.Sandbox+"/faults", "application/json", bytes.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	defer answer.Body.Close()
	if answer.StatusCode >= 300 {
		t.Fatalf("the bank does not take the fault %s: %s", fault, answer.Status)
	}
}

// lose makes a payout that needs an approval, lets the bank break every
// connection about it, and has it approved: its outcome stays unknown.
func (s *scene) lose(amount int, currency string) (intent string) {
	s.t.Helper()
	intent = s.postOf(amount, currency)
	request := s.requestOf(intent)
	reference := intent + ":create-payout"
	s.demo.arm(s.t, reference, "payouts", "drop_after_accept", 0)
	s.demo.arm(s.t, reference, "list_payouts", "500_before", 0)
	s.demo.arm(s.t, reference, "payouts", "webhook_late", ages)
	s.demo.call(s.t, s.person('a').APIKey, http.MethodPost, "/approvals/"+request.ID+"/approve", map[string]any{"reason": because, "digest": request.Digest}, new(any))
	for range 600 {
		var now struct {
			Steps []struct {
				Name  string `json:"name"`
				State string `json:"state"`
			} `json:"steps"`
		}
		s.demo.call(s.t, s.person('o').APIKey, http.MethodGet, "/intents/"+intent, nil, &now)
		for _, step := range now.Steps {
			if step.Name == "create-payout" && step.State == "outcome_unknown" {
				return intent
			}
		}
		time.Sleep(100 * time.Millisecond)
	}
	s.t.Fatalf("the outcome of %s does not become unknown", intent)
	return ""
}
