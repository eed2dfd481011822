package web

import (
	"bytes"
	"context"
	"errors"
	"log/slog"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/labstack/echo/v4"
)

func TestAReaderWhoLeftIsNoFailure(t *testing.T) {
	w := newWorld(t)
	var lines bytes.Buffer
	w.web.Logger = slog.New(slog.NewTextHandler(&lines, nil))
	answer := func(ctx context.Context) string {
		lines.Reset()
		request := httptest.NewRequestWithContext(ctx, "GET", "/workers", nil)
		w.web.fail(errors.New("the statement was cut off"), echo.New().NewContext(request, httptest.NewRecorder()))
		return lines.String()
	}
	gone, leave := context.WithCancel(t.Context())
	leave()
	if said := answer(gone); strings.Contains(said, "ERROR") || !strings.Contains(said, "the reader left") {
		t.Errorf("of a reader who left: %q", said)
	}
	if said := answer(t.Context()); !strings.Contains(said, "ERROR") || !strings.Contains(said, "the statement was cut off") {
		t.Errorf("of a failure: %q", said)
	}
}
