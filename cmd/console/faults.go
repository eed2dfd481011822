package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"slices"

	"countersign/internal/model"
	"countersign/internal/provider"
)

// armedFault is a fault as the sandbox is told of it, and tells of it.
type armedFault struct {
	Match faultMatch `json:"match"`
	Fault string     `json:"fault"`
	Times int        `json:"times"`
	MS    int64      `json:"ms"`
}

// faultMatch says which requests a fault is for.
type faultMatch struct {
	Operation string `json:"operation"`
	Reference string `json:"reference"`
}

// arm tells the sandbox to have a fault with one step of an intent, unless an
// earlier, interrupted start did: then it has what is left of it.
func (s *seeding) arm(ctx context.Context, intent string, f sampleFault) error {
	reference := model.StepKey(intent, f.step, 1)
	if f.operation == atMessages || f.operation == lookAtMessages {
		reference = provider.MessageID(reference)
	}
	fault := armedFault{faultMatch{f.operation, reference}, f.name, f.times, f.lasts.Milliseconds()}
	if slices.Contains(s.armed, fault) {
		return nil
	}
	return s.faults(ctx, http.MethodPost, fault, nil)
}

// faults calls the sandbox's own controls.
func (s *seeding) faults(ctx context.Context, method string, body, into any) error {
	text, err := json.Marshal(body)
	if err != nil {
		return err
	}
	request, err := http.NewRequestWithContext(ctx, method, s.sandbox.URL()+"/faults", bytes.NewReader(text))
	if err != nil {
		return err
	}
	answer, err := http.DefaultClient.Do(request)
	if err != nil {
		return fmt.Errorf("faults of the sandbox: %w", err)
	}
	defer answer.Body.Close()
	if answer.StatusCode > 299 {
		return fmt.Errorf("faults of the sandbox: %s %s", method, answer.Status)
	}
	if into == nil {
		return nil
	}
	return json.NewDecoder(answer.Body).Decode(into)
}
