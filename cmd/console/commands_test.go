package main

import (
	"bytes"
	"context"
	"database/sql"
	"encoding/json"
	"net"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"countersign/internal/web/session"
)

// called is what one command line came to.
type called struct {
	code     int
	out, err string
}

// call runs a command line in this process.
func call(t *testing.T, input string, args ...string) called {
	t.Helper()
	var out, err bytes.Buffer
	code := run(context.Background(), args, terminal{strings.NewReader(input), &out, &err})
	return called{code, out.String(), err.String()}
}

// good runs a command line that must succeed.
func good(t *testing.T, input string, args ...string) string {
	t.Helper()
	c := call(t, input, args...)
	if c.code != 0 {
		t.Fatalf("%v: exit %d: %s", args, c.code, c.err)
	}
	return c.out
}

// newDatabase makes a database with an operator and an administrator.
func newDatabase(t *testing.T) (db string) {
	t.Helper()
	db = "sqlite:" + filepath.Join(t.TempDir(), "c.db")
	good(t, "correct horse battery staple\n", "user", "add", "Op@example.com", "--role", "operator", "--account", "acme", "--password-file", "-", "--db", db)
	good(t, "", "user", "add", "admin@example.com", "--role", "administrator", "--account", "acme", "--name", "Ada Admin", "--db", db)
	return db
}

func TestWrongSettingsAreToldTogether(t *testing.T) {
	tests := []struct {
		name  string
		args  []string
		lines []string
	}{
		{"serve", []string{"serve", "--db", "postgres://", "--addr", "nowhere", "--workers", "many", "--pace", "slow", "--log-level", "loud", "--log-format", "xml"},
			[]string{"--db: must be postgres://USER:PASSWORD@HOST:PORT/NAME", "--addr: must be host:port", "--workers: must be a number", "--pace: must be normal or fast",
				"--log-level: must be", "--log-format: must be"}},
		{"sandbox", []string{"sandbox", "--retention", "0s", "--stores", "some", "--settle", "x"},
			[]string{"--retention: must be a positive length", "--stores: must be all or successes", "--settle: must be"}},
		{"user", []string{"user", "add", "a@b.c", "--role", "king", "--account", "acme", "--db", "mysql:x"}, []string{"--role: must be", "--db: must be sqlite:FILE"}},
		{"key", []string{"apikey", "add", "k", "--db", "sqlite:x"}, []string{"--account is missing", "--can is missing"}},
		{"ability", []string{"apikey", "add", "k", "--account", "acme", "--can", "intents:read,money:move", "--db", "sqlite:x"}, []string{"--can: must be some of"}},
		{"export", []string{"audit", "export", "--format", "pdf", "--from", "yesterday", "--zone", "Mars/Base"}, []string{"--format: must be", "--from: must be", "--zone: must be"}},
		{"empty span", []string{"audit", "export", "--from", "2026-11-30", "--to", "2026-11-29", "--db", "sqlite:/dev/null"}, []string{"--to ends the span before"}},
		{"unknown flag", []string{"serve", "--bogus"}, []string{"unknown flag --bogus"}},
		{"worker", []string{"worker"}, []string{"a SQLite file is driven by one process only"}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got := call(t, "", tt.args...)
			if got.code != exitUsage || got.out != "" {
				t.Errorf("exit %d, output %q, want %d and none", got.code, got.out, exitUsage)
			}
			if n := strings.Count(got.err, "\n"); n != len(tt.lines) {
				t.Errorf("%d lines, want %d:\n%s", n, len(tt.lines), got.err)
			}
			for _, line := range tt.lines {
				if !strings.Contains(got.err, line) {
					t.Errorf("no %q in:\n%s", line, got.err)
				}
			}
		})
	}
}

func TestSettingsComeFromTheEnvironment(t *testing.T) {
	t.Setenv("COUNTERSIGN_PACE", "slow")
	t.Setenv("COUNTERSIGN_WORKERS", "x")
	got := call(t, "", "serve", "--workers", "3", "--db", "x")
	if !strings.Contains(got.err, "--pace: must be") || strings.Contains(got.err, "--workers") {
		t.Errorf("a flag must win over the environment, which wins over the default:\n%s", got.err)
	}
	help := call(t, "", "serve", "--help")
	for _, want := range []string{"--pace=", "normal", "$COUNTERSIGN_PACE"} {
		if help.code != 0 || !strings.Contains(help.out, want) {
			t.Errorf("help does not name %q", want)
		}
	}
}

