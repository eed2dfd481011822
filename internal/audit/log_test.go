package audit_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"countersign/internal/audit"
	"countersign/internal/model"
	"countersign/internal/store"
	"countersign/internal/store/storetest"
)

var key = []byte("a key outside the database, thirty-two+")

func open(t testing.TB) (*store.DB, *audit.Log) {
	t.Helper()
	db := storetest.Open(t, store.Options{})
	return db, audit.New(db, key)
}

// entry is the nth entry of an account.
func entry(account string, n int) audit.Entry {
	return audit.Entry{Actor: audit.Actor{Type: "person", ID: "person-ada", Name: "Ada", Roles: []string{"operator"}},
		Event: "action.retry.executed", Account: account, Intent: fmt.Sprintf("intent-%d", n%3),
		StepKey: "intent-1:create-payout", Attempt: n, Reason: "bank answered by phone <ok> \u2028 é",
		Result: "executed", Policy: "payout-small", Detail: map[string]any{"n": n, "amount": int64(125050)}}
}

// record appends n entries of an account, each in its own transaction.
func record(t testing.TB, db *store.DB, l *audit.Log, account string, n int) (ids []string) {
	t.Helper()
	for i := range n {
		update(t, db, func(tx *store.Tx) error {
			id, err := l.Append(tx, entry(account, i))
			ids = append(ids, id)
			return err
		})
	}
	return ids
}

func update(t testing.TB, db *store.DB, fn func(*store.Tx) error) {
	t.Helper()
	if err := db.Update(t.Context(), fn); err != nil {
		t.Fatal(err)
	}
}

func view(t testing.TB, db *store.DB, fn func(*store.Tx) error) {
	t.Helper()
	if err := db.View(t.Context(), fn); err != nil {
		t.Fatal(err)
	}
}

