package web

import (
	"context"
	"errors"
	"net/http"
	"net/http/httptest"
	"net/url"
	"testing"
	"time"

	"countersign/internal/store"
)

// blocked is a connection whose reader takes nothing until it is gone.
type blocked struct {
	http.ResponseWriter
	reached chan<- struct{}
	gone    <-chan struct{}
}

// Write waits for the reader, who leaves in the end.
func (b blocked) Write([]byte) (int, error) {
	b.reached <- struct{}{}
	<-b.gone
	return 0, errors.New("the reader has gone")
}

// untaken asks for an answer that nobody takes, and tells what its handler panicked
// with in the end.
func (b *browser) untaken(path string, reached chan<- struct{}, gone <-chan struct{}) <-chan any {
	b.Helper()
	at, err := url.Parse(b.url)
	b.must(err)
	r := httptest.NewRequestWithContext(b.Context(), http.MethodGet, path, nil)
	for _, c := range b.client.Jar.Cookies(at) {
		r.AddCookie(c)
	}
	panicked := make(chan any, 1)
	go func() {
		defer func() { panicked <- recover() }()
		b.web.Handler().ServeHTTP(blocked{httptest.NewRecorder(), reached, gone}, r)
	}()
	return panicked
}

// TestFilesThatNobodyTakesHoldNoRead: as many as SQLite has connections to read with
// leave the console as it was; and a file that broke off is cut, not ended.
func TestFilesThatNobodyTakesHoldNoRead(t *testing.T) {
	for path, person := range map[string]string{
		"/uncertain/file?format=csv":               "Olga",
		"/audit/export/file?format=csv&zone=UTC":   "Audrey",
		"/audit/export/file?format=jsonl&zone=UTC": "Audrey",
	} {
		w := newWorld(t)
		w.unknown("acme", "run-1", 90_050)
		reader := w.browse(person)
		reached, gone := make(chan struct{}, 8), make(chan struct{})
		var ends []<-chan any
		for range cap(reached) {
			ends = append(ends, reader.untaken(path, reached, gone))
		}
		for range cap(reached) {
			select {
			case <-reached:
			case <-time.After(20 * time.Second):
				t.Fatalf("%s: nothing is written", path)
			}
		}
		ctx, stop := context.WithTimeout(t.Context(), 10*time.Second)
		err := w.db.View(ctx, func(tx *store.Tx) error { _, err := tx.Hold(); return err })
		stop()
		if err != nil {
			t.Errorf("nothing can be read while %d of %s are not taken: %v", cap(reached), path, err)
		}
		close(gone)
		for _, end := range ends {
			if cut := <-end; cut != http.ErrAbortHandler {
				t.Errorf("%s: an answer that broke off ended with %v", path, cut)
			}
		}
	}
}
