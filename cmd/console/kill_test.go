package main

import (
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"countersign/internal/model"
)

// patience is how long another process may take, on a machine that may be busy.
const patience = time.Minute

// eventually waits for something that another process does.
func eventually(t *testing.T, what string, done func() bool) {
	t.Helper()
	for until := time.Now().Add(patience); time.Now().Before(until); time.Sleep(20 * time.Millisecond) {
		if done() {
			return
		}
	}
	t.Fatalf("%s: not within %s", what, patience)
}

// books reads what really happened; nil where the sandbox does not answer.
func books(t *testing.T, sandbox string) []byte {
	t.Helper()
	answer, err := http.Get(sandbox + "/books")
	if err != nil {
		return nil
	}
	defer answer.Body.Close()
	text, err := io.ReadAll(answer.Body)
	if err != nil {
		return nil
	}
	return text
}

// effects counts the lines of the books.
func effects(text []byte) int { return strings.Count(string(text), `"operation"`) }

// intents lists the states of the account's intents by key.
func intents(t *testing.T, line readyLine) map[string]string {
	t.Helper()
	var list struct {
		Items []struct{ Key, State string } `json:"items"`
	}
	fetch(t, "GET", line.Address+"/v1/intents?limit=200", line.APIKey, "", &list)
	states := map[string]string{}
	for _, item := range list.Items {
		states[item.Key] = item.State
	}
	return states
}

func TestKilledWhileSamplesAreMade(t *testing.T) {
	t.Parallel()
	for _, after := range []int{1, 150, 350} {
		t.Run(fmt.Sprintf("after %d effects", after), func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			p := launch(t, demoArgs(dir)...)
			eventually(t, "effects in the books", func() bool {
				port, err := os.ReadFile(filepath.Join(dir, "sandbox.port"))
				return err == nil && effects(books(t, "http://127.0.0.1:"+strings.TrimSpace(string(port)))) >= after
			})
			p.kill()
			line := launch(t, demoArgs(dir)...).ready()
			states := intents(t, line)
			for _, s := range samples() {
				want := model.Completed
				if w, stuck := standing[s.key]; stuck {
					want = w.state
				}
				if got := states[s.key]; s.owner() == acme && got != string(want) {
					t.Errorf("%s is %q after the restart, want %s", s.key, got, want)
				}
			}
			checkOnce(t, books(t, line.Sandbox))
		})
	}
}

// payouts is a batch of n payouts that rule approves.
func payouts(n int) string {
	items := make([]string, n)
	for i := range items {
		items[i] = fmt.Sprintf(`{"key":"k-%d","kind":"payout","account":"acme","params":{"payee":{"reference":"rep-%d","name":"Rep %d","destination":"acct_%d"},"amount":%d,"currency":"EUR"}}`, i, i, i, i, 1000+i)
	}
	return `{"items":[` + strings.Join(items, ",") + `]}`
}

func TestKilledAtWork(t *testing.T) {
	const n = 40
	dir := t.TempDir()
	p := launch(t, demoArgs(dir, "--empty")...)
	line := p.ready()
	fetch(t, "POST", line.Address+"/v1/intent-batches", line.APIKey, payouts(n), nil)
	eventually(t, "effects in the books", func() bool { return effects(books(t, line.Sandbox)) >= 5 })
	p.kill()
	line = launch(t, demoArgs(dir, "--empty")...).ready()
	eventually(t, "all intents completed", func() bool {
		done := 0
		for _, state := range intents(t, line) {
			if state == "completed" {
				done++
			}
		}
		return done == n
	})
	text := books(t, line.Sandbox)
	checkOnce(t, text)
	if got := effects(text); got != n {
		t.Errorf("%d effects in the books, want %d", got, n)
	}
}

func TestStopFinishesWhatIsInFlight(t *testing.T) {
	dir := t.TempDir()
	p := launch(t, demoArgs(dir, "--empty")...)
	line := p.ready()
	fetch(t, "POST", line.Sandbox+"/faults", "", `{"match":{"operation":"payouts"},"fault":"slow","ms":1000}`, nil)
	fetch(t, "POST", line.Address+"/v1/intent-batches", line.APIKey, payouts(1), nil)
	eventually(t, "the effect in the books", func() bool { return effects(books(t, line.Sandbox)) == 1 })
	p.stop()
	line = launch(t, demoArgs(dir, "--empty")...).ready()
	eventually(t, "the intent completed", func() bool { return intents(t, line)["k-0"] == "completed" })
	var list struct {
		Items []struct{ ID string } `json:"items"`
	}
	fetch(t, "GET", line.Address+"/v1/intents", line.APIKey, "", &list)
	var intent struct {
		Steps []struct {
			Name     string
			Attempts []struct{ Result string }
		}
	}
	fetch(t, "GET", line.Address+"/v1/intents/"+list.Items[0].ID, line.APIKey, "", &intent)
	for _, s := range intent.Steps {
		if s.Name == "create-payout" && (len(s.Attempts) != 1 || s.Attempts[0].Result != "accepted") {
			t.Errorf("attempts of create-payout: %+v, want one, accepted", s.Attempts)
		}
	}
}
