package store

import (
	"errors"
	"fmt"
	"math"
	"reflect"
	"strings"
	"testing"

	"countersign/internal/model"
)

// values is a row with a value of every sort that columns hold.
type values struct {
	Text  string            `db:"text_here"`
	Large int64             `db:"large"`
	Small model.Time        `db:"small"`
	Yes   bool              `db:"yes"`
	Bytes []byte            `db:"some_bytes"`
	None  []byte            `db:"no_bytes"`
	Maybe *int64            `db:"maybe"`
	Not   *int64            `db:"not_there"`
	State model.IntentState `db:"state_here"`
}

// hostile is text in which a reader of JSON goes wrong first.
const hostile = "\"]},{[null, \\u0041 \\ \r\n\t\x01\x7f 'π' \u2028 \U0001F600 Ελένη محمد null true 1"

func insertValues(tx *Tx) error {
	for _, statement := range []string{
		"CREATE TEMPORARY TABLE sorts_of_values (text_here TEXT, large BIGINT, small BIGINT, yes BOOLEAN, some_bytes " + tx.db.dialect.bytes +
			", no_bytes " + tx.db.dialect.bytes + ", maybe BIGINT, not_there BIGINT, state_here TEXT)",
	} {
		if _, err := tx.Exec(statement); err != nil {
			return err
		}
	}
	for i := range 3 {
		if _, err := tx.Exec("INSERT INTO sorts_of_values VALUES (?, ?, ?, ?, ?, NULL, ?, NULL, ?)",
			hostile, int64(math.MaxInt64)-int64(i), math.MinInt64, i > 0, []byte{0, 255, byte(i)}, i, "completed"); err != nil {
			return err
		}
	}
	return nil
}

// reading lets a test read together in a transaction that may write.
func reading(t *testing.T, db *DB, fn func(*Tx) error) {
	t.Helper()
	err := db.Rehearse(t.Context(), func(tx *Tx) error {
		if err := insertValues(tx); err != nil {
			return err
		}
		tx.writes = false
		return fn(tx)
	})
	if err != nil {
		t.Fatal(err)
	}
}

// TestTogetherReadsTheSame: what is read in one statement equals what is read
// alone, value for value, in the same order, and where there is nothing too.
func TestTogetherReadsTheSame(t *testing.T) {
	reading(t, OpenPlace(t), func(tx *Tx) error {
		const all = "SELECT * FROM sorts_of_values ORDER BY large"
		type answers struct {
			rows       []values
			texts      []string
			joined     []string
			first      values
			n          int
			sum        int64
			none       []values
			found, not bool
		}
		ask := func(a *answers) []func() error {
			return []func() error{
				func() error { return tx.Select(&a.rows, all) },
				func() error { return tx.Select(&a.texts, "SELECT text_here FROM sorts_of_values") },
				func() error {
					return tx.Select(&a.joined, "SELECT text_here || ':' || state_here FROM sorts_of_values ORDER BY large")
				},
				func() (err error) { a.found, err = tx.Get(&a.first, all+" DESC LIMIT ?", 1); return err },
				func() error {
					_, err := tx.Get(&a.n, "SELECT count(*) FROM sorts_of_values WHERE yes AND text_here = ?", hostile)
					return err
				},
				func() error { _, err := tx.Get(&a.sum, "SELECT sum(maybe) FROM sorts_of_values"); return err },
				func() error { return tx.Select(&a.none, all+" LIMIT 0") },
				func() (err error) { a.not, err = tx.Get(&values{}, all+" LIMIT 0"); return err },
			}
		}
		var alone, together answers
		if err := inTurn(ask(&alone)); err != nil {
			return err
		}
		if err := tx.Together(ask(&together)...); err != nil {
			return err
		}
		if !reflect.DeepEqual(alone, together) {
			t.Errorf("alone\n%+v\ntogether\n%+v", alone, together)
		}
		if len(alone.rows) != 3 || len(alone.joined) != 3 || alone.rows[0].Text != hostile || alone.rows[2].Large != math.MaxInt64 || alone.rows[0].None != nil || *alone.rows[1].Maybe != 1 ||
			!alone.found || alone.not || alone.n != 2 || alone.sum != 3 {
			t.Errorf("read %+v", alone)
		}
		return nil
	})
}

