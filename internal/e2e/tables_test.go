package e2e

import (
	"crypto/sha256"
	"database/sql"
	"encoding/binary"
	"fmt"
	"maps"
	"strings"
	"testing"
	"time"

	_ "github.com/mattn/go-sqlite3" // reads the demo's file beside it
)

// notWatched are tables that may change while somebody only looks: the audit
// log, when a session, a process or a lease was last seen, and the clock.
var notWatched = []string{"audit_", "sessions", "boots", "leases", "installation", "sqlite_", "goose_"}

// tables gives a digest of every watched table, read beside the running demo.
func tables(t *testing.T, file string) map[string]string {
	t.Helper()
	db, err := sql.Open("sqlite3", "file:"+file+"?mode=ro&_query_only=on&_busy_timeout=5000")
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	db.SetMaxOpenConns(1)
	digests := map[string]string{}
	for _, name := range tableNames(t, db) {
		digests[name] = digestOf(t, db, name)
	}
	return digests
}

func tableNames(t *testing.T, db *sql.DB) (names []string) {
	t.Helper()
	rows, err := db.Query("SELECT name FROM sqlite_master WHERE type = 'table'")
	if err != nil {
		t.Fatal(err)
	}
	defer rows.Close()
	for rows.Next() {
		var name string
		if err := rows.Scan(&name); err != nil {
			t.Fatal(err)
		}
		if watched(name) {
			names = append(names, name)
		}
	}
	if err := rows.Err(); err != nil || len(names) == 0 {
		t.Fatalf("no tables: %v", err)
	}
	return names
}

func watched(table string) bool {
	for _, prefix := range notWatched {
		if strings.HasPrefix(table, prefix) {
			return false
		}
	}
	return true
}

// digestOf sums the digests of a table's rows, so that their order is no
// matter, and counts them.
func digestOf(t *testing.T, db *sql.DB, table string) string {
	t.Helper()
	rows, err := db.Query("SELECT * FROM " + table)
	if err != nil {
		t.Fatal(err)
	}
	defer rows.Close()
	columns, err := rows.Columns()
	if err != nil {
		t.Fatal(err)
	}
	var count int
	var sum uint64
	for ; rows.Next(); count++ {
		cells, into := make([]any, len(columns)), make([]any, len(columns))
		for i := range cells {
			into[i] = &cells[i]
		}
		if err := rows.Scan(into...); err != nil {
			t.Fatal(err)
		}
		digest := sha256.Sum256(fmt.Appendf(nil, "%#v", cells))
		sum += binary.BigEndian.Uint64(digest[:])
	}
	if err := rows.Err(); err != nil {
		t.Fatal(err)
	}
	return fmt.Sprintf("%d rows, %016x", count, sum)
}

// quietTables waits until the engine has nothing more to do, and gives the
// digests.
func quietTables(t *testing.T, file string) map[string]string {
	t.Helper()
	last := tables(t, file)
	for range 40 {
		time.Sleep(time.Second)
		now := tables(t, file)
		if maps.Equal(last, now) {
			return now
		}
		last = now
	}
	t.Fatal("the demo's tables do not come to rest")
	return nil
}
