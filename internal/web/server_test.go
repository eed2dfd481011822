package web

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"html"
	"io"
	"log/slog"
	"net/http"
	"net/http/cookiejar"
	"net/http/httptest"
	"net/url"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"testing"
	"time"

	"countersign/internal/actions"
	"countersign/internal/audit"
	"countersign/internal/authz"
	"countersign/internal/engine"
	"countersign/internal/metrics"
	"countersign/internal/model"
	"countersign/internal/provider"
	"countersign/internal/provider/sandbox"
	"countersign/internal/provider/sandbox/server"
	"countersign/internal/store"
	"countersign/internal/store/storetest"
	"countersign/internal/web/session"
	"countersign/internal/workflow"
)

// world is a whole installation behind the pages: database, engine and a
// provider. Its clock stands still until it is moved, and its engine works only
// when asked to.
type world struct {
	testing.TB
	db     *store.DB
	log    *audit.Log
	run    *actions.Runner
	engine *engine.Engine
	bank   *server.Server
	web    *Server
	url    string
	ids    map[string]string // of people, by name
	lab    *labBench

	mu    sync.Mutex
	clock time.Time
}

// password is everybody's who has one.
const password = "correct horse battery staple"

// cast are the people of the tests and what they are.
var cast = []struct {
	name, account string
	role          model.Role
}{
	{"Olga", "acme", model.RoleOperator}, {"Otto", "acme", model.RoleOperator}, {"Ann", "acme", model.RoleApprover}, {"Abe", "acme", model.RoleApprover},
	{"Audrey", "acme", model.RoleAuditor}, {"Ada", "acme", model.RoleAdministrator}, {"Gus", "globex", model.RoleOperator}, {"Nemo", "", ""},
}

func newWorld(t testing.TB) *world {
	t.Helper()
	return newWorldOver(t, func(bank string) string { return bank })
}

// newWorldOver is a world whose engine reaches the bank by another address.
func newWorldOver(t testing.TB, way func(bank string) string) *world {
	t.Helper()
	w := &world{TB: t, ids: map[string]string{}, clock: time.Date(2026, 11, 27, 9, 0, 0, 0, time.UTC)}
	w.openBank()
	registry, err := provider.NewRegistry(map[string]provider.Adapter{"bank": sandbox.New(sandbox.Config{Name: "bank", URL: way(w.bank.URL()),
		Secret: "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw", Clock: w.now})},
		map[string]provider.Routes{provider.AnyAccount: {Payouts: "bank", Credits: "bank", Disputes: "bank", Messages: "bank"}})
	w.must(err)
	w.db = storetest.Open(t, store.Options{Clock: w.now})
	timing := model.NormalPace()
	timing.Call = 2 * time.Second
	w.log = audit.New(w.db, bytes.Repeat([]byte{7}, 32))
	book := workflow.NewBook(registry)
	w.engine = engine.New(engine.Config{DB: w.db, Log: w.log, Book: book, Providers: registry, Timing: timing, Workers: 2, Clock: w.now,
		Spread: func() float64 { return 0.5 }})
	w.must(w.engine.Start(t.Context()))
	w.run = actions.New(w.db, w.log, book, timing, authz.DefaultTiers)
	w.update(w.populate)
	counts := metrics.New(w.db, w.log)
	w.web = New(Config{Metrics: counts.Handler(), Observe: counts.Answered, DB: w.db, Log: w.log, Runner: w.run, Timing: timing, Tiers: authz.DefaultTiers, Plain: true, Webhooks: w.engine,
		Health: w.engine.Healthy, Demo: w.demo()})
	outside := httptest.NewServer(w.web.Handler())
	t.Cleanup(outside.Close)
	w.url = outside.URL
	return w
}

