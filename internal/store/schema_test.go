package store_test

import (
	"maps"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/jmoiron/sqlx"

	schema "countersign/db"
	"countersign/internal/store"
	"countersign/internal/store/storetest"
)

// schema.sql is what all migrations lead to, on both databases.
func TestSchemaEqualsItsMigrations(t *testing.T) {
	migrated := storetest.Place(t)
	storetest.OpenAt(t, migrated, store.Options{}).Close()
	got, want := structure(t, migrated), structure(t, whole(t))
	if len(want) < 50 {
		t.Fatalf("only %d objects in schema.sql", len(want))
	}
	for name, text := range want {
		if got[name] != text {
			t.Errorf("%s differs:\nmigrations %s\nschema.sql %s", name, got[name], text)
		}
		delete(got, name)
	}
	for name := range maps.Keys(got) {
		t.Errorf("only the migrations make %s", name)
	}
}

// whole makes a database by schema.sql alone and gives its address.
func whole(t *testing.T) string {
	t.Helper()
	if !storetest.Postgres() {
		file := filepath.Join(t.TempDir(), "whole.db")
		execRaw(t, file, schema.Schema)
		return "sqlite:" + file
	}
	dsn := storetest.Shared(t).Database(t)
	raw, err := sqlx.Open("pgx", dsn)
	if err != nil {
		t.Fatal(err)
	}
	defer raw.Close()
	if _, err := raw.Exec(regexp.MustCompile(`\bTEXT\b`).ReplaceAllString(schema.Schema, `TEXT COLLATE "C"`)); err != nil {
		t.Fatal(err)
	}
	return dsn
}

// inPostgres reads what a PostgreSQL database consists of.
const inPostgres = `
	SELECT table_name || '.' || column_name AS name, concat_ws(' ', data_type, collation_name, is_nullable, column_default) AS sql
		FROM information_schema.columns WHERE table_schema = 'public' UNION ALL
	SELECT indexname, indexdef FROM pg_indexes WHERE schemaname = 'public' UNION ALL
	SELECT conrelid::regclass || ' ' || conname, pg_get_constraintdef(oid) FROM pg_constraint WHERE connamespace = 'public'::regnamespace UNION ALL
	SELECT viewname, definition FROM pg_views WHERE schemaname = 'public'`

// structure is what a database consists of, by name, but for triggers and
// what the migrations remember of themselves.
func structure(t *testing.T, dsn string) map[string]string {
	t.Helper()
	file, lite := strings.CutPrefix(dsn, "sqlite:")
	driver, source, query := "pgx", dsn, inPostgres
	if lite {
		driver, source = "sqlite3", "file:"+file
		query = "SELECT name, COALESCE(sql, '') AS sql FROM sqlite_master WHERE type <> 'trigger' AND name NOT LIKE 'sqlite%'"
	}
	raw, err := sqlx.Open(driver, source)
	if err != nil {
		t.Fatal(err)
	}
	defer raw.Close()
	var rows []struct{ Name, SQL string }
	if err := raw.Select(&rows, query); err != nil {
		t.Fatal(err)
	}
	list := map[string]string{}
	for _, r := range rows {
		if !strings.HasPrefix(r.Name, "goose") {
			list[r.Name] = plainSQL(r.SQL)
		}
	}
	return list
}

var comment = regexp.MustCompile(`--[^\n]*`)

// plainSQL is a statement without comments and without its layout.
func plainSQL(text string) string {
	text = strings.Join(strings.Fields(comment.ReplaceAllString(text, "")), " ")
	return strings.ReplaceAll(strings.ReplaceAll(text, " ,", ","), " )", ")")
}

// Rows that are evidence refuse to change, whoever asks.
func TestAppendOnlyTables(t *testing.T) {
	db := storetest.Open(t, store.Options{})
	for _, table := range []string{"audit_entries", "audit_log", "audit_nodes", "audit_checkpoints", "evidence", "generations", "webhooks", "ledger_transfers", "notes"} {
		for _, verb := range []string{"UPDATE", "DELETE"} {
			if n := guards(t, db, table, verb); n != 1 {
				t.Errorf("%s: %d triggers against %s", table, n, verb)
			}
		}
	}
}

// guards counts the triggers that refuse to change a table's rows.
func guards(t *testing.T, db *store.DB, table, verb string) (n int) {
	t.Helper()
	query := "SELECT count(*) FROM sqlite_master WHERE type = 'trigger' AND tbl_name = ? AND sql LIKE ? AND sql LIKE '%RAISE(ABORT%'"
	if storetest.Postgres() {
		query = `SELECT count(*) FROM pg_trigger WHERE tgrelid = ?::regclass AND pg_get_triggerdef(oid) LIKE ? AND tgfoid = 'countersign_append_only'::regproc`
	}
	err := db.View(t.Context(), func(tx *store.Tx) error {
		_, err := tx.Get(&n, query, table, "%"+verb+"%")
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return n
}
