package store

import (
	"fmt"
	"io/fs"
	"strings"
	"testing"
	"time"

	schema "countersign/db"
	"countersign/internal/model"
)

// doubted is an intent with two unknown effects that have money, and with what an
// intent can have besides: a larger amount that was seen, a second object beside a
// confirmed one, something in flight and something that an undo took back.
func doubted() *model.Case {
	step := func(position int, name, operation string, state model.StepState, amount int64) *model.Step {
		return &model.Step{IntentID: "intent-a", Account: "acme", Name: name, Position: position, Class: model.Keyed, Operation: operation, Provider: "bank",
			Generation: 1, State: state, Amount: amount, Currency: "EUR", UncertainSince: 7}
	}
	seen := func(id, step, ref, status string, amount int64) model.Evidence {
		return model.Evidence{ID: id, IntentID: "intent-a", Step: step, Source: model.FromQuery, Says: model.Conflicting, Ref: ref, Status: status, Amount: amount, Currency: "EUR"}
	}
	c := &model.Case{Intent: model.Intent{ID: "intent-a", Account: "acme", Kind: model.KindPayout, Key: "run-a", Fingerprint: []byte{1}, Params: []byte("{}"), Version: 1, Amount: 4200, Currency: "EUR"}}
	c.Steps = []*model.Step{
		step(1, "respond", "dispute.respond", model.OutcomeUnknown, 4200),
		step(2, "credit", "credit.create", model.OutcomeUnknown, 4200),
		step(3, "seen-larger", "x", model.OutcomeUnknown, 100),
		step(4, "seen-smaller", "x", model.OutcomeUnknown, 100),
		step(5, "second", "payout.create", model.Confirmed, 900),
		step(6, "several", "payout.create", model.Confirmed, 900),
		step(7, "entry", "ledger.post", model.InProgress, 50),
		step(8, "in-flight", "x", model.InProgress, 30),
		step(9, "moneyless", "x", model.OutcomeUnknown, 0),
		step(10, "to-come", "x", model.Pending, 70),
	}
	for _, s := range c.Steps[4:6] {
		s.Moved, s.ExternalRef = 900, "po_"+s.Name
	}
	c.Steps[2].Evidence = []model.Evidence{seen("e1", "seen-larger", "po_9", "", 160), seen("e2", "seen-larger", "po_8", "", 140)}
	c.Steps[3].Evidence = []model.Evidence{seen("e3", "seen-smaller", "po_7", "", 60)}
	c.Steps[4].Evidence = []model.Evidence{seen("e4", "second", "po_6", "", 800), seen("e5", "second", "po_second", "", 950)}
	c.Steps[5].Evidence = []model.Evidence{seen("e6", "several", "", "several", 2700), seen("e7", "several", "po_several", "", 1000)}
	for i, s := range c.Steps[2:6] {
		c.Conflicts = append(c.Conflicts, model.Contradiction{ID: fmt.Sprint("k", i), IntentID: c.ID, Step: s.Name, EvidenceID: "e", Reason: "r", OpenedAt: 1})
	}
	c.Undone, c.UncertainSince, c.SortOpen = map[string]string{"ledger.post": "intent-b"}, 7, 7
	c.Compensations = []model.Compensation{{ID: "c1", IntentID: c.ID, Step: "entry", ChildID: "intent-b", State: model.CompensationDone}}
	return c
}

// undo is the intent that took doubted's entry back.
func undo() *model.Case {
	c := &model.Case{Intent: model.Intent{ID: "intent-b", Account: "acme", Kind: model.KindCompensation, Key: "undo", Fingerprint: []byte{1}, Params: []byte("{}"), Version: 1,
		State: model.Completed, Parent: "intent-a", ParentStep: "entry"}}
	c.Steps = []*model.Step{{IntentID: c.ID, Account: "acme", Name: "reverse", Class: model.Local, Operation: "ledger.reverse", Generation: 1, State: model.Confirmed, Amount: 50, Currency: "EUR"}}
	return c
}

// storeCases puts cases with their evidence and contradictions into the database.
func storeCases(t *testing.T, tx *Tx, cases ...*model.Case) {
	t.Helper()
	for _, c := range cases {
		c.Derive(model.NormalPace(), 1_000_000)
		if ok, err := tx.InsertCase(c); err != nil || !ok {
			t.Fatal(ok, err)
		}
		for _, s := range c.Steps {
			if err := tx.Add("evidence", evidenceColumns, s.Evidence); err != nil {
				t.Fatal(err)
			}
		}
		for _, k := range c.Conflicts {
			if err := tx.Insert("conflicts", conflictColumns, k); err != nil {
				t.Fatal(err)
			}
		}
	}
}

