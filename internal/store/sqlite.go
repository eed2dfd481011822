package store

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"net/url"
	"os"
	"strings"
	"time"

	"github.com/jmoiron/sqlx"
	"github.com/mattn/go-sqlite3"
	"github.com/pressly/goose/v3/database"

	schema "countersign/db"
	"countersign/internal/model"
)

// applicationID marks a SQLite file as ours ("CSGN").
const applicationID = 0x4353474e

// durable are the settings without which a commit may be lost.
const durable = "_journal_mode=WAL&_synchronous=FULL&_txlock=immediate&_foreign_keys=on&_busy_timeout=5000"

// keepStatements keeps prepared statements on their connection: preparing took a
// quarter of the time of a short transaction.
const keepStatements = "&_stmt_cache_size=512"

// readers is the number of connections for reading, and readerIdle how long one
// of them stays that nobody needs: its pages and statements are memory.
const (
	readers    = 8
	readerIdle = 5 * time.Minute
)

var sqliteDialect = dialect{
	name:       "SQLite",
	goose:      database.DialectSQLite3,
	text:       jsonAsText,
	triggers:   schema.SQLiteTriggers + fmt.Sprintf("\nPRAGMA application_id = %d;", applicationID),
	statistics: statistics,
	// One process drives a file, by its lock, and migrations are transactions.
	alone:    func(_ context.Context, _ *DB, fn func() error) error { return fn() },
	bytes:    "BLOB",
	array:    func(list []string) string { return "json_array(" + strings.Join(list, ", ") + ")" },
	hex:      func(expression string) string { return "hex(" + expression + ")" },
	elements: "json_each(?) AS each",
	gather:   func(expression string) string { return "json_group_array(" + expression + ")" },
	snapshot: sql.TxOptions{ReadOnly: true},
	fault:    sqliteFault,
	undecided: func(err error) bool {
		return sqliteFault(err) == noFault
	},
}

// sqliteFault tells what an error of SQLite means.
func sqliteFault(err error) fault {
	var lite sqlite3.Error
	if !errors.As(err, &lite) {
		return noFault
	}
	switch lite.Code {
	case sqlite3.ErrBusy, sqlite3.ErrLocked:
		return passing
	case sqlite3.ErrFull:
		return full
	}
	return noFault
}

// damaged reports whether the file is no database, or a broken one.
func damaged(err error) bool {
	var lite sqlite3.Error
	if errors.As(err, &lite) {
		return lite.Code == sqlite3.ErrNotADB || lite.Code == sqlite3.ErrCorrupt
	}
	return false
}

// jsonAsText writes a migration's casts of bytes to JSON: SQLite reads JSON in text.
func jsonAsText(migration string) string {
	return strings.ReplaceAll(migration, " AS JSON)", " AS TEXT)")
}

// openSQLite opens, and at first start creates, a database file.
func openSQLite(ctx context.Context, file string, opts Options) (*DB, error) {
	if err := creatable(file); err != nil {
		return nil, err
	}
	if err := checkOurs(ctx, file); err != nil {
		return nil, err
	}
	db := &DB{opts: opts, dialect: sqliteDialect, place: file}
	var err error
	if db.write, err = sqlx.Open("sqlite3", "file:"+escape(file)+"?"+durable+keepStatements); err != nil {
		return nil, fmt.Errorf("open %s: %w", file, err)
	}
	db.write.SetMaxOpenConns(1)
	if db.read, err = sqlx.Open("sqlite3", "file:"+escape(file)+"?_query_only=on&_busy_timeout=5000&_foreign_keys=on"+keepStatements); err != nil {
		return nil, errors.Join(fmt.Errorf("open %s: %w", file, err), db.write.Close())
	}
	db.read.SetMaxOpenConns(readers)
	db.read.SetMaxIdleConns(readers)
	db.read.SetConnMaxIdleTime(readerIdle)
	db.read.SetConnMaxLifetime(2 * tendEvery)
	if err := db.checkDurable(ctx); err != nil {
		return nil, errors.Join(err, db.Close())
	}
	return db, nil
}

// escape keeps '?' and '%' in a file name from being read as URI syntax.
func escape(file string) string { return (&url.URL{Path: file}).EscapedPath() }

// creatable says in one line why a file could not be written, before the
// database library says it in its own way.
func creatable(file string) error {
	f, err := os.OpenFile(file, os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		return model.Errorf(model.Invalid, "database", "database %s cannot be opened for writing: %w", file, err)
	}
	return f.Close()
}

// checkOurs refuses a file that is damaged or another program's, looking at it
// through a connection that cannot change it.
func checkOurs(ctx context.Context, file string) error {
	raw, err := sqlx.Open("sqlite3", "file:"+escape(file)+"?mode=ro&_busy_timeout=5000")
	if err != nil {
		return fmt.Errorf("check %s: %w", file, err)
	}
	defer raw.Close()
	var check string
	var id, tables int
	err = errors.Join(
		raw.GetContext(ctx, &check, quickCheck(file)),
		raw.GetContext(ctx, &id, "PRAGMA application_id"),
		raw.GetContext(ctx, &tables, "SELECT count(*) FROM sqlite_master"))
	switch {
	case damaged(err) || err == nil && check != "ok":
		return model.Errorf(model.Invalid, "database", "database %s is damaged (%s); nothing was changed: restore a backup, or start on another file", file, reason(err, check))
	case err != nil:
		return fmt.Errorf("check %s: %w", file, err)
	case tables > 0 && id != applicationID:
		return foreign(file)
	}
	return nil
}

// wholeCheck is up to what size a file is read through at every start. Of a
// larger one only the beginning is looked at: a start must not take minutes.
const wholeCheck = 256 << 20

// quickCheck is the statement that finds damage, for a file of its size.
func quickCheck(file string) string {
	if info, err := os.Stat(file); err == nil && info.Size() > wholeCheck {
		return "SELECT 'ok' FROM sqlite_master LIMIT 1"
	}
	return "PRAGMA quick_check(1)"
}

// checkDurable makes sure that the driver understood the settings: its own
// defaults would lose commits at a power cut.
func (db *DB) checkDurable(ctx context.Context) error {
	for pragma, want := range map[string]string{"journal_mode": "wal", "synchronous": "2", "foreign_keys": "1"} {
		var got string
		if err := db.write.GetContext(ctx, &got, "PRAGMA "+pragma); err != nil {
			return fmt.Errorf("read %s: %w", pragma, err)
		}
		if got != want {
			return fmt.Errorf("%s is %q, not %q: this file system cannot keep the database safely", pragma, got, want)
		}
	}
	return nil
}
