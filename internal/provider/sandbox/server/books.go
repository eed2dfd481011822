package server

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"io/fs"
	"net/url"
	"os"
	"path/filepath"

	"github.com/mattn/go-sqlite3"
)

// schemaVersion is kept in user_version; applicationID marks the file as
// sandbox books, so that another program's database is never written to.
const (
	schemaVersion = 1
	applicationID = 0x43535342 // "CSSB"
)

// Times are microseconds since 1970 UTC, amounts minor units.
const schema = `
CREATE TABLE objects (
  seq       INTEGER PRIMARY KEY,
  id        TEXT NOT NULL UNIQUE,
  kind      TEXT NOT NULL,
  reference TEXT NOT NULL,
  parent    TEXT NOT NULL,          -- what a reversal or response is about, or ''
  created   INTEGER NOT NULL,
  shown_at  INTEGER NOT NULL,       -- any look-up answers 404 before
  listed_at INTEGER NOT NULL,       -- lists leave it out before
  hook      TEXT NOT NULL,          -- webhook fault of its events, or ''
  hook_ms   INTEGER NOT NULL,
  document  TEXT NOT NULL
) STRICT;
CREATE INDEX objects_by_reference ON objects (kind, reference, seq);
CREATE INDEX objects_by_parent ON objects (kind, parent, seq);
CREATE TABLE effects (
  seq         INTEGER PRIMARY KEY,
  object      TEXT NOT NULL UNIQUE REFERENCES objects (id),
  operation   TEXT NOT NULL,
  key         TEXT,
  reference   TEXT NOT NULL,
  body_sha256 TEXT NOT NULL,
  amount      INTEGER,
  currency    TEXT,
  at          INTEGER NOT NULL,
  undone_at   INTEGER
) STRICT;
CREATE TABLE results (
  key         TEXT PRIMARY KEY,
  fingerprint TEXT NOT NULL,
  status      INTEGER NOT NULL,
  body        TEXT NOT NULL,
  stored_at   INTEGER NOT NULL
) STRICT;
CREATE INDEX results_by_age ON results (stored_at);
CREATE TABLE transitions (
  seq    INTEGER PRIMARY KEY,
  object TEXT NOT NULL REFERENCES objects (id),
  status TEXT NOT NULL,
  due_at INTEGER NOT NULL
) STRICT;
CREATE INDEX transitions_due ON transitions (due_at);
CREATE TABLE outbox (
  seq     INTEGER PRIMARY KEY,
  message TEXT NOT NULL,            -- webhook-id, the same on every delivery
  object  TEXT NOT NULL,
  payload TEXT NOT NULL,
  created INTEGER NOT NULL,
  due_at  INTEGER NOT NULL,
  held    INTEGER NOT NULL,         -- waits to be overtaken
  tries   INTEGER NOT NULL DEFAULT 0
) STRICT;
CREATE INDEX outbox_due ON outbox (due_at);
CREATE TABLE faults (
  id    INTEGER PRIMARY KEY AUTOINCREMENT,
  match TEXT NOT NULL,
  fault TEXT NOT NULL,
  times INTEGER NOT NULL,
  ms    INTEGER,
  bites INTEGER NOT NULL DEFAULT 0
) STRICT;
`

// openBooks opens or makes the file. A file that is damaged, newer or not
// ours is left as it is.
func openBooks(path string) (*sql.DB, error) {
	abs, err := filepath.Abs(path)
	if err != nil {
		return nil, err
	}
	file := (&url.URL{Scheme: "file", Path: abs}).String()
	// Looked at first without a setting, because to switch to WAL is to write.
	if err := inspect(abs, file+"?mode=ro&_busy_timeout=1000"); err != nil {
		return nil, fmt.Errorf("sandbox books %s: %w", path, explain(err))
	}
	if err := makePrivate(abs); err != nil {
		return nil, err
	}
	db, err := sql.Open("sqlite3", file+
		"?_journal_mode=WAL&_synchronous=FULL&_txlock=immediate&_busy_timeout=1000&_foreign_keys=on&_locking_mode=EXCLUSIVE")
	if err != nil {
		return nil, err
	}
	// One connection: every request is one short transaction, and a queue in
	// front of the file is fairer than SQLite's busy loop. It holds the file
	// alone, because which keys are in flight is known to one process only.
	db.SetMaxOpenConns(1)
	if err := update(context.Background(), db, prepare); err != nil {
		return nil, errors.Join(fmt.Errorf("sandbox books %s: %w", path, explain(err)), db.Close())
	}
	return db, nil
}

// makePrivate makes the file where it is missing, for its owner only; SQLite
// gives its mode to the files beside it. One that is there is not opened:
// closing it would drop the locks that another sandbox of this process holds.
func makePrivate(path string) error {
	file, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE|os.O_EXCL, 0o600)
	if errors.Is(err, fs.ErrExist) {
		return nil
	}
	if err != nil {
		return err
	}
	return file.Close()
}

// explain says what a locked file means here.
func explain(err error) error {
	if wrong, ok := errors.AsType[sqlite3.Error](err); ok && wrong.Code == sqlite3.ErrBusy {
		return errors.New("another sandbox holds this file; stop that one or name another file")
	}
	return err
}

// inspect refuses a file that is there and is not ours; one that is missing
// or empty is fine.
func inspect(path, dsn string) error {
	info, err := os.Stat(path)
	if errors.Is(err, fs.ErrNotExist) || (err == nil && info.Size() == 0) {
		return nil
	}
	if err != nil {
		return err
	}
	db, err := sql.Open("sqlite3", dsn)
	if err != nil {
		return err
	}
	_, err = recognise(db.QueryRow(identity))
	return errors.Join(err, db.Close())
}

const identity = `SELECT user_version, application_id, (SELECT count(*) FROM sqlite_schema)
	FROM pragma_user_version, pragma_application_id`

// recognise says whether the file is still empty, or why it cannot be used.
func recognise(row *sql.Row) (empty bool, err error) {
	var version, id, tables int
	if err := row.Scan(&version, &id, &tables); err != nil {
		return false, err
	}
	switch {
	case tables == 0:
		return true, nil
	case id != applicationID:
		return false, errors.New("the file is a database of something else; name another file")
	case version != schemaVersion:
		return false, fmt.Errorf("the file has schema %d, this program knows %d; use the program that made it", version, schemaVersion)
	}
	return false, nil
}

func prepare(tx *sql.Tx) error {
	empty, err := recognise(tx.QueryRow(identity))
	if err != nil || !empty {
		return err
	}
	_, err = tx.Exec(schema + fmt.Sprintf("PRAGMA user_version=%d; PRAGMA application_id=%d;", schemaVersion, applicationID))
	return err
}

// update runs fn in one transaction that is durable when update returns nil.
// It has taken the write lock before fn reads, so what fn sees stays true.
func update(ctx context.Context, db *sql.DB, fn func(*sql.Tx) error) error {
	tx, err := db.BeginTx(ctx, nil)
	if err != nil {
		return err
	}
	if err := fn(tx); err != nil {
		return errors.Join(err, tx.Rollback())
	}
	return tx.Commit()
}

// collect reads every row of a query before the connection is used again.
func collect[T any](rows *sql.Rows, err error, scan func(*sql.Rows) (T, error)) ([]T, error) {
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	out := []T{}
	for rows.Next() {
		item, err := scan(rows)
		if err != nil {
			return nil, err
		}
		out = append(out, item)
	}
	return out, rows.Err()
}
