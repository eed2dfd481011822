package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
	"unicode"

	"countersign/internal/audit"
	"countersign/internal/model"
	"countersign/internal/store"
)

// tally is what the sample business comes to.
type tally struct {
	Account, Kind, State, Currency string
	N                              int
}

func tallies(t *testing.T, d *demo) (list []tally) {
	t.Helper()
	err := d.db.View(t.Context(), func(tx *store.Tx) error {
		return tx.Select(&list, "SELECT account, kind, state, currency, count(*) AS n FROM intents GROUP BY account, kind, state, currency")
	})
	if err != nil {
		t.Fatal(err)
	}
	return list
}

// sum adds up what a part of the tallies holds.
func sum(list []tally, of func(tally) bool) (n int) {
	for _, one := range list {
		if of(one) {
			n += one.N
		}
	}
	return n
}

// The business is about as large as the readme says, most of it went well, and
// every state that people meet is there.
func TestTheDemoIsABusiness(t *testing.T) {
	d, line, _ := startDemo(t, seeded(t), false)
	t.Logf("the first start took %s", seededIn.Round(10*time.Millisecond)) // measured, and asserted of nothing
	all := tallies(t, d)
	total := sum(all, func(tally) bool { return true })
	if total < 270 || total > 370 {
		t.Errorf("%d intents, want about 300", total)
	}
	if n := sum(all, func(a tally) bool { return a.Account == globex }); n < 15 || n > 30 {
		t.Errorf("%d intents of %s, want about 20", n, globex)
	}
	if done := sum(all, func(a tally) bool { return a.State == string(model.Completed) }); done*100 < total*80 || done == total {
		t.Errorf("%d of %d completed", done, total)
	}
	for _, state := range []model.IntentState{model.NeedsReview, model.AwaitingApproval, model.Processing, model.TerminalFailure, model.Abandoned, model.Compensated, model.Compensating} {
		if sum(all, func(a tally) bool { return a.State == string(state) }) == 0 {
			t.Errorf("nothing is %s", state)
		}
	}
	for _, currency := range []string{"USD", "EUR", "GBP", "CHF", "JPY", "KWD", "CLF"} {
		if sum(all, func(a tally) bool { return a.Currency == currency }) < 3 {
			t.Errorf("fewer than three intents in %s", currency)
		}
	}
	checkAges(t, d)
	checkBooks(t, d)
	if page := text(t, line.Address+"/readyz"); !strings.Contains(page, "engine: ok") {
		t.Errorf("not ready after the staged month: %s", page)
	}
}

// checkAges wants a month of work, none of it in the future, open cases of
// several ages, and nothing that the engine takes up by itself within the hour.
func checkAges(t *testing.T, d *demo) {
	t.Helper()
	var rows []model.Intent
	err := d.db.View(t.Context(), func(tx *store.Tx) error {
		return tx.Select(&rows, "SELECT key, state, created_at, wake_at, uncertain_since, owner_name FROM intents ORDER BY created_at")
	})
	if err != nil {
		t.Fatal(err)
	}
	now, days, owned := time.Now(), map[int]bool{}, 0
	if age := now.Sub(rows[0].CreatedAt.Std()); age < 24*24*time.Hour || age > 33*24*time.Hour {
		t.Errorf("the oldest intent is %s old", age)
	}
	for _, i := range rows {
		if i.CreatedAt.Std().After(now) {
			t.Errorf("%s is made in the future", i.Key)
		}
		if i.UncertainSince != 0 {
			days[int(now.Sub(i.UncertainSince.Std()).Hours()/24)] = true
		}
		if i.OwnerName != "" && i.State != model.Completed {
			owned++
		}
		if wake := i.WakeAt.Std(); i.WakeAt != 0 && wake.Before(now.Add(time.Hour)) {
			t.Errorf("%s wakes at %s, which is soon", i.Key, wake)
		}
	}
	if len(days) < 3 || owned < 2 {
		t.Errorf("doubts of %d different days, %d open cases with an owner", len(days), owned)
	}
}