func (w *world) openBank() {
	w.Helper()
	bank, err := server.Open(server.Config{Data: filepath.Join(w.TempDir(), "sandbox.db"), Addr: "127.0.0.1:0", Now: w.now,
		Settle: 2 * time.Second, Logger: slog.New(slog.DiscardHandler)})
	if err == nil {
		err = bank.Start()
	}
	w.must(err)
	w.bank = bank
	w.Cleanup(func() {
		ctx, cancel := context.WithTimeout(context.Background(), 5*time.Second)
		defer cancel()
		bank.Close(ctx)
	})
}

func (w *world) populate(tx *store.Tx) error {
	secret, err := session.Hash(password)
	if err != nil {
		return err
	}
	for _, p := range cast {
		person, err := tx.AddPerson(strings.ToLower(p.name)+"@example.com", p.name)
		if err != nil {
			return err
		}
		w.ids[p.name] = person.ID
		if p.account != "" {
			if err := tx.Grant(person.ID, p.account, p.role); err != nil {
				return err
			}
		}
		if p.name == "Olga" {
			if err := tx.SetPassword(person.ID, secret, ""); err != nil {
				return err
			}
		}
	}
	return nil
}

func (w *world) now() time.Time {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.clock
}

// wait moves the clock.
func (w *world) wait(d time.Duration) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.clock = w.clock.Add(d)
}

func (w *world) must(err error) {
	w.Helper()
	if err != nil {
		w.Fatal(err)
	}
}

func (w *world) update(fn func(*store.Tx) error) {
	w.Helper()
	w.must(w.db.Update(w.Context(), fn))
}

// work lets the engine do all that is due, and numbers the log.
func (w *world) work() {
	w.Helper()
	_, err := w.bank.CatchUp(w.Context())
	w.must(err)
	for range 100 {
		if w.engine.Pass(w.Context()) == 0 {
			break
		}
	}
	_, err = w.log.Sequence(w.Context())
	w.must(err)
}

// fault arms the provider.
func (w *world) fault(match map[string]string, fault string, times int) {
	w.Helper()
	body, err := json.Marshal(map[string]any{"match": match, "fault": fault, "times": times, "ms": 3_600_000})
	w.must(err)
	resp, err := http.Post(w.bank.URL()+"/faults", "application/json", bytes.NewReader(body))
	w.must(err)
	defer resp.Body.Close()
	if resp.StatusCode >= 300 {
		answer, _ := io.ReadAll(resp.Body)
		w.Fatalf("arm %s: %d %s", fault, resp.StatusCode, answer)
	}
}

// payout posts a payout of an account by its key "payroll", answered for by
// Ada, and lets the engine work. amount is in minor units of EUR.
func (w *world) payout(account, key string, amount int64) string {
	w.Helper()
	return w.payoutTo(key, account, key, amount)
}

// payoutTo makes a payout to a payee of one's choice.
func (w *world) payoutTo(payee, account, key string, amount int64) string {
	w.Helper()
	id := w.accept(payee, account, key, amount)
	w.work()
	return id
}

// accept makes a payout on which nobody has worked yet.
func (w *world) accept(payee, account, key string, amount int64) string {
	w.Helper()
	actor := authz.Actor{Type: model.ActorKey, ID: "key-1", Name: "payroll", Account: account,
		Key: &model.KeyInfo{ID: "key-1", Name: "payroll", Issuer: w.ids["Ada"], Abilities: []model.Ability{model.CanReadIntents, model.CanWriteIntents}}}
	params := fmt.Sprintf(`{"payee":{"reference":"rep-%s","name":"Ελένη Παπαδοπούλου","destination":"acct_9","email":"e@example.com"},"amount":%d,"currency":"EUR","period":"2026-10","memo":"October"}`, payee, amount)
	accepted, err := w.run.Accept(w.Context(), actor, actions.Submission{Key: key, Kind: model.KindPayout, Account: account, Params: json.RawMessage(params)})
	w.must(err)
	return accepted.Case.ID
}

