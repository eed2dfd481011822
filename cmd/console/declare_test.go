package main

import (
	"encoding/json"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"countersign/internal/store/storetest"
)

// A worker sleeps in the middle of a call and is declared dead; another one
// goes on. When it wakes it ends itself, says why, and has paid nobody twice.
func TestMoment07DeclaredDeadWhileAsleep(t *testing.T) {
	t.Setenv("COUNTERSIGN_INSECURE_PERSON_KEYS", "1")
	dir, db := t.TempDir(), storetest.StartServer(t).DSN("postgres")
	storage := []string{"--db", db, "--key-file", filepath.Join(dir, "key")}
	made := func(args ...string) string {
		var key struct{ Key string }
		if err := json.Unmarshal([]byte(good(t, "", append(append([]string{"apikey", "add", "one"}, args...), append(storage, "--json")...)...)), &key); err != nil {
			t.Fatal(err)
		}
		return key.Key
	}
	service := made("--account", "acme", "--can", "intents:read,intents:write")
	good(t, "", append([]string{"user", "add", "ada@example.com", "--role", "administrator", "--account", "acme"}, storage...)...)
	ada := made("--person", "ada@example.com")
	bank := launch(t, "sandbox", "--json", "--addr", "127.0.0.1:0", "--data", filepath.Join(dir, "bank"), "--pace", "fast").ready().Address
	providers := filepath.Join(dir, "providers.toml")
	write(t, providers, "[provider.bank]\ntype = \"sandbox\"\nurl = \""+bank+"\"\n[account.acme]\npayouts = \"bank\"\nmessages = \"bank\"\n")
	common := append([]string{"--json", "--providers", providers, "--pace", "fast"}, storage...)
	line := launch(t, append([]string{"serve", "--addr", "127.0.0.1:0", "--workers", "0", "--state-dir", filepath.Join(dir, "a")}, common...)...).ready()
	line.APIKey = service
	sleeper := launch(t, append([]string{"worker", "--state-dir", filepath.Join(dir, "b")}, common...)...)
	sleeper.ready()
	fetch(t, "POST", bank+"/faults", "", `{"match":{"operation":"payouts"},"fault":"hang_after_accept","times":1,"ms":60000}`, nil)
	fetch(t, "POST", line.Address+"/v1/intent-batches", service, payouts(1), nil)
	eventually(t, "the effect in the books", func() bool { return effects(books(t, bank)) == 1 })
	sleeper.cmd.Process.Signal(syscall.SIGSTOP)
	var list struct{ Items []struct{ ID, State string } }
	eventually(t, "the worker silent", func() bool {
		fetch(t, "GET", line.Address+"/v1/workers", ada, "", &list)
		return len(list.Items) == 1 && list.Items[0].State == "silent"
	})
	fetch(t, "POST", line.Address+"/v1/workers/"+list.Items[0].ID+"/declare-dead", ada, `{"reason":"it hangs on that machine"}`, nil)
	launch(t, append([]string{"worker", "--state-dir", filepath.Join(dir, "c")}, common...)...).ready()
	eventually(t, "the intent completed", func() bool { return intents(t, line)["k-0"] == "completed" })
	sleeper.cmd.Process.Signal(syscall.SIGCONT)
	if code := sleeper.end(); code == 0 || strings.Count(sleeper.err.String(), "was declared dead by") == 0 {
		t.Errorf("exit %d, said %s", code, sleeper.err.String())
	}
	checkOnce(t, books(t, bank))
}
