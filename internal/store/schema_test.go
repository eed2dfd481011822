package store_test

import (
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"github.com/jmoiron/sqlx"

	schema "countersign/db"
	"countersign/internal/store"
	"countersign/internal/store/storetest"
)

// schema.sql is what all migrations lead to.
func TestSchemaEqualsItsMigrations(t *testing.T) {
	migrated := filepath.Join(t.TempDir(), "migrated.db")
	storetest.OpenFile(t, migrated, store.Options{}).Close()
	whole := filepath.Join(t.TempDir(), "whole.db")
	execRaw(t, whole, schema.Schema)
	got, want := objects(t, migrated), objects(t, whole)
	if len(want) < 50 {
		t.Fatalf("only %d objects in schema.sql", len(want))
	}
	for name, sql := range want {
		if got[name] != sql {
			t.Errorf("%s differs:\nmigrations %s\nschema.sql %s", name, got[name], sql)
		}
		delete(got, name)
	}
	if len(got) > 0 {
		t.Errorf("only the migrations make %v", reflect.ValueOf(got).MapKeys())
	}
}

// objects are the tables, indexes and views of a file, by name, with their text.
func objects(t *testing.T, file string) map[string]string {
	t.Helper()
	raw, err := sqlx.Open("sqlite3", "file:"+file)
	if err != nil {
		t.Fatal(err)
	}
	defer raw.Close()
	var rows []struct{ Name, SQL string }
	if err := raw.Select(&rows, `SELECT name, COALESCE(sql, '') AS sql FROM sqlite_master
		WHERE type <> 'trigger' AND name NOT LIKE 'goose%' AND name NOT LIKE 'sqlite%'`); err != nil {
		t.Fatal(err)
	}
	list := map[string]string{}
	for _, r := range rows {
		list[r.Name] = strings.Join(strings.Fields(r.SQL), " ")
	}
	return list
}

// Rows that are evidence refuse to change, whoever asks.
func TestAppendOnlyTables(t *testing.T) {
	db := storetest.Open(t, store.Options{})
	for _, table := range []string{"audit_entries", "audit_log", "audit_nodes", "audit_checkpoints", "evidence", "generations", "webhooks", "ledger_transfers"} {
		for _, verb := range []string{"update", "delete"} {
			var n int
			err := db.View(t.Context(), func(tx *store.Tx) error {
				_, err := tx.Get(&n, "SELECT count(*) FROM sqlite_master WHERE type = 'trigger' AND tbl_name = ? AND sql LIKE ?", table, "%BEFORE "+verb+"%RAISE(ABORT%")
				return err
			})
			if err != nil || n != 1 {
				t.Errorf("%s: %d triggers against %s, %v", table, n, verb, err)
			}
		}
	}
}