// TestEachEffectCountsItsOwnMoney: the sums over effects are those of the exposure,
// however many effects of an intent are open.
func TestEachEffectCountsItsOwnMoney(t *testing.T) {
	db := openLists(t)
	err := db.Update(t.Context(), func(tx *Tx) error {
		c := doubted()
		storeCases(t, tx, c)
		var open []int64
		for _, s := range c.Steps {
			open = append(open, s.Open)
		}
		if got := fmt.Sprint(open, c.Uncertain); got != "[4200 4200 160 100 800 1800 0 30 0 0] 11290" {
			t.Errorf("open %s", got)
		}
		sums, _, err := tx.Uncertainty([]string{"acme"})
		if err != nil || len(sums) != 2 || sums[0] != (Uncertain{"", 1, 0, 7}) || sums[1] != (Uncertain{"EUR", 6, 11260, 1}) {
			t.Errorf("sums %+v (%v)", sums, err)
		}
		parts, looked, err := tx.UncertainParts([]string{"acme"}, 8)
		together := int64(0)
		for _, p := range parts {
			together += p.Amount
		}
		if err != nil || looked != 7 || together != 11260 {
			t.Errorf("parts %+v (%v)", parts, err)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}

// fillAgain runs what a migration fills rows with.
func fillAgain(t *testing.T, tx *Tx, migration string) {
	t.Helper()
	text, err := fs.ReadFile(schema.Migrations, "migrations/"+migration+".sql")
	if err != nil {
		t.Fatal(err)
	}
	for statement := range strings.SplitSeq(string(text), ";\n") {
		if at := strings.Index(statement, "UPDATE "); at >= 0 {
			if _, err := tx.Exec(statement[at:]); err != nil {
				t.Fatal(err)
			}
		}
	}
}

// TestOldRowsAreInDoubtSinceTheContradiction: rows of before are found where the
// rules put them.
func TestOldRowsAreInDoubtSinceTheContradiction(t *testing.T) {
	db := openLists(t)
	err := db.Update(t.Context(), func(tx *Tx) error {
		c := doubted()
		c.Steps, c.Conflicts = c.Steps[4:6], c.Conflicts[2:]
		c.Conflicts[0].OpenedAt, c.Conflicts[1].OpenedAt = 5, 4
		storeCases(t, tx, c)
		for _, forget := range []string{"UPDATE steps SET uncertain_since = 0", fmt.Sprintf("UPDATE intents SET uncertain_since = 0, sort_open = %d", model.BehindUncertain+1)} {
			if _, err := tx.Exec(forget); err != nil {
				return err
			}
		}
		fillAgain(t, tx, "00025_doubt_beside")
		rows, _, err := tx.List(ListFilter{Accounts: []string{"acme"}, State: StateUnknown, Provider: "bank", Currency: "EUR", Limit: 5})
		if err != nil || len(rows) != 1 || rows[0].UncertainSince != 4 || rows[0].SortOpen != c.SortOpen || rows[0].Uncertain != 2600 {
			t.Errorf("found %+v (%v)", rows, err)
		}
		sums, _, err := tx.Uncertainty([]string{"acme"})
		if err != nil || len(sums) != 1 || sums[0] != (Uncertain{"EUR", 2, 2600, 4}) {
			t.Errorf("sums %+v (%v)", sums, err)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}

// TestOldRowsGetTheirOpenAmounts: what the migration says of rows of before is what
// the rules say of them.
func TestOldRowsGetTheirOpenAmounts(t *testing.T) {
	db := openLists(t)
	err := db.Update(t.Context(), func(tx *Tx) error {
		c := doubted()
		storeCases(t, tx, c, undo())
		if _, err := tx.Exec("UPDATE steps SET account = '', open_amount = 0"); err != nil {
			return err
		}
		fillAgain(t, tx, "00021_open_amounts")
		var filled []model.Step
		if err := tx.Select(&filled, "SELECT * FROM steps WHERE intent_id = ? ORDER BY position", c.ID); err != nil {
			return err
		}
		for i, s := range c.Steps {
			if got := filled[i]; got.Open != s.Open || got.Account != "acme" {
				t.Errorf("%s has %d open in %q, and the rules say %d", s.Name, got.Open, got.Account, s.Open)
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}

// TestWhatSettlesInAQuietAccountIsSeen: ten thousand effects of another account that
// must be finished sooner hide nothing, and are said to be more than was looked at.
func TestWhatSettlesInAQuietAccountIsSeen(t *testing.T) {
	db := openLists(t, open("acme", 1), open("globex", 2))
	both := []string{"acme", "globex"}
	err := db.Update(t.Context(), func(tx *Tx) error {
		for _, statement := range []string{
			"UPDATE steps SET provider = 'bank', state = 'in_progress', settling = TRUE, settles_by = 500, uncertain_since = 0",
			"UPDATE steps SET settles_by = 10 WHERE account = 'globex'",
			"INSERT INTO steps (intent_id, account, name, position, class, provider, state, settling, settles_by, amount, open_amount, currency) WITH RECURSIVE n (n) AS (SELECT 2 UNION ALL SELECT n + 1 FROM n WHERE n < 10000) SELECT intent_id, account, 's' || n, n, class, provider, state, settling, settles_by, amount, open_amount, currency FROM steps CROSS JOIN n WHERE account = 'globex'",
		} {
			if _, err := tx.Exec(statement); err != nil {
				return fmt.Errorf("%.50s: %w", statement, err)
			}
		}
		quiet := Settling{Provider: "bank", Currency: "EUR", Effects: 1, Amount: 100, FirstDue: 500}
		if list, capped, err := tx.Settling(both[:1]); err != nil || len(list) != 1 || list[0] != quiet || capped {
			t.Errorf("the quiet account: %+v %v (%v)", list, capped, err)
		}
		all := Settling{Provider: "bank", Currency: "EUR", Effects: 10001, Amount: 100 + 200*10000, FirstDue: 10}
		if list, capped, err := tx.Settling(both); err != nil || len(list) != 1 || list[0] != all || capped {
			t.Errorf("both: %+v %v (%v)", list, capped, err)
		}
		if _, err := tx.Exec("INSERT INTO steps (intent_id, account, name, position, class, provider, state, settling, settles_by, amount, currency) SELECT intent_id, account, 'one-more', 9, class, provider, state, settling, settles_by, amount, currency FROM steps WHERE name = 's2'"); err != nil {
			return err
		}
		if list, capped, err := tx.Settling(both); err != nil || len(list) != 1 || !capped {
			t.Errorf("more than is looked at: %+v %v (%v)", list, capped, err)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}

// TestUncertaintyHasItsAge: the classes are those that pages and interface name.
func TestUncertaintyHasItsAge(t *testing.T) {
	db := openLists(t, open("acme", 1), open("acme", 2), open("acme", 3), open("acme", 4))
	now := model.At(time.Date(2026, 11, 30, 9, 0, 0, 0, time.UTC))
	err := db.Update(t.Context(), func(tx *Tx) error {
		for i, old := range []time.Duration{time.Hour, time.Hour + 1000, 24 * time.Hour, 25 * time.Hour} {
			if _, err := tx.Exec("UPDATE steps SET uncertain_since = ? WHERE intent_id = ?", now.Add(-old), open("acme", int64(i+1)).ID); err != nil {
				return err
			}
		}
		parts, _, err := tx.UncertainParts([]string{"acme"}, now)
		got := ""
		for _, p := range parts {
			got += fmt.Sprint(p.Age, ":", p.Effects, " ")
		}
		if got != "0:1 1:1 2:1 3:1 " {
			t.Errorf("ages %s", got)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
}

// TestOldRowsAreUncertainSinceTheirDoubt: the migration dates the doubt of rows of
// before by when their outcome became unknown.
func TestOldRowsAreUncertainSinceTheirDoubt(t *testing.T) {
	text, err := fs.ReadFile(schema.Migrations, "migrations/00026_since_doubt.sql")
	if err != nil {
		t.Fatal(err)
	}
	db := openLists(t, open("acme", 1), open("acme", 2))
	err = db.Update(t.Context(), func(tx *Tx) error {
		statements := append([]string{"UPDATE steps SET changed_at = 90, uncertain_since = 7", "UPDATE steps SET state = 'in_progress' WHERE intent_id = 'intent-acme00002'",
			"UPDATE intents SET uncertain_since = 0, sort_open = 0 WHERE id = 'intent-acme00002'"}, strings.Split(string(text), ";\n")...)
		for _, statement := range statements {
			if at := strings.Index(statement, "UPDATE "); at >= 0 {
				if _, err := tx.Exec(statement[at:]); err != nil {
					return err
				}
			}
		}
		var rows []struct {
			Step, Intent, Sort int64
		}
		err := tx.Select(&rows, "SELECT s.uncertain_since AS step, i.uncertain_since AS intent, i.sort_open AS sort FROM intents i JOIN steps s ON s.intent_id = i.id ORDER BY i.id")
		if want := "[{90 90 90} {0 0 0}]"; fmt.Sprint(rows) != want {
			t.Errorf("%v, want %s", rows, want)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
}
