package web

import (
	"net/http"
	"strings"
	"sync"

	"countersign/internal/model"
	"countersign/internal/web/problem"
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
	h.Set("Cache-Control", "no-store")
	h.Set("Content-Security-Policy", "default-src 'none'")
	h.Set("X-Content-Type-Options", "nosniff")
	kind, status, text := "text/html; charset=utf-8", http.StatusServiceUnavailable, startingPage
	switch {
	case strings.HasPrefix(r.URL.Path, "/v1/"):
		h.Set("Retry-After", "5")
		problem.Write(w, r, model.Errorf(model.Busy, "busy", "The database does not answer; nothing was stored. Try again.").With("retry_after", 5), requestID(r))
		return
	case r.URL.Path == "/healthz":
		kind, status, text = "text/plain; charset=utf-8", http.StatusOK, "ok\n"
	case r.URL.Path == "/readyz":
		kind, text = "text/plain; charset=utf-8", "database and schema: not ready\n"
	}
	if status != http.StatusOK {
		h.Set("Retry-After", "5")
	}
	h.Set("Content-Type", kind)
	w.WriteHeader(status)
	_, _ = w.Write([]byte(text)) // a caller that left needs no answer
}

const startingPage = `<!DOCTYPE html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>The database does not answer – Countersign</title></head>
<body><main><h1>The database does not answer</h1>
<p>Countersign runs, and tries to reach its database again and again. Nothing was read, stored or sent. Reload this page in a moment.</p></main></body></html>
`
