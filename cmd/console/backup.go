package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"

	"countersign/internal/audit"
	"countersign/internal/model"
	"countersign/internal/store"
)

// backupCommand copies the database while others use it.
type backupCommand struct {
	storage
	Dest  string `arg:"" type:"path" help:"The file to write, or a directory to write it into under the database's own name. Nothing is overwritten."`
	NoKey bool   `name:"no-key" help:"Leave out the key file, to keep it elsewhere; without it the copy cannot be started."`
}

// Help says what belongs together.
func (c *backupCommand) Help() string {
	return `The copy is consistent however busy the console is, and is marked as a copy: a
console that is started on it sends nothing until two administrators have lifted
the restore hold, since the providers may know more than the copy does. Every
account's audit log says that a copy was begun, and so does the copy.

Two files belong together: the copy and the key file, which is copied beside it
under its own name. To restore a SQLite copy, put both in place, remove what the
old database left under its name with -wal and -shm behind it, and start console
serve.

Of a PostgreSQL database pg_dump makes the copy, so it must be installed here, in
the server's version or newer. The copy is a script; to restore it, make a new
database and run it there, then put the key file in place and start:

  createdb NAME && psql -d NAME -v ON_ERROR_STOP=1 -f FILE
  console serve --db postgres://USER:PASSWORD@HOST:PORT/NAME`
}

// Run implements the command.
func (c *backupCommand) Run(ctx context.Context, t terminal) error {
	if err := c.DB.Value.mustExist(); err != nil {
		return err
	}
	file, err := c.destination()
	if err != nil {
		return err
	}
	key := filepath.Join(filepath.Dir(file), filepath.Base(c.keyPath()))
	if err := c.mayCopyKey(key); err != nil {
		return err
	}
	noted, err := c.note(ctx, file)
	if err != nil {
		return err
	}
	mark, err := store.Backup(ctx, c.DB.Value.dsn(), file, func(written int64) {
		fmt.Fprintf(t.err, "console: %d MB written\n", written>>20)
	})
	if err != nil {
		return err
	}
	if err := t.line("Backup of %s as it was at %s: %s, with %d numbered entries of its audit log.", c.DB.Value.place(), mark.MadeAt, file, mark.LogSize); err != nil {
		return err
	}
	if noted != "" {
		if err := t.line("%s", noted); err != nil {
			return err
		}
	}
	said, err := c.copyKey(key)
	if err != nil {
		return err
	}
	return t.line("%s\nA console started on it sends nothing until two administrators lift its restore hold.", said)
}

// note writes into every account's log that a copy of everything is about to be
// made, before it is, so that the copy itself holds it. Entries need the key
// file: where it is kept elsewhere there are none, and missing says so.
func (c *backupCommand) note(ctx context.Context, file string) (missing string, err error) {
	_, there := os.Lstat(file)
	_, folder := os.Stat(filepath.Dir(file))
	if there == nil || folder != nil {
		return "", nil // nothing will be made, and the copying says why
	}
	if _, err := os.Stat(c.keyPath()); errors.Is(err, fs.ErrNotExist) {
		return fmt.Sprintf("The audit log has no entry of this backup: the key file %s, which entries are made with, is not here.", c.keyPath()), nil
	}
	return "", c.logOf(ctx, store.Options{AsItIs: true}, func(db *store.DB, log *audit.Log) error {
		return db.Update(ctx, func(tx *store.Tx) error {
			accounts, err := tx.AllAccounts()
			if err != nil {
				return err
			}
			return recordFor(tx, log, append([]string{""}, accounts...), audit.Entry{Event: "backup.begun", Result: "begun",
				Detail: map[string]any{"file": filepath.Base(file), "key_file": !c.NoKey}})
		})
	})
}

// destination is the file to write.
func (c *backupCommand) destination() (string, error) {
	info, err := os.Stat(c.Dest)
	switch {
	case err == nil && info.IsDir():
		return filepath.Join(c.Dest, c.DB.Value.copyName()), nil
	case err != nil && !errors.Is(err, fs.ErrNotExist):
		return "", model.Errorf(model.Invalid, "backup", "the backup %s cannot be written: %w", c.Dest, err)
	}
	return c.Dest, nil
}

// mayCopyKey refuses before anything is written where another key is in the way.
func (c *backupCommand) mayCopyKey(into string) error {
	theirs, err := readKey(into)
	if c.NoKey || errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	ours, err := readKey(c.keyPath())
	if err == nil && string(ours) != string(theirs) {
		return model.Errorf(model.Conflict, "backup", "%s is the key file of another database, and a backup overwrites nothing; name another directory, or say --no-key", into)
	}
	return err
}

// copyKey puts the key beside the copy and says which files belong together.
func (c *backupCommand) copyKey(into string) (said string, err error) {
	if c.NoKey {
		return fmt.Sprintf("It belongs together with the key file %s, which was not copied.", c.keyPath()), nil
	}
	from, err := os.Open(c.keyPath())
	if errors.Is(err, fs.ErrNotExist) {
		return "There is no key file yet: nothing was ever recorded with one.", nil
	}
	if err != nil {
		return "", model.Errorf(model.Invalid, "key-file", "the backup is made, but the key file cannot be copied: %w; copy it yourself", err)
	}
	defer from.Close()
	to, err := os.OpenFile(into, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if errors.Is(err, fs.ErrExist) {
		return fmt.Sprintf("It belongs together with the key file %s, which is there already.", into), nil
	}
	if err == nil {
		_, err = io.Copy(to, from)
		err = errors.Join(err, to.Sync(), to.Close())
	}
	if err != nil {
		return "", model.Errorf(model.Invalid, "key-file", "the backup is made, but the key file cannot be copied: %w; copy it yourself", err)
	}
	return fmt.Sprintf("It belongs together with its key file, copied to %s.", into), nil
}
