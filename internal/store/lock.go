package store

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"syscall"

	"countersign/internal/model"
)

// Lock is held by the one process that drives a SQLite file.
type Lock struct{ file *os.File }

// LockPath is where the lock of a SQLite database lies.
func LockPath(dsn string) string {
	return filepath.Clean(strings.TrimPrefix(dsn, "sqlite:")) + ".lock"
}

// AcquireLock makes this process the only one that drives the SQLite database
// dsn. The operating system frees the lock when the process dies, however it
// dies: so whoever holds it knows that every older holder is dead. A second
// process is told who holds it.
func AcquireLock(dsn string) (*Lock, error) {
	path := LockPath(dsn)
	file, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		return nil, model.Errorf(model.Invalid, "lock", "the lock %s cannot be opened: %w; see that its directory is there and can be written to, or name another file with --db", path, err)
	}
	if err := syscall.Flock(int(file.Fd()), syscall.LOCK_EX|syscall.LOCK_NB); err != nil {
		holder, _ := io.ReadAll(io.LimitReader(file, 200))
		err := model.Errorf(model.Invalid, "lock", "database %s is in use by %s; stop that process first, or use another file",
			strings.TrimPrefix(dsn, "sqlite:"), orUnnamed(strings.TrimSpace(string(holder))))
		return nil, errors.Join(err, file.Close())
	}
	host, _ := os.Hostname()
	if err := rewrite(file, fmt.Sprintf("process %d on %s\n", os.Getpid(), host)); err != nil {
		return nil, errors.Join(fmt.Errorf("write %s: %w", path, err), file.Close())
	}
	return &Lock{file: file}, nil
}

func rewrite(file *os.File, text string) error {
	if err := file.Truncate(0); err != nil {
		return err
	}
	_, err := file.WriteAt([]byte(text), 0)
	return err
}

func orUnnamed(holder string) string {
	if holder == "" {
		return "another process"
	}
	return holder
}

// Release frees the lock. The file stays: removing it would race with the next holder.
func (l *Lock) Release() error { return l.file.Close() }
