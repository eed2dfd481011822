package web

import (
	"bufio"
	"bytes"
	"context"
	"io"
	"log/slog"
	"net"
	"net/http"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"countersign/internal/model"
	"countersign/internal/store"
)

// listenTo opens a stream and gives its events as they come; the channel closes
// with the stream.
func (b *browser) listenTo(path string) (status int, events <-chan string) {
	b.Helper()
	ctx, stop := context.WithCancel(b.Context())
	b.Cleanup(stop)
	if strings.HasPrefix(path, "/") {
		path = b.url + path
	}
	req, err := http.NewRequestWithContext(ctx, "GET", path, nil)
	b.must(err)
	req.Header.Set("Accept", "text/event-stream")
	resp, err := b.client.Do(req)
	b.must(err)
	if resp.StatusCode != http.StatusOK {
		resp.Body.Close()
		return resp.StatusCode, nil
	}
	b.Cleanup(func() { resp.Body.Close() })
	heard := make(chan string, 100)
	go func() {
		defer close(heard)
		for in := bufio.NewScanner(resp.Body); in.Scan(); {
			if name, ok := strings.CutPrefix(in.Text(), "event: "); ok {
				heard <- name
			}
		}
	}()
	return resp.StatusCode, heard
}

// next waits for an event that is no sign of life; "" is the stream's end.
func (b *browser) next(events <-chan string) string {
	b.Helper()
	for late := time.After(20 * time.Second); ; {
		select {
		case name := <-events:
			if name != "beat" {
				return name
			}
		case <-late:
			b.Fatal("nothing was heard")
		}
	}
}

// silent fails when something is heard within a few looks.
func (b *browser) silent(events <-chan string, about string) {
	b.Helper()
	for after := time.After(20 * b.web.news.every); ; {
		select {
		case name := <-events:
			if name != "beat" {
				b.Errorf("%s: heard %q", about, name)
				return
			}
		case <-after:
			return
		}
	}
}

var liveAttribute = regexp.MustCompile(`data-live="([^"]+)"`)

// liveOf is the address of a page's stream, as the page has it.
func (b *browser) liveOf(path string) string {
	b.Helper()
	p := b.get(path)
	m := liveAttribute.FindStringSubmatch(p.body)
	if m == nil {
		b.Fatalf("%s has no stream: %d", path, p.status)
	}
	return strings.ReplaceAll(m[1], "&amp;", "&")
}

// quickNews is a world whose reader looks often.
func quickNews(t *testing.T) *world {
	t.Helper()
	w := newWorld(t)
	w.web.news.every, w.web.beat = 20*time.Millisecond, 50*time.Millisecond
	return w
}

// number gives the new entries their places in the log.
func (w *world) number() {
	w.Helper()
	_, err := w.log.Sequence(w.Context())
	w.must(err)
}

func TestAnOpenPageHearsOfChanges(t *testing.T) {
	w := quickNews(t)
	one, other := w.unknown("acme", "run-1", 90_050), w.unknown("acme", "run-2", 90_050)
	w.wait(time.Minute)
	olga := w.browse("Olga")
	status, page := olga.listenTo(olga.liveOf("/intents/" + one))
	if status != http.StatusOK {
		t.Fatalf("status %d", status)
	}
	_, queue := olga.listenTo(olga.liveOf("/"))
	olga.silent(page, "the page of an intent at rest")
	olga.post("/intents/"+other+"/owner", "do", "take")
	w.number()
	if got := olga.next(queue); got != "changed" {
		t.Errorf("the queue heard %q of an intent that was taken", got)
	}
	olga.silent(page, "the page of another intent")
	olga.post("/intents/"+one+"/owner", "do", "take")
	w.number()
	if got := olga.next(page); got != "changed" {
		t.Errorf("the page heard %q", got)
	}
}

