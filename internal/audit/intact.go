package audit

import (
	"bytes"
	"context"
	"fmt"

	"github.com/transparency-dev/merkle/proof"
	"github.com/transparency-dev/merkle/rfc6962"

	"countersign/internal/model"
	"countersign/internal/store"
)

// fits says why the bytes of a numbered row are not those that were hashed when
// it got its number, or "".
func fits(canonical, leaf []byte) string {
	if !bytes.Equal(leafHash(canonical), leaf) {
		return "its bytes do not have the hash that it got with its number: it was changed in the database afterwards"
	}
	return ""
}

// changed is the refusal to hand out an entry that is not what was written.
func changed(index int64, why string) error {
	return model.Errorf(model.Conflict, "audit-changed",
		"Entry %d of the audit log is not what was written: %s. No export can be made that holds it. Keep the database as evidence, run console doctor, and compare an earlier export with console audit verify.", index, why)
}

// Intact reads the entries of a scope and refuses, as an error of kind Conflict,
// where one is not what was hashed when it got its number. It is asked before an
// export, so that nothing of that leaves; Export itself breaks off at such an
// entry.
func (l *Log) Intact(ctx context.Context, s Scope) error {
	size, err := l.Size(ctx)
	var none bytes.Buffer
	for after := int64(-1); err == nil && after < size; {
		after, err = l.exportPage(ctx, nothing{}, &none, s, after, size)
	}
	return err
}

// nothing is an encoder of entries that are only looked at.
type nothing struct{}

func (nothing) entry(*store.Tx, *bytes.Buffer, logEntry) error { return nil }

func (nothing) end(*bytes.Buffer) error { return nil }

// look checks some entries of the log by themselves, as Check does, and keeps
// what is wrong for Trouble. At first it is the newest, then from the beginning
// and round again: each time one page, so that it costs the same however large
// the log is.
func (l *Log) look(ctx context.Context) error {
	return l.db.View(ctx, func(tx *store.Tx) error {
		size, err := treeSize(tx)
		if err != nil {
			return err
		}
		from := l.looked
		if from < 0 {
			from = max(size-pageSize, 0)
		}
		rows, err := checkedRows(tx, from, size)
		if err != nil {
			return err
		}
		l.judge(from, size, rows)
		next := l.looked + pageSize
		if l.looked < 0 || next >= size {
			next = 0
		}
		l.looked = next
		return nil
	})
}

// judge keeps the first fault of rows that should follow from an index on.
func (l *Log) judge(from, size int64, rows []checkedRow) {
	for i := range min(size-from, pageSize) {
		why := "it is missing"
		if i < int64(len(rows)) && rows[i].Index == from+i {
			why = l.sound(rows[i])
		}
		if why != "" {
			l.mu.Lock()
			l.altered = &Fault{Index: from + i, Why: why}
			l.mu.Unlock()
			return
		}
	}
}

// sound says why a numbered row is not what was written, or "".
func (l *Log) sound(row checkedRow) string {
	if why := l.genuine(row.stored); why != "" {
		return why
	}
	if why := fits(row.Canonical, row.LeafHash); why != "" {
		return why
	}
	if row.Account != row.LogAccount || row.Event != row.LogEvent || row.Intent != row.LogIntent ||
		row.Actor != row.LogActor || row.At != row.LogAt {
		return "the log's columns differ from its bytes"
	}
	return ""
}

// alteredError words an entry that the log's own look found changed.
func alteredError(f *Fault) error {
	return fmt.Errorf("audit: the log was changed in the database: %w; keep the database as evidence, run console doctor, and compare an earlier export with console audit verify", f)
}

// Leads reports whether an entry's bytes lead to a checkpoint's root by a path of
// hex hashes, leaf side first.
func Leads(item Item, path []string, c Checkpoint) bool {
	hashes, err := unhex(path)
	if err != nil || item.Index == nil || *item.Index >= c.Size {
		return false
	}
	root, err := proof.RootFromInclusionProof(rfc6962.DefaultHasher, uint64(*item.Index), uint64(c.Size), leafHash(item.Canonical), hashes)
	return err == nil && bytes.Equal(root, c.Root)
}
