package api_test

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/labstack/echo/v4"

	"countersign/internal/actions"
	"countersign/internal/audit"
	"countersign/internal/authz"
	"countersign/internal/engine"
	"countersign/internal/model"
	"countersign/internal/provider"
	"countersign/internal/provider/sandbox"
	"countersign/internal/provider/sandbox/server"
	"countersign/internal/store"
	"countersign/internal/store/storetest"
	"countersign/internal/web/api"
	"countersign/internal/workflow"
)

// world is a whole installation behind the interface: database, engine and a
// provider. Its clock stands still until it is moved.
type world struct {
	testing.TB
	db     *store.DB
	log    *audit.Log
	engine *engine.Engine
	bank   *server.Server
	deps   api.Deps
	url    string
	keys   map[string]string // by name of their holder
	people map[string]string // ids, by name

	mu    sync.Mutex
	clock time.Time
	hooks struct{ before, after error }
}

func (w *world) now() time.Time {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.clock
}

func (w *world) advance(d time.Duration) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.clock = w.clock.Add(d)
}

// newWorld starts everything on empty books, with people and keys: olga and
// otto operate, ann and abe approve, audrey audits and ada administers acme;
// gus operates globex; "service" writes and reads intents of acme, "reader"
// reads them and the log.
func newWorld(t testing.TB) *world {
	t.Helper()
	w := &world{TB: t, keys: map[string]string{}, people: map[string]string{}, clock: time.Date(2026, 11, 27, 9, 0, 0, 0, time.UTC)}
	w.bank = openBank(t, w)
	adapter := sandbox.New(sandbox.Config{Name: "bank", URL: w.bank.URL(), Secret: "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw", Clock: w.now})
	registry, err := provider.NewRegistry(map[string]provider.Adapter{"bank": adapter}, map[string]provider.Routes{
		provider.AnyAccount: {Payouts: "bank", Credits: "bank", Disputes: "bank", Messages: "bank"}})
	w.must(err)
	w.db = storetest.Open(t, store.Options{Clock: w.now, BeforeCommit: func() error { return w.hook(&w.hooks.before) },
		AfterCommit: func() error { return w.hook(&w.hooks.after) }})
	timing := model.NormalPace()
	timing.Call = 2 * time.Second
	w.log = audit.New(w.db, bytes.Repeat([]byte{7}, 32))
	book := workflow.NewBook(registry)
	w.engine = engine.New(engine.Config{DB: w.db, Log: w.log, Book: book, Providers: registry, Timing: timing, Workers: 2,
		Clock: w.now, Spread: func() float64 { return 0.5 }})
	w.must(w.engine.Start(t.Context()))
	w.populate()
	w.deps = api.Deps{DB: w.db, Log: w.log, Runner: actions.New(w.db, w.log, book, timing, authz.DefaultTiers), Timing: timing, Tiers: authz.DefaultTiers, Wait: time.Nanosecond}
	w.serve(w.deps)
	return w
}

func openBank(t testing.TB, w *world) *server.Server {
	t.Helper()
	bank, err := server.Open(server.Config{Data: filepath.Join(t.TempDir(), "sandbox.db"), Addr: "127.0.0.1:0", Now: w.now,
		Settle: 2 * time.Second, Logger: slog.New(slog.DiscardHandler)})
	if err == nil {
		err = bank.Start()
	}
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		ctx, cancel := context.WithTimeout(context.Background(), 5*time.Second)
		defer cancel()
		bank.Close(ctx)
	})
	return bank
}

func (w *world) must(err error) {
	w.Helper()
	if err != nil {
		w.Fatal(err)
	}
}

func (w *world) hook(err *error) error {
	w.mu.Lock()
	defer w.mu.Unlock()
	fails := *err
	*err = nil
	return fails
}

// failNext makes the next commit fail, unapplied or after it was applied.
func (w *world) failNext(hook *error, err error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	*hook = err
}

// populate makes people and keys.
func (w *world) populate() {
	w.Helper()
	roles := map[string]model.Role{"olga": model.RoleOperator, "otto": model.RoleOperator, "ann": model.RoleApprover, "abe": model.RoleApprover,
		"audrey": model.RoleAuditor, "ada": model.RoleAdministrator, "gus": model.RoleOperator}
	w.must(w.db.Update(w.Context(), func(tx *store.Tx) error {
		for name, role := range roles {
			account := "acme"
			if name == "gus" {
				account = "globex"
			}
			p, err := tx.AddPerson(name+"@example.com", name)
			if err == nil {
				err = tx.Grant(p.ID, account, role)
			}
			if err == nil {
				_, w.keys[name], err = tx.AddPersonKey(p.ID, "test", tx.Now().Add(1000*time.Hour))
			}
			if err != nil {
				return err
			}
			w.people[name] = p.ID
		}
		var err error
		if _, w.keys["unfresh"], err = tx.AddPersonKey(w.people["olga"], "without step-up", 0); err != nil {
			return err
		}
		if _, w.keys["service"], err = tx.AddServiceKey("acme", "payroll", w.people["ada"], []model.Ability{model.CanReadIntents, model.CanWriteIntents}); err != nil {
			return err
		}
		_, w.keys["reader"], err = tx.AddServiceKey("acme", "warehouse", w.people["ada"], []model.Ability{model.CanReadIntents, model.CanReadAudit})
		return err
	}))
}