// TestTogetherTakesTheLongest: as many statements as the longest part asks one
// after the other, whatever is nested.
func TestTogetherTakesTheLongest(t *testing.T) {
	db := OpenPlace(t)
	ctx, asked := Asked(t.Context())
	number := func(tx *Tx, into *int, n int) func() error {
		return func() error { _, err := tx.Get(into, "SELECT CAST(? AS INTEGER) AS n", n); return err }
	}
	err := db.View(ctx, func(tx *Tx) error {
		var a, b, c, d, e int
		err := tx.Together(
			func() error {
				if err := number(tx, &a, 1)(); err != nil {
					return err
				}
				return number(tx, &b, a+1)()
			},
			func() error { return tx.Together(number(tx, &c, 3), number(tx, &d, 4)) },
			number(tx, &e, 5))
		if got := fmt.Sprint(a, b, c, d, e); got != "1 2 3 4 5" {
			t.Errorf("read %s", got)
		}
		return err
	})
	if err != nil || int64(len(asked.Sent())) != 2 {
		t.Errorf("%d statements (%v), want 2", int64(len(asked.Sent())), err)
	}
}

// TestLittleIsRemembered: however many different statements are read together,
// what is kept of them has its bound, and what is forgotten is found again.
func TestLittleIsRemembered(t *testing.T) {
	db := OpenPlace(t)
	err := db.View(t.Context(), func(tx *Tx) error {
		for round := range mostShapes/2 + 10 {
			var a, b int
			err := tx.Together(
				func() error {
					_, err := tx.Get(&a, fmt.Sprintf("SELECT CAST(? AS INTEGER) + %d AS n", round), 1)
					return err
				},
				func() error {
					_, err := tx.Get(&b, fmt.Sprintf("SELECT CAST(? AS INTEGER) - %d AS n", round), 1)
					return err
				})
			if err != nil || a != 1+round || b != 1-round {
				return fmt.Errorf("read %d and %d in round %d: %w", a, b, round, err)
			}
		}
		return nil
	})
	if n := len(db.shapes.known); err != nil || n > mostShapes || n == 0 {
		t.Errorf("%d are remembered of at most %d: %v", n, mostShapes, err)
	}
}

// TestIDsArePadded: lists of ids of about the same length are asked for by one
// statement, and the answer is of those that were named.
func TestIDsArePadded(t *testing.T) {
	db := openLists(t, open("acme", 1), open("acme", 2), open("acme", 3), open("acme", 4))
	ctx, asked := Asked(t.Context())
	err := db.View(ctx, func(tx *Tx) error {
		for n := range 2 {
			rows := []model.Intent{open("acme", 1), open("acme", 2), open("acme", 3), open("acme", 4)}[:3+n]
			var ids []string
			for _, row := range rows {
				ids = append(ids, row.ID)
			}
			beside, err := tx.Beside(ids)
			versions, err2 := tx.Versions(ids)
			sessions, err3 := tx.LiveSessions([]string{"0a", "0b", "no id", "0d"}[:3+n])
			if err := errors.Join(err, err2, err3); err != nil || len(beside) != len(ids) || len(versions) != len(ids) || len(sessions) != 0 {
				return fmt.Errorf("of %d: beside %v, versions %v, sessions %v: %w", len(ids), beside, versions, sessions, err)
			}
		}
		return nil
	})
	texts := map[string]bool{}
	for _, s := range asked.Sent() {
		texts[s.Query] = true
	}
	if err != nil || len(texts) != 3 {
		t.Errorf("%d statements, want 3: %v", len(texts), err)
	}
}

// TestTogetherFails: a part's own error comes out with all others at their end,
// the statement's names what it was for, and a panic passes.
func TestTogetherFails(t *testing.T) {
	own := errors.New("own")
	var n int
	ended := false
	ask := func(tx *Tx) func() error {
		return func() error { _, err := tx.Get(&n, "SELECT 1 AS n"); ended = true; return err }
	}
	reading(t, OpenPlace(t), func(tx *Tx) error {
		if err := tx.Together(ask(tx), func() error { return own }, ask(tx)); err != own || !ended {
			t.Errorf("%v, ended %v", err, ended)
		}
		err := tx.Together(ask(tx), func() error { return twoColumns(tx) })
		if err == nil || !strings.Contains(err.Error(), "no field for the column b") {
			t.Errorf("a column without a place: %v", err)
		}
		func() {
			defer func() {
				if recover() != "panic" || tx.ask != nil {
					t.Error("a panic got lost")
				}
			}()
			_ = tx.Together(ask(tx), func() error { panic("panic") })
		}()
		err = tx.Together(func() error { _, err := tx.Get(&n, "SELECT NULL AS n"); return err }, ask(tx))
		if err == nil || !strings.Contains(err.Error(), "NULL") {
			t.Errorf("NULL for a number: %v", err)
		}
		return nil
	})
}

