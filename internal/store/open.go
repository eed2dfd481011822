package store

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"os"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/jmoiron/sqlx"
	"github.com/oklog/ulid/v2"

	"countersign/internal/model"
)

// Options are what a program sets when it opens the database. The zero value
// is right for production.
type Options struct {
	// Clock gives the time; time.Now when nil. Stored time never runs backwards
	// whatever it gives.
	Clock func() time.Time
	// BeforeCommit and AfterCommit stand at the two sides of every commit.
	// Tests make a commit fail with them, unapplied or applied.
	BeforeCommit, AfterCommit func() error
}

// DB is an open database. It is safe for concurrent use.
type DB struct {
	write     *sqlx.DB // one connection: the single writer
	read      *sqlx.DB // cannot write
	opts      Options
	latest    atomic.Int64
	contracts sync.Map // by id, immutable
	ids       ids
	// Installation is the id made at first start; part of every intent id.
	Installation string
}

// applicationID marks a SQLite file as ours ("CSGN").
const applicationID = 0x4353474e

// durable are the settings without which a commit may be lost.
const durable = "_journal_mode=WAL&_synchronous=FULL&_txlock=immediate&_foreign_keys=on&_busy_timeout=5000"

// keepStatements keeps prepared statements on their connection: preparing took a
// quarter of the time of a short transaction.
const keepStatements = "&_stmt_cache_size=128"

// readers is the number of connections for reading.
const readers = 8

// Open opens, and at first start creates, the database that dsn names
// ("sqlite:FILE"), and brings its schema up to date. It refuses a file that is
// damaged, belongs to another program or was written by a newer version, and
// leaves such a file as it is.
func Open(ctx context.Context, dsn string, opts Options) (*DB, error) {
	file, ok := strings.CutPrefix(dsn, "sqlite:")
	if !ok || file == "" {
		return nil, model.Errorf(model.Invalid, "database", "database %q: say sqlite:FILE", dsn)
	}
	if opts.Clock == nil {
		opts.Clock = time.Now
	}
	if err := creatable(file); err != nil {
		return nil, err
	}
	if err := checkOurs(ctx, file); err != nil {
		return nil, err
	}
	db := &DB{opts: opts}
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
	if err := db.prepare(ctx, file); err != nil {
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

// prepare checks the file, migrates it and learns installation and time.
func (db *DB) prepare(ctx context.Context, file string) error {
	if err := db.checkDurable(ctx); err != nil {
		return err
	}
	if err := db.migrate(ctx, file); err != nil {
		return err
	}
	return db.install(ctx)
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
		return model.Errorf(model.Invalid, "database", "database %s belongs to another program; nothing was changed: name another file", file)
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

// reason is the first line of what is wrong.
func reason(err error, check string) string {
	if err != nil {
		check = err.Error()
	}
	line, _, _ := strings.Cut(check, "\n")
	return line
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

// install makes the installation's id at first start, and learns how far
// stored time has come.
func (db *DB) install(ctx context.Context) error {
	now := model.At(db.opts.Clock())
	_, err := db.write.ExecContext(ctx, "INSERT INTO installation (one, id, created_at, latest) VALUES (1, ?, ?, ?) ON CONFLICT DO NOTHING",
		"inst-"+strings.ToLower(ulid.Make().String()), now, now)
	if err != nil {
		return fmt.Errorf("record the installation: %w", err)
	}
	var row struct {
		ID     string `db:"id"`
		Latest int64  `db:"latest"`
	}
	if err := db.write.GetContext(ctx, &row, "SELECT id, latest FROM installation"); err != nil {
		return fmt.Errorf("read the installation: %w", err)
	}
	db.Installation = row.ID
	db.latest.Store(row.Latest)
	return nil
}

// Close waits for what is under way and closes the database.
func (db *DB) Close() error {
	var errs []error
	for _, pool := range []*sqlx.DB{db.read, db.write} {
		if pool != nil {
			errs = append(errs, pool.Close())
		}
	}
	return errors.Join(errs...)
}

// Ping reports whether the database answers and holds our schema.
func (db *DB) Ping(ctx context.Context) error {
	var id string
	return db.read.GetContext(ctx, &id, "SELECT id FROM installation")
}

// Behind says how far the clock is behind the latest stored time; negative or
// zero is healthy.
func (db *DB) Behind() time.Duration {
	return model.Time(db.latest.Load()).Sub(model.At(db.opts.Clock()))
}
