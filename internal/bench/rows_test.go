package bench

import (
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"strconv"
	"testing"
	"time"

	"github.com/jmoiron/sqlx"

	"countersign/internal/actions"
	"countersign/internal/model"
	"countersign/internal/store"
	"countersign/internal/store/storetest"
)

// openWork is how many intents are open, whatever the size: a quarter of them
// each is unknown, waits for an approval, may be retried, and settles. What the
// sizes differ in is history, as in an installation that has run for longer.
const openWork = 800

// busy is how many attempts the last of the unknown intents has.
const busy = 5_000

// grown is a database with many intents.
type grown struct {
	*world
	intents int
	entries int64 // of the audit log
}

// id names the nth intent; the last openWork are open.
func (g grown) id(n int) string { return intentID(n) }

func intentID(n int) string {
	digits := strconv.Itoa(n)
	return "intent-00000000000000000000000000"[:33-len(digits)] + digits
}

// grow gives a database with so many copies of one payout: all but the open work
// are completed. Each has five steps, and nearly each step two attempts; every
// external step has its frozen request and its evidence, every intent three audit
// entries, every 33rd a request that was approved. SQL makes the rows; what they
// say is what the engine would have left, near enough for reading.
//
// COUNTERSIGN_BENCH_KEEP names a folder where grown databases are kept and found
// again.
func grow(b testing.TB, intents int) grown {
	b.Helper()
	folder := os.Getenv("COUNTERSIGN_BENCH_KEEP")
	if folder == "" {
		folder = b.TempDir()
	}
	file := filepath.Join(folder, "grown-"+strconv.Itoa(intents)+".db")
	if _, err := os.Stat(file + ".done"); err != nil {
		build(b, file, intents)
		if err := os.WriteFile(file+".done", nil, 0o600); err != nil {
			b.Fatal(err)
		}
	}
	db := storetest.OpenAt(b, "sqlite:"+file, store.Options{})
	g := grown{intents: intents}
	g.world, _ = wire(b, db)
	err := db.View(context.Background(), func(tx *store.Tx) error {
		p, err := tx.PersonByEmail(operator)
		if err != nil {
			return err
		}
		g.person = p.ID
		g.entries, err = g.log.Size(context.Background())
		return err
	})
	if err != nil {
		b.Fatal(err)
	}
	return g
}

// build makes the file. The rows are written without a journal, and the indexes
// after them: for building only.
func build(b testing.TB, file string, intents int) {
	b.Helper()
	began := time.Now()
	for _, end := range []string{"", "-wal", "-shm"} {
		_ = os.Remove(file + end) // of a build that did not end
	}
	db, err := store.Open(context.Background(), "sqlite:"+file, store.Options{})
	if err != nil {
		b.Fatal(err)
	}
	w := newWorld(b, db)
	first := w.accept(b)
	if _, err := w.log.Sequence(context.Background()); err != nil {
		b.Fatal(err)
	}
	if err := db.Close(); err != nil {
		b.Fatal(err)
	}
	raw, err := sqlx.Open("sqlite3", "file:"+file+"?_foreign_keys=off")
	if err != nil {
		b.Fatal(err)
	}
	defer raw.Close()
	raw.SetMaxOpenConns(1)
	fill(b, raw, first, w.person, intents)
	written, err := os.Open(file)
	if err != nil {
		b.Fatal(err)
	}
	defer written.Close()
	if err := written.Sync(); err != nil { // or the first pages are measured beside the writing back
		b.Fatal(err)
	}
	info, err := written.Stat()
	if err != nil {
		b.Fatal(err)
	}
	b.Logf("%d intents made in %s, %d MB", intents, time.Since(began).Round(time.Second), info.Size()>>20)
}

func fill(b testing.TB, raw *sqlx.DB, first, person string, intents int) {
	b.Helper()
	run := func(query string, args ...any) {
		if _, err := raw.Exec(query, args...); err != nil {
			b.Fatalf("%.60s: %v", query, err)
		}
	}
	for _, pragma := range []string{"journal_mode=DELETE", "journal_mode=OFF", "synchronous=OFF", "cache_size=-262144", "temp_store=FILE"} {
		run("PRAGMA " + pragma)
	}
	var indexes []struct {
		Name string `db:"name"`
		SQL  string `db:"sql"`
	}
	if err := raw.Select(&indexes, "SELECT name, sql FROM sqlite_master WHERE type = 'index' AND sql IS NOT NULL ORDER BY rowid"); err != nil {
		b.Fatal(err)
	}
	for _, index := range indexes {
		run("DROP INDEX " + index.Name)
	}
	run(fates, first, intents, intents-openWork, time.Now().UnixMicro())
	run("CREATE TEMP TABLE made (person, entries, busy) ")
	run("INSERT INTO made SELECT ?, max(idx) + 1, ? FROM audit_log", person, busy)
	for _, query := range growth {
		began := time.Now()
		run(query)
		if took := time.Since(began); took > 10*time.Second {
			b.Logf("%.40s… took %s", query, took.Round(time.Second))
		}
	}
	for _, index := range indexes {
		run(index.SQL)
	}
}

// accept takes the payout in that the others are copies of.
func (w *world) accept(b testing.TB) (id string) {
	b.Helper()
	accepted, err := w.runner.Accept(context.Background(), w.actor, actions.Submission{Key: "first", Kind: model.KindPayout, Account: account,
		Params: json.RawMessage(`{"payee":{"reference":"rep-1","name":"Ada Rep","destination":"acct_1","email":"ada@example.com"},"amount":84250,"currency":"USD","period":"2026-10"}`)})
	if err != nil {
		b.Fatal(err)
	}
	return accepted.Case.ID
}
