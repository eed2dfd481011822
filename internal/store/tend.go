package store

import (
	"context"
	"fmt"
	"time"
)

// SQLite chooses between indexes by statistics that somebody has to take;
// PostgreSQL takes its own. They are looked after at opening and now and then,
// each time of a few hundred rows of an index, and only of tables that have grown
// several times over since. A connection for reading knows those of its beginning,
// so it does not live much longer than they are good for. The planner's choices
// do not rest on them: tests hold every page's statements to their indexes, with
// statistics and without.
const (
	tendEvery = time.Hour
	// statistics looks at every table (0x10000), and analyses those that need it.
	statistics = "PRAGMA analysis_limit = 400; PRAGMA optimize = 0x10002"
)

// tend takes statistics where they are due.
func (db *DB) tend(ctx context.Context) error {
	if db.dialect.statistics == "" {
		return nil
	}
	if _, err := db.write.ExecContext(ctx, db.dialect.statistics); err != nil {
		return fmt.Errorf("take statistics of %s: %w", db.place, err)
	}
	return nil
}

// keepTending tends the database now, and in the background until it is closed.
// What fails there is tried at the next time: old statistics are only slower.
func (db *DB) keepTending(ctx context.Context) error {
	db.tender = time.AfterFunc(tendEvery, func() {
		if db.closed.Load() {
			return
		}
		ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
		defer cancel()
		_ = db.tend(ctx)
		db.tender.Reset(tendEvery)
	})
	return db.tend(ctx)
}