func TestAPageHearsWhatHappenedBeforeItListened(t *testing.T) {
	w := quickNews(t)
	id := w.unknown("acme", "run-1", 90_050)
	w.wait(time.Minute)
	olga := w.browse("Olga")
	page, queue := olga.liveOf("/intents/"+id), olga.liveOf("/")
	w.wait(time.Second)
	olga.post("/intents/"+id+"/owner", "do", "take")
	w.number()
	for _, address := range []string{page, queue} {
		_, events := olga.listenTo(address)
		if got := olga.next(events); got != "changed" {
			t.Errorf("%s heard %q of what had happened meanwhile", address, got)
		}
	}
}

func TestNewsKeepToTheAccount(t *testing.T) {
	w := quickNews(t)
	id := w.unknown("acme", "run-1", 90_050)
	w.wait(time.Minute)
	gus, nemo, olga := w.browse("Gus"), w.browse("Nemo"), w.browse("Olga")
	for _, b := range []*browser{gus, nemo} {
		if status, _ := b.listenTo("/live?intent=" + id); status != http.StatusNotFound {
			t.Errorf("another account's intent: status %d", status)
		}
	}
	if status, _ := olga.listenTo("/live?intent=int_00000000000000000000000000"); status != http.StatusNotFound {
		t.Errorf("no intent: status %d", status)
	}
	if status, _ := w.browse("").listenTo("/live"); status != http.StatusUnauthorized {
		t.Errorf("nobody: status %d", status)
	}
	_, events := gus.listenTo(gus.liveOf("/"))
	gus.silent(events, "another account's queue, before")
	olga.post("/intents/"+id+"/owner", "do", "take")
	w.number()
	gus.silent(events, "another account's queue")
}

func TestStreamsAreFew(t *testing.T) {
	w := quickNews(t)
	var log bytes.Buffer
	w.web.Logger = slog.New(slog.NewTextHandler(&log, &slog.HandlerOptions{Level: slog.LevelWarn}))
	olga, again := w.browse("Olga"), w.browse("Olga")
	for range streamsPerSession {
		if status, _ := olga.listenTo("/live"); status != http.StatusOK {
			t.Fatalf("status %d", status)
		}
	}
	if status, _ := olga.listenTo("/live"); status != http.StatusServiceUnavailable {
		t.Errorf("one stream too many: status %d", status)
	}
	if log.Len() > 0 {
		t.Errorf("a bound that does its work is called an error: %s", log.String())
	}
	if status, _ := again.listenTo("/live"); status != http.StatusOK {
		t.Errorf("another browser of the same person: status %d", status)
	}
}

// TestStreamsOfOnePersonAreFew: in however many browsers they sign in, others can
// be told of changes.
func TestStreamsOfOnePersonAreFew(t *testing.T) {
	w := newWorld(t)
	n := newNews(w.db, w.log, slog.New(slog.DiscardHandler))
	n.every = time.Hour
	listen := func(session int, name string) error {
		s := &stream{session: strconv.Itoa(session), person: w.ids[name], since: w.db.Now()}
		t.Cleanup(func() { n.leave(s) })
		return n.join(s)
	}
	for session := range streamsPerPerson {
		w.must(listen(session, "Olga"))
	}
	if err := listen(streamsPerPerson, "Olga"); model.KindOf(err) != model.Busy {
		t.Errorf("one stream too many: %v", err)
	}
	w.must(listen(streamsPerPerson+1, "Otto"))
}

func TestAStreamEndsWithItsSession(t *testing.T) {
	w := quickNews(t)
	olga := w.browse("Olga")
	_, events := olga.listenTo("/live")
	if got := <-events; got != "beat" {
		t.Errorf("the stream begins with %q", got)
	}
	olga.post("/signout")
	if got := olga.next(events); got != "ended" {
		t.Errorf("after the sign-out %q was heard", got)
	}
	if got := olga.next(events); got != "" {
		t.Errorf("the stream goes on: %q", got)
	}
}