// sequence numbers all that waits.
func sequence(t testing.TB, l *audit.Log) (total int) {
	t.Helper()
	for {
		n, err := l.Sequence(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		if n == 0 {
			return total
		}
		total += n
	}
}

func list(t testing.TB, db *store.DB, l *audit.Log, f audit.Filter) (items []audit.Item) {
	t.Helper()
	view(t, db, func(tx *store.Tx) (err error) {
		items, err = l.List(tx, f)
		return err
	})
	return items
}

func TestAppendedEntryIsNumberedAndReadBack(t *testing.T) {
	db, l := open(t)
	id := record(t, db, l, "acme", 1)[0]
	var before, byID, byIndex audit.Item
	view(t, db, func(tx *store.Tx) (err error) {
		before, err = l.ByID(tx, audit.Of("acme"), id)
		return err
	})
	if before.Index != nil || before.Event != "action.retry.executed" {
		t.Errorf("before sequencing: %+v", before)
	}
	if n := sequence(t, l); n != 1 {
		t.Fatalf("sequenced %d", n)
	}
	view(t, db, func(tx *store.Tx) (err error) {
		if byID, err = l.ByID(tx, audit.Of("acme"), id); err != nil {
			return err
		}
		byIndex, err = l.ByIndex(tx, audit.Of("acme"), 0)
		return err
	})
	if *byID.Index != 0 || byID.ID != id || byIndex.ID != id || byIndex.LeafHash != before.LeafHash {
		t.Errorf("after sequencing: %+v, %+v", byID, byIndex)
	}
	want := `{"account":"acme","actor":{"id":"person-ada","name":"Ada","roles":["operator"],"type":"person"},"at":"` + byID.At.String() +
		`","attempt":0,"detail":{"amount":125050,"n":0},"event":"action.retry.executed","id":"` + id +
		`","intent":"intent-0","policy":"payout-small","preview":"","reason":"bank answered by phone <ok> ` + "\u2028" + ` é","result":"executed","step_key":"intent-1:create-payout"}`
	if string(byID.Canonical) != want {
		t.Errorf("canonical\n%s, want\n%s", byID.Canonical, want)
	}
}

func TestRolledBackEntryLeavesNothing(t *testing.T) {
	db, l := open(t)
	refusal := errors.New("the action fails after all")
	err := db.Update(t.Context(), func(tx *store.Tx) error {
		if _, err := l.Append(tx, entry("acme", 0)); err != nil {
			return err
		}
		return refusal
	})
	if !errors.Is(err, refusal) {
		t.Fatal(err)
	}
	if n := sequence(t, l); n != 0 {
		t.Errorf("sequenced %d", n)
	}
	view(t, db, func(tx *store.Tx) error {
		var rows int
		_, err := tx.Get(&rows, "SELECT (SELECT count(*) FROM audit_entries) + (SELECT count(*) FROM audit_waiting)")
		if rows != 0 {
			t.Errorf("%d rows stayed", rows)
		}
		return err
	})
}

func TestAppendRefusesWhatCannotBeRecordedExactly(t *testing.T) {
	db, l := open(t)
	for name, change := range map[string]func(*audit.Entry){
		"no event":         func(e *audit.Entry) { e.Event = "" },
		"unknown actor":    func(e *audit.Entry) { e.Type = "robot" },
		"number too large": func(e *audit.Entry) { e.Detail = map[string]any{"n": int64(9007199254740993)} },
		"too long":         func(e *audit.Entry) { e.Reason = strings.Repeat("x", 1<<20) },
		"no JSON":          func(e *audit.Entry) { e.Detail = map[string]any{"f": func() {}} },
	} {
		e := entry("acme", 0)
		change(&e)
		if err := db.Update(t.Context(), func(tx *store.Tx) error { _, err := l.Append(tx, e); return err }); err == nil {
			t.Errorf("%s: recorded", name)
		}
	}
}

func TestItemIsTheAPIsAuditItem(t *testing.T) {
	db, l := open(t)
	id := record(t, db, l, "acme", 1)[0]
	view(t, db, func(tx *store.Tx) error {
		item, err := l.ByID(tx, audit.Everything(), id)
		if err != nil {
			return err
		}
		raw, err := json.Marshal(item)
		want := `{"index":null,"id":"` + id + `","at":"` + item.At.String() + `","actor":{"type":"person","id":"person-ada","name":"Ada","roles":["operator"]},` +
			`"event":"action.retry.executed","account":"acme","intent":"intent-0","step_key":"intent-1:create-payout","attempt":0,"preview":"",` +
			`"reason":"bank answered by phone \u003cok\u003e \u2028 é","result":"executed","policy":"payout-small","detail":{"amount":125050,"n":0},"leaf_hash":"` + item.LeafHash + `"}`
		if string(raw) != want {
			t.Errorf("item\n%s, want\n%s", raw, want)
		}
		return err
	})
}

// Texts may come from outside; whatever they are, the entry gets its number.
func TestAnyTextIsNumbered(t *testing.T) {
	db, l := open(t)
	bad := "a\x00b\xff\xfe\ud7ff"
	update(t, db, func(tx *store.Tx) error {
		_, err := l.Append(tx, audit.Entry{Actor: audit.Actor{Type: "person", ID: bad, Name: bad}, Event: "signin." + bad,
			Account: bad, Intent: bad, StepKey: bad, Reason: bad, Detail: map[string]any{bad: bad}})
		return err
	})
	if n := sequence(t, l); n != 1 || l.Trouble().Err() != nil {
		t.Errorf("numbered %d, trouble %v", n, l.Trouble().Err())
	}
}

func TestListFilters(t *testing.T) {
	db, l := open(t)
	record(t, db, l, "acme", 5)
	record(t, db, l, "globex", 2)
	update(t, db, func(tx *store.Tx) error {
		_, err := l.Append(tx, audit.Entry{Actor: audit.Actor{Type: "system", ID: "boot-1"}, Event: "signin.ok"})
		return err
	})
	sequence(t, l)
	two, six := int64(2), int64(6)
	for name, c := range map[string]struct {
		filter audit.Filter
		want   []int64
	}{
		"nobody's":  {audit.Filter{}, nil},
		"all":       {audit.Filter{Accounts: audit.Everything()}, []int64{0, 1, 2, 3, 4, 5, 6, 7}},
		"account":   {audit.Filter{Accounts: audit.Of("globex")}, []int64{5, 6}},
		"newest":    {audit.Filter{Accounts: audit.Everything(), Newest: true, Limit: 2}, []int64{7, 6}},
		"after":     {audit.Filter{Accounts: audit.Everything(), After: &two, Before: &six}, []int64{3, 4, 5}},
		"intent":    {audit.Filter{Accounts: audit.Of("acme"), Intent: "intent-1"}, []int64{1, 4}},
		"actor":     {audit.Filter{Accounts: audit.Everything(), Actor: "boot-1"}, []int64{7}},
		"prefix":    {audit.Filter{Accounts: audit.Everything(), Event: "signin."}, []int64{7}},
		"events":    {audit.Filter{Accounts: audit.Of("globex", "acme", ""), Event: "action.", Newest: true, Limit: 3}, []int64{6, 5, 4}},
		"no event":  {audit.Filter{Accounts: audit.Of("globex"), Event: "approval."}, nil},
		"no prefix": {audit.Filter{Accounts: audit.Everything(), Event: "signin"}, nil},
		"event":     {audit.Filter{Accounts: audit.Everything(), Event: "signin.ok"}, []int64{7}},
		"future":    {audit.Filter{Accounts: audit.Everything(), From: model.At(time.Now().Add(time.Hour))}, nil},
		"past":      {audit.Filter{Accounts: audit.Everything(), To: model.At(time.Now().Add(-time.Hour))}, nil},
	} {
		var got []int64
		for _, item := range list(t, db, l, c.filter) {
			got = append(got, *item.Index)
		}
		if !slices.Equal(got, c.want) {
			t.Errorf("%s: %v, want %v", name, got, c.want)
		}
	}
}

func TestOtherAccountsEntryIsNotFound(t *testing.T) {
	db, l := open(t)
	id := record(t, db, l, "acme", 1)[0]
	sequence(t, l)
	view(t, db, func(tx *store.Tx) error {
		_, byIndex := l.ByIndex(tx, audit.Of("globex"), 0)
		_, byID := l.ByID(tx, audit.Accounts{}, id)
		_, missing := l.ByIndex(tx, audit.Everything(), 1)
		for _, err := range []error{byIndex, byID, missing} {
			if !errors.Is(err, model.NotFound) {
				t.Errorf("got %v", err)
			}
		}
		return nil
	})
}

func TestEntriesOfAnIntentNewestFirst(t *testing.T) {
	db, l := open(t)
	record(t, db, l, "acme", 4)
	sequence(t, l)
	record(t, db, l, "acme", 1)
	view(t, db, func(tx *store.Tx) error {
		items, err := l.ForIntent(tx, "intent-0", 2)
		if len(items) != 2 || items[0].Index != nil || *items[1].Index != 3 {
			t.Errorf("got %+v", items)
		}
		return err
	})
}

func TestDatabaseRefusesChange(t *testing.T) {
	db, l := open(t)
	record(t, db, l, "acme", 2)
	sequence(t, l)
	for _, table := range []string{"audit_entries", "audit_log", "audit_nodes", "audit_checkpoints"} {
		column := map[string]string{"audit_nodes": "hash", "audit_checkpoints": "root"}[table]
		if column == "" {
			column = "account"
		}
		for _, statement := range []string{"DELETE FROM " + table, "UPDATE " + table + " SET " + column + " = " + column} {
			err := db.Update(t.Context(), func(tx *store.Tx) error { _, err := tx.Exec(statement); return err })
			if err == nil {
				t.Errorf("%s was allowed", statement)
			}
		}
	}
}
