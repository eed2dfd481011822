package main

import (
	"context"
	"errors"

	"countersign/internal/audit"
	"countersign/internal/store"
)

// commandLine is who the log names for what is done here: whoever may open the
// database stands outside its account walls.
var commandLine = audit.Actor{Type: "system", ID: "console", Name: "command line"}

// withLog opens database and log for one piece of work. It may run beside the
// process that drives the database.
func (s storage) withLog(ctx context.Context, do func(*store.DB, *audit.Log) error) error {
	return s.logOf(ctx, store.Options{}, do)
}

// logOf is withLog on a database that is opened in a way of its own.
func (s storage) logOf(ctx context.Context, opts store.Options, do func(*store.DB, *audit.Log) error) (err error) {
	db, err := store.Open(ctx, s.DB.Value.dsn(), opts)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, db.Close()) }()
	log, err := openLog(ctx, db, s.keyPath())
	if err != nil {
		return err
	}
	return do(db, log)
}

// change runs one writing transaction with its entries.
func (s storage) change(ctx context.Context, do func(*store.Tx, *audit.Log) error) error {
	return s.withLog(ctx, func(db *store.DB, log *audit.Log) error {
		return db.Update(ctx, func(tx *store.Tx) error { return do(tx, log) })
	})
}

// read runs one reading transaction on a database that is there already.
func (s storage) read(ctx context.Context, do func(*store.Tx) error) (err error) {
	if err := s.DB.Value.mustExist(); err != nil {
		return err
	}
	db, err := store.Open(ctx, s.DB.Value.dsn(), store.Options{})
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, db.Close()) }()
	return db.View(ctx, do)
}

// recordFor appends an entry of the command line to each account's log.
func recordFor(tx *store.Tx, log *audit.Log, accounts []string, e audit.Entry) error {
	for _, account := range accounts {
		e.Account = account
		if err := record(tx, log, e); err != nil {
			return err
		}
	}
	return nil
}

// record appends an entry of the command line.
func record(tx *store.Tx, log *audit.Log, e audit.Entry) error {
	e.Actor = commandLine
	_, err := log.Append(tx, e)
	return err
}
