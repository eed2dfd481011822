package store

import (
	"fmt"
	"strings"
	"testing"

	"countersign/internal/model"
)

// many is how long the record of the one step is in these tests.
const many = 5000

// longRecord gives a database with an intent whose step was tried many times, and
// asked about as often: attempt 7 was lost, 60 came back unknown, 61 ended in a
// refusal, a person marked something after 100, and all the others were not sent.
func longRecord(t *testing.T) (db *DB, id string) {
	t.Helper()
	db = openLists(t, open("acme", 1), open("acme", 2))
	id = "intent-acme00001"
	series := "WITH RECURSIVE n (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM n WHERE n < ?) "
	err := db.Update(t.Context(), func(tx *Tx) error {
		for _, statement := range []string{
			"INSERT INTO attempts (intent_id, step, number, generation, wire_key, trigger_by, worker, boot, fence, started_at, deadline_at, finished_at, lost, result, request_id) " + series +
				"SELECT ?, 'create-payout', n, 1, 'w', 'engine', 'w', 'b', n, 10 * n, 10 * n + 5, 10 * n + 4, n = 7, CASE n WHEN 7 THEN 'unknown' WHEN 60 THEN 'unknown' WHEN 61 THEN 'rejected_curable' ELSE 'not_sent' END, '' FROM n",
			"INSERT INTO evidence (id, intent_id, step, source, says, began_at, at) " + series +
				"SELECT 'e' || (100000 + n), ?, 'create-payout', CASE n WHEN 100 THEN 'operator' ELSE 'query' END, 'inconclusive', 10 * n + 5, 10 * n + 6 FROM n",
		} {
			if _, err := tx.Exec(statement, many, id); err != nil {
				return fmt.Errorf("%.40s: %w", statement, err)
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return db, id
}

// What decides something is in an outline however old it is, and its sums are
// those of the whole record.
func TestAnOutlineHasWhatDecides(t *testing.T) {
	db, id := longRecord(t)
	err := db.View(t.Context(), func(tx *Tx) error {
		c, err := tx.Outline(id)
		if err != nil {
			return err
		}
		s := c.Steps[0]
		var numbers []int
		for _, a := range s.Attempts[:4] {
			numbers = append(numbers, a.Number)
		}
		if fmt.Sprint(numbers) != "[1 7 60 4961]" || len(s.Attempts) != OutlineRows+3 || s.Tried() != many || s.Attempt(60) == nil || s.Attempt(61) != nil {
			t.Errorf("attempts %v of %d, tried %d", numbers, len(s.Attempts), s.Tried())
		}
		if len(s.Evidence) != OutlineRows+2 || s.Evidence[0].Source != model.FromOperator || s.Left.Evidence != many-OutlineRows-2 || s.Looks() != many-1 {
			t.Errorf("%d pieces of evidence, the first %s; left %+v, %d looks", len(s.Evidence), s.Evidence[0].Source, s.Left, s.Looks())
		}
		whole, err := tx.Case(id)
		if err != nil {
			return err
		}
		if w := whole.Steps[0]; w.Tried() != many || w.Looks() != many-1 || w.Left != (model.Left{}) ||
			len(whole.UnknownAttempts(w)) != 2 || len(c.UnknownAttempts(s)) != 2 {
			t.Errorf("of the whole: tried %d, %d looks, left %+v, %d and %d unknown", w.Tried(), w.Looks(), w.Left, len(whole.UnknownAttempts(w)), len(c.UnknownAttempts(s)))
		}
		both, err := tx.Outlines([]model.Intent{{ID: id}, {ID: "intent-acme00002"}})
		if err == nil && (len(both[0].Steps[0].Attempts) != OutlineRows+3 || both[1].Steps[0].Tried() != 0) {
			t.Errorf("outlines %+v", both)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
}

// A long record is paged: each row stands on one page, and every page says how
// much is older.
func TestALongRecordIsPagedOnce(t *testing.T) {
	db, id := longRecord(t)
	const page = 400
	err := db.View(t.Context(), func(tx *Tx) error {
		c, err := tx.Case(id)
		if err != nil {
			return err
		}
		attempts, rest := NewestAttempts(c, 15)
		for left := many - 15; left > 0; left -= page {
			if rest != left {
				t.Fatalf("%d attempts older than %d, want %d", rest, len(attempts), left)
			}
			last := attempts[len(attempts)-1]
			var older []model.Attempt
			if older, rest, err = tx.OlderAttempts(c, last.Step, last.Number, page); err != nil {
				return err
			}
			attempts = append(attempts, older...)
		}
		evidence, rest := NewestEvidence(c, 15)
		for left := many - 15; left > 0; left -= page {
			if rest != left {
				t.Fatalf("%d pieces older than %d, want %d", rest, len(evidence), left)
			}
			var older []model.Evidence
			if older, rest, err = tx.OlderEvidence(c, evidence[len(evidence)-1].ID, page); err != nil {
				return err
			}
			evidence = append(evidence, older...)
		}
		for i := range many {
			if attempts[i].Number != many-i || evidence[i].ID != fmt.Sprint("e", 100000+many-i) {
				t.Fatalf("row %d is attempt %d and %s", i, attempts[i].Number, evidence[i].ID)
			}
		}
		if len(attempts) != many || len(evidence) != many || rest != 0 {
			t.Errorf("%d attempts, %d pieces of evidence, %d left", len(attempts), len(evidence), rest)
		}
		none, rest, err := tx.OlderAttempts(c, "create-payout", many+1, page)
		if len(none) != 0 || rest != 0 || err != nil {
			t.Errorf("behind no attempt: %d, %d (%v)", len(none), rest, err)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
}

// Of one moment the later step stands first, on every page.
func TestRecordsOfSeveralStepsArePagedByTime(t *testing.T) {
	db := openLists(t, open("acme", 1))
	c := &model.Case{Intent: model.Intent{ID: "intent-acme00001"}}
	err := db.Update(t.Context(), func(tx *Tx) error {
		for position, step := range []string{"first", "second"} {
			c.Steps = append(c.Steps, &model.Step{IntentID: c.ID, Name: step, Position: position + 1})
			if _, err := tx.Exec("INSERT INTO steps (intent_id, name, position, class, state) VALUES (?, ?, ?, 'pure', 'pending')", c.ID, step, position+2); err != nil {
				return err
			}
			for n := 1; n <= 3; n++ {
				a := model.Attempt{IntentID: c.ID, Step: step, Number: n, Generation: 1, WireKey: "w", Trigger: model.ByEngine, StartedAt: model.Time(n), FinishedAt: model.Time(n + 1), Result: model.ResultDone}
				if err := tx.Insert("attempts", attemptColumns, a); err != nil {
					return err
				}
			}
		}
		var order []string
		for step, number := "second", 3; step != ""; {
			order = append(order, fmt.Sprint(step, number))
			list, _, err := tx.OlderAttempts(c, step, number, 1)
			if err != nil {
				return err
			}
			step, number = "", 0
			for _, a := range list {
				step, number = a.Step, a.Number
			}
		}
		if got := strings.Join(order, " "); got != "second3 first3 second2 first2 second1 first1" {
			t.Errorf("%s", got)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}
