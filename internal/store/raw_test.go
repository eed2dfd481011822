package store_test

import (
	"testing"

	"github.com/jmoiron/sqlx"
)

// execRaw changes a database file behind the product's back.
func execRaw(t *testing.T, file, statement string) {
	t.Helper()
	raw, err := sqlx.Open("sqlite3", "file:"+file)
	if err != nil {
		t.Fatal(err)
	}
	defer raw.Close()
	if _, err := raw.Exec(statement); err != nil {
		t.Fatal(err)
	}
}
