package api

import (
	"context"
	"encoding/json"
	"errors"
	"log/slog"
	"strings"
	"testing"

	"countersign/internal/model"
)

// TestProblems has every problem that callers may meet, with its status.
func TestProblems(t *testing.T) {
	a := &api{Deps: Deps{Logger: slog.New(slog.DiscardHandler)}}
	for name, test := range map[string]struct {
		kind   model.Kind
		status int
		header string
	}{
		"idempotency-key-missing": {model.Invalid, 400, ""},
		"idempotency-key-invalid": {model.Invalid, 400, ""},
		"idempotency-key-reused":  {model.Conflict, 422, ""},
		"invalid-body":            {model.Invalid, 400, ""},
		"invalid-params":          {model.Invalid, 422, ""},
		"unauthenticated":         {model.Unauthenticated, 401, "WWW-Authenticate"},
		"not-found":               {model.NotFound, 404, ""},
		"denied":                  {model.Denied, 403, ""},
		"self-approval":           {model.Denied, 403, ""},
		"step-up-required":        {model.Denied, 403, ""},
		"action-refused":          {model.Conflict, 409, ""},
		"preview-stale":           {model.Stale, 409, ""},
		"preview-expired":         {model.Conflict, 409, ""},
		"preview-consumed":        {model.Stale, 409, ""},
		"digest-mismatch":         {model.Conflict, 409, ""},
		"approval-closed":         {model.Conflict, 409, ""},
		"intent-archived":         {model.Conflict, 410, ""},
		"too-large":               {model.Invalid, 413, ""},
		"busy":                    {model.Busy, 503, "Retry-After"},
		"outcome-unknown":         {model.Unknown, 503, "Retry-After"},
	} {
		err := a.fail(context.Background(), "test", model.Errorf(test.kind, name, "A sentence.").With("state", "open"))
		var f *failure
		var body map[string]any
		if !errors.As(err, &f) {
			t.Fatalf("%s: %T", name, err)
		}
		raw, _ := json.Marshal(f)
		json.Unmarshal(raw, &body)
		if f.GetStatus() != test.status || body["type"] != "https://countersign.invalid/problems/"+name || body["detail"] != "A sentence." || body["state"] != "open" {
			t.Errorf("%s: %d %s", name, f.GetStatus(), raw)
		}
		if test.header != "" && f.GetHeaders().Get(test.header) == "" {
			t.Errorf("%s without %s", name, test.header)
		}
	}
	err := a.fail(context.Background(), "test", errors.New("SELECT secret"))
	if raw, _ := json.Marshal(err); !strings.Contains(string(raw), `"status":500`) || strings.Contains(string(raw), "secret") {
		t.Errorf("%s", raw)
	}
}
