package metrics_test

import (
	"bytes"
	"fmt"
	"net/http/httptest"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"go.yaml.in/yaml/v3"

	"countersign/internal/alert"
	"countersign/internal/audit"
	"countersign/internal/engine"
	"countersign/internal/metrics"
	"countersign/internal/model"
	"countersign/internal/store"
	"countersign/internal/store/storetest"
)

var _ engine.Observer = (*metrics.Metrics)(nil)

func open(t *testing.T) (*metrics.Metrics, *store.DB) {
	t.Helper()
	db := storetest.Open(t, store.Options{})
	return metrics.New(db, audit.New(db, bytes.Repeat([]byte{7}, 32))), db
}

// touch makes every counter exist.
func touch(m *metrics.Metrics) {
	m.Called("bank", "payout.create", model.ResultConfirmed, 20*time.Millisecond)
	m.Looked("bank", "payout.create", model.FoundNone, time.Millisecond)
	m.Leased()
	m.WorkerLost()
	m.LateResult()
	m.HeldBack("clock.off")
	m.Answered("/intents/:id", 200, time.Millisecond)
}

func scrape(t *testing.T, m *metrics.Metrics) string {
	t.Helper()
	answer := httptest.NewRecorder()
	m.Handler().ServeHTTP(answer, httptest.NewRequest("GET", "/metrics", nil))
	if answer.Code != 200 {
		t.Fatalf("%d: %s", answer.Code, answer.Body)
	}
	return answer.Body.String()
}

func seed(t *testing.T, db *store.DB) {
	t.Helper()
	err := db.Update(t.Context(), func(tx *store.Tx) error {
		if err := tx.EnsureAccount("acme"); err != nil {
			return err
		}
		for n := range 3 {
			id := fmt.Sprintf("intent-%d", n)
			i := model.Intent{ID: id, Account: "acme", Kind: model.KindPayout, Key: id, State: model.NeedsReview, Fingerprint: []byte{1}, Params: []byte("{}"),
				Version: 1, CreatedAt: tx.Now(), StuckSince: tx.Now(), UncertainSince: tx.Now()}
			c := &model.Case{Intent: i, Steps: []*model.Step{{IntentID: id, Name: "create-payout", Provider: "bank", Class: model.Keyed, Generation: 1,
				State: model.OutcomeUnknown, UncertainSince: tx.Now().Add(-time.Hour)}}}
			if _, err := tx.InsertCase(c); err != nil {
				return err
			}
			if err := alert.Raise(tx, alert.Cause{Key: id, Kind: alert.Review, Account: "acme", Intent: id, Text: "waits"}); err != nil {
				return err
			}
		}
		return alert.Raise(tx, alert.Cause{Key: "hold:1", Kind: alert.Hold, Text: "restored"})
	})
	if err != nil {
		t.Fatal(err)
	}
}

func TestNumbersOfTheInstallation(t *testing.T) {
	m, db := open(t)
	seed(t, db)
	touch(m)
	text := scrape(t, m)
	for _, want := range []string{`countersign_intents{state="needs_review"} 3`, `countersign_intents{state="completed"} 0`, "countersign_reviews_open 3",
		`countersign_unknown_steps{provider="bank"} 3`, `countersign_alerts_standing{kind="review"} 3`, `countersign_alerts_standing{kind="conflict"} 0`,
		"countersign_restore_hold 1", "countersign_state_readable 1", "countersign_audit_waiting 0", "countersign_audit_entries 0", "countersign_reviews_overdue 0",
		`countersign_attempts_total{operation="payout.create",provider="bank",result="confirmed"} 1`, `countersign_http_requests_total{route="/intents/:id",status="200"} 1`,
		`countersign_sends_held_back_total{rule="clock.off"} 1`, "countersign_leases_granted_total 1"} {
		if !strings.Contains(text, want+"\n") {
			t.Errorf("no %s in\n%s", want, text)
		}
	}
	if _, after, _ := strings.Cut(text, `countersign_unknown_oldest_seconds{provider="bank"} `); !strings.HasPrefix(after, "3600") {
		t.Errorf("the oldest unknown is %.20s s old, want an hour", after)
	}
	for _, id := range []string{"intent-0", "acme"} {
		if strings.Contains(text, id) {
			t.Errorf("%s is a label: their number grows without bound", id)
		}
	}
}

// A scrape asks the database once in a while only, and an outage shows old numbers as old.
func TestNumbersAreReadSeldomAndTheirAgeIsSaid(t *testing.T) {
	m, db := open(t)
	first := scrape(t, m)
	seed(t, db)
	if second := scrape(t, m); !strings.Contains(second, "countersign_reviews_open 0\n") || !strings.Contains(first, "countersign_reviews_open 0\n") {
		t.Error("a second scrape at once read the database again")
	}
	gone, closed := open(t)
	closed.Close()
	if text := scrape(t, gone); !strings.Contains(text, "countersign_state_readable 0\n") || strings.Contains(text, "countersign_reviews_open") {
		t.Errorf("without a database the numbers are invented:\n%s", text)
	}
}

var metricName = regexp.MustCompile(`countersign_[a-z_]+`)

// The example rules are YAML, complete, and use no metric that does not exist.
func TestExampleRules(t *testing.T) {
	m, db := open(t)
	seed(t, db)
	touch(m)
	raw, err := os.ReadFile("../../docs/prometheus/countersign.rules.yml")
	if err != nil {
		t.Fatal(err)
	}
	var file struct {
		Groups []struct {
			Name  string
			Rules []struct {
				Alert, Expr, For    string
				Labels, Annotations map[string]string
			}
		}
	}
	decoder := yaml.NewDecoder(bytes.NewReader(raw))
	decoder.KnownFields(true)
	if err := decoder.Decode(&file); err != nil {
		t.Fatal(err)
	}
	names := known(t, m)
	seen := map[string]bool{}
	for _, rule := range file.Groups[0].Rules {
		if rule.Alert == "" || seen[rule.Alert] || rule.Labels["severity"] == "" || rule.Annotations["summary"] == "" || rule.Annotations["what_to_do"] == "" {
			t.Errorf("rule %q is not complete, or stands twice", rule.Alert)
		}
		seen[rule.Alert] = true
		if rule.For != "" {
			if _, err := time.ParseDuration(rule.For); err != nil {
				t.Errorf("%s: %v", rule.Alert, err)
			}
		}
		used := metricName.FindAllString(rule.Expr, -1)
		if len(used) == 0 {
			t.Errorf("%s uses no metric", rule.Alert)
		}
		for _, name := range used {
			if !slices.Contains(names, name) {
				t.Errorf("%s uses %s, which does not exist", rule.Alert, name)
			}
		}
	}
	if len(seen) < 10 {
		t.Errorf("%d rules", len(seen))
	}
}

// known are the names under which metrics are scraped.
func known(t *testing.T, m *metrics.Metrics) (names []string) {
	t.Helper()
	families, err := m.Registry().Gather()
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range families {
		names = append(names, f.GetName())
		if f.GetType().String() == "HISTOGRAM" {
			names = append(names, f.GetName()+"_bucket", f.GetName()+"_sum", f.GetName()+"_count")
		}
	}
	return names
}
