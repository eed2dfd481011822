package problem

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/labstack/echo/v4"

	"countersign/internal/model"
)

func TestOf(t *testing.T) {
	cases := []struct {
		err    error
		name   string
		status int
	}{
		{model.Errorf(model.Invalid, "idempotency-key-missing", "x"), "idempotency-key-missing", 400},
		{model.Errorf(model.Conflict, "idempotency-key-reused", "x"), "idempotency-key-reused", 422},
		{model.Errorf(model.Invalid, "", "x"), "invalid-params", 422},
		{model.Errorf(model.Invalid, "audit-range", "x"), "invalid-params", 422},
		{model.Errorf(model.Denied, "self-approval", "x"), "self-approval", 403},
		{fmt.Errorf("reading: %w", model.Errorf(model.NotFound, "", "x")), "not-found", 404},
		{model.Errorf(model.Stale, "preview-stale", "x"), "preview-stale", 409},
		{model.Errorf(model.Unknown, "", "x"), "outcome-unknown", 503},
		{model.Errorf(model.Internal, "not-found", "x"), "internal", 500},
		{model.NotFound, "not-found", 404},
		{echo.ErrNotFound, "not-found", 404},
		{echo.ErrMethodNotAllowed, "method-not-allowed", 405},
		{echo.ErrUnsupportedMediaType, "unsupported-media-type", 415},
		{&http.MaxBytesError{Limit: 1}, "too-large", 413},
		{context.DeadlineExceeded, "busy", 503},
		{errors.New("SELECT secret"), "internal", 500},
	}
	for _, c := range cases {
		if p := Of(c.err); p.Name != c.name || p.Status != c.status || p.Title == "" || p.Detail == "" {
			t.Errorf("Of(%v) = %s %d %q %q, want %s %d", c.err, p.Name, p.Status, p.Title, p.Detail, c.name, c.status)
		}
	}
}

func TestKindsAreInTheTable(t *testing.T) {
	for kind := model.Internal; kind <= model.Unknown; kind++ {
		if _, ok := Status(byKind[kind]); !ok {
			t.Errorf("kind %v has no problem", kind)
		}
	}
}

func TestInternalErrorsSayNothing(t *testing.T) {
	w := httptest.NewRecorder()
	Write(w, httptest.NewRequest("GET", "/", nil), &model.Error{Message: "password=hunter2", Extra: map[string]any{"q": "hunter2"}}, "req_1")
	if strings.Contains(w.Body.String(), "hunter2") || !strings.Contains(w.Body.String(), "req_1") {
		t.Errorf("body %s", w.Body)
	}
}

func TestWrite(t *testing.T) {
	w := httptest.NewRecorder()
	err := model.Errorf(model.Conflict, "action-refused", "No.").With("rule", "conflict.open").WithFields(model.Field{Location: "body.amount", Message: "too big"})
	Write(w, httptest.NewRequest("POST", "/v1/x", nil), err, "req_7")
	var got map[string]any
	if bad := json.Unmarshal(w.Body.Bytes(), &got); bad != nil {
		t.Fatal(bad)
	}
	if w.Code != 409 || w.Header().Get("Content-Type") != MediaType || got["type"] != Base+"action-refused" ||
		got["rule"] != "conflict.open" || got["request_id"] != "req_7" || len(got["errors"].([]any)) != 1 {
		t.Errorf("%d %v %s", w.Code, w.Header(), w.Body)
	}
}

func TestWriteHeaders(t *testing.T) {
	for kind, header := range map[model.Kind]string{model.Busy: "Retry-After", model.Unknown: "Retry-After", model.Unauthenticated: "WWW-Authenticate"} {
		w := httptest.NewRecorder()
		Write(w, httptest.NewRequest("GET", "/", nil), model.Errorf(kind, "", "x"), "r")
		if w.Header().Get(header) == "" {
			t.Errorf("%v without %s", kind, header)
		}
	}
}
