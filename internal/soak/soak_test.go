package soak

import (
	"context"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"countersign/internal/model"
	"countersign/internal/provider"
	"countersign/internal/store"
)

// The length of a run that nobody asked more of, and how long everything may
// take to come to its end afterwards.
const (
	shortRun     = 25 * time.Second
	settleWithin = 4 * time.Minute
	clients      = 4
)

// TestProcessesAreKilled disturbs a site for a while, lets it come to rest, and
// asks everybody what happened.
func TestProcessesAreKilled(t *testing.T) {
	s := newSite(t)
	ctx, stop := context.WithCancel(t.Context())
	var group sync.WaitGroup
	for n := range clients {
		group.Go(func() { s.client(ctx, n, random(t, uint64(n))) })
	}
	people, goHome := context.WithCancel(t.Context())
	defer goHome()
	var atWork sync.WaitGroup
	atWork.Go(func() { s.operator(people, random(t, 100)) })
	s.disturb(t, random(t, 1000))
	stop()
	group.Wait()
	s.calm()
	s.settle()
	goHome()
	atWork.Wait()
	s.check()
	for _, p := range append(s.programs, s.bank) {
		p.stop()
	}
	t.Logf("%d intents answered, %v", len(s.answered), s.figures)
}

// seed makes a run's own chances; how processes interleave is never the same.
var seed = sync.OnceValue(func() uint64 { return uint64(time.Now().UnixNano()) })

func random(t *testing.T, stream uint64) *rand.Rand {
	t.Helper()
	return rand.New(rand.NewPCG(seed(), stream))
}

// disturb lets things happen until the run's time is over.
func (s *site) disturb(t *testing.T, r *rand.Rand) {
	span := shortRun
	if text := os.Getenv("COUNTERSIGN_SOAK"); text != "" {
		var err error
		if span, err = time.ParseDuration(text); err != nil {
			t.Fatal(err)
		}
	}
	told := time.Now()
	for until := time.Now().Add(span); time.Now().Before(until); time.Sleep(upTo(r, time.Second)) {
		d := disturbances[r.IntN(len(disturbances))]
		d.do(s, r)
		s.count(d.what)
		if span > shortRun && time.Since(told) > 20*time.Second {
			told = time.Now()
			s.mu.Lock()
			fmt.Printf("%s processes: %d intents answered, %v\n", told.Format(time.TimeOnly), len(s.answered), s.figures)
			s.mu.Unlock()
		}
	}
}

// calm ends the provider's faults.
func (s *site) calm() {
	request, err := http.NewRequest(http.MethodDelete, s.bankURL+"/faults", nil)
	if err != nil {
		s.t.Fatal(err)
	}
	answer, err := http.DefaultClient.Do(request)
	if err != nil {
		s.t.Fatal(err)
	}
	answer.Body.Close()
}

// settle waits until every intent is at its end.
func (s *site) settle() {
	s.t.Helper()
	var open []*model.Case
	for until := time.Now().Add(settleWithin); time.Now().Before(until); time.Sleep(500 * time.Millisecond) {
		open = nil
		for _, c := range s.cases() {
			if c.State != model.Completed {
				open = append(open, c)
			}
		}
		if len(open) == 0 {
			return
		}
	}
	for _, c := range open {
		s.t.Errorf("%s (%s) is still %s: %s", c.ID, c.Key, c.State, c.Reason)
	}
}

// view opens the database as one more process.
func (s *site) view(fn func(*store.Tx) error) {
	s.t.Helper()
	db, err := store.Open(s.t.Context(), s.dsn, store.Options{})
	if err != nil {
		s.t.Fatal(err)
	}
	defer db.Close()
	if err := db.View(s.t.Context(), fn); err != nil {
		s.t.Fatal(err)
	}
}

// cases are all intents with their rows.
func (s *site) cases() (list []*model.Case) {
	s.t.Helper()
	s.view(func(tx *store.Tx) error {
		var ids []string
		if err := tx.Select(&ids, "SELECT id FROM intents"); err != nil {
			return err
		}
		for _, id := range ids {
			c, err := tx.Case(id)
			if err != nil {
				return err
			}
			list = append(list, c)
		}
		return nil
	})
	return list
}

// check asks everybody what happened.
func (s *site) check() {
	s.t.Helper()
	byID := map[string]*model.Case{}
	byKey := map[string]int{}
	for _, c := range s.cases() {
		byID[c.ID] = c
		byKey[c.Key]++
	}
	for key, id := range s.answered {
		if c := byID[id]; c == nil || c.Key != key || byKey[key] != 1 {
			s.t.Errorf("%s was answered as %s, and is there %d times", key, id, byKey[key])
		}
	}
	if len(s.answered) < clients {
		s.t.Errorf("only %d intents were answered", len(s.answered))
	}
	s.checkBooks(byID)
	export := filepath.Join(s.dir, "export.jsonl")
	s.console("audit", "export", "--out", export)
	if said := string(s.console("audit", "verify", export)); !strings.Contains(said, "good") || !strings.Contains(said, "Complete") {
		s.t.Errorf("the export verifies as %s", said)
	}
}

// effect is one line of the provider's books.
type effect struct {
	Operation, Key, Reference string
	At                        time.Time
	UndoneAt                  *time.Time `json:"undone_at"`
}

// checkBooks: at most one effect of each step stands, each completed step has
// its own, and none happened without an attempt that was committed before it.
func (s *site) checkBooks(byID map[string]*model.Case) {
	s.t.Helper()
	standing := map[string]int{}
	for _, e := range s.books() {
		intent, name, generation := e.step()
		step := intent + ":" + name
		if standing[step]++; standing[step] == 2 {
			s.t.Errorf("two effects of %s stand", step)
		}
		c := byID[intent]
		if c == nil || c.Step(name) == nil || !reserved(c.Step(name), generation, e) {
			s.t.Errorf("%s of %s at %s has no attempt", e.Operation, e.Reference, e.At)
		}
	}
	for id, c := range byID {
		for _, step := range c.Steps {
			if step.Class.Effect() && step.State == model.Confirmed && standing[id+":"+step.Name] != 1 {
				s.t.Errorf("%s is confirmed, and the books show %d", step.Key(), standing[id+":"+step.Name])
			}
		}
	}
	s.figures["effects"] = len(standing)
}

func (e effect) step() (intent, name string, generation int) {
	key := e.Reference
	if of, ok := provider.StepKeyOf(key); ok {
		key = of
	}
	intent, name, generation, err := model.SplitStepKey(key)
	if err != nil {
		return e.Reference, "", 0
	}
	return intent, name, generation
}

// reserved: both clocks are this machine's.
func reserved(s *model.Step, generation int, e effect) bool {
	for _, a := range s.Attempts {
		if a.Generation == generation && (s.Class != model.Keyed || a.WireKey == e.Key) && !a.StartedAt.Std().After(e.At) {
			return true
		}
	}
	return false
}

func (s *site) books() (standing []effect) {
	s.t.Helper()
	answer, err := http.Get(s.bankURL + "/books")
	if err != nil {
		s.t.Fatal(err)
	}
	defer answer.Body.Close()
	var list struct{ Effects []effect }
	if err := json.NewDecoder(answer.Body).Decode(&list); err != nil {
		s.t.Fatal(err)
	}
	for _, e := range list.Effects {
		if e.UndoneAt == nil {
			standing = append(standing, e)
		}
	}
	return standing
}