// unknown makes a payout whose outcome is unknown.
func (w *world) unknown(account, key string, amount int64) string {
	w.Helper()
	w.fault(map[string]string{"method": "POST", "path": "/payouts"}, "drop_after_accept", 1)
	return w.payout(account, key, amount)
}

// browser is one person's, signed in; "" is nobody's.
type browser struct {
	*world
	client *http.Client
}

// page is an answer.
type page struct {
	status int
	header http.Header
	body   string
}

func (w *world) browse(name string) *browser {
	w.Helper()
	jar, err := cookiejar.New(nil)
	w.must(err)
	b := &browser{w, &http.Client{Jar: jar, CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}}
	if name != "" {
		var token string
		w.update(func(tx *store.Tx) (err error) {
			token, err = tx.AddSignInLink(w.ids[name], time.Hour)
			return err
		})
		if p := b.send("POST", "/signin/link", url.Values{"token": {token}}); p.status != http.StatusSeeOther {
			w.Fatalf("sign in %s: %d %s", name, p.status, p.text())
		}
	}
	return b
}

// send makes one request as it is.
func (b *browser) send(method, path string, form url.Values) page {
	b.Helper()
	req, err := http.NewRequestWithContext(b.Context(), method, b.url+path, strings.NewReader(form.Encode()))
	b.must(err)
	if method == http.MethodPost {
		req.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	}
	return b.do(req)
}

func (b *browser) do(req *http.Request) page {
	b.Helper()
	resp, err := b.client.Do(req)
	b.must(err)
	defer resp.Body.Close()
	body, err := io.ReadAll(resp.Body)
	b.must(err)
	return page{resp.StatusCode, resp.Header, string(body)}
}

func (b *browser) get(path string) page {
	b.Helper()
	return b.send("GET", path, nil)
}

var csrfField = regexp.MustCompile(`name="csrf" value="([^"]+)"`)

// post sends a form with the session's token.
func (b *browser) post(path string, fields ...string) page {
	b.Helper()
	form := url.Values{"csrf": {b.token()}}
	for i := 0; i+1 < len(fields); i += 2 {
		form.Add(fields[i], fields[i+1])
	}
	return b.send("POST", path, form)
}

// token is the session's, as every page of it carries it.
func (b *browser) token() string {
	if m := csrfField.FindStringSubmatch(b.get("/").body); m != nil {
		return m[1]
	}
	return ""
}

var tags = regexp.MustCompile(`(?s)<svg.*?</svg>|<[^>]*>`)

// text is what a reader sees of a page.
func (p page) text() string {
	return strings.Join(strings.Fields(html.UnescapeString(tags.ReplaceAllString(p.body, " "))), " ")
}

// wants fails unless a page has a status and says some words.
func (b *browser) wants(p page, status int, sentences ...string) {
	b.Helper()
	if p.status != status {
		b.Fatalf("status %d, want %d: %s", p.status, status, p.text())
	}
	for _, words := range sentences {
		if !strings.Contains(p.text(), words) {
			b.Errorf("%q is not on the page:\n%s", words, p.text())
		}
	}
}

func TestAnUnknownPayoutIsSeenAndUnderstood(t *testing.T) {
	w := newWorld(t)
	id := w.unknown("acme", "run-1", 90_050)
	olga := w.browse("Olga")
	olga.wants(olga.get("/"), 200, "Ελένη Παπαδοπούλου", "900.50 EUR", "Outcome unknown", "create-payout", "1 effect")
	p := olga.get("/intents/" + id)
	if !strings.Contains(p.body, "2</span> What is confirmed</h2>") {
		t.Error("a heading is read with its number as one word")
	}
	olga.wants(p, 200, "What was intended", "What is confirmed", "What is uncertain", "What happens next", "Who may decide",
		"900.50 EUR may or may not have been paid.", "acts at most once per key", "Safe to send again until", "Mark external result", "run-1", "No second person", "Compensate")
}
