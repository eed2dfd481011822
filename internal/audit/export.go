package audit

import (
	"archive/zip"
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"hash"
	"io"
	"time"

	"countersign/internal/model"
	"countersign/internal/store"
)

// Format is how an export is written.
type Format string

// JSONL is the evidence, which Verify checks; CSV is for spreadsheets; Zip holds
// both, of the same entries.
const (
	JSONL Format = "jsonl"
	CSV   Format = "csv"
	Zip   Format = "zip"
)

// Scope is what an export holds: numbered entries up to the log's size when it
// begins.
type Scope struct {
	Accounts Accounts
	From, To model.Time // half-open, by when it was recorded; 0 is open
	Format   Format
	Zone     *time.Location // of CSV's local times; UTC when nil
}

func (s Scope) complete() bool { return s.Accounts.all && s.From == 0 && s.To == 0 }

// pageSize is how many entries are in memory at a time.
const pageSize = 500

// logEntry is a numbered entry as it is stored.
type logEntry struct {
	Index     int64  `db:"idx"`
	Canonical []byte `db:"canonical"`
	LeafHash  []byte `db:"leaf_hash"`
}

// encoder writes entries in one format.
type encoder interface {
	entry(tx *store.Tx, into *bytes.Buffer, row logEntry) error
	end(into *bytes.Buffer) error
}

// Export writes the entries of a scope in the order of their indexes. Memory
// does not grow with their number, and no transaction is open while w is slow:
// the log only grows, so its first entries are the same in every transaction.
func (l *Log) Export(ctx context.Context, w io.Writer, s Scope) error {
	size, err := l.Size(ctx)
	if err != nil {
		return err
	}
	if s.Format == Zip {
		return l.exportZip(ctx, w, s, size)
	}
	return l.export(ctx, w, s, size)
}

// exportZip writes both formats, up to the same size.
func (l *Log) exportZip(ctx context.Context, w io.Writer, s Scope, size int64) error {
	archive := zip.NewWriter(w)
	for _, s.Format = range []Format{JSONL, CSV} {
		member, err := archive.Create("audit." + string(s.Format))
		if err != nil {
			return fmt.Errorf("export the audit log: %w", err)
		}
		if err := l.export(ctx, member, s, size); err != nil {
			return err
		}
	}
	return archive.Close()
}

func (l *Log) export(ctx context.Context, w io.Writer, s Scope, size int64) error {
	var into encoder
	var page bytes.Buffer
	err := l.db.View(ctx, func(tx *store.Tx) (err error) {
		into, err = newEncoder(tx, &page, s, size)
		return err
	})
	for after := int64(-1); err == nil && after < size; {
		if after, err = l.exportPage(ctx, into, &page, s, after, size); err != nil {
			break
		}
		_, err = page.WriteTo(w)
	}
	if err != nil {
		return fmt.Errorf("export the audit log: %w", err)
	}
	if err := into.end(&page); err != nil {
		return err
	}
	_, err = page.WriteTo(w)
	return err
}

func newEncoder(tx *store.Tx, page *bytes.Buffer, s Scope, size int64) (encoder, error) {
	switch s.Format {
	case JSONL:
		return newJSONLines(tx, s, size)
	case CSV:
		return newCSVLines(page, s.Zone), nil
	}
	return nil, model.Errorf(model.Invalid, "invalid-format", "An export is %s, %s or %s.", JSONL, CSV, Zip)
}

// exportPage encodes the scope's entries behind index after and below size. It
// gives the last index written, or size when there are no more.
func (l *Log) exportPage(ctx context.Context, into encoder, page *bytes.Buffer, s Scope, after, size int64) (last int64, err error) {
	err = l.db.View(ctx, func(tx *store.Tx) error {
		rows, err := pageOf(tx, Filter{Accounts: s.Accounts, From: s.From, To: s.To, After: &after, Before: &size})
		if err != nil {
			return err
		}
		for _, row := range rows {
			if why := fits(row.Canonical, row.LeafHash); why != "" {
				return changed(row.Index, why)
			}
			if err := into.entry(tx, page, row); err != nil {
				return err
			}
		}
		last = size
		if len(rows) == pageSize {
			last = rows[len(rows)-1].Index
		}
		return nil
	})
	return last, err
}

// pageOf reads the first entries of a filter, ascending.
func pageOf(tx *store.Tx, f Filter) (rows []logEntry, err error) {
	f.Limit = pageSize
	query, args, err := f.query(tx, "g.idx, e.canonical, g.leaf_hash")
	if err != nil {
		return nil, err
	}
	err = tx.Select(&rows, query, args...)
	return rows, err
}

// jsonLines is the evidence format: a line per entry, then the checkpoint.
type jsonLines struct {
	digest     hash.Hash // of all bytes so far
	checkpoint exportedCheckpoint
	proofs     *proofReader // nil where the export is complete
}

func newJSONLines(tx *store.Tx, s Scope, size int64) (*jsonLines, error) {
	checkpoint, err := checkpointOf(tx, size)
	if err != nil {
		return nil, err
	}
	checkpoint.Scope = exportedScope{Complete: s.complete(), Accounts: s.Accounts.listed(), From: s.From, To: s.To}
	lines := &jsonLines{digest: sha256.New(), checkpoint: checkpoint}
	if !s.complete() {
		lines.proofs = &proofReader{size: size}
	}
	return lines, nil
}

// checkpointOf is the checkpoint of the first size entries, without a scope.
func checkpointOf(tx *store.Tx, size int64) (exportedCheckpoint, error) {
	t, err := treeOf(tx, size)
	if err != nil {
		return exportedCheckpoint{}, err
	}
	root, err := t.root()
	return exportedCheckpoint{Size: size, Root: hex.EncodeToString(root), At: tx.Now(), Installation: tx.Installation()}, err
}

func (j *jsonLines) entry(tx *store.Tx, into *bytes.Buffer, row logEntry) error {
	line := exportedEntry{Index: row.Index, LeafHash: hex.EncodeToString(row.LeafHash), Entry: row.Canonical}
	if j.proofs != nil {
		hashes, err := j.proofs.inclusion(tx, row.Index)
		if err != nil {
			return err
		}
		line.Proof = &inclusion{Size: j.checkpoint.Size, Hashes: hexes(hashes)}
	}
	j.checkpoint.Scope.Entries++
	encoded := append(line.bytes(), '\n')
	j.digest.Write(encoded)
	into.Write(encoded)
	return nil
}

// end writes the last line.
func (j *jsonLines) end(into *bytes.Buffer) error {
	head, err := j.checkpoint.head()
	if err != nil {
		return fmt.Errorf("encode checkpoint: %w", err)
	}
	j.digest.Write(head)
	into.Write(head)
	into.Write(append(tail(hex.EncodeToString(j.digest.Sum(nil))), '\n'))
	return nil
}

// WriteCheckpoint writes the present size and root as a file of one line, to be
// kept outside the database and given to Verify with later exports.
func (l *Log) WriteCheckpoint(ctx context.Context, w io.Writer) error {
	var line bytes.Buffer
	err := l.db.View(ctx, func(tx *store.Tx) error {
		size, err := treeSize(tx)
		if err != nil {
			return err
		}
		checkpoint, err := checkpointOf(tx, size)
		if err != nil {
			return err
		}
		return (&jsonLines{digest: sha256.New(), checkpoint: checkpoint}).end(&line)
	})
	if err != nil {
		return fmt.Errorf("write a checkpoint: %w", err)
	}
	_, err = line.WriteTo(w)
	return err
}
