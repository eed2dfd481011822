package store

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"math/rand/v2"
	"time"

	"github.com/jmoiron/sqlx"

	"countersign/internal/model"
)

// Tx is one transaction. It is not safe for concurrent use and must not
// outlive the function that it was given to.
type Tx struct {
	ctx context.Context
	tx  *sqlx.Tx
	db  *DB
	now model.Time
	// writes is false where the database refuses to lock or change rows.
	writes bool
	// loaded are the cases locked here, as they were.
	loaded map[string]snapshot
	// hold is the newest restore hold, read once; holdRead tells that it was.
	hold     *model.Hold
	holdRead bool
	marked   bool // with holdRead: the database is a copy that no start has found yet
	// ahead are the cases that LockAhead read and LockCase has not given yet.
	ahead map[string]*model.Case
	// changes and additions are rows that wait to be written together, and saved
	// the intents that have some.
	changes   []changed
	additions []addition
	saved     map[string]bool
	// ask is whom a read waits with; nil outside of Together.
	ask func([]*question) bool
}

// Update runs a transaction again at most maxRetries times, and not once
// longestTry has passed: SQLite alone waits seconds for whoever holds the right to
// write, and a person waits for the page that says so.
const (
	maxRetries = 8
	longestTry = 8 * time.Second
)

// Update runs fn in a transaction that writes, and commits it. It may run fn
// again after a passing refusal by the database, so fn touches nothing but the
// transaction. When the commit itself fails, the error is of kind Unknown: the
// caller reads again by what it was going to write.
func (db *DB) Update(ctx context.Context, fn func(*Tx) error) error {
	began := time.Now()
	for try := 0; ; try++ {
		err := db.updateOnce(ctx, fn)
		if err == nil || !db.again(err) || try == maxRetries || time.Since(began) > longestTry {
			return db.counted(db.classify(err))
		}
		db.repeats.Add(1)
		pause := time.Duration(rand.Int64N(int64(10*time.Millisecond) << min(try, 5)))
		select {
		case <-time.After(pause):
		case <-ctx.Done():
			return errors.Join(ctx.Err(), err)
		}
	}
}

// counted counts the failures that are the database's and no answer to a person.
func (db *DB) counted(err error) error {
	if err != nil && (errors.Is(err, model.Busy) || errors.Is(err, model.Unknown) || model.KindOf(err) == model.Internal) {
		db.failures.Add(1)
	}
	return err
}

// Repeats tells how many transactions of this process were run once more after a
// passing refusal, and how many failed for good, since it started.
func (db *DB) Repeats() (repeated, failed int64) { return db.repeats.Load(), db.failures.Load() }

// again reports whether the whole transaction may simply be run once more:
// nothing of it was kept. A unique key taken meanwhile is seen by the next run.
func (db *DB) again(err error) bool {
	if errors.Is(err, model.Unknown) {
		return false
	}
	switch db.dialect.fault(err) {
	case passing, gone, duplicate:
		return true
	}
	return false
}

// classify gives the database's own refusals a kind.
func (db *DB) classify(err error) error {
	if err == nil || errors.Is(err, model.Unknown) {
		return err
	}
	switch db.dialect.fault(err) {
	case full:
		db.sawFull()
		return &model.Error{Kind: model.Busy, Code: "busy", Message: "The disk is full; nothing was stored. Try again when there is room.", Cause: err}
	case passing:
		return &model.Error{Kind: model.Busy, Code: "busy", Message: "The database is busy; nothing was stored. Try again.", Cause: err}
	case gone:
		return &model.Error{Kind: model.Busy, Code: "busy", Message: "The database does not answer; nothing was stored. Try again.", Cause: err}
	}
	return err
}

func (db *DB) updateOnce(ctx context.Context, fn func(*Tx) error) error {
	tx, err := db.begin(ctx)
	if err != nil {
		return err
	}
	defer tx.tx.Rollback()
	if err := fn(tx); err != nil {
		return err
	}
	if err := tx.flush(); err != nil {
		return err
	}
	db.passed(tx.now) // kept or not: a commit may say nothing, and time only has to grow
	if err := tx.commit(); err != nil {
		return err
	}
	db.full.Store(0)
	return nil
}

// begin starts a transaction that writes, at a time later than everything that
// this process stored. On SQLite that is everything stored at all: the write
// lock is held before the clock is read.
func (db *DB) begin(ctx context.Context) (*Tx, error) {
	raw, err := db.write.BeginTxx(ctx, nil)
	if err != nil {
		return nil, fmt.Errorf("begin: %w", err)
	}
	now, err := db.clock(ctx, raw)
	if err != nil {
		return nil, errors.Join(fmt.Errorf("read the clock: %w", err), raw.Rollback())
	}
	return &Tx{ctx: ctx, tx: raw, db: db, now: max(now, model.Time(db.latest.Load())+1), writes: true}, nil
}

