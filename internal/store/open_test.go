package store_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"countersign/internal/model"
	"countersign/internal/store"
	"countersign/internal/store/storetest"
)

func TestTimeNeverRunsBackwards(t *testing.T) {
	clock := time.Date(2026, 11, 29, 12, 0, 0, 0, time.UTC)
	place := storetest.Place(t)
	opts := store.Options{Clock: func() time.Time { return clock }}
	db := storetest.OpenAt(t, place, opts)
	stamp := func(db *store.DB) (at model.Time) {
		if err := db.Update(t.Context(), func(tx *store.Tx) error { at = tx.Now(); return nil }); err != nil {
			t.Fatal(err)
		}
		return at
	}
	first := stamp(db)
	clock = clock.Add(-time.Hour)
	if second := stamp(db); second != first+1 {
		t.Errorf("after the clock went back: %v, want %v", second, first+1)
	}
	db.Close()
	if third := stamp(storetest.OpenAt(t, place, opts)); third != first+2 {
		t.Errorf("after a restart: %v, want %v", third, first+2)
	}
}

func TestOpenRefuses(t *testing.T) {
	dir := t.TempDir()
	write := func(name, text string) string {
		file := filepath.Join(dir, name)
		if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		return file
	}
	foreign := filepath.Join(dir, "foreign.db")
	newer := filepath.Join(dir, "newer.db")
	storetest.OpenAt(t, "sqlite:"+newer, store.Options{}).Close()
	execRaw(t, newer, "INSERT INTO goose_db_version (version_id, is_applied) VALUES (9999, 1)")
	execRaw(t, foreign, "CREATE TABLE theirs (a)")
	for _, test := range []struct{ name, file, want string }{
		{"damaged", write("damaged.db", strings.Repeat("this is no database. ", 400)), "is damaged"},
		{"foreign", foreign, "belongs to another program"},
		{"newer", newer, "newer version"},
		{"missing folder", filepath.Join(dir, "no", "such.db"), "cannot be opened for writing"},
	} {
		before, _ := os.ReadFile(test.file)
		_, err := store.Open(t.Context(), "sqlite:"+test.file, store.Options{})
		if err == nil || !strings.Contains(err.Error(), test.want) || strings.Contains(err.Error(), "\n") {
			t.Errorf("%s: got %v, want one line with %q", test.name, err, test.want)
		}
		if after, _ := os.ReadFile(test.file); string(after) != string(before) {
			t.Errorf("%s: the file was changed", test.name)
		}
	}
}

func TestSecondHolderIsRefused(t *testing.T) {
	dsn := "sqlite:" + filepath.Join(t.TempDir(), "a.db")
	lock, err := store.AcquireLock(dsn)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := store.AcquireLock(dsn); err == nil || !strings.Contains(err.Error(), "in use by process") {
		t.Errorf("a second holder got %v", err)
	}
	lock.Release()
	again, err := store.AcquireLock(dsn)
	if err != nil {
		t.Fatalf("after release: %v", err)
	}
	again.Release()
}
