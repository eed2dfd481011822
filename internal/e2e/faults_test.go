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

// arm tells the bank to have a fault with one step of an intent, whenever it is
// asked.
func (p *product) arm(t *testing.T, reference, operation, fault string, lasts time.Duration) {
	t.Helper()
	p.armTimes(t, reference, operation, fault, 1000, lasts)
}

// armTimes tells the bank to have a fault so many times.
func (p *product) armTimes(t *testing.T, reference, operation, fault string, times int, lasts time.Duration) {
	t.Helper()
	body, err := json.Marshal(map[string]any{"match": map[string]string{"reference": reference, "operation": operation}, "fault": fault,
		"times": times, "ms": lasts.Milliseconds()})
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
	s.approve(request)
	s.stands(intent, "outcome_unknown")
	return intent
}

// refuse makes a payout that the bank refuses once, for a cause that can be
// cured: it waits for a person.
func (s *scene) refuse(amount int, currency string) (intent string) {
	s.t.Helper()
	intent = s.postOf(amount, currency)
	request := s.requestOf(intent)
	s.demo.armTimes(s.t, intent+":create-payout", "payouts", "reject_curable", 1, 0)
	s.approve(request)
	s.stands(intent, "failed_safely")
	return intent
}

// approve signs a request as the approver.
func (s *scene) approve(r request) {
	s.t.Helper()
	s.demo.call(s.t, s.person('a').APIKey, http.MethodPost, "/approvals/"+r.ID+"/approve", map[string]any{"reason": because, "digest": r.Digest}, new(any))
}

// stands waits until an intent, or its payout, is in a state.
func (s *scene) stands(intent, state string) {
	s.t.Helper()
	for range 600 {
		var now struct {
			State string `json:"state"`
			Steps []struct {
				Name  string `json:"name"`
				State string `json:"state"`
			} `json:"steps"`
		}
		s.demo.call(s.t, s.person('o').APIKey, http.MethodGet, "/intents/"+intent, nil, &now)
		if now.State == state {
			return
		}
		for _, step := range now.Steps {
			if step.Name == "create-payout" && step.State == state {
				return
			}
		}
		time.Sleep(100 * time.Millisecond)
	}
	s.t.Fatalf("neither %s nor its payout becomes %s", intent, state)
}
