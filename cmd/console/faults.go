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
	ID    int64      `json:"id,omitzero"`
	Match faultMatch `json:"match"`
	Fault string     `json:"fault"`
	Times int        `json:"times"`
	MS    int64      `json:"ms"`
	Bites int64      `json:"bites,omitzero"`
}

// same reports whether the other was armed by the same words.
func (f armedFault) same(other armedFault) bool {
	return f.Match == other.Match && f.Fault == other.Fault && f.Times == other.Times && f.MS == other.MS
}

// faultMatch says which requests a fault is for.
type faultMatch struct {
	Operation string `json:"operation"`
	Reference string `json:"reference"`
}

// aimed gives what matches the calls of one step at one operation.
func aimed(operation, stepKey string) faultMatch {
	if operation == atMessages || operation == lookAtMessages {
		stepKey = provider.MessageID(stepKey)
	}
	return faultMatch{operation, stepKey}
}

// arm tells the sandbox to have a fault with one step of an intent, unless an
// earlier, interrupted start did: then it has what is left of it.
func (s *seeding) arm(ctx context.Context, intent string, f sampleFault) error {
	fault := armedFault{Match: aimed(f.operation, model.StepKey(intent, f.step, 1)), Fault: f.name, Times: f.times, MS: f.lasts.Milliseconds()}
	if slices.ContainsFunc(s.armed, fault.same) {
		return nil
	}
	return s.faults(ctx, http.MethodPost, "", fault, nil)
}

// faults calls the sandbox's own controls; which is "" for all, or "/" and an id.
func (d *demo) faults(ctx context.Context, method, which string, body, into any) error {
	text, err := json.Marshal(body)
	if err != nil {
		return err
	}
	request, err := http.NewRequestWithContext(ctx, method, d.sandbox.URL()+"/faults"+which, bytes.NewReader(text))
	if err != nil {
		return err
	}
	answer, err := http.DefaultClient.Do(request)
	if err != nil {
		return &model.Error{Kind: model.Busy, Code: "busy", Message: "The sandbox provider does not answer just now; no fault was changed. Try again.", Cause: fmt.Errorf("faults of the sandbox: %w", err)}
	}
	defer answer.Body.Close()
	switch {
	case answer.StatusCode == http.StatusNotFound:
		return model.Errorf(model.NotFound, "not-found", "This fault is not armed any more.")
	case answer.StatusCode > 299:
		return fmt.Errorf("faults of the sandbox: %s %s", method, answer.Status)
	case into == nil:
		return nil
	}
	return json.NewDecoder(answer.Body).Decode(into)
}
