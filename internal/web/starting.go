package web

import (
	"bytes"
	"net/http"
	"strings"
	"sync"
	"time"

	"github.com/labstack/echo/v4"

	"countersign/internal/model"
	"countersign/internal/web/problem"
	"countersign/web/static"
	"countersign/web/templates"
)

// Starting answers while the database cannot be reached yet, so that a load
// balancer and a person both learn what is the matter; then it hands over to the
// pages. Until it knows of trouble it lets callers wait. It is safe for
// concurrent use; Open and Trouble may be called once each.
type Starting struct {
	pages   http.Handler
	opened  chan struct{}
	trouble chan struct{}
	once    sync.Once
}

// NewStarting gives a handler that knows no pages yet.
func NewStarting() *Starting {
	return &Starting{opened: make(chan struct{}), trouble: make(chan struct{})}
}

// Open hands over to the pages.
func (s *Starting) Open(pages http.Handler) {
	s.pages = pages
	close(s.opened)
}

// Trouble says that the start takes longer: callers are told so from now on.
func (s *Starting) Trouble() { s.once.Do(func() { close(s.trouble) }) }

// ServeHTTP implements http.Handler.
func (s *Starting) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	select {
	case <-s.opened:
	case <-s.trouble:
	case <-r.Context().Done():
		return
	}
	select {
	case <-s.opened:
		s.pages.ServeHTTP(w, r)
	default:
		notYet(w, r)
	}
}

// notYet answers that nothing can be done before the database is there.
func notYet(w http.ResponseWriter, r *http.Request) {
	h := w.Header()
	for name, value := range headers {
		h.Set(name, value)
	}
	id := newRequestID()
	h.Set(RequestIDHeader, id)
	kind, status, text := "text/plain; charset=utf-8", http.StatusServiceUnavailable, "database and schema: not ready\n"
	switch {
	case strings.HasPrefix(r.URL.Path, static.Prefix):
		static.Handler().ServeHTTP(w, r) // the page is to look like one
		return
	case r.URL.Path == "/healthz":
		status, text = http.StatusOK, "ok\n"
	case r.URL.Path == "/readyz":
	case wantsProblem(r):
		h.Set("Retry-After", "5")
		problem.Write(w, r, model.Errorf(model.Busy, "busy", "The database does not answer; nothing was stored. Try again.").With("retry_after", 5), id)
		return
	default:
		kind, text = "text/html; charset=utf-8", startingPage(w, r, id)
	}
	if status != http.StatusOK {
		h.Set("Retry-After", "5")
	}
	h.Set("Content-Type", kind)
	w.WriteHeader(status)
	_, _ = w.Write([]byte(text)) // a caller that left needs no answer
}

// startingPage says that there is no database yet. A form that was sent meanwhile
// can be sent again from it.
func startingPage(w http.ResponseWriter, r *http.Request, id string) string {
	r.Body = http.MaxBytesReader(w, r.Body, uploadLimit)
	v := &visit{c: echo.New().NewContext(r, w), r: r}
	view := templates.ErrorView{Title: "The database does not answer", NotDone: say("Nothing was read, stored or sent."),
		Page: templates.Page{Title: "The database does not answer", RequestID: id, Clock: templates.Clock{Now: time.Now().UnixMicro()}},
		Text: []templates.Text{say("Countersign runs, and tries to reach its database again and again.")},
		Next: []templates.Line{{Text: say("Reload this page in a moment.")}}}
	if sameSite(r) {
		view.Facts, view.Again = v.typed(), v.again(problem.Problem{Name: "busy"})
	}
	if view.Again != nil {
		view.Next = []templates.Line{{Text: say("Wait a moment, then send the form again: what you typed is in it.")}}
	}
	var page bytes.Buffer
	if err := templates.Error(view).Render(r.Context(), &page); err != nil {
		return "The database does not answer. Nothing was read, stored or sent."
	}
	return page.String()
}

// sameSite reports whether a form came from a page of this console.
func sameSite(r *http.Request) bool { return http.NewCrossOriginProtection().Check(r) == nil }
