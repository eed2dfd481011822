package store_test

import (
	"errors"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"countersign/internal/model"
	"countersign/internal/store"
	"countersign/internal/store/storetest"
)

// A full disk refuses what is to be stored, says so, and is found to have room
// again without help.
func TestFullDisk(t *testing.T) {
	db := storetest.OpenAt(t, "sqlite:"+filepath.Join(t.TempDir(), "full.db"), store.Options{})
	limit := func(pages string) { // of the one connection that writes
		update(t, db, func(tx *store.Tx) error {
			var now int
			_, err := tx.Get(&now, "PRAGMA max_page_count = "+pages)
			return err
		})
	}
	limit("1") // as many pages as there are
	err := db.Update(t.Context(), func(tx *store.Tx) error {
		_, err := tx.Exec("INSERT INTO audit_entries (id, at, actor, event, account, canonical, mac) VALUES ('audit-1', 1, 'a', 'e', 'acme', ?, '0')",
			strings.Repeat("x", 1<<20))
		return err
	})
	if !errors.Is(err, model.Busy) || !strings.Contains(err.Error(), "disk is full") {
		t.Fatalf("got %v", err)
	}
	if db.Full() == 0 {
		t.Error("the database does not know that it is full")
	}
	for until := time.Now().Add(20 * time.Second); db.Full() != 0; time.Sleep(50 * time.Millisecond) {
		if time.Now().After(until) {
			t.Fatal("room was not found")
		}
	}
}
