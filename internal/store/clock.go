package store

import (
	"context"
	"time"

	"github.com/jmoiron/sqlx"

	"countersign/internal/model"
)

// stampEvery is how often the latest time is written down where that row would
// be shared by many processes. SQLite has one writer: there every commit does it.
const stampEvery = time.Second

// clock reads the time that stored times follow: the database's own where
// there are many processes, else this process's.
func (db *DB) clock(ctx context.Context, by sqlx.QueryerContext) (now model.Time, err error) {
	switch {
	case db.opts.Clock != nil:
		return model.At(db.opts.Clock()), nil
	case db.dialect.now == "":
		return model.At(time.Now()), nil
	}
	if err := by.QueryRowxContext(ctx, db.dialect.now).Scan(&now); err != nil {
		return 0, err
	}
	db.ahead.Store(int64(now - model.At(time.Now())))
	return now, nil
}

// passed records that time has come at least so far.
func (db *DB) passed(now model.Time) {
	for {
		latest := db.latest.Load()
		if int64(now) <= latest || db.latest.CompareAndSwap(latest, int64(now)) {
			return
		}
	}
}

// stamp writes down how far stored time has come, so that a clock that runs
// back is noticed by every process and after every restart.
func (t *Tx) stamp() error {
	stamped := t.db.stamped.Load()
	if t.db.Shared() && t.now < model.Time(stamped).Add(stampEvery) {
		return nil
	}
	changed, err := t.Changed("UPDATE installation SET latest = ? WHERE latest < ?", t.now, t.now)
	if err != nil {
		return err
	}
	t.db.stamped.Store(int64(t.now))
	if changed == 1 {
		return nil
	}
	var latest model.Time // of a faster process, or of a clock that ran back since
	if _, err := t.Get(&latest, "SELECT latest FROM installation"); err != nil {
		return err
	}
	t.db.passed(latest)
	return nil
}

// lastStamp writes down the latest time where not every commit did. It fails
// silently: what is lost is less than a second.
func (db *DB) lastStamp() {
	latest := db.latest.Load()
	if !db.Shared() || latest <= db.stamped.Load() {
		return
	}
	ctx, cancel := context.WithTimeout(context.Background(), time.Second)
	defer cancel()
	_, _ = db.write.ExecContext(ctx, db.rebind("UPDATE installation SET latest = ? WHERE latest < ?"), latest, latest)
}

// present is the database's clock as this process knows it, without asking.
func (db *DB) present() model.Time {
	if db.opts.Clock != nil {
		return model.At(db.opts.Clock())
	}
	return model.At(time.Now()) + model.Time(db.ahead.Load())
}

// Now is the present by the clock that stored times follow.
func (db *DB) Now() model.Time {
	return max(db.present(), model.Time(db.latest.Load()))
}

// Behind says how far the clock is behind the latest stored time; negative or
// zero is healthy.
func (db *DB) Behind() time.Duration {
	return model.Time(db.latest.Load()).Sub(db.present())
}

// Ahead says by how much the database's clock is ahead of this process's: what
// this process measures by its own clock is corrected by it.
func (db *DB) Ahead() time.Duration {
	return time.Duration(db.ahead.Load()) * time.Microsecond
}
