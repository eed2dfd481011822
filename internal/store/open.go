package store

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jmoiron/sqlx"
	"github.com/oklog/ulid/v2"

	"countersign/internal/model"
)

// Options are what a program sets when it opens the database. The zero value
// is right for production.
type Options struct {
	// Clock gives the time. When nil it is the database's own clock on
	// PostgreSQL, where many machines meet, and time.Now on SQLite. Stored time
	// never runs backwards whatever it gives.
	Clock func() time.Time
	// BeforeCommit and AfterCommit stand at the two sides of every commit.
	// Tests make a commit fail with them, unapplied or applied.
	BeforeCommit, AfterCommit func() error
	// AsItIs leaves the schema of a console's database as it is, and refuses one
	// that is none: for who only adds an entry before a copy is taken.
	AsItIs bool
}

// DB is an open database. It is safe for concurrent use.
type DB struct {
	write     *sqlx.DB // on SQLite one connection: the single writer
	read      *sqlx.DB // on SQLite it cannot write; on PostgreSQL the same pool
	dialect   dialect
	place     string          // where it is, for people; never with a password
	listen    *pgx.ConnConfig // PostgreSQL only
	opts      Options
	latest    atomic.Int64 // the latest time given to a transaction, or stored
	stamped   atomic.Int64 // when latest was last written down
	ahead     atomic.Int64 // by how many µs the database's clock is ahead of this process's
	full      atomic.Int64 // since when the disk has been full; 0 is not
	closed    atomic.Bool
	nudges    nudges
	tender    *time.Timer // takes statistics now and then
	contracts sync.Map    // by id, immutable
	ids       ids
	repeats   atomic.Int64 // transactions that were run once more
	failures  atomic.Int64 // transactions that the database refused for good
	shapes    shapes       // columns of statements that were read together
	// Installation is the id made at first start; part of every intent id.
	Installation string
}

// IsPostgres reports whether an address names a PostgreSQL database.
func IsPostgres(dsn string) bool {
	return strings.HasPrefix(dsn, "postgres://") || strings.HasPrefix(dsn, "postgresql://")
}

// Open opens the database that dsn names ("sqlite:FILE", made at first start, or
// "postgres://…", which must exist), and brings its schema up to date; any
// number of processes may do so at once. It refuses one that is damaged, belongs
// to another program or was written by a newer version, and leaves it as it is.
// A server that does not answer is an error of kind Busy.
func Open(ctx context.Context, dsn string, opts Options) (*DB, error) {
	file, lite := strings.CutPrefix(dsn, "sqlite:")
	var db *DB
	var err error
	switch {
	case lite && file != "":
		db, err = openSQLite(ctx, file, opts)
	case IsPostgres(dsn):
		db, err = openPostgres(ctx, dsn, opts)
	default:
		err = model.Errorf(model.Invalid, "database", "this is no database address: say sqlite:FILE or postgres://USER:PASSWORD@HOST:PORT/NAME")
	}
	if err != nil {
		return nil, err
	}
	err = db.dialect.alone(ctx, db, func() error {
		if opts.AsItIs {
			if err := db.install(ctx); err != nil {
				return model.Errorf(model.Invalid, "database", "database %s is no console's, or was written by an older version; run console migrate first: %w", db.place, err)
			}
			return nil
		}
		if err := db.migrate(ctx); err != nil {
			return err
		}
		if err := db.install(ctx); err != nil {
			return err
		}
		return db.keepTending(ctx)
	})
	if err != nil {
		return nil, errors.Join(err, db.Close())
	}
	return db, nil
}

func foreign(place string) error {
	return model.Errorf(model.Invalid, "database", "database %s belongs to another program; nothing was changed: name another one", place)
}

// reason is the first line of what is wrong.
func reason(err error, check string) string {
	if err != nil {
		check = err.Error()
	}
	line, _, _ := strings.Cut(check, "\n")
	return line
}

// install makes the installation's id at first start, and learns how far
// stored time has come.
func (db *DB) install(ctx context.Context) error {
	now, err := db.clock(ctx, db.write)
	if err != nil {
		return fmt.Errorf("read the clock: %w", err)
	}
	_, err = db.write.ExecContext(ctx, db.rebind("INSERT INTO installation (one, id, created_at, latest) VALUES (1, ?, ?, ?) ON CONFLICT DO NOTHING"),
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
	db.stamped.Store(row.Latest)
	return nil
}

// SameKey notes a digest of a key that all processes on this database must
// share, the first one's for ever, and reports whether this is that one.
func (db *DB) SameKey(ctx context.Context, digest []byte) (same bool, err error) {
	err = db.Update(ctx, func(tx *Tx) error {
		if _, err := tx.Exec("UPDATE installation SET key_check = ? WHERE key_check IS NULL", digest); err != nil {
			return err
		}
		var noted []byte
		_, err := tx.Get(&noted, "SELECT key_check FROM installation")
		same = bytes.Equal(noted, digest)
		return err
	})
	return same, err
}

// NotedKey is the digest that SameKey noted first; empty before.
func (db *DB) NotedKey(ctx context.Context) (digest []byte, err error) {
	err = db.View(ctx, func(tx *Tx) error {
		_, err := tx.Get(&digest, "SELECT key_check FROM installation")
		return err
	})
	return digest, err
}

// Close waits for what is under way and closes the database.
func (db *DB) Close() error {
	db.closed.Store(true)
	if db.tender != nil {
		db.tender.Stop()
	}
	db.nudges.close()
	db.lastStamp()
	var errs []error
	if db.read != nil && db.read != db.write {
		errs = append(errs, db.read.Close())
	}
	if db.write != nil {
		errs = append(errs, db.write.Close())
	}
	return errors.Join(errs...)
}

// Ping reports whether the database answers and holds our schema.
func (db *DB) Ping(ctx context.Context) error {
	var id string
	return db.read.GetContext(ctx, &id, "SELECT id FROM installation")
}

// Place says where the database is, for people; never with a password.
func (db *DB) Place() string { return db.place }

// Shared reports whether other processes may drive this database at the same
// time, on this machine or others.
func (db *DB) Shared() bool { return db.dialect.share != "" }
