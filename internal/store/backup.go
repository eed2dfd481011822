package store

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/jmoiron/sqlx"

	"countersign/internal/model"
)

// markCopy leaves the mark of a copy, from what stands in it.
const markCopy = `INSERT INTO copy_mark (one, made_at, place, log_size, checkpoint_size, checkpoint_root)
	SELECT 1, %d, '%s', (SELECT COALESCE(MAX(idx) + 1, 0) FROM audit_log),
		COALESCE((SELECT MAX(size) FROM audit_checkpoints), 0),
		COALESCE((SELECT root FROM audit_checkpoints ORDER BY size DESC LIMIT 1), %s)
	WHERE NOT EXISTS (SELECT 1 FROM copy_mark)`

// Backup writes a consistent copy of the database dsn to file while others use
// it, marked as a copy; the original is only read. A SQLite file becomes such a
// file, a PostgreSQL database a script for psql, written by pg_dump. The copy
// appears under its name only when it is whole and on the disk. progress, where
// given, is told now and then how many bytes are written. The error is of kind
// Conflict where the file exists, Busy where the server does not answer, Invalid
// where the database cannot be copied or the file not written.
func Backup(ctx context.Context, dsn, file string, progress func(written int64)) (CopyMark, error) {
	if _, err := os.Lstat(file); err == nil {
		return CopyMark{}, exists(file)
	}
	draft, err := os.CreateTemp(filepath.Dir(file), ".countersign-backup-*") // mode 0600
	if err != nil {
		return CopyMark{}, unwritable(file, err)
	}
	defer os.Remove(draft.Name())
	defer draft.Close()
	fill := fillSQLite
	if IsPostgres(dsn) {
		fill = fillPostgres
	}
	stop := watchSize(draft, progress)
	mark, err := fill(ctx, dsn, draft)
	stop()
	if err != nil {
		return CopyMark{}, err
	}
	return mark, publish(draft, file)
}

// unwritable says why a file cannot be made, without the draft's name.
func unwritable(file string, err error) error {
	var at *fs.PathError
	if errors.As(err, &at) {
		err = at.Err
	}
	return model.Errorf(model.Invalid, "backup", "the backup %s cannot be written: %w; nothing was made: name a file in a folder that is there and can be written into", file, err)
}

// fillSQLite makes the draft a copy of a SQLite file.
func fillSQLite(ctx context.Context, dsn string, draft *os.File) (m CopyMark, err error) {
	source := strings.TrimPrefix(dsn, "sqlite:")
	if err := checkOurs(ctx, source); err != nil {
		return m, err
	}
	place, err := LockPlace(dsn)
	if err != nil {
		return m, err
	}
	began := time.Now()
	if err := copySQLite(ctx, source, draft.Name()); err != nil {
		return m, err
	}
	return markFile(ctx, draft.Name(), place, began)
}

func exists(file string) error {
	return model.Errorf(model.Conflict, "backup", "%s exists, and a backup overwrites nothing; name another file", file)
}

// copySQLite copies one snapshot; writers go on meanwhile.
func copySQLite(ctx context.Context, source, into string) error {
	raw, err := sqlx.Open("sqlite3", "file:"+escape(source)+"?mode=ro&_busy_timeout=5000")
	if err != nil {
		return fmt.Errorf("open %s: %w", source, err)
	}
	defer raw.Close()
	if _, err := raw.ExecContext(ctx, "VACUUM INTO ?", into); err != nil {
		return fmt.Errorf("copy %s: %w", source, err)
	}
	return nil
}

// markFile marks the copy, and reads it through.
func markFile(ctx context.Context, file, place string, at time.Time) (m CopyMark, err error) {
	raw, err := sqlx.Open("sqlite3", "file:"+escape(file)+"?_synchronous=FULL&_busy_timeout=5000")
	if err != nil {
		return m, fmt.Errorf("open the copy: %w", err)
	}
	defer func() { err = errors.Join(err, raw.Close()) }()
	statement := fmt.Sprintf(markCopy, model.At(at), strings.ReplaceAll(place, "'", "''"), "x''")
	if _, err := raw.ExecContext(ctx, statement); err != nil {
		return m, model.Errorf(model.Invalid, "backup", "the copy could not be marked as one, so none was made: %w; if the database is of an older version, run console migrate first", err)
	}
	var check string
	if err := raw.GetContext(ctx, &check, "PRAGMA quick_check(1)"); err != nil || check != "ok" {
		return m, model.Errorf(model.Invalid, "backup", "the copy is damaged (%s), so none was made; see that the disk is sound, and try again", reason(err, check))
	}
	err = raw.GetContext(ctx, &m, "SELECT made_at, place, log_size, checkpoint_size, checkpoint_root FROM copy_mark")
	return m, err
}

// publish puts the draft under its name, once it is on the disk.
func publish(draft *os.File, file string) error {
	if err := draft.Sync(); err != nil {
		return fmt.Errorf("write the backup: %w", err)
	}
	if err := os.Link(draft.Name(), file); errors.Is(err, fs.ErrExist) {
		return exists(file)
	} else if err != nil {
		return fmt.Errorf("name the backup: %w", err)
	}
	dir, err := os.Open(filepath.Dir(file))
	if err != nil {
		return fmt.Errorf("write the backup: %w", err)
	}
	return errors.Join(dir.Sync(), dir.Close())
}

// watchSize tells now and then how large a file is, until it is stopped.
func watchSize(file *os.File, progress func(int64)) (stop func()) {
	done, over := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(over)
		for {
			select {
			case <-done:
				return
			case <-time.After(2 * time.Second):
			}
			if info, err := file.Stat(); err == nil && progress != nil {
				progress(info.Size())
			}
		}
	}()
	return func() { close(done); <-over }
}
