package audit

import (
	"bytes"
	"context"
	"fmt"

	"github.com/transparency-dev/merkle/compact"

	"countersign/internal/model"
	"countersign/internal/store"
)

// Check recomputes the whole log of the database from the entries' bytes and
// compares numbers, columns, MACs, tree and checkpoints with it. What is wrong is
// a *Fault. It reads in pages, each in its own transaction, up to the size at
// which it began.
func (l *Log) Check(ctx context.Context) (Checkpoint, error) {
	c := &checker{log: l, edge: hashes.NewEmptyRange(0)}
	err := l.db.View(ctx, func(tx *store.Tx) (err error) {
		if c.size, err = treeSize(tx); err != nil {
			return err
		}
		if last, _, err := LatestCheckpoint(tx); err != nil || last.Size > c.size {
			return orFault(err, c.size, "a checkpoint speaks of %d entries, the log has %d", last.Size, c.size)
		}
		return c.nothingLost(tx)
	})
	for more := true; err == nil && more; {
		err = l.db.View(ctx, func(tx *store.Tx) (err error) {
			more, err = c.page(tx)
			return err
		})
	}
	if err != nil {
		return Checkpoint{}, err
	}
	root, err := rootOf(c.edge)
	return Checkpoint{Size: c.size, Root: root, At: l.db.Now()}, err
}

// checker is the state of one Check.
type checker struct {
	log  *Log
	size int64
	edge *compact.Range
}

func (c *checker) bad(format string, args ...any) error {
	return &Fault{Index: int64(c.edge.End()), Why: fmt.Sprintf(format, args...)}
}

func orFault(err error, index int64, format string, args ...any) error {
	if err != nil {
		return err
	}
	return &Fault{Index: index, Why: fmt.Sprintf(format, args...)}
}

// nothingLost looks for entries that neither have a number nor wait for one.
func (c *checker) nothingLost(tx *store.Tx) error {
	var id string
	ok, err := tx.Get(&id, `SELECT e.id FROM audit_entries e WHERE NOT EXISTS (SELECT 1 FROM audit_log g WHERE g.entry_id = e.id)
		AND NOT EXISTS (SELECT 1 FROM audit_waiting w WHERE w.entry_id = e.id) LIMIT 1`)
	if ok {
		return &Fault{Index: -1, Why: "entry " + id + " has no number and does not wait for one"}
	}
	return err
}

// checkedRow is a number and the entry that it was given to.
type checkedRow struct {
	stored
	Index      int64      `db:"idx"`
	LeafHash   []byte     `db:"leaf_hash"`
	LogAccount string     `db:"log_account"`
	LogEvent   string     `db:"log_event"`
	LogIntent  string     `db:"log_intent"`
	LogActor   string     `db:"log_actor"`
	LogAt      model.Time `db:"log_at"`
}

// checkedRows reads a page of rows from an index on, up to a size.
func checkedRows(tx *store.Tx, from, size int64) (rows []checkedRow, err error) {
	err = tx.Select(&rows, `SELECT e.id, e.at, e.actor, e.event, e.account, e.intent_id, e.canonical, e.mac, g.idx, g.leaf_hash,
		g.account AS log_account, g.event AS log_event, g.intent_id AS log_intent, g.actor AS log_actor, g.at AS log_at
		FROM audit_log g JOIN audit_entries e ON e.id = g.entry_id WHERE g.idx >= ? AND g.idx < ? ORDER BY g.idx LIMIT ?`,
		from, size, pageSize)
	return rows, err
}

// page checks the next entries; more is false behind the last.
func (c *checker) page(tx *store.Tx) (more bool, err error) {
	start := int64(c.edge.End())
	rows, err := checkedRows(tx, start, c.size)
	if err != nil {
		return false, err
	}
	roots, err := checkpointsIn(tx, start, start+pageSize)
	if err != nil {
		return false, err
	}
	for _, row := range rows {
		if err := c.entry(tx, row); err != nil {
			return false, err
		}
		if err := c.checkpoint(roots[int64(c.edge.End())]); err != nil {
			return false, err
		}
	}
	if len(rows) < pageSize && int64(c.edge.End()) != c.size {
		return false, c.bad("it is missing")
	}
	return int64(c.edge.End()) < c.size, nil
}

func (c *checker) entry(tx *store.Tx, row checkedRow) error {
	if row.Index != int64(c.edge.End()) {
		return c.bad("it is missing")
	}
	if why := c.log.sound(row); why != "" {
		return c.bad("%s", why)
	}
	return c.grow(tx, row.LeafHash)
}

// checkpointsIn reads the roots of checkpoints by size, in (from, to].
func checkpointsIn(tx *store.Tx, from, to int64) (map[int64][]byte, error) {
	var rows []Checkpoint
	if err := tx.Select(&rows, "SELECT size, root, at FROM audit_checkpoints WHERE size > ? AND size <= ?", from, to); err != nil {
		return nil, err
	}
	roots := map[int64][]byte{}
	for _, row := range rows {
		roots[row.Size] = row.Root
	}
	return roots, nil
}

// checkpoint compares the tree so far with a checkpoint's root; nil is none.
func (c *checker) checkpoint(want []byte) error {
	if want == nil {
		return nil
	}
	root, err := rootOf(c.edge)
	if err != nil {
		return err
	}
	if !bytes.Equal(root, want) {
		return &Fault{Index: -1, Why: fmt.Sprintf("the checkpoint at %d entries has another root: an entry before it was changed", c.edge.End())}
	}
	return nil
}

// grow takes a leaf into the tree and compares the nodes that it completes.
func (c *checker) grow(tx *store.Tx, leaf []byte) error {
	var ids []compact.NodeID
	var want [][]byte
	err := c.edge.Append(leaf, func(id compact.NodeID, hash []byte) {
		if id.Level > 0 {
			ids, want = append(ids, id), append(want, hash)
		}
	})
	if err != nil {
		return err
	}
	got, err := readNodes(tx, ids)
	if err != nil {
		return &Fault{Index: int64(c.edge.End()) - 1, Why: err.Error()}
	}
	for i := range got {
		if !bytes.Equal(got[i], want[i]) {
			return &Fault{Index: int64(c.edge.End()) - 1, Why: "the stored tree differs from the entries"}
		}
	}
	return nil
}