// A screen that nobody looks at must not keep its person signed in.
func TestRefreshingDoesNotKeepASessionAwake(t *testing.T) {
	w := quickNews(t)
	olga := w.browse("Olga")
	for range 5 {
		w.wait(store.SessionIdle / 4)
		req, err := http.NewRequestWithContext(t.Context(), "GET", w.url+"/", nil)
		w.must(err)
		req.Header.Set(refreshHeader, "1")
		if p := olga.do(req); p.status != http.StatusOK && p.header.Get("Location") == "" {
			t.Fatalf("status %d", p.status)
		}
	}
	if p := olga.get("/"); p.status != http.StatusSeeOther {
		t.Errorf("status %d after more than an hour of refreshing alone", p.status)
	}
	olga = w.browse("Olga")
	for range 5 {
		w.wait(store.SessionIdle / 4)
		olga.get("/")
	}
	if p := olga.get("/"); p.status != http.StatusOK {
		t.Errorf("status %d for somebody who reads", p.status)
	}
}

// The limits of a connection are for answers that end, and the stop of a server
// waits for no stream.
func TestStreamsOutliveLimitsButNotTheServer(t *testing.T) {
	w := quickNews(t)
	server := Listening(w.web.Handler(), slog.New(slog.DiscardHandler))
	server.ReadTimeout, server.WriteTimeout = 300*time.Millisecond, 300*time.Millisecond
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	w.must(err)
	served := make(chan error, 1)
	go func() { served <- server.Serve(listener) }()
	olga := w.browse("Olga")
	_, events := olga.listenTo("http://" + listener.Addr().String() + "/live")
	for began := time.Now(); time.Since(began) < time.Second; {
		if name, open := <-events; !open || name != "beat" {
			t.Fatalf("the stream broke after %s: %q", time.Since(began), name)
		}
	}
	stopped := time.Now()
	ctx, cancel := context.WithTimeout(t.Context(), 10*time.Second)
	defer cancel()
	if err := server.Shutdown(ctx); err != nil {
		t.Errorf("the stop: %v", err)
	}
	if took := time.Since(stopped); took > 5*time.Second {
		t.Errorf("the stop took %s", took)
	}
	<-served
}

func TestNobodyListensNothingIsRead(t *testing.T) {
	w := quickNews(t)
	olga := w.browse("Olga")
	if len(w.web.news.listeners()) != 0 || w.web.news.stop != nil {
		t.Error("the reader runs though nobody listens")
	}
	ctx, leave := context.WithCancel(t.Context())
	req, err := http.NewRequestWithContext(ctx, "GET", w.url+"/live", nil)
	w.must(err)
	req.Header.Set("Accept", "text/event-stream")
	resp, err := olga.client.Do(req)
	w.must(err)
	io.ReadAtLeast(resp.Body, make([]byte, 1), 1)
	if len(w.web.news.listeners()) != 1 {
		t.Error("nobody listens though a stream is open")
	}
	leave()
	resp.Body.Close()
	for range 200 {
		if len(w.web.news.listeners()) == 0 {
			break
		}
		time.Sleep(20 * time.Millisecond)
	}
	w.web.news.mu.Lock()
	defer w.web.news.mu.Unlock()
	if w.web.news.stop != nil {
		t.Error("the reader goes on after the last page left")
	}
}

func TestPagesThatAreKeptUpToDate(t *testing.T) {
	w := quickNews(t)
	example := w.examples()
	olga := w.browse("Olga")
	for _, path := range []string{"/", "/approvals", "/approvals/:id", "/intents/:id", "/uncertain", "/orphans", "/workers"} {
		if m := olga.liveOf(example(path)); !strings.HasPrefix(m, "/live?") {
			t.Errorf("%s listens to %s", path, m)
		}
	}
	for _, path := range []string{"/me", "/audit", "/signin", "/nothing", "/providers"} {
		if p := olga.get(path); liveAttribute.MatchString(p.body) {
			t.Errorf("%s is kept up to date", path)
		}
	}
	if got := w.web.routeLabel(livePath); got != livePath || !slices.ContainsFunc(w.web.routes(), func(r route) bool { return r.path == livePath }) {
		t.Error("the stream is no route")
	}
}
