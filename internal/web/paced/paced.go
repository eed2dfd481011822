// Package paced writes answers that may be long. Each piece of one has its own time
// to be taken: a slow reader gets all of it, and one that takes nothing is let go.
package paced

import (
	"errors"
	"net/http"
	"time"
)

// How an answer is written.
const (
	pieceSize = 64 << 10 // bytes
	pieceTime = time.Minute
)

// Writer writes to one connection in pieces, each with a deadline of its own. It is
// for one goroutine, as an answer is.
type Writer struct {
	answer  http.ResponseWriter
	control *http.ResponseController
	within  time.Duration
}

// New writes to an answer that may have wrappers around it, as far as they unwrap.
func New(answer http.ResponseWriter) *Writer { return Within(answer, pieceTime) }

// Within is New for a reader that has so long to take each piece.
func Within(answer http.ResponseWriter, piece time.Duration) *Writer {
	return &Writer{answer, http.NewResponseController(answer), piece}
}

// Write writes all of p, or tells how much left and why no more did.
func (w *Writer) Write(p []byte) (written int, err error) {
	for written < len(p) && err == nil {
		var n int
		if err = w.putOff(); err == nil {
			n, err = w.answer.Write(p[written:min(written+pieceSize, len(p))])
			written += n
		}
	}
	return written, err
}

// Flush sends what was written, within the time of a piece.
func (w *Writer) Flush() error {
	if err := w.putOff(); err != nil {
		return err
	}
	return w.control.Flush()
}

// putOff gives the next piece its time. What has no deadlines needs none: a recorder.
func (w *Writer) putOff() error {
	err := w.control.SetWriteDeadline(time.Now().Add(w.within))
	if errors.Is(err, http.ErrNotSupported) {
		return nil
	}
	return err
}
