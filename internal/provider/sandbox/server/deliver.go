package server

import (
	"context"
	"net"
	"net/http"
	"time"

	"github.com/go-json-experiment/json"
)

// keepBack waits as long as the fault delays the answer or the cut.
func (s *Server) keepBack(ctx context.Context, f fault) {
	if f.name == hangAfter || f.name == slow {
		s.wait(ctx, f.wait)
	}
}

// deliver sends the answer, or what the fault makes of it.
func (s *Server) deliver(w http.ResponseWriter, out answer, f fault) {
	switch f.name {
	case refuseConnect:
		s.refuse(f.wait)
		cut(w)
	case dropBefore, dropAfter, hangAfter:
		cut(w)
	case truncatedBody:
		s.truncate(w, out)
	case otherKey:
		s.send(w, echoOther(out))
	default:
		s.send(w, out)
	}
}

// wait ends early when the caller leaves or the sandbox closes.
func (s *Server) wait(ctx context.Context, d time.Duration) {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
	case <-ctx.Done():
	case <-s.ctx.Done():
	}
}

// cut resets the connection, so that the caller reads an error, not an end.
func cut(w http.ResponseWriter) {
	conn, _, err := http.NewResponseController(w).Hijack()
	if err != nil {
		panic(http.ErrAbortHandler)
	}
	if tcp, ok := conn.(*net.TCPConn); ok {
		// Best effort: without it the close is a FIN, which is a cut as well.
		_ = tcp.SetLinger(0)
	}
	_ = conn.Close()
}

// truncate promises the whole body and sends half of it.
func (s *Server) truncate(w http.ResponseWriter, out answer) {
	s.head(w, out)
	_, err := w.Write(out.body[:len(out.body)/2])
	if err == nil {
		err = http.NewResponseController(w).Flush()
	}
	if err != nil {
		s.log.Debug("sandbox: the caller left before the answer", "error", err)
	}
	panic(http.ErrAbortHandler)
}

// echoOther makes a single object in an answer look like another request's.
func echoOther(out answer) answer {
	var o object
	if err := json.Unmarshal(out.body, &o); err != nil || o.ID == "" {
		return out
	}
	o.Reference += "-other"
	if o.MessageID != "" {
		o.MessageID = o.Reference
	}
	changed := jsonAnswer(out.status, &o)
	changed.replayed = out.replayed
	return changed
}
