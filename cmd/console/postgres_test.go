package main

import (
	"encoding/json"
	"io"
	"net/http"
	"path/filepath"
	"strings"
	"testing"

	"countersign/internal/store/storetest"
)

// shop is a bank and a providers file that routes everything to it.
func shop(t *testing.T, dir string) (providers string) {
	t.Helper()
	sandbox := launch(t, "sandbox", "--json", "--addr", "127.0.0.1:0", "--data", filepath.Join(dir, "bank"), "--pace", "fast")
	providers = filepath.Join(dir, "providers.toml")
	write(t, providers, "[provider.bank]\ntype = \"sandbox\"\nurl = \""+sandbox.ready().Address+"\"\n[account.acme]\npayouts = \"bank\"\nmessages = \"bank\"\n")
	return providers
}

// Pages without workers, and workers without pages, on one PostgreSQL database;
// the processes wake each other, and all of them end well.
func TestWorkersBesideServe(t *testing.T) {
	t.Parallel()
	dir, db := t.TempDir(), storetest.StartServer(t).DSN("postgres")
	providers := shop(t, dir)
	common := []string{"--json", "--db", db, "--key-file", filepath.Join(dir, "key"), "--state-dir", filepath.Join(dir, "state"), "--providers", providers, "--pace", "fast"}
	var key struct{ Key string }
	out := good(t, "", "apikey", "add", "payroll", "--account", "acme", "--can", "intents:read,intents:write", "--json", "--db", db, "--key-file", filepath.Join(dir, "key"))
	if err := json.Unmarshal([]byte(out), &key); err != nil {
		t.Fatal(err)
	}
	serve := launch(t, append([]string{"serve", "--addr", "127.0.0.1:0", "--workers", "0"}, common...)...)
	workers := []*process{launch(t, append([]string{"worker", "--addr", "127.0.0.1:0"}, common...)...), launch(t, append([]string{"worker"}, common...)...)}
	line := serve.ready()
	line.APIKey = key.Key
	watched := workers[0].ready()
	workers[1].ready()
	fetch(t, "POST", line.Address+"/v1/intent-batches", line.APIKey, payouts(20), nil)
	eventually(t, "all intents completed", func() bool {
		done := 0
		for _, state := range intents(t, line) {
			if state == "completed" {
				done++
			}
		}
		return done == 20
	})
	for path, want := range map[string]string{"/metrics": "countersign_attempts_total", "/readyz": "engine: ok"} {
		if body := text(t, watched.Address+path); !strings.Contains(body, want) {
			t.Errorf("no %s at a worker's %s:\n%s", want, path, body)
		}
	}
	if res, err := http.Get(watched.Address + "/"); err != nil || res.StatusCode != http.StatusNotFound {
		t.Errorf("a worker's pages: %v, %v", res, err)
	}
	for _, w := range append(workers, serve) {
		w.stop()
	}
	if out := good(t, "", "doctor", "--db", db, "--key-file", filepath.Join(dir, "key")); !strings.Contains(out, "0 processes drive the database now") {
		t.Errorf("doctor after the end said\n%s", out)
	}
	other := launch(t, "worker", "--db", db, "--key-file", filepath.Join(dir, "bank", "key"), "--state-dir", filepath.Join(dir, "state"))
	if code := other.end(); code != exitUsage || !strings.Contains(other.err.String(), "missing") {
		t.Errorf("a worker without the key file: exit %d, %q", code, other.err.String())
	}
}

// text reads what a monitor is answered.
func text(t *testing.T, address string) string {
	t.Helper()
	res, err := http.Get(address)
	if err != nil {
		t.Fatal(err)
	}
	defer res.Body.Close()
	body, err := io.ReadAll(res.Body)
	if err != nil {
		t.Fatal(err)
	}
	return string(body)
}

// While the database cannot be reached, callers are told so, and the start goes
// on by itself when it can.
func TestServeWaitsForItsDatabase(t *testing.T) {
	dir, server := t.TempDir(), storetest.StartServer(t)
	server.Kill()
	p := launch(t, "serve", "--json", "--addr", "127.0.0.1:0", "--db", server.DSN("postgres"), "--key-file", filepath.Join(dir, "key"),
		"--state-dir", filepath.Join(dir, "state"), "--log-format", "json")
	var address string
	eventually(t, "a line of the log with the address", func() bool {
		_, rest, found := strings.Cut(p.err.String(), `"listening":"`)
		address, _, _ = strings.Cut(rest, `"`)
		return found && strings.Contains(p.err.String(), "the database does not answer; trying again")
	})
	for path, want := range map[string]int{"/healthz": 200, "/readyz": 503, "/": 503, "/v1/intents": 503} {
		res, err := http.Get("http://" + address + path)
		if err != nil {
			t.Fatal(err)
		}
		body, _ := io.ReadAll(res.Body)
		res.Body.Close()
		if res.StatusCode != want || want == 503 && res.Header.Get("Retry-After") == "" {
			t.Errorf("%s: %d, Retry-After %q, want %d; %s", path, res.StatusCode, res.Header.Get("Retry-After"), want, body)
		}
	}
	if err := server.Start(); err != nil {
		t.Fatal(err)
	}
	fetch(t, "GET", p.ready().Address+"/readyz", "", "", nil)
	p.stop()
}
