package server

import (
	"bufio"
	"context"
	"database/sql"
	"fmt"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"
)

func TestKeys(t *testing.T) {
	b := start(t)
	post := func(status int, path, body string, headers ...string) reply {
		t.Helper()
		return b.do(status, "POST", path, body, headers...)
	}
	if r := post(400, "/payouts", transfer("k")); r.code() != "key_missing" {
		t.Error(r.raw)
	}
	for _, key := range []string{"", strings.Repeat("k", 256), "k\u00e9y"} {
		if r := post(400, "/payouts", transfer("k"), "Idempotency-Key", key); r.code() != "key_invalid" {
			t.Errorf("%q: %s", key, r.raw)
		}
	}
	long := strings.Repeat("k", 255)
	first := post(201, "/payouts", transfer("k"), "Idempotency-Key", long)
	if first.header.Get("Idempotent-Replayed") != "" {
		t.Error("a first answer says that it is a replay")
	}
	again := post(201, "/payouts", transfer("k"), "Idempotency-Key", long)
	if again.raw != first.raw || again.header.Get("Idempotent-Replayed") != "true" {
		t.Errorf("replay: %s", again.raw)
	}
	if r := post(422, "/payouts", transfer("k2"), "Idempotency-Key", long); r.code() != "key_reused" {
		t.Error(r.raw)
	}
	if r := post(422, "/credits", transfer("k"), "Idempotency-Key", long); r.code() != "key_reused" {
		t.Error(r.raw)
	}
	b.wantEffects(1)
}

// Outside the retention a key is new again. Pace does not shorten that.
func TestRetention(t *testing.T) {
	var c clock
	b := start(t, func(cfg *Config) { cfg.Now, cfg.Retention, cfg.Pace = c.now, time.Hour, 20 })
	b.pay("k")
	c.advance(59 * time.Minute)
	b.pay("k")
	b.wantEffects(1)
	c.advance(2 * time.Minute)
	if r := b.pay("k"); r.header.Get("Idempotent-Replayed") != "" {
		t.Error("replayed after the retention")
	}
	b.wantEffects(2)
}

func TestFiftyPostsOfOneKeyMakeOneEffect(t *testing.T) {
	b := start(t)
	var all sync.WaitGroup
	var mu sync.Mutex
	counts := map[string]int{}
	for range 50 {
		all.Go(func() {
			r, err := b.try("POST", "/payouts", transfer("k"), "Idempotency-Key", "k")
			mu.Lock()
			defer mu.Unlock()
			counts[fmt.Sprint(r.status, r.header.Get("Idempotent-Replayed"), r.code(), err)]++
		})
	}
	all.Wait()
	if counts["201<nil>"] != 1 || counts["201true<nil>"]+counts["409key_in_use<nil>"] != 49 {
		t.Errorf("answers: %v", counts)
	}
	b.wantEffects(1)
}

func TestRestartGoesOn(t *testing.T) {
	var c clock
	in := newInbox(t)
	in.breaks(true)
	b := start(t, to(in), func(cfg *Config) { cfg.Pace, cfg.Now = 1000, c.now })
	id := b.pay("paid").str("id")
	b.settles("/payouts/"+id, "paid")
	open := b.do(201, "POST", "/payouts", transfer("open"), "Idempotency-Key", "open", "Sandbox-Fault", "settle_late;ms=200000").str("id")
	b.arm(`{"fault":"500_before","times":2}`)
	b.do(500, "POST", "/payouts", transfer("x"), "Idempotency-Key", "x")
	before, addr := b.effects(), b.Addr()

	b.restart()
	if b.Addr() != addr {
		t.Errorf("address %s, was %s", b.Addr(), addr)
	}
	if after := b.wantEffects(len(before)); fmt.Sprint(*after[0].Key, after[0].At) != fmt.Sprint(*before[0].Key, before[0].At) {
		t.Errorf("books: %+v", after)
	}
	b.do(500, "POST", "/payouts", transfer("x"), "Idempotency-Key", "x")
	if b.bitten() != 2 {
		t.Errorf("bites: %d", b.bitten())
	}
	if b.pay("paid").header.Get("Idempotent-Replayed") != "true" {
		t.Error("the stored result is gone")
	}
	if s := b.do(200, "GET", "/payouts/"+open, "").str("status"); s != "pending" {
		t.Errorf("settled too early: %s", s)
	}
	in.breaks(false)
	in.wants(t, 1)
	c.advance(201 * time.Second)
	b.settles("/payouts/"+open, "paid")
	if e := in.wants(t, 2); e[0].object != id || e[1].object != open {
		t.Errorf("events: %+v", e)
	}
}

// Events wait until there is an address for them.
func TestWebhookAddressKnownLater(t *testing.T) {
	in := newInbox(t)
	b := start(t)
	id := b.pay("k").str("id")
	b.settles("/payouts/"+id, "paid")
	if err := b.SetWebhook(in.URL, "not base64!"); err == nil {
		t.Error("a bad secret is taken")
	}
	if err := b.SetWebhook(in.URL, testSecret); err != nil {
		t.Fatal(err)
	}
	if e := in.wants(t, 1); e[0].object != id {
		t.Errorf("%+v", e)
	}
}

