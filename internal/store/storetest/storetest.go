// Package storetest opens throw-away databases for tests. Which database that
// is, the environment says: COUNTERSIGN_TEST_DB=postgres runs the same tests on
// PostgreSQL, with a server that ends with the test process; SQLite is the
// default.
package storetest

import (
	"os"
	"path/filepath"
	"testing"

	"countersign/internal/store"
)

// Postgres reports whether the tests run on PostgreSQL.
func Postgres() bool { return os.Getenv("COUNTERSIGN_TEST_DB") == "postgres" }

// Open gives a new, empty database that is closed when the test ends.
func Open(t testing.TB, opts store.Options) *store.DB {
	t.Helper()
	return OpenAt(t, Place(t), opts)
}

// Place gives the address of a new database that a test can open again.
func Place(t testing.TB) string {
	t.Helper()
	if !Postgres() {
		return "sqlite:" + filepath.Join(t.TempDir(), "test.db")
	}
	return Shared(t).copyOfTemplate(t)
}

// Shared gives the PostgreSQL server that the tests of this process share,
// whatever the environment says.
func Shared(t testing.TB) *Server {
	t.Helper()
	server, err := shared()
	if err != nil {
		t.Fatalf("start PostgreSQL: %v", err)
	}
	return server
}

// OpenAt opens the database at an address, and closes it when the test ends.
func OpenAt(t testing.TB, dsn string, opts store.Options) *store.DB {
	t.Helper()
	db, err := store.Open(t.Context(), dsn, opts)
	if err != nil {
		t.Fatalf("open %s: %v", dsn, err)
	}
	t.Cleanup(func() { db.Close() })
	return db
}
