package audit

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"countersign/internal/model"
	"countersign/internal/store"
)

// Outside is a checkpoint file that lies outside the database, so that a
// database which is older than it, or another, shows. It is a checkpoint file as
// WriteCheckpoint writes it, and Verify reads it.
type Outside struct{ path string }

// OutsideBeside is the checkpoint file of an installation beside its key file.
// The installation is in its name, since several may share a key file.
func OutsideBeside(keyFile, installation string) Outside {
	stem := strings.TrimSuffix(filepath.Base(keyFile), filepath.Ext(keyFile))
	return Outside{filepath.Join(filepath.Dir(keyFile), stem+"."+installation+".checkpoint")}
}

// Path is where the file lies, "" where there is none to keep.
func (o Outside) Path() string { return o.path }

// Read gives the checkpoint; ok is false where there is none. A file that cannot
// be read, or is of another installation, is an error of kind Invalid: it may be
// the only trace of what was lost.
func (o Outside) Read(installation string) (c Checkpoint, ok bool, err error) {
	if o.path == "" {
		return c, false, nil
	}
	v, err := verifyFile(Path(o.path), nil)
	if errors.Is(err, fs.ErrNotExist) {
		return c, false, nil
	}
	if err != nil {
		return c, false, model.Errorf(model.Invalid, "checkpoint",
			"the checkpoint outside the database cannot be read, so nothing was started: %w; put the file back from your backup, or move it away and keep it as evidence", err)
	}
	if v.Installation != installation {
		return c, false, model.Errorf(model.Invalid, "checkpoint",
			"the checkpoint %s is of installation %s, the database of %s; nothing was started: name the right key file or database", o.path, v.Installation, installation)
	}
	root, err := hex.DecodeString(v.Root)
	return Checkpoint{Size: v.Size, Root: root, At: v.At}, err == nil, err
}

// write puts a checkpoint's line in place of the file, whole or not at all.
func (o Outside) write(line []byte) error {
	draft, err := os.CreateTemp(filepath.Dir(o.path), ".countersign-checkpoint-*")
	if err != nil {
		return fmt.Errorf("write the checkpoint outside: %w", err)
	}
	defer os.Remove(draft.Name())
	_, err = draft.Write(line)
	if err = errors.Join(err, draft.Sync(), draft.Close()); err == nil {
		err = os.Rename(draft.Name(), o.path)
	}
	if err != nil {
		return fmt.Errorf("write the checkpoint outside: %w", err)
	}
	return nil
}

// KeepOutside makes Run, and KeepNow, keep the newest checkpoint in a file. It is
// called before the first of them.
func (l *Log) KeepOutside(o Outside) { l.outside = o }

// Outside is the file that the newest checkpoint is kept in.
func (l *Log) Outside() Outside { return l.outside }

// KeepNow writes the newest checkpoint to the file outside, unless that is what
// was written there last. Checkpoints are made at most once a second, so it
// writes no oftener.
func (l *Log) KeepNow(ctx context.Context) error {
	if l.outside.path == "" {
		return nil
	}
	var line bytes.Buffer
	var last Checkpoint
	err := l.db.View(ctx, func(tx *store.Tx) (err error) {
		var ok bool
		if last, ok, err = LatestCheckpoint(tx); err != nil || !ok || last.Size == l.kept {
			last.Size = l.kept
			return err
		}
		return (&jsonLines{digest: sha256.New(), checkpoint: exportedCheckpoint{Size: last.Size, Root: hex.EncodeToString(last.Root),
			At: last.At, Installation: tx.Installation()}}).end(&line)
	})
	if err != nil || last.Size == l.kept {
		return err
	}
	if err := l.outside.write(line.Bytes()); err != nil {
		return err
	}
	l.kept = last.Size
	return nil
}
