package audit_test

import (
	"fmt"
	"strings"
	"testing"

	"countersign/internal/store"
)

// forge inserts a row as somebody with access to the database would.
func forge(t testing.TB, db *store.DB, id string, canonical, mac []byte) {
	t.Helper()
	update(t, db, func(tx *store.Tx) error {
		_, err := tx.Exec(`INSERT INTO audit_entries (id, at, actor, event, account, intent_id, canonical, mac)
			VALUES (?, 1, 'x', 'y', 'acme', 'intent-0', ?, ?)`, id, canonical, mac)
		if err != nil {
			return err
		}
		_, err = tx.Exec("INSERT INTO audit_waiting (entry_id) VALUES (?)", id)
		return err
	})
}

func TestForgedRowsAreRefusedAndHoldUpNobody(t *testing.T) {
	db, l := open(t)
	ids := record(t, db, l, "acme", 3)
	sequence(t, l)
	for i := range 600 { // more than a batch, all before the genuine ones
		forge(t, db, fmt.Sprintf("a-forged-%03d", i), []byte(`{"id":"forged"}`), make([]byte, 32))
	}
	copied := genuineRow(t, db, ids[0])
	forge(t, db, "b-copy", copied.Canonical, copied.MAC)
	update(t, db, func(tx *store.Tx) error {
		_, err := tx.Exec("INSERT INTO audit_waiting (entry_id) VALUES (?)", ids[1])
		return err
	})
	record(t, db, l, "acme", 2)
	if n := sequence(t, l); n != 2 {
		t.Errorf("sequenced %d, want the two genuine ones", n)
	}
	waiting, err := l.Waiting(t.Context())
	if err != nil || waiting.Count != 602 {
		t.Errorf("waiting %+v, %v", waiting, err)
	}
	trouble := l.Trouble()
	if trouble.Err() == nil || len(trouble.Refused) == 0 {
		t.Errorf("trouble: %+v", trouble)
	}
	view(t, db, func(tx *store.Tx) error {
		items, err := l.ForIntent(tx, "intent-0", 1000)
		for _, item := range items {
			if item.Index == nil {
				t.Errorf("a forged row is shown: %+v", item)
			}
		}
		return err
	})
}

type row struct{ Canonical, MAC []byte }

func genuineRow(t testing.TB, db *store.DB, id string) (r row) {
	t.Helper()
	view(t, db, func(tx *store.Tx) error {
		_, err := tx.Get(&r, "SELECT canonical, mac FROM audit_entries WHERE id = ?", id)
		return err
	})
	return r
}

func TestRefusalsNameTheirReason(t *testing.T) {
	db, l := open(t)
	ids := record(t, db, l, "acme", 2)
	sequence(t, l)
	copied := genuineRow(t, db, ids[0])
	forge(t, db, "forged", []byte(`{}`), copied.MAC)
	forge(t, db, "copied", copied.Canonical, copied.MAC)
	update(t, db, func(tx *store.Tx) error {
		_, err := tx.Exec("INSERT INTO audit_waiting (entry_id) VALUES (?)", ids[1])
		return err
	})
	sequence(t, l)
	why := map[string]string{}
	for _, r := range l.Trouble().Refused {
		why[r.Entry] = r.Why
	}
	for id, part := range map[string]string{"forged": "MAC", "copied": "columns", ids[1]: "already"} {
		if !strings.Contains(why[id], part) {
			t.Errorf("%s: %q, want %q", id, why[id], part)
		}
	}
}
