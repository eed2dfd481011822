package server

import (
	"errors"
	"net"
	"net/http"
	"sync"
	"time"
)

// door is the listening socket, which refuse_connect closes for a while.
type door struct {
	mu       sync.Mutex
	listener net.Listener // nil while closed
	addr     string
	until    time.Time // when to open again, by the machine's clock
}

func (d *door) address() string {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.addr
}

// open serves a listener until that is closed.
func (s *Server) open(listener net.Listener) {
	s.door.mu.Lock()
	defer s.door.mu.Unlock()
	s.door.listener, s.door.addr = listener, listener.Addr().String()
	s.http.SetKeepAlivesEnabled(true)
	s.running.Go(func() {
		err := s.http.Serve(listener)
		if !errors.Is(err, http.ErrServerClosed) && !errors.Is(err, net.ErrClosed) {
			s.log.Error("sandbox: stopped listening", "address", listener.Addr().String(), "error", err)
		}
	})
}

// refuse closes the listener and the idle connections now, and opens the
// same port again after d. A second call while closed can only prolong it.
func (s *Server) refuse(d time.Duration) {
	s.door.mu.Lock()
	defer s.door.mu.Unlock()
	if until := time.Now().Add(d); until.After(s.door.until) {
		s.door.until = until
	}
	if s.door.listener == nil {
		return
	}
	if err := s.door.listener.Close(); err != nil {
		s.log.Error("sandbox: cannot close the listener", "error", err)
		return
	}
	s.door.listener = nil
	s.http.SetKeepAlivesEnabled(false)
	s.running.Go(s.reopen)
}

// reopen waits out the refusal and takes the port again, however long
// another program should hold it meanwhile.
func (s *Server) reopen() {
	for s.ctx.Err() == nil {
		s.door.mu.Lock()
		left := time.Until(s.door.until)
		s.door.mu.Unlock()
		if left > 0 {
			s.wait(s.ctx, left)
			continue
		}
		listener, err := net.Listen("tcp", s.door.address())
		if err == nil {
			s.open(listener)
			return
		}
		s.log.Error("sandbox: cannot listen again, trying on", "error", err)
		s.wait(s.ctx, 100*time.Millisecond)
	}
}