// The log of the staged month verifies like any other, and says what it is.
func TestTheLogOfSampleWorkVerifies(t *testing.T) {
	dir := seeded(t)
	file := filepath.Join(t.TempDir(), "log.jsonl")
	db := "sqlite:" + filepath.Join(dir, "countersign.db")
	good(t, "", "audit", "export", "--db", db, "--out", file)
	if said := good(t, "", "audit", "verify", file); !strings.Contains(said, "entries") {
		t.Errorf("verify said %s", said)
	}
	d, line, _ := startDemo(t, dir, false)
	size, err := d.log.Size(t.Context())
	if err != nil || size < 3000 {
		t.Fatalf("the log has %d entries, %v", size, err)
	}
	fetch(t, "POST", line.Address+"/v1/intents", d.keys[priya],
		`{"kind":"payout","account":"acme","params":{"payee":{"reference":"rep-1","name":"Real","destination":"acct_1"},"amount":500,"currency":"EUR"}}`, nil, "Idempotency-Key", "after-the-show")
	marked, real := 0, 0
	err = d.db.View(t.Context(), func(tx *store.Tx) error {
		var row struct {
			Canonical []byte `db:"canonical"`
		}
		return tx.Each(&row, func() error {
			if strings.Contains(string(row.Canonical), `"demo":"`+stagedBy) {
				marked++
			} else {
				real++
			}
			return nil
		}, "SELECT canonical FROM audit_entries ORDER BY id")
	})
	if err != nil || int64(marked) != size || real == 0 {
		t.Errorf("%d entries are marked of %d made while staged, %d are not; %v", marked, size, real, err)
	}
}

// A mark is for the demo alone: what another program writes has none.
func TestOnlyStagedEntriesAreMarked(t *testing.T) {
	item := audit.Item{}
	item.Detail = []byte(`{"demo":"show","n":1}`)
	if audit.StagedBy(item) != "show" {
		t.Error("the mark is not read")
	}
	for _, detail := range []string{`{}`, `{"demo":7}`, ``, `{"from":"a"}`} {
		if item.Detail = []byte(detail); audit.StagedBy(item) != "" {
			t.Errorf("%s is taken for staged", detail)
		}
	}
}

// The same day gives the same history, whatever the hour.
func TestHistoryIsTheSame(t *testing.T) {
	day := time.Date(2026, 11, 29, 22, 0, 0, 0, time.UTC)
	names := map[*unicode.RangeTable]bool{}
	for _, r := range reps() {
		for _, script := range []*unicode.RangeTable{unicode.Han, unicode.Hangul, unicode.Hiragana, unicode.Katakana, unicode.Arabic, unicode.Hebrew, unicode.Devanagari, unicode.Thai,
			unicode.Greek, unicode.Cyrillic, unicode.Latin, unicode.Tamil, unicode.Georgian, unicode.Bengali} {
			if strings.IndexFunc(r.name, func(c rune) bool { return unicode.Is(script, c) }) >= 0 {
				names[script] = true
			}
		}
	}
	if len(names) < 14 {
		t.Errorf("names in %d scripts", len(names))
	}
	for _, start := range []time.Time{day, day.AddDate(0, 0, 2), day.AddDate(0, 3, 1), time.Date(2027, 3, 1, 0, 5, 0, 0, time.UTC)} {
		first, second := history(start, start.Add(-staged)), history(start.Add(-2*time.Minute).Add(2*time.Minute), start.Add(-staged))
		seen, months := map[string]bool{}, 0
		for i, s := range first {
			a, _ := s.body(start)
			b, _ := second[i].body(start)
			if s.key != second[i].key || s.starts != second[i].starts || string(a) != string(b) {
				t.Fatalf("%s: sample %d differs: %s, %s", start, i, s.key, second[i].key)
			}
			if seen[s.kind+s.key+s.owner()] {
				t.Errorf("%s: the key %s comes twice", start, s.key)
			}
			seen[s.kind+s.key+s.owner()] = true
			if strings.HasPrefix(s.key, "monthly/") {
				months++
			}
			if s.starts > staged || s.starts < -(historyDays+1)*24*time.Hour {
				t.Errorf("%s: %s starts at %s", start, s.key, s.starts)
			}
		}
		if len(first) < 230 || months < 20 {
			t.Errorf("%s: %d samples, %d of a month's run", start, len(first), months)
		}
	}
}

// A machine that stopped while sample work was made may have lost any of it.
func TestSampleWorkOfAnotherMachineStart(t *testing.T) {
	if machineStart() == "" {
		t.Log("this system does not name its starts: commits wait for the disk, and nothing is lost")
		return
	}
	dir := t.TempDir()
	c := &demoCommand{Data: dir}
	plan, err := c.seedPlan()
	if err != nil {
		t.Fatal(err)
	}
	if again, err := c.seedPlan(); err != nil || !again.Anchor.Equal(plan.Anchor) {
		t.Errorf("the plan is %v, then %v, %v", plan, again, err)
	}
	write(t, c.seedPlanFile(), fmt.Sprintf(`{"anchor":%q,"machine":"another"}`, plan.Anchor.Format(time.RFC3339)))
	if _, err := c.seedPlan(); model.KindOf(err) != model.Invalid || !strings.Contains(err.Error(), "remove that directory") {
		t.Errorf("after the machine stopped: %v", err)
	}
	if err := c.markSeeded(); err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(c.seedPlanFile()); !os.IsNotExist(err) {
		t.Errorf("the plan outlives its work: %v", err)
	}
}
