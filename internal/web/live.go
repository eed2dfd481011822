package web

import (
	"context"
	"io"
	"net"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"

	"countersign/internal/model"
	"countersign/internal/store"
	"countersign/internal/web/paced"
)

// livePath is where an open page hears that something on it has changed.
const livePath = "/live"

// How a stream keeps a connection.
const (
	beatEvery   = 15 * time.Second // so that proxies and the page know that it lives
	writeWithin = 10 * time.Second // a reader that takes nothing for so long has gone
)

// refreshHeader marks a request that a page makes by itself. It does not keep
// the session awake: a screen that nobody looks at signs its person out.
const refreshHeader = "Countersign-Refresh"

// unattended reports whether nobody pressed anything for this request.
func unattended(r *http.Request) bool {
	return r.Header.Get(refreshHeader) != "" || r.URL.Path == livePath
}

// watched are the pages about many intents that are told of changes.
var watched = map[string]bool{"/": true, "/approvals": true, "/uncertain": true, "/orphans": true, "/workers": true, "/admin/hold": true}

// watch notes that the page is about one intent, as it stood when it was read.
func (v *visit) watch(c *model.Case) {
	v.live = url.Values{"intent": {c.ID}, "version": {strconv.FormatInt(c.Version, 10)}}
}

// liveAddress is the stream of the page that is being shown, or "".
func (v *visit) liveAddress() string {
	query := v.live
	if query == nil {
		if !watched[v.r.URL.Path] && !strings.HasPrefix(v.r.URL.Path, "/bulk") && !strings.HasPrefix(v.r.URL.Path, "/views/") {
			return ""
		}
		query = url.Values{}
	}
	query.Set("since", strconv.FormatInt(v.page.Clock.Now, 10))
	return livePath + "?" + query.Encode()
}

// liveStream tells an open page of changes for as long as it listens.
func (v *visit) liveStream() error {
	if !strings.Contains(v.r.Header.Get("Accept"), "text/event-stream") {
		return model.Errorf(model.Invalid, "not-acceptable", "This address gives a stream of events to a page that is open; there is nothing to read here.")
	}
	s, err := v.openStream()
	if err != nil {
		return err
	}
	if err := v.news.join(s); err != nil {
		return err
	}
	defer v.news.leave(s)
	return v.follow(s)
}

// openStream reads what is to be listened to, by the viewer's rights.
func (v *visit) openStream() (*stream, error) {
	s := &stream{session: v.actor.Session, person: v.actor.ID, accounts: v.actor.Accounts(), intent: v.c.QueryParam("intent"), since: v.now()}
	if made, err := strconv.ParseInt(v.c.QueryParam("since"), 10, 64); err == nil && made > 0 {
		s.since = sinceOf(made)
	}
	if s.intent == "" {
		return s, nil
	}
	s.version, _ = strconv.ParseInt(v.c.QueryParam("version"), 10, 64)
	return s, v.read(func(tx *store.Tx) error {
		_, err := tx.Intent(s.intent, s.accounts)
		return err
	})
}

// follow writes events until the page leaves, its session is over, or the server
// stops.
func (v *visit) follow(s *stream) error {
	out := v.beginStream()
	beat := time.NewTicker(v.beat)
	defer beat.Stop()
	err := out.event("beat")
	for err == nil {
		select {
		case <-s.changed:
			err = out.event("changed")
		case <-beat.C:
			err = out.event("beat")
		case <-s.ended:
			_ = out.event("ended") // the stream ends either way
			return nil
		case <-stopping(v.r):
			return nil
		case <-v.r.Context().Done():
			return nil
		}
	}
	return nil // a page that left is no fault
}

// eventWriter writes events to one connection.
type eventWriter struct{ *paced.Writer }

// beginStream sends the head of the answer. The connection's own limits are for
// answers that end, so each event gets one of its own.
func (v *visit) beginStream() eventWriter {
	w := v.c.Response()
	if a, ok := w.Writer.(*answer); ok {
		a.lasts = true
	}
	h := w.Header()
	h.Set("Content-Type", "text/event-stream; charset=utf-8")
	h.Set("X-Accel-Buffering", "no")                               // proxies are to pass events on at once
	_ = http.NewResponseController(w).SetReadDeadline(time.Time{}) // a recorder has none
	w.WriteHeader(http.StatusOK)
	return eventWriter{paced.Within(w, writeWithin)}
}

// event sends one event that says no more than its name.
func (w eventWriter) event(name string) error {
	if _, err := io.WriteString(w, "event: "+name+"\ndata:\n\n"); err != nil {
		return err
	}
	return w.Flush()
}

type stoppingKey struct{}

// stopping is closed when the server that took the request begins to stop.
func stopping(r *http.Request) <-chan struct{} {
	ctx, _ := r.Context().Value(stoppingKey{}).(context.Context)
	if ctx == nil {
		return nil
	}
	return ctx.Done()
}

// endStreams makes a server's stop end what would last for ever.
func endStreams(server *http.Server) {
	ctx, stop := context.WithCancel(context.Background())
	server.RegisterOnShutdown(stop)
	server.BaseContext = func(net.Listener) context.Context { return context.WithValue(context.Background(), stoppingKey{}, ctx) }
}

// wantsEvents reports whether a page's script asks for its stream, which cannot
// follow to the sign-in.
func wantsEvents(r *http.Request) bool {
	return r.URL.Path == livePath && strings.Contains(r.Header.Get("Accept"), "text/event-stream")
}
