package server

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"sync"
	"testing"
	"time"

	standardwebhooks "github.com/standard-webhooks/standard-webhooks/libraries/go"
)

const testSecret = "whsec_c2FuZGJveC1zZWNyZXQtZm9yLXRlc3RzLW9ubHk="

// clock is a clock that a test can move.
type clock struct {
	mu    sync.Mutex
	shift time.Duration
}

func (c *clock) now() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	return time.Now().Add(c.shift)
}

func (c *clock) advance(d time.Duration) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.shift += d
}

// bench is a running sandbox with a client that never re-uses a connection.
type bench struct {
	t *testing.T
	*Server
	client *http.Client
}

func quiet() *slog.Logger { return slog.New(slog.DiscardHandler) }

func start(t *testing.T, change ...func(*Config)) *bench {
	t.Helper()
	cfg := Config{Data: filepath.Join(t.TempDir(), "sandbox.db"), Settle: 10 * time.Millisecond, Logger: quiet()}
	for _, c := range change {
		c(&cfg)
	}
	s, err := Open(cfg)
	if err != nil {
		t.Fatal(err)
	}
	if err := s.Start(); err != nil {
		t.Fatal(err)
	}
	b := &bench{t: t, Server: s, client: &http.Client{Transport: &http.Transport{DisableKeepAlives: true}, Timeout: 20 * time.Second}}
	t.Cleanup(b.close)
	return b
}

func (b *bench) close() {
	if b.Server == nil {
		return
	}
	ctx, cancel := context.WithTimeout(context.Background(), 5*time.Second)
	defer cancel()
	if err := b.Close(ctx); err != nil {
		b.t.Errorf("close: %v", err)
	}
	b.Server = nil
}

// restart closes the sandbox and opens the same books on the same port.
func (b *bench) restart() {
	b.t.Helper()
	cfg := b.cfg
	cfg.Addr = b.Addr()
	b.close()
	s, err := Open(cfg)
	if err != nil {
		b.t.Fatal(err)
	}
	if err := s.Start(); err != nil {
		b.t.Fatal(err)
	}
	b.Server = s
}

type reply struct {
	status int
	header http.Header
	body   map[string]any
	raw    string
}

func (r reply) str(name string) string { s, _ := r.body[name].(string); return s }

func (r reply) code() string {
	inner, _ := r.body["error"].(map[string]any)
	code, _ := inner["code"].(string)
	return code
}

// try sends one request; headers are name, value pairs.
func (b *bench) try(method, path, body string, headers ...string) (reply, error) {
	r, err := http.NewRequest(method, b.URL()+path, io.NopCloser(bytes.NewReader([]byte(body))))
	if err != nil {
		return reply{}, err
	}
	r.ContentLength = int64(len(body))
	if body == "" {
		r.Body = http.NoBody
	}
	for i := 0; i < len(headers); i += 2 {
		r.Header.Add(headers[i], headers[i+1])
	}
	resp, err := b.client.Do(r)
	if err != nil {
		return reply{}, err
	}
	defer resp.Body.Close()
	raw, err := io.ReadAll(resp.Body)
	out := reply{status: resp.StatusCode, header: resp.Header, raw: string(raw)}
	if err == nil {
		err = json.Unmarshal(raw, &out.body)
	}
	return out, err
}

// do is try where an error ends the test, and so does another status.
func (b *bench) do(status int, method, path, body string, headers ...string) reply {
	b.t.Helper()
	r, err := b.try(method, path, body, headers...)
	if err != nil {
		b.t.Fatalf("%s %s: %v", method, path, err)
	}
	if r.status != status {
		b.t.Fatalf("%s %s: status %d, want %d: %s", method, path, r.status, status, r.raw)
	}
	return r
}

func transfer(reference string) string {
	return `{"reference":"` + reference + `","destination":"acct_9","amount":125050,"currency":"USD","metadata":{"a":"b"}}`
}

func (b *bench) pay(key string) reply {
	b.t.Helper()
	return b.do(201, "POST", "/payouts", transfer(key), "Idempotency-Key", key)
}

func (b *bench) arm(body string) {
	b.t.Helper()
	b.do(201, "POST", "/faults", body)
}

func (b *bench) effects() []effect {
	b.t.Helper()
	var books struct{ Effects []effect }
	if err := json.Unmarshal([]byte(b.do(200, "GET", "/books", "").raw), &books); err != nil {
		b.t.Fatal(err)
	}
	return books.Effects
}

func (b *bench) wantEffects(n int) []effect {
	b.t.Helper()
	effects := b.effects()
	if len(effects) != n {
		b.t.Fatalf("books show %d effects, want %d: %+v", len(effects), n, effects)
	}
	return effects
}

func (b *bench) find(path string) []map[string]any {
	b.t.Helper()
	var page struct{ Items []map[string]any }
	if err := json.Unmarshal([]byte(b.do(200, "GET", path, "").raw), &page); err != nil {
		b.t.Fatal(err)
	}
	return page.Items
}

// eventually polls until ok holds.
func eventually(t *testing.T, what string, ok func() bool) {
	t.Helper()
	for end := time.Now().Add(10 * time.Second); time.Now().Before(end); time.Sleep(5 * time.Millisecond) {
		if ok() {
			return
		}
	}
	t.Fatalf("never came true: %s", what)
}

func (b *bench) settles(path, status string) {
	b.t.Helper()
	eventually(b.t, path+" becomes "+status, func() bool { return b.do(200, "GET", path, "").str("status") == status })
}

// event is one verified delivery.
type event struct {
	id, kind, status, object string
}

// inbox receives webhooks; while broken it answers 500.
type inbox struct {
	*httptest.Server
	mu     sync.Mutex
	events []event
	bad    []string
	broken bool
}

func newInbox(t *testing.T) *inbox {
	in := &inbox{}
	verifier, err := standardwebhooks.NewWebhook(testSecret)
	if err != nil {
		t.Fatal(err)
	}
	in.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		in.mu.Lock()
		defer in.mu.Unlock()
		if in.broken {
			w.WriteHeader(500)
			return
		}
		if err := verifier.Verify(body, r.Header); err != nil {
			in.bad = append(in.bad, err.Error())
			return
		}
		var e struct {
			Type string
			Data struct{ ID, Status string }
		}
		if err := json.Unmarshal(body, &e); err != nil {
			in.bad = append(in.bad, err.Error())
			return
		}
		in.events = append(in.events, event{r.Header.Get("webhook-id"), e.Type, e.Data.Status, e.Data.ID})
	}))
	t.Cleanup(func() {
		in.Close()
		if len(in.bad) > 0 {
			t.Errorf("deliveries that do not verify: %v", in.bad)
		}
	})
	return in
}

func (in *inbox) breaks(b bool) {
	in.mu.Lock()
	defer in.mu.Unlock()
	in.broken = b
}

func (in *inbox) got() []event {
	in.mu.Lock()
	defer in.mu.Unlock()
	return append([]event(nil), in.events...)
}

func (in *inbox) wants(t *testing.T, n int) []event {
	t.Helper()
	eventually(t, "events arrive", func() bool { return len(in.got()) >= n })
	return in.got()
}

func to(in *inbox) func(*Config) {
	return func(c *Config) { c.WebhookURL, c.WebhookSecret, c.Pace = in.URL, testSecret, 20 }
}