// twoColumns asks for two columns where there is room for one.
func twoColumns(tx *Tx) error {
	var row struct {
		A int `db:"a"`
	}
	_, err := tx.Get(&row, "SELECT 1 AS a, 2 AS b")
	return err
}

// TestCaseReadAndLocked: a case that is read in one statement equals the one that
// LockCase loads table by table.
func TestCaseReadAndLocked(t *testing.T) {
	db := openLists(t, open("acme", 1))
	id := "intent-acme00001"
	err := db.Update(t.Context(), func(tx *Tx) error {
		for _, statement := range []string{
			"INSERT INTO boots (id, host, pid, started_at, seen_at, dead_at) VALUES ('b', 'h', 1, 1, 1, 7), ('c', 'h', 1, 1, 1, 0)",
			`INSERT INTO attempts (intent_id, step, number, generation, wire_key, trigger_by, worker, boot, fence, started_at, deadline_at, finished_at, lost, result, reason)
				VALUES ('` + id + `', 'create-payout', 1, 1, 'w', 'engine', 'w', 'b', 1, 1, 2, 2, TRUE, 'unknown', 'a "quoted" reason\'),
				('` + id + `', 'create-payout', 2, 1, 'w', 'engine', 'w', 'c', 1, 1, 2, 2, TRUE, 'unknown', '')`,
			"INSERT INTO evidence (id, intent_id, step, source, says, began_at, at, final) VALUES ('e1', '" + id + "', 'create-payout', 'query', 'inconclusive', 1, 2, TRUE)",
			"INSERT INTO generations (intent_id, step, number, wire_key, method, url, content_type, body, body_sha256, frozen_at) SELECT intent_id, name, 1, wire_key, 'POST', 'u', 'c', fingerprint, params, 1 FROM steps, intents WHERE intents.id = intent_id",
			"INSERT INTO conflicts (id, intent_id, step, evidence_id, reason, opened_at) VALUES ('k', '" + id + "', 'create-payout', 'e1', 'r', 1)",
			"INSERT INTO compensations (id, intent_id, step, generation, state, asked_at) VALUES ('comp', '" + id + "', 'create-payout', 1, 'open', 1)",
			"INSERT INTO approvals (id, state, action, intent_id, account, digest, plan, input, needed, created_at, expires_at, version) SELECT 'a', 'open', 'abandon', id, account, 'd', params, fingerprint, 2, 1, 2, 1 FROM intents",
			"INSERT INTO approval_decisions (approval_id, person, name, says, reason, at) VALUES ('a', 'p', 'Ελένη', 'approve', 'r', 1)",
			"INSERT INTO abandonments (intent_id, at, by_name, reason) VALUES ('" + id + "', 1, 'x', 'r')",
		} {
			if _, err := tx.Exec(statement); err != nil {
				return fmt.Errorf("%.50s: %w", statement, err)
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	var read, locked *model.Case
	ctx, asked := Asked(t.Context())
	err = errors.Join(
		db.View(ctx, func(tx *Tx) (err error) { read, err = tx.Case(id); return err }),
		db.Rehearse(t.Context(), func(tx *Tx) (err error) { locked, err = tx.LockCase(id); return err }))
	if err != nil || int64(len(asked.Sent())) != 1 {
		t.Fatalf("%d statements (%v)", int64(len(asked.Sent())), err)
	}
	if !reflect.DeepEqual(read, locked) {
		t.Errorf("read\n%+v\nlocked\n%+v", read, locked)
	}
	if s := read.Steps[0]; len(s.Attempts) != 2 || len(s.Evidence) != 1 || len(s.Generations) != 1 || len(read.DeadBoots) != 1 || len(read.Requests[0].Decisions) != 1 ||
		read.Abandonment == nil || read.Undone == nil || len(read.Conflicts) != 1 {
		t.Errorf("not all was read: %+v", read)
	}
}