func TestPeople(t *testing.T) {
	db := newDatabase(t)
	good(t, "", "user", "add", "op@example.com", "--role", "auditor", "--account", "globex", "--db", db)
	list := good(t, "", "user", "list", "--db", db)
	for _, want := range []string{"op@example.com", "operator of acme, auditor of globex", "Ada Admin"} {
		if !strings.Contains(list, want) {
			t.Errorf("no %q in\n%s", want, list)
		}
	}
	var added added
	out := good(t, "", "user", "add", "new@example.com", "--role", "approver", "--account", "acme", "--json", "--db", db, "--url", "https://pay.example.com/")
	if err := json.Unmarshal([]byte(out), &added); err != nil || added.SigninURL == nil || !strings.HasPrefix(*added.SigninURL, "https://pay.example.com/signin/link?token=") {
		t.Errorf("user add --json: %s (%v)", out, err)
	}
	good(t, "", "user", "disable", "NEW@example.com", "--db", db)
	if list := good(t, "", "user", "list", "--db", db); !strings.Contains(list, "disabled since") {
		t.Errorf("nobody is disabled in\n%s", list)
	}
	if got := call(t, "", "user", "disable", "nobody@example.com", "--db", db); got.code != exitUsage {
		t.Errorf("disabling nobody: exit %d", got.code)
	}
	if got := call(t, "short\n", "user", "add", "x@example.com", "--role", "operator", "--account", "acme", "--password-file", "-", "--db", db); got.code != exitUsage {
		t.Errorf("a short password: exit %d", got.code)
	}
	if got := call(t, "", "user", "add", "x@example.com", "--role", "operator", "--account", "acme", "--password", "--db", db); got.code != exitUsage {
		t.Errorf("a prompt without a terminal: exit %d", got.code)
	}
}

func TestPasswordIsStored(t *testing.T) {
	db := newDatabase(t)
	var hash string
	raw, err := sql.Open("sqlite3", strings.TrimPrefix(db, "sqlite:"))
	if err != nil {
		t.Fatal(err)
	}
	defer raw.Close()
	if err := raw.QueryRow("SELECT password_hash FROM people WHERE email = 'op@example.com'").Scan(&hash); err != nil {
		t.Fatal(err)
	}
	if !session.Verify(hash, "correct horse battery staple") {
		t.Error("the password of the file does not sign in")
	}
}

func TestKeys(t *testing.T) {
	db := newDatabase(t)
	var key struct{ ID, Key string }
	out := good(t, "", "apikey", "add", "payroll", "--account", "acme", "--can", "intents:read,intents:write", "--json", "--db", db)
	if err := json.Unmarshal([]byte(out), &key); err != nil || !strings.HasPrefix(key.Key, "csk_") {
		t.Fatalf("apikey add --json: %s (%v)", out, err)
	}
	if list := good(t, "", "apikey", "list", "--db", db); !strings.Contains(list, key.ID) || strings.Contains(list, key.Key) {
		t.Errorf("the list must name the key and not show it:\n%s", list)
	}
	good(t, "", "apikey", "revoke", key.ID, "--db", db)
	if list := good(t, "", "apikey", "list", "--json", "--db", db); !strings.Contains(list, `"revoked_at":"20`) {
		t.Errorf("not revoked:\n%s", list)
	}
	person := []string{"apikey", "add", "test", "--person", "op@example.com", "--json", "--db", db}
	if got := call(t, "", person...); got.code != exitUsage || !strings.Contains(got.err, insecureKeys) {
		t.Errorf("a person's key from the command line: exit %d, %s", got.code, got.err)
	}
	t.Setenv(insecureKeys, "1")
	if out := good(t, "", person...); !strings.Contains(out, "csp_") {
		t.Errorf("no person's key in %s", out)
	}
}

func TestExportIsVerified(t *testing.T) {
	db := newDatabase(t)
	p := launch(t, "serve", "--json", "--addr", "127.0.0.1:0", "--db", db) // numbers the entries
	p.ready()
	p.stop()
	file := filepath.Join(t.TempDir(), "log.jsonl")
	good(t, "", "audit", "export", "-o", file, "--db", db)
	if out := good(t, "", "audit", "verify", file); !strings.Contains(out, "Complete") {
		t.Errorf("verify said %s", out)
	}
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	bad := filepath.Join(t.TempDir(), "bad.jsonl")
	if err := os.WriteFile(bad, bytes.Replace(text, []byte("operator"), []byte("approver"), 1), 0o600); err != nil {
		t.Fatal(err)
	}
	if got := call(t, "", "audit", "verify", bad); got.code != exitFailed || !strings.Contains(got.err, "entry ") {
		t.Errorf("a changed export: exit %d, %s", got.code, got.err)
	}
	if got := call(t, "", "audit", "export", "-o", file, "--db", db); got.code != exitUsage {
		t.Errorf("an export over an old one: exit %d", got.code)
	}
	out := good(t, "", "doctor", "--db", db)
	if strings.Contains(out, "FAULT") || !strings.Contains(out, "entries recomputed") {
		t.Errorf("doctor said\n%s", out)
	}
}

func TestDoctorFindsFaults(t *testing.T) {
	db := newDatabase(t)
	key := filepath.Join(filepath.Dir(strings.TrimPrefix(db, "sqlite:")), "countersign.key")
	if err := os.Chmod(key, 0o644); err != nil {
		t.Fatal(err)
	}
	closed, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	closed.Close()
	file := filepath.Join(t.TempDir(), "providers.toml")
	text := "[provider.bank]\ntype = \"sandbox\"\nurl = \"http://" + closed.Addr().String() + "\"\n[account.acme]\npayouts = \"bank\"\n"
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	got := call(t, "", "doctor", "--db", db, "--providers", file)
	if got.code != exitFailed {
		t.Errorf("exit %d, want %d", got.code, exitFailed)
	}
	for _, want := range []string{"FAULT key file", "FAULT provider bank", "What to do"} {
		if !strings.Contains(got.out, want) {
			t.Errorf("no %q in\n%s", want, got.out)
		}
	}
}