// commit keeps the transaction with the time it was made at.
func (t *Tx) commit() error {
	if err := t.stamp(); err != nil {
		return err
	}
	if hook := t.db.opts.BeforeCommit; hook != nil {
		if err := hook(); err != nil {
			return unknownCommit(err)
		}
	}
	if err := t.tx.Commit(); err != nil {
		if !t.db.dialect.undecided(err) {
			return err
		}
		return unknownCommit(err)
	}
	if hook := t.db.opts.AfterCommit; hook != nil {
		if err := hook(); err != nil {
			return unknownCommit(err)
		}
	}
	return nil
}

func unknownCommit(err error) error {
	return &model.Error{Kind: model.Unknown, Code: "outcome-unknown", Cause: err,
		Message: "The database did not say whether it kept this. Ask again by the same id before doing anything else."}
}

// View runs fn in a transaction that only reads, on one snapshot.
func (db *DB) View(ctx context.Context, fn func(*Tx) error) error {
	raw, err := db.read.BeginTxx(ctx, &db.dialect.snapshot)
	if err != nil {
		return db.classify(fmt.Errorf("begin reading: %w", err))
	}
	defer raw.Rollback()
	return db.classify(fn(&Tx{ctx: ctx, tx: raw, db: db, now: db.Now()}))
}

// Rehearse runs fn in a transaction that writes and is always rolled back: what
// would happen, without its happening.
func (db *DB) Rehearse(ctx context.Context, fn func(*Tx) error) error {
	tx, err := db.begin(ctx)
	if err != nil {
		return db.classify(err)
	}
	defer tx.tx.Rollback()
	if err := fn(tx); err != nil {
		return db.classify(err)
	}
	return db.classify(tx.flush())
}

// Now is the transaction's time. It only grows: an intent that is locked later
// may have been stored at a later one.
func (t *Tx) Now() model.Time { return t.now }

// Context is the context that the transaction runs under.
func (t *Tx) Context() context.Context { return t.ctx }

// Installation is the id made at first start.
func (t *Tx) Installation() string { return t.db.Installation }

// NewID makes an id with a prefix that names its sort. It sorts by time, and
// behind every id that this process made before.
func (t *Tx) NewID(prefix string) string {
	return prefix + "-" + t.db.ids.next(uint64(t.now.Std().UnixMilli())).String()
}

// rebind gives a statement as the database's driver wants it. It takes
// microseconds, and nothing is remembered: parts read together make a statement
// for every combination of them.
func (db *DB) rebind(query string) string { return db.write.Rebind(query) }

// Exec runs a statement; '?' stands for an argument on every database.
func (t *Tx) Exec(query string, args ...any) (sql.Result, error) {
	if err := t.flushFor(query); err != nil {
		return nil, err
	}
	t.note(query, args)
	result, err := t.tx.ExecContext(t.ctx, t.db.rebind(query), args...)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", verb(query), err)
	}
	return result, nil
}

// Changed runs a statement and reports how many rows it changed.
func (t *Tx) Changed(query string, args ...any) (int64, error) {
	result, err := t.Exec(query, args...)
	if err != nil {
		return 0, err
	}
	return result.RowsAffected()
}

// Get reads one row; ok is false when there is none. Within Together it waits
// for the other parts.
func (t *Tx) Get(into any, query string, args ...any) (ok bool, err error) {
	if err := t.flushFor(query); err != nil {
		return false, err
	}
	if t.ask != nil {
		return t.wait(question{into: into, query: query, args: args, one: true})
	}
	return t.getNow(into, query, args...)
}

func (t *Tx) getNow(into any, query string, args ...any) (ok bool, err error) {
	t.note(query, args)
	err = t.tx.GetContext(t.ctx, into, t.db.rebind(query), args...)
	if errors.Is(err, sql.ErrNoRows) {
		return false, nil
	}
	if err != nil {
		return false, fmt.Errorf("%s: %w", verb(query), err)
	}
	return true, nil
}

// Select reads rows into a slice. Within Together it waits for the other parts.
func (t *Tx) Select(into any, query string, args ...any) error {
	if err := t.flushFor(query); err != nil {
		return err
	}
	if t.ask != nil {
		_, err := t.wait(question{into: into, query: query, args: args})
		return err
	}
	return t.selectNow(into, query, args...)
}

func (t *Tx) selectNow(into any, query string, args ...any) error {
	t.note(query, args)
	if err := t.tx.SelectContext(t.ctx, into, t.db.rebind(query), args...); err != nil {
		return fmt.Errorf("%s: %w", verb(query), err)
	}
	return nil
}

// Each reads rows one at a time, so that memory does not grow with their number.
func (t *Tx) Each(row any, fn func() error, query string, args ...any) error {
	if err := t.flushFor(query); err != nil {
		return err
	}
	t.note(query, args)
	rows, err := t.tx.QueryxContext(t.ctx, t.db.rebind(query), args...)
	if err != nil {
		return fmt.Errorf("%s: %w", verb(query), err)
	}
	defer rows.Close()
	for rows.Next() {
		if err := rows.StructScan(row); err != nil {
			return fmt.Errorf("%s: %w", verb(query), err)
		}
		if err := fn(); err != nil {
			return err
		}
	}
	return rows.Err()
}