func (w *world) serve(deps api.Deps) {
	e := echo.New()
	e.Use(func(next echo.HandlerFunc) echo.HandlerFunc {
		return func(c echo.Context) error {
			c.Response().Header().Set(echo.HeaderXRequestID, "req_test")
			return next(c)
		}
	})
	api.Register(e, deps)
	server := httptest.NewServer(e)
	w.Cleanup(server.Close)
	w.url = server.URL
}

// answer is what a call came back with.
type answer struct {
	testing.TB
	status int
	header http.Header
	raw    []byte
	json   map[string]any
}

// call sends one request as the holder of a key. body is text, or encoded as
// JSON; headers are pairs.
func (w *world) call(who, method, path string, body any, headers ...string) answer {
	w.Helper()
	var reader io.Reader
	switch b := body.(type) {
	case nil:
	case string:
		reader = strings.NewReader(b)
	default:
		raw, err := json.Marshal(b)
		w.must(err)
		reader = bytes.NewReader(raw)
	}
	req, err := http.NewRequestWithContext(w.Context(), method, w.url+path, reader)
	w.must(err)
	if reader != nil {
		req.Header.Set("Content-Type", "application/json")
	}
	if key := w.keys[who]; key != "" {
		req.Header.Set("Authorization", "Bearer "+key)
	}
	for i := 0; i+1 < len(headers); i += 2 {
		req.Header[headers[i]] = append(req.Header[headers[i]], headers[i+1])
		if headers[i] == "Content-Type" {
			req.Header[headers[i]] = []string{headers[i+1]}
		}
	}
	return w.read(http.DefaultClient.Do(req))
}

func (w *world) read(resp *http.Response, err error) answer {
	w.Helper()
	w.must(err)
	defer resp.Body.Close()
	a := answer{TB: w.TB, status: resp.StatusCode, header: resp.Header}
	a.raw, err = io.ReadAll(resp.Body)
	w.must(err)
	json.Unmarshal(a.raw, &a.json)
	return a
}

// is checks the status and, for a problem, its name.
func (a answer) is(status int, problem string) answer {
	a.Helper()
	name := ""
	if kind, _ := a.json["type"].(string); a.header.Get("Content-Type") == "application/problem+json" {
		name = strings.TrimPrefix(kind, "https://countersign.invalid/problems/")
	}
	if a.status != status || name != problem {
		a.Fatalf("got %d %q, want %d %q: %s", a.status, name, status, problem, a.raw)
	}
	return a
}

// text is a member of the answer, by its path.
func (a answer) text(path ...string) string {
	a.Helper()
	value, ok := a.at(path...).(string)
	if !ok {
		a.Fatalf("%v is no text in %s", path, a.raw)
	}
	return value
}

// at is a member of the answer; a member that is missing fails the test.
func (a answer) at(path ...string) any {
	a.Helper()
	var value any = a.json
	for _, name := range path {
		members, _ := value.(map[string]any)
		next, ok := members[name]
		if !ok {
			a.Fatalf("no %v in %s", path, a.raw)
		}
		value = next
	}
	return value
}

func (a answer) items() []map[string]any {
	a.Helper()
	var list []map[string]any
	for _, item := range a.at("items").([]any) {
		list = append(list, item.(map[string]any))
	}
	return list
}

// payout is the body of a payout of so many cents.
func payout(amount int64, more ...any) map[string]any {
	params := map[string]any{"payee": map[string]any{"reference": "rep-118", "name": "Ada Rep", "destination": "acct_9"},
		"amount": amount, "currency": "USD", "period": "2026-10"}
	for i := 0; i+1 < len(more); i += 2 {
		params[more[i].(string)] = more[i+1]
	}
	return map[string]any{"kind": "payout", "account": "acme", "params": params}
}

// post posts a payout under a key and gives the intent's id.
func (w *world) post(key string, amount int64) string {
	w.Helper()
	return w.call("service", "POST", "/v1/intents", payout(amount), "Idempotency-Key", key).is(201, "").text("id")
}

// run lets the engine do what is due within a span of its time.
func (w *world) run(span time.Duration) {
	w.Helper()
	for end := w.now().Add(span); ; w.advance(100 * time.Millisecond) {
		_, err := w.bank.CatchUp(w.Context())
		w.must(err)
		for w.engine.Pass(w.Context()) > 0 {
		}
		if !w.now().Before(end) {
			return
		}
	}
}

// sequence numbers the waiting audit entries.
func (w *world) sequence() {
	w.Helper()
	_, err := w.log.Sequence(w.Context())
	w.must(err)
}

// waitingForApproval makes a payout that people must approve.
func (w *world) waitingForApproval(key string) (intent, approval string) {
	w.Helper()
	intent = w.post(key, 420_000)
	w.run(time.Second)
	list := w.call("ann", "GET", "/v1/approvals?state=open", nil).is(200, "").items()
	if len(list) != 1 {
		w.Fatalf("%d approvals, want 1", len(list))
	}
	return intent, list[0]["id"].(string)
}
