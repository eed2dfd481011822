package main

import (
	"encoding/json"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"

	standardwebhooks "github.com/standard-webhooks/standard-webhooks/libraries/go"
)

const alertSecret = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"

func TestWrongAlertSettings(t *testing.T) {
	t.Setenv("ALERTS", alertSecret)
	t.Setenv("NOT_BASE64", "whsec_???")
	for _, tt := range []struct {
		args  []string
		lines []string
	}{
		{[]string{"--alert-webhook", "nowhere", "--alert-secret", "literal", "--alert-mail", "desk", "--smtp", "mail", "--public-url", "https://x/path"},
			[]string{"--alert-webhook: must be an absolute", "--alert-secret: is neither env:NAME", "--alert-mail: must be mail addresses",
				"--smtp: must be host:port", "--public-url: must be"}},
		{[]string{"--alert-webhook", "https://x/"}, []string{"needs a secret"}},
		{[]string{"--alert-webhook", "https://x/", "--alert-secret", "env:NOT_BASE64"}, []string{"not base64"}},
		{[]string{"--alert-secret", "env:ALERTS"}, []string{"signs nothing"}},
		{[]string{"--alert-mail", "a@example.com", "--smtp-user", "me"},
			[]string{"--alert-from: alert mails need one address", "--smtp: alert mails need a mail server", "--smtp-user: alert mails need a name"}},
	} {
		got := call(t, "", append([]string{"serve", "--db", "sqlite:" + filepath.Join(t.TempDir(), "c.db")}, tt.args...)...)
		if got.code != exitUsage || strings.Count(got.err, "\n") != len(tt.lines) {
			t.Errorf("%v: exit %d, said\n%s", tt.args, got.code, got.err)
		}
		for _, line := range tt.lines {
			if !strings.Contains(got.err, line) {
				t.Errorf("%v: no %q in\n%s", tt.args, line, got.err)
			}
		}
		if strings.Contains(got.err, "literal") || strings.Contains(got.err, "???") {
			t.Errorf("a secret is repeated:\n%s", got.err)
		}
	}
}

// A worker has no pages of its own to lead to.
func TestWorkersAlertsNeedAnAddress(t *testing.T) {
	t.Setenv("ALERTS", alertSecret)
	got := call(t, "", "worker", "--db", "postgres://localhost/none", "--alert-webhook", "https://x/", "--alert-secret", "env:ALERTS")
	if got.code != exitUsage || !strings.Contains(got.err, "--public-url") {
		t.Errorf("exit %d, said %s", got.code, got.err)
	}
	if sender := (&app{}).alertSender(); sender == nil {
		t.Error("no sender without pages")
	}
}

func TestDoctorTriesTheWaysOfAlerts(t *testing.T) {
	t.Setenv("ALERTS", alertSecret)
	db := newDatabase(t)
	closed, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	closed.Close()
	posts := atomic.Int32{}
	open := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { posts.Add(1) }))
	defer open.Close()
	mail := []string{"--smtp", closed.Addr().String(), "--alert-from", "a@example.com", "--alert-mail", "b@example.com"}
	got := call(t, "", append([]string{"doctor", "--db", db, "--alert-webhook", open.URL, "--alert-secret", "env:ALERTS"}, mail...)...)
	if got.code != exitFailed || !strings.Contains(got.out, "ok    alert webhook: its receiver can be reached") || !strings.Contains(got.out, "FAULT alert mail") {
		t.Errorf("exit %d, said\n%s", got.code, got.out)
	}
	if posts.Load() != 0 {
		t.Error("the check posted something")
	}
	if out := good(t, "", "doctor", "--db", db); !strings.Contains(out, "nobody is told") {
		t.Errorf("without channels doctor said\n%s", out)
	}
}

// From a provider's refusal to a signed message with a link that leads here.
func TestServeTellsOfAReview(t *testing.T) {
	t.Setenv("ALERTS", alertSecret)
	verifier, err := standardwebhooks.NewWebhook(alertSecret)
	if err != nil {
		t.Fatal(err)
	}
	told := make(chan map[string]any, 10)
	receiver := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		raw, _ := io.ReadAll(r.Body)
		if err := verifier.Verify(raw, r.Header); err != nil {
			t.Errorf("signature: %v", err)
		}
		var body map[string]any
		if err := json.Unmarshal(raw, &body); err != nil {
			t.Error(err)
		}
		told <- body
	}))
	defer receiver.Close()
	dir := t.TempDir()
	db := "sqlite:" + filepath.Join(dir, "c.db")
	sandbox := launch(t, "sandbox", "--json", "--addr", "127.0.0.1:0", "--data", filepath.Join(dir, "bank"), "--pace", "fast")
	bankAddress := sandbox.ready().Address
	fetch(t, "POST", bankAddress+"/faults", "", `{"match":{"method":"POST","path":"/payouts"},"fault":"reject_curable","times":1}`, nil)
	providers := filepath.Join(dir, "providers.toml")
	write(t, providers, "[provider.bank]\ntype = \"sandbox\"\nurl = \""+bankAddress+"\"\n[account.acme]\npayouts = \"bank\"\nmessages = \"bank\"\n")
	var key struct{ Key string }
	out := good(t, "", "apikey", "add", "payroll", "--account", "acme", "--can", "intents:read,intents:write", "--json", "--db", db)
	if err := json.Unmarshal([]byte(out), &key); err != nil {
		t.Fatal(err)
	}
	serve := launch(t, "serve", "--json", "--addr", "127.0.0.1:0", "--db", db, "--providers", providers, "--pace", "fast",
		"--alert-webhook", receiver.URL, "--alert-secret", "env:ALERTS", "--public-url", "https://console.example/")
	line := serve.ready()
	fetch(t, "POST", line.Address+"/v1/intent-batches", key.Key, payouts(1), nil)
	body := <-told
	data, _ := body["data"].(map[string]any)
	link, _ := data["link"].(string)
	if body["type"] != "intent.needs_review" || data["account"] != "acme" || !strings.HasPrefix(link, "https://console.example/intents/intent-") || data["deadline"] == nil {
		t.Errorf("told %v", body)
	}
	serve.stop()
	sandbox.stop()
	if len(told) != 0 {
		t.Errorf("told again: %v", <-told)
	}
}
