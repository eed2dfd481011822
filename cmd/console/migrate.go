package main

import (
	"context"

	"countersign/internal/store"
)

// migrateCommand brings the schema up to date.
type migrateCommand struct{ storage }

// Run implements the command. Opening migrates, under the lock of whoever
// drives the database.
func (c *migrateCommand) Run(ctx context.Context, t terminal) error {
	if !c.DB.Value.shared() {
		lock, err := store.AcquireLock(c.DB.Value.dsn())
		if err != nil {
			return err
		}
		defer lock.Release()
	}
	db, err := store.Open(ctx, c.DB.Value.dsn(), store.Options{})
	if err != nil {
		return err
	}
	if err := db.Close(); err != nil {
		return err
	}
	return t.line("The schema of %s is up to date.", c.DB.Value.place())
}
