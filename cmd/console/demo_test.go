package main

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"log/slog"
	"net/http"
	"strings"
	"testing"
	"time"

	"countersign/internal/model"
	"countersign/internal/store"
)

// where is how a story must stand: its intent, and the step that it is about.
type where struct {
	state     model.IntentState
	step      string
	stepState model.StepState
}

// standing is where each story stands when the demo opens, and still after a
// restart.
var standing = map[string]where{
	"story-cut-after-acceptance": {model.NeedsReview, "create-payout", model.OutcomeUnknown},
	"story-500-after-acting":     {model.NeedsReview, "create-payout", model.OutcomeUnknown},
	"story-not-found-yet":        {model.NeedsReview, "create-payout", model.OutcomeUnknown},
	"story-another-amount":       {model.NeedsReview, "create-payout", model.OutcomeUnknown},
	"story-lack-of-funds":        {model.NeedsReview, "create-payout", model.FailedSafely},
	"story-refused-for-good":     {model.TerminalFailure, "create-payout", model.FailedSafely},
	"story-mail-unknown":         {model.Processing, "send-statement", model.OutcomeUnknown},
	"story-dispute-unknown":      {model.Processing, "submit-response", model.OutcomeUnknown},
	"story-settlement-overdue":   {model.Processing, "create-payout", model.OutcomeUnknown},
	"story-budget-spent":         {model.NeedsReview, "create-payout", model.FailedSafely},
	"story-partial":              {model.NeedsReview, "send-remittance", model.FailedSafely},
	"story-awaiting-approval":    {model.AwaitingApproval, "approve-payout", model.Pending},
	"story-compensation-asked":   {model.Compensating, "create-payout", model.Confirmed},
	"story-returned":             {model.NeedsReview, "create-payout", model.Confirmed},
	"story-abandoned":            {model.Abandoned, "create-payout", model.FailedSafely},
	"oct-02":                     {model.NeedsReview, "create-payout", model.FailedSafely},
}

// startDemo runs a demo in this process, in dir, until the test or stop ends it.
func startDemo(t *testing.T, dir string, empty bool) (d *demo, ready readyLine, stop func()) {
	t.Helper()
	c := &demoCommand{Data: dir, Empty: empty, JSON: true}
	c.Addr.Value = ":0"
	ctx, cancel := context.WithCancel(context.Background())
	d, err := openDemo(ctx, c, slog.New(slog.NewTextHandler(testLog{t}, &slog.HandlerOptions{Level: slog.LevelWarn})))
	if err != nil {
		cancel()
		t.Fatal(err)
	}
	if ready, err = d.prepare(ctx); err != nil {
		cancel()
		d.Close()
		t.Fatal(err)
	}
	if !strings.HasPrefix(ready.Address, "http://127.0.0.1:") {
		t.Errorf("a demo without a host listens on %s", ready.Address)
	}
	ended := make(chan error, 1)
	go func() { ended <- d.app.Run(ctx) }()
	var stopped bool
	stop = func() {
		if stopped {
			return
		}
		stopped = true
		cancel()
		if err := <-ended; err != nil {
			t.Errorf("run: %v", err)
		}
		d.Close()
	}
	t.Cleanup(stop)
	return d, ready, stop
}

// testLog puts a program's log into the test's.
type testLog struct{ t *testing.T }

func (l testLog) Write(line []byte) (int, error) {
	l.t.Logf("%s", bytes.TrimSpace(line))
	return len(line), nil
}

// caseOf reads a sample's intent.
func caseOf(t *testing.T, d *demo, s sample) *model.Case {
	t.Helper()
	var c *model.Case
	err := d.db.View(context.Background(), func(tx *store.Tx) (err error) {
		c, err = tx.Case(s.id(d.db.Installation))
		return err
	})
	if err != nil {
		t.Fatalf("%s: %v", s.key, err)
	}
	return c
}

// checkStanding compares every sample with where it must stand.
func checkStanding(t *testing.T, d *demo) {
	t.Helper()
	for _, s := range samples() {
		c := caseOf(t, d, s)
		want, stuck := standing[s.key]
		if !stuck {
			if c.State != model.Completed {
				t.Errorf("%s is %s (%s), want completed", s.key, c.State, c.Reason)
			}
			continue
		}
		step := c.Step(want.step)
		if c.State != want.state || step.State != want.stepState {
			t.Errorf("%s is %s with %s %s (%s), want %s with %s", s.key, c.State, want.step, step.State, c.Reason, want.state, want.stepState)
		}
	}
}

func TestStoriesStandAndKeep(t *testing.T) {
	dir := seeded(t)
	d, line, stop := startDemo(t, dir, false)
	checkStanding(t, d)
	checkKeeps(t, d)
	visitor{t, d, line}.works("beside-the-stories") // the engine runs at the fast pace now
	checkStanding(t, d)
	checkBooks(t, d)
	stop()
	d, line, _ = startDemo(t, dir, false)
	visitor{t, d, line}.works("after-a-restart")
	checkStanding(t, d)
	checkBooks(t, d)
}

// checkKeeps makes sure that the engine leaves every stuck sample alone for
// hours, but that of the running clock.
func checkKeeps(t *testing.T, d *demo) {
	t.Helper()
	for _, s := range samples() {
		if _, stuck := standing[s.key]; !stuck {
			continue
		}
		c := caseOf(t, d, s)
		if c.WakeAt != 0 && c.WakeAt.Std().Before(time.Now().Add(2*time.Hour)) {
			t.Errorf("%s wakes at %s, which is soon", s.key, c.WakeAt)
		}
	}
}

// checkBooks asks the provider itself whether anything happened twice.
func checkBooks(t *testing.T, d *demo) {
	t.Helper()
	answer, err := http.Get(d.sandbox.URL() + "/books")
	if err != nil {
		t.Fatal(err)
	}
	defer answer.Body.Close()
	body, err := io.ReadAll(answer.Body)
	if err != nil {
		t.Fatal(err)
	}
	checkOnce(t, body)
}

// checkOnce looks for a reference with more than one standing effect.
func checkOnce(t *testing.T, books []byte) {
	t.Helper()
	var list struct {
		Effects []struct {
			Operation string  `json:"operation"`
			Reference string  `json:"reference"`
			UndoneAt  *string `json:"undone_at"`
		} `json:"effects"`
	}
	if err := json.Unmarshal(books, &list); err != nil {
		t.Fatal(err)
	}
	if len(list.Effects) == 0 {
		t.Error("the books are empty")
	}
	seen := map[string]int{}
	for _, e := range list.Effects {
		if e.UndoneAt == nil {
			seen[e.Operation+" "+e.Reference]++
		}
	}
	for effect, n := range seen {
		if n > 1 {
			t.Errorf("%s happened %d times", effect, n)
		}
	}
}
