package store

import (
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"

	"countersign/internal/model"
)

// Host is this machine, as processes on a shared database tell machines apart:
// a folder of locks, one per start. The operating system frees a lock when its
// process dies, however it dies, so another process on the same machine can see
// that it is dead. Of a process on another machine nobody can know that but a
// person. Its methods are safe for concurrent use.
type Host struct {
	// ID names the machine and its folder of locks.
	ID  string
	dir string
}

// EnterHost makes the folder of locks under dir, which must lie on a disk of
// this machine that outlives its processes. Errors are of kind Invalid.
func EnterHost(dir string) (*Host, error) {
	wrong := func(err error) error {
		return model.Errorf(model.Invalid, "state-dir", "the folder %s for locks cannot be used: %w; name another with --state-dir", dir, err)
	}
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil, wrong(err)
	}
	own, err := folderID(filepath.Join(dir, "host-id"))
	if err != nil {
		return nil, wrong(err)
	}
	name, err := os.Hostname()
	if err != nil {
		return nil, wrong(err)
	}
	// Copied disks and shared folders bring the same file to other machines.
	machine, _ := os.ReadFile("/etc/machine-id")
	sum := sha256.Sum256([]byte(own + "\n" + name + "\n" + strings.TrimSpace(string(machine))))
	h := &Host{ID: "host-" + hex.EncodeToString(sum[:8]), dir: dir}
	if err := os.MkdirAll(filepath.Join(dir, h.ID), 0o700); err != nil {
		return nil, wrong(err)
	}
	return h, nil
}

// folderID reads the random name of a folder of locks, and makes it at first use.
func folderID(path string) (string, error) {
	draft, err := os.CreateTemp(filepath.Dir(path), ".host-id-*")
	if err != nil {
		return "", err
	}
	defer os.Remove(draft.Name())
	_, err = draft.WriteString(rand.Text() + "\n")
	if err := errors.Join(err, draft.Sync(), draft.Close()); err != nil {
		return "", err
	}
	if err := os.Link(draft.Name(), path); err != nil && !errors.Is(err, fs.ErrExist) {
		return "", err
	}
	text, err := os.ReadFile(path) // of whoever was first
	return strings.TrimSpace(string(text)), err
}

func (h *Host) path(boot string) string { return filepath.Join(h.dir, h.ID, boot+".lock") }

// Hold takes the lock of a start for as long as this process lives.
func (h *Host) Hold(boot string) (*Lock, error) {
	file, err := os.OpenFile(h.path(boot), os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		return nil, fmt.Errorf("take the lock of start %s: %w", boot, err)
	}
	if err := syscall.Flock(int(file.Fd()), syscall.LOCK_EX|syscall.LOCK_NB); err != nil {
		return nil, errors.Join(fmt.Errorf("take the lock of start %s: %w", boot, err), file.Close())
	}
	return &Lock{file: file}, nil
}

// Died reports whether a start on this machine is surely over: its lock is there
// and free. A lock that is missing proves nothing.
func (h *Host) Died(boot string) bool {
	file, err := os.OpenFile(h.path(boot), os.O_RDWR, 0)
	if err != nil {
		return false
	}
	defer file.Close()
	return syscall.Flock(int(file.Fd()), syscall.LOCK_EX|syscall.LOCK_NB) == nil
}

// Forget removes the lock of a start that is known to be dead.
func (h *Host) Forget(boot string) { _ = os.Remove(h.path(boot)) }
