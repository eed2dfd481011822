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
	// loaded are the cases locked here, as they were.
	loaded map[string]snapshot
}

// maxRetries bounds how often Update runs a transaction again.
const maxRetries = 8

// Update runs fn in a transaction that writes, and commits it. It may run fn
// again after a passing refusal by the database, so fn touches nothing but the
// transaction. When the commit itself fails, the error is of kind Unknown: the
// caller reads again by what it was going to write.
func (db *DB) Update(ctx context.Context, fn func(*Tx) error) error {
	for try := 0; ; try++ {
		err := db.updateOnce(ctx, fn)
		if err == nil || !retryable(err) || try == maxRetries {
			return classify(err)
		}
		pause := time.Duration(rand.Int64N(int64(10*time.Millisecond) << min(try, 5)))
		select {
		case <-time.After(pause):
		case <-ctx.Done():
			return errors.Join(ctx.Err(), err)
		}
	}
}

// classify gives the database's own refusals a kind.
func classify(err error) error {
	switch {
	case err == nil:
		return nil
	case outOfSpace(err):
		return &model.Error{Kind: model.Busy, Code: "busy", Message: "The disk is full; nothing was stored. Try again when there is room.", Cause: err}
	case retryable(err):
		return &model.Error{Kind: model.Busy, Code: "busy", Message: "The database is busy; nothing was stored. Try again.", Cause: err}
	}
	return err
}

func (db *DB) updateOnce(ctx context.Context, fn func(*Tx) error) error {
	raw, err := db.write.BeginTxx(ctx, nil)
	if err != nil {
		return fmt.Errorf("begin: %w", err)
	}
	defer raw.Rollback()
	// Read after the write lock is held: nobody can store a later time meanwhile.
	tx := &Tx{ctx: ctx, tx: raw, db: db, now: db.next()}
	if err := fn(tx); err != nil {
		return err
	}
	db.latest.Store(int64(tx.now)) // kept or not: a commit may say nothing, and time only has to grow
	return tx.commit()
}

// commit keeps the transaction with the time it was made at.
func (t *Tx) commit() error {
	if _, err := t.Exec("UPDATE installation SET latest = ? WHERE latest < ?", t.now, t.now); err != nil {
		return err
	}
	if hook := t.db.opts.BeforeCommit; hook != nil {
		if err := hook(); err != nil {
			return unknownCommit(err)
		}
	}
	if err := t.tx.Commit(); err != nil {
		if retryable(err) || outOfSpace(err) {
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
	raw, err := db.read.BeginTxx(ctx, &sql.TxOptions{ReadOnly: true})
	if err != nil {
		return fmt.Errorf("begin reading: %w", err)
	}
	defer raw.Rollback()
	return fn(&Tx{ctx: ctx, tx: raw, db: db, now: db.Now()})
}

// Rehearse runs fn in a transaction that writes and is always rolled back: what
// would happen, without its happening.
func (db *DB) Rehearse(ctx context.Context, fn func(*Tx) error) error {
	raw, err := db.write.BeginTxx(ctx, nil)
	if err != nil {
		return classify(fmt.Errorf("begin: %w", err))
	}
	defer raw.Rollback()
	return fn(&Tx{ctx: ctx, tx: raw, db: db, now: db.next()})
}

// next is the time of a new writing transaction: the clock's, but always later
// than everything stored.
func (db *DB) next() model.Time {
	return max(model.At(db.opts.Clock()), model.Time(db.latest.Load())+1)
}

// Now is the present by the clock that stored times follow.
func (db *DB) Now() model.Time {
	return max(model.At(db.opts.Clock()), model.Time(db.latest.Load()))
}

// Now is the transaction's time; it is the same throughout.
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

// Exec runs a statement; '?' stands for an argument on every database.
func (t *Tx) Exec(query string, args ...any) (sql.Result, error) {
	result, err := t.tx.ExecContext(t.ctx, t.tx.Rebind(query), args...)
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

// Get reads one row; ok is false when there is none.
func (t *Tx) Get(into any, query string, args ...any) (ok bool, err error) {
	err = t.tx.GetContext(t.ctx, into, t.tx.Rebind(query), args...)
	if errors.Is(err, sql.ErrNoRows) {
		return false, nil
	}
	if err != nil {
		return false, fmt.Errorf("%s: %w", verb(query), err)
	}
	return true, nil
}

// Select reads rows into a slice.
func (t *Tx) Select(into any, query string, args ...any) error {
	if err := t.tx.SelectContext(t.ctx, into, t.tx.Rebind(query), args...); err != nil {
		return fmt.Errorf("%s: %w", verb(query), err)
	}
	return nil
}

// Each reads rows one at a time, so that memory does not grow with their number.
func (t *Tx) Each(row any, fn func() error, query string, args ...any) error {
	rows, err := t.tx.QueryxContext(t.ctx, t.tx.Rebind(query), args...)
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
