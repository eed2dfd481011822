// Package storetest opens throw-away databases for tests.
package storetest

import (
	"path/filepath"
	"testing"

	"countersign/internal/store"
)

// Open gives a new, empty database that is closed when the test ends.
func Open(t testing.TB, opts store.Options) *store.DB {
	t.Helper()
	return OpenFile(t, filepath.Join(t.TempDir(), "test.db"), opts)
}

// OpenFile opens the database in file, so that a test can open it again.
func OpenFile(t testing.TB, file string, opts store.Options) *store.DB {
	t.Helper()
	db, err := store.Open(t.Context(), "sqlite:"+file, opts)
	if err != nil {
		t.Fatalf("open %s: %v", file, err)
	}
	t.Cleanup(func() { db.Close() })
	return db
}
