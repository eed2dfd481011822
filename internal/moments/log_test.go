package moments

import (
	"bytes"
	"encoding/json"
	"log/slog"
	"sync"
	"testing"
	"time"

	"countersign/internal/model"
)

// lines collects log lines from many goroutines.
type lines struct {
	mu   sync.Mutex
	text bytes.Buffer
}

func (l *lines) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.Write(p)
}

// Every attempt leaves a log line that carries intent, step and attempt.
func TestEveryAttemptIsLogged(t *testing.T) {
	w := newWorld(t)
	var log lines
	w.engine.Logger = slog.New(slog.NewJSONHandler(&log, nil))
	w.fault("drop_after_accept", 2, posts("/payouts"), 0)
	id := w.payout("p-1")
	w.run(time.Hour)
	w.expect(id, model.Completed, "create-payout", model.Confirmed)
	type line struct {
		Msg, Intent, Step string
		Attempt           int
	}
	seen := map[line]int{}
	for raw := range bytes.Lines(log.text.Bytes()) {
		var l line
		if err := json.Unmarshal(raw, &l); err != nil {
			t.Fatal(err)
		}
		seen[l]++
	}
	for _, s := range w.load(id).Steps {
		for _, a := range s.Attempts {
			if n := seen[line{"attempt", id, s.Key(), a.Number}]; n != 1 {
				t.Errorf("%s attempt %d has %d lines", s.Name, a.Number, n)
			}
		}
	}
}
