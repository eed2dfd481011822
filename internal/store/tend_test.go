package store

import (
	"fmt"
	"path/filepath"
	"testing"

	"countersign/internal/model"
)

// A database that is opened again knows how its rows are spread, once it has any.
func TestStatisticsAreTakenAtOpening(t *testing.T) {
	dsn := "sqlite:" + filepath.Join(t.TempDir(), "tended.db")
	db, err := Open(t.Context(), dsn, Options{})
	if err != nil {
		t.Fatal(err)
	}
	var rows []model.Intent
	for n := range int64(200) {
		rows = append(rows, open("acme", n+1))
	}
	if err := fill(t, db, rows...).Close(); err != nil {
		t.Fatal(err)
	}
	if db, err = Open(t.Context(), dsn, Options{}); err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	err = db.View(t.Context(), func(tx *Tx) error {
		var known []string
		if err := tx.Select(&known, "SELECT DISTINCT tbl FROM sqlite_stat1 WHERE tbl IN ('intents', 'steps') ORDER BY tbl"); err != nil || fmt.Sprint(known) != "[intents steps]" {
			t.Errorf("statistics of %v (%v)", known, err)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}
