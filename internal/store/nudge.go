package store

import (
	"context"
	"log/slog"
	"sync"
	"time"

	"github.com/jackc/pgx/v5"
)

// channel is the name under which processes on one PostgreSQL database tell
// each other that there is work.
const channel = "countersign_work"

// nudgeEvery bounds how often one process tells the others: each telling takes
// a lock that is shared by all committing transactions.
const nudgeEvery = 10 * time.Millisecond

// nudges sends hints one after the other. The zero value is ready.
type nudges struct {
	once    sync.Once
	pending chan struct{}
	stop    context.CancelFunc
	done    chan struct{}
}

// Nudge tells the other processes on this database that there may be work, soon
// and at most once. It never waits and may be lost: everybody looks by
// themselves now and then. On SQLite there are no others.
func (db *DB) Nudge() {
	if !db.Shared() {
		return
	}
	db.nudges.once.Do(db.startNudging)
	select {
	case db.nudges.pending <- struct{}{}:
	default:
	}
}

func (db *DB) startNudging() {
	ctx, stop := context.WithCancel(context.Background())
	db.nudges.pending, db.nudges.stop, db.nudges.done = make(chan struct{}, 1), stop, make(chan struct{})
	go func() {
		defer close(db.nudges.done)
		for {
			select {
			case <-db.nudges.pending:
			case <-ctx.Done():
				return
			}
			// A hint that fails is a hint that is lost.
			if _, err := db.write.ExecContext(ctx, "SELECT pg_notify($1, '')", channel); err == nil || ctx.Err() != nil {
				sleep(ctx, nudgeEvery)
				continue
			}
			sleep(ctx, time.Second)
		}
	}()
}

// close ends the sending, if it ever began.
func (n *nudges) close() {
	n.once.Do(func() {})
	if n.stop != nil {
		n.stop()
		<-n.done
	}
}

// Listen calls hear whenever another process says that there may be work, until
// ctx ends. It connects again by itself, and calls hear then too: what was said
// meanwhile is lost. On SQLite it only waits.
func (db *DB) Listen(ctx context.Context, hear func()) {
	for pause := time.Second; ctx.Err() == nil && db.listen != nil; pause = min(2*pause, 30*time.Second) {
		err := db.listenOnce(ctx, func() { pause = time.Second; hear() })
		if ctx.Err() == nil {
			slog.WarnContext(ctx, "no hints from other processes for now; looking for work now and then", "err", err)
			sleep(ctx, pause)
		}
	}
	<-ctx.Done()
}

func (db *DB) listenOnce(ctx context.Context, hear func()) error {
	conn, err := pgx.ConnectConfig(ctx, db.listen)
	if err != nil {
		return err
	}
	defer conn.Close(context.WithoutCancel(ctx))
	if _, err := conn.Exec(ctx, "LISTEN "+channel); err != nil {
		return err
	}
	for {
		hear()
		if _, err := conn.WaitForNotification(ctx); err != nil {
			return err
		}
	}
}

func sleep(ctx context.Context, d time.Duration) {
	select {
	case <-time.After(d):
	case <-ctx.Done():
	}
}
