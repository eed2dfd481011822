package store

import (
	"context"
	"errors"
	"fmt"
)

// Hurry lets commits return before they are on the disk, until Durable is
// called or the database is closed. The death of this process loses nothing even
// so, but a machine that stops may lose any part of the file: it is for work that
// can be made again from nothing. On PostgreSQL it changes nothing.
func (db *DB) Hurry(ctx context.Context) error {
	return db.synchronous(ctx, "OFF")
}

// Durable ends a Hurry: when it returns nil, all that was committed is on the
// disk, and every later commit is before it returns.
func (db *DB) Durable(ctx context.Context) error {
	if err := db.synchronous(ctx, "FULL"); err != nil || db.Shared() {
		return err
	}
	var busy, inLog, moved int
	if err := db.write.QueryRowxContext(ctx, "PRAGMA wal_checkpoint(TRUNCATE)").Scan(&busy, &inLog, &moved); err != nil {
		return fmt.Errorf("bring the log into the database file: %w", err)
	}
	if busy != 0 {
		return errors.New("bring the log into the database file: somebody reads it")
	}
	return nil
}

// synchronous sets it for the one connection that writes.
func (db *DB) synchronous(ctx context.Context, level string) error {
	if db.Shared() {
		return nil
	}
	if _, err := db.write.ExecContext(ctx, "PRAGMA synchronous = "+level); err != nil {
		return fmt.Errorf("set synchronous to %s: %w", level, err)
	}
	return nil
}
