package main

import (
	"context"
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"countersign/internal/audit"
	"countersign/internal/model"
	"countersign/internal/store"
)

// macKeyBytes is the length of the key of audit entries.
const macKeyBytes = 32

// openLog gives the audit log with its key, which lies outside the database so
// that whoever can write the one cannot forge entries of the other. The key is
// made when the log is still empty, and never otherwise.
func openLog(ctx context.Context, db *store.DB, path string) (*audit.Log, error) {
	key, err := readKey(path)
	if err == nil {
		return withKey(ctx, db, key, path)
	}
	if !errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	used, err := logUsed(ctx, db)
	if err != nil {
		return nil, err
	}
	if used {
		return nil, model.Errorf(model.Invalid, "key-file",
			"the key file %s is missing, and the audit log has entries made with it; put the file back from your backup, or name it with --key-file", path)
	}
	if key, err = makeKey(path); err != nil {
		return nil, err
	}
	return withKey(ctx, db, key, path)
}

// withKey gives the log, unless other processes hold another key: entries made
// with this one would be refused by them.
func withKey(ctx context.Context, db *store.DB, key []byte, path string) (*audit.Log, error) {
	same, err := db.SameKey(ctx, keyDigest(key))
	if err != nil {
		return nil, fmt.Errorf("compare the key file: %w", err)
	}
	if !same {
		return nil, model.Errorf(model.Invalid, "key-file",
			"the key file %s is not the one of this database; copy that of its first process here, or name it with --key-file", path)
	}
	return audit.New(db, key), nil
}

// notLost refuses to begin anew where the key shows that there was a database: a
// new one would give the same callers other step keys, which no provider
// recognises.
func notLost(dsn, key string) error {
	file := strings.TrimPrefix(dsn, "sqlite:")
	info, err := os.Stat(file)
	gone := errors.Is(err, fs.ErrNotExist) || err == nil && info.Size() == 0
	if _, err := readKey(key); err != nil || !gone {
		return nil // other faults are told by whoever opens the file
	}
	return model.Errorf(model.Invalid, "database",
		"the database %s is missing or empty, though its key file %s is there; put the database back from your backup, or, to begin anew, remove the key file too", file, key)
}

// keyDigest tells a key from others without telling it.
func keyDigest(key []byte) []byte {
	mac := hmac.New(sha256.New, key)
	mac.Write([]byte("countersign key check\n"))
	return mac.Sum(nil)
}

// logUsed reports whether the database has an entry. It needs no key.
func logUsed(ctx context.Context, db *store.DB) (bool, error) {
	log := audit.New(db, nil)
	size, err := log.Size(ctx)
	if err != nil || size > 0 {
		return size > 0, err
	}
	waiting, err := log.Waiting(ctx)
	return waiting.Count > 0, err
}

// outside is where the newest checkpoint of the audit log is kept besides the
// database: beside the key file, which a restored database does not bring along.
func (s storage) outside(installation string) audit.Outside {
	return audit.OutsideBeside(s.keyPath(), installation)
}

func readKey(path string) ([]byte, error) {
	text, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	if err != nil {
		return nil, model.Errorf(model.Invalid, "key-file", "the key file cannot be read: %w", err)
	}
	key, err := hex.DecodeString(strings.TrimSpace(string(text)))
	if err != nil || len(key) != macKeyBytes {
		return nil, model.Errorf(model.Invalid, "key-file", "the key file %s does not hold a key (%d bytes in hexadecimal); put the right file back", path, macKeyBytes)
	}
	return key, nil
}

// makeKey makes the key file. It is written whole under another name and then
// linked, which fails where another process was first: its key is then ours.
func makeKey(path string) ([]byte, error) {
	key := make([]byte, macKeyBytes)
	rand.Read(key)                                                        // never fails
	draft, err := os.CreateTemp(filepath.Dir(path), ".countersign-key-*") // mode 0600, O_EXCL
	if err != nil {
		return nil, model.Errorf(model.Invalid, "key-file", "the key file %s cannot be made: %w", path, err)
	}
	defer os.Remove(draft.Name())
	_, err = fmt.Fprintf(draft, "%x\n", key)
	if err := errors.Join(err, draft.Sync(), draft.Close()); err != nil {
		return nil, fmt.Errorf("write the key file: %w", err)
	}
	if err := os.Link(draft.Name(), path); errors.Is(err, fs.ErrExist) {
		return readKey(path)
	} else if err != nil {
		return nil, model.Errorf(model.Invalid, "key-file", "the key file %s cannot be made: %w", path, err)
	}
	return key, nil
}