func TestSettingsThatAreRefused(t *testing.T) {
	_, err := Open(Config{Stores: "some", Retention: -1, Pace: -1, Settle: -1, Addr: "nowhere", WebhookURL: "ftp://x"})
	if err == nil {
		t.Fatal("taken")
	}
	for _, word := range []string{"data", "stores", "retention", "pace", "settle", "addr", "webhook"} {
		if !strings.Contains(err.Error(), word+" ") && !strings.Contains(err.Error(), word+":") {
			t.Errorf("%s is not named: %v", word, err)
		}
	}
}

func TestBooksAreHeldByOneSandbox(t *testing.T) {
	b := start(t)
	if _, err := Open(Config{Data: b.cfg.Data}); err == nil || !strings.Contains(err.Error(), "another sandbox") {
		t.Fatalf("opened twice: %v", err)
	}
	b.pay("k")
}

func TestBooksAreForTheirOwnerOnly(t *testing.T) {
	b := start(t)
	b.pay("k")
	files, err := filepath.Glob(b.cfg.Data + "*")
	if err != nil || len(files) < 2 {
		t.Fatalf("files %v, %v; want the books and their journal", files, err)
	}
	for _, path := range files {
		if info, err := os.Stat(path); err != nil || info.Mode().Perm() != 0o600 {
			t.Errorf("%s: mode %v, %v", path, info.Mode(), err)
		}
	}
}

// Files that are not sandbox books are refused and left as they are.
func TestForeignFilesAreLeftAlone(t *testing.T) {
	foreign := func(statements string) func(string) error {
		return func(path string) error {
			db, err := sql.Open("sqlite3", path)
			if err != nil {
				return err
			}
			defer db.Close()
			_, err = db.Exec(statements)
			return err
		}
	}
	tests := map[string]func(string) error{
		"damaged": func(path string) error {
			return os.WriteFile(path, []byte(strings.Repeat("not a database ", 100)), 0o600)
		},
		"foreign": foreign(`CREATE TABLE t (x)`),
		"newer":   foreign(fmt.Sprintf(`CREATE TABLE t (x); PRAGMA user_version=99; PRAGMA application_id=%d`, applicationID)),
	}
	for name, make := range tests {
		t.Run(name, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "sandbox.db")
			if err := make(path); err != nil {
				t.Fatal(err)
			}
			before, _ := os.ReadFile(path)
			if s, err := Open(Config{Data: path}); err == nil {
				s.Close(context.Background())
				t.Fatal("opened")
			}
			after, _ := os.ReadFile(path)
			if string(before) != string(after) {
				t.Error("the file was changed")
			}
		})
	}
}

// TestMain serves books in a process of their own when the test below asks
// for that.
func TestMain(m *testing.M) {
	path := os.Getenv("SANDBOX_TEST_SERVE")
	if path == "" {
		os.Exit(m.Run())
	}
	s, err := Open(Config{Data: path, Logger: quiet()})
	if err == nil {
		err = s.Start()
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	fmt.Println(s.URL())
	select {}
}

// TestKill kills a sandbox in the middle of its work: every payout that was
// answered is in the books, and a repeat of every key, answered or not, ends
// with exactly one effect each.
func TestKill(t *testing.T) {
	path := filepath.Join(t.TempDir(), "sandbox.db")
	killed, base := serveApart(t, path)
	var work burst
	for client := range 4 {
		work.clients.Go(func() { work.postUntilDead(base, fmt.Sprint("c", client, "-")) })
	}
	eventually(t, "twenty answers", func() bool { return work.count() >= 20 })
	if err := killed.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	work.clients.Wait()
	_ = killed.Wait() // says only that it was killed

	b := start(t, func(c *Config) { c.Data = path })
	for _, key := range work.answered {
		if b.pay(key).header.Get("Idempotent-Replayed") == "" {
			t.Errorf("%s was answered and is lost", key)
		}
	}
	for _, key := range work.cut {
		b.pay(key)
	}
	seen := map[string]int{}
	for _, e := range b.wantEffects(len(work.answered) + len(work.cut)) {
		seen[*e.Key]++
		if seen[*e.Key] > 1 {
			t.Errorf("%s has two effects", *e.Key)
		}
	}
}

// burst posts from several clients and keeps what came of each key.
type burst struct {
	clients       sync.WaitGroup
	mu            sync.Mutex
	answered, cut []string
}

func (w *burst) count() int {
	w.mu.Lock()
	defer w.mu.Unlock()
	return len(w.answered)
}

func (w *burst) postUntilDead(base, prefix string) {
	for n := 0; ; n++ {
		key := fmt.Sprint(prefix, n)
		r, err := http.NewRequest("POST", base+"/payouts", strings.NewReader(transfer(key)))
		if err != nil {
			return
		}
		r.Header.Set("Idempotency-Key", key)
		resp, err := http.DefaultClient.Do(r)
		w.mu.Lock()
		if err != nil {
			w.cut = append(w.cut, key)
			w.mu.Unlock()
			return
		}
		w.answered = append(w.answered, key)
		w.mu.Unlock()
		resp.Body.Close()
	}
}

func serveApart(t *testing.T, path string) (*exec.Cmd, string) {
	t.Helper()
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), "SANDBOX_TEST_SERVE="+path)
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = cmd.Process.Kill()
		_ = cmd.Wait()
	})
	line, err := bufio.NewReader(out).ReadString('\n')
	if err != nil {
		t.Fatal(err)
	}
	return cmd, strings.TrimSpace(line)
}
