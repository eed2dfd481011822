package audit

import (
	"fmt"
	"strings"

	"github.com/transparency-dev/merkle/compact"
	"github.com/transparency-dev/merkle/proof"
	"github.com/transparency-dev/merkle/rfc6962"

	"countersign/internal/model"
	"countersign/internal/store"
)

// hashes builds trees of RFC 6962.
var hashes = &compact.RangeFactory{Hash: rfc6962.DefaultHasher.HashChildren}

// Checkpoint is the log's size and root at a moment.
type Checkpoint struct {
	Size int64      `db:"size"`
	Root []byte     `db:"root"`
	At   model.Time `db:"at"`
}

// node is a row of audit_nodes: a complete subtree of level ≥ 1. Level 0, the
// leaves, is in audit_log.
type node struct {
	Level uint   `db:"level"`
	Index uint64 `db:"idx"`
	Hash  []byte `db:"hash"`
}

// tree is the right edge of the log's tree, and the nodes it has grown by.
type tree struct {
	edge *compact.Range
	grew []node
}

// loadTree reads the right edge: as many hashes as the size has bits set.
func loadTree(tx *store.Tx) (*tree, error) {
	size, err := treeSize(tx)
	if err != nil {
		return nil, err
	}
	return treeOf(tx, size)
}

func treeOf(tx *store.Tx, size int64) (*tree, error) {
	found, err := readNodes(tx, compact.RangeNodes(0, uint64(size), nil))
	if err != nil {
		return nil, err
	}
	edge, err := hashes.NewRange(0, uint64(size), found)
	if err != nil {
		return nil, fmt.Errorf("audit tree of %d: %w", size, err)
	}
	return &tree{edge: edge}, nil
}

func (t *tree) size() int64 { return int64(t.edge.End()) }

func (t *tree) append(leaf []byte) error {
	return t.edge.Append(leaf, func(id compact.NodeID, hash []byte) {
		if id.Level > 0 {
			t.grew = append(t.grew, node{id.Level, id.Index, hash})
		}
	})
}

// save writes the nodes that are new. They never change afterwards.
func (t *tree) save(tx *store.Tx) error {
	if len(t.grew) == 0 {
		return nil
	}
	return tx.Insert("audit_nodes", "level, idx, hash", t.grew)
}

// root of the empty tree is the hash of nothing.
func (t *tree) root() ([]byte, error) { return rootOf(t.edge) }

func rootOf(edge *compact.Range) ([]byte, error) {
	if edge.End() == 0 {
		return rfc6962.DefaultHasher.EmptyRoot(), nil
	}
	return edge.GetRootHash(nil)
}

// checkpoint writes one if the tree has grown and the last is old enough.
func (t *tree) checkpoint(tx *store.Tx) error {
	due, err := checkpointDue(tx)
	if err != nil || !due {
		return err
	}
	root, err := t.root()
	if err != nil {
		return err
	}
	_, err = tx.Exec("INSERT INTO audit_checkpoints (size, root, at, signed) VALUES (?, ?, ?, ?) ON CONFLICT DO NOTHING",
		t.size(), root, tx.Now(), []byte{})
	return err
}

func checkpointDue(tx *store.Tx) (bool, error) {
	size, err := treeSize(tx)
	if err != nil {
		return false, err
	}
	last, ok, err := LatestCheckpoint(tx)
	if err != nil || !ok {
		return size > 0, err
	}
	return size > last.Size && tx.Now().Sub(last.At) >= checkpointEvery, nil
}

// LatestCheckpoint is the last one written; ok is false before the first.
func LatestCheckpoint(tx *store.Tx) (c Checkpoint, ok bool, err error) {
	ok, err = tx.Get(&c, "SELECT size, root, at FROM audit_checkpoints ORDER BY size DESC LIMIT 1")
	return c, ok, err
}

func treeSize(tx *store.Tx) (size int64, err error) {
	_, err = tx.Get(&size, "SELECT COALESCE(max(idx) + 1, 0) FROM audit_log")
	return size, err
}

// Present is the log's size and root as the transaction sees them.
func (l *Log) Present(tx *store.Tx) (Checkpoint, error) {
	t, err := loadTree(tx)
	if err != nil {
		return Checkpoint{}, err
	}
	root, err := t.root()
	return Checkpoint{Size: t.size(), Root: root, At: tx.Now()}, err
}

// Root is the root of the tree of the first size entries.
func (l *Log) Root(tx *store.Tx, size int64) ([]byte, error) {
	if err := within(tx, size); err != nil {
		return nil, err
	}
	t, err := treeOf(tx, size)
	if err != nil {
		return nil, err
	}
	return t.root()
}

// Inclusion proves that entry index is in the tree of the first size entries
// (RFC 6962, 2.1.1).
func (l *Log) Inclusion(tx *store.Tx, index, size int64) ([][]byte, error) {
	if index < 0 || index >= size {
		return nil, outside("index %d is not within a log of %d", index, size)
	}
	var hashes [][]byte
	err := tx.Together(
		func() error { return within(tx, size) },
		func() (err error) {
			hashes, err = prove(tx, func() (proof.Nodes, error) { return proof.Inclusion(uint64(index), uint64(size)) })
			return err
		})
	return hashes, err
}

// Consistency proves that the tree of the first from entries is the beginning
// of the tree of the first to (RFC 6962, 2.1.2).
func (l *Log) Consistency(tx *store.Tx, from, to int64) ([][]byte, error) {
	if err := within(tx, to); err != nil {
		return nil, err
	}
	if from < 0 || from > to {
		return nil, outside("size %d is not within a log of %d", from, to)
	}
	return prove(tx, func() (proof.Nodes, error) { return proof.Consistency(uint64(from), uint64(to)) })
}

func prove(tx *store.Tx, plan func() (proof.Nodes, error)) ([][]byte, error) {
	nodes, err := plan()
	if err != nil {
		return nil, fmt.Errorf("plan proof: %w", err)
	}
	found, err := readNodes(tx, nodes.IDs)
	if err != nil {
		return nil, err
	}
	return nodes.Rehash(found, hashes.Hash)
}

// within refuses sizes that the log does not have.
func within(tx *store.Tx, size int64) error {
	have, err := treeSize(tx)
	if err != nil {
		return err
	}
	if size < 0 || size > have {
		return outside("the log has %d entries, not %d", have, size)
	}
	return nil
}

func outside(format string, args ...any) error {
	return model.Errorf(model.Invalid, "audit-range", format, args...)
}

// readNodes reads the named nodes, in the order asked for, in one statement.
func readNodes(tx *store.Tx, ids []compact.NodeID) ([][]byte, error) {
	found := make([][]byte, len(ids))
	if len(ids) == 0 {
		return found, nil
	}
	at := map[compact.NodeID]int{}
	var rows []node
	var parts []string
	var args []any
	for i, id := range ids {
		at[id] = i
		if id.Level == 0 {
			parts, args = append(parts, "SELECT 0 AS level, idx, leaf_hash AS hash FROM audit_log WHERE idx = ?"), append(args, id.Index)
		} else {
			parts, args = append(parts, "SELECT level, idx, hash FROM audit_nodes WHERE level = ? AND idx = ?"), append(args, id.Level, id.Index)
		}
	}
	if err := tx.Select(&rows, strings.Join(parts, " UNION ALL "), args...); err != nil {
		return nil, err
	}
	for _, row := range rows {
		found[at[compact.NodeID{Level: row.Level, Index: row.Index}]] = row.Hash
	}
	for i, id := range ids {
		if found[i] == nil {
			return nil, fmt.Errorf("audit tree: node %d of level %d is missing", id.Index, id.Level)
		}
	}
	return found, nil
}

// marks gives n question marks for an IN list.
func marks(n int) string { return strings.TrimSuffix(strings.Repeat("?,", n), ",") }

// proofReader makes many inclusion proofs against one size. Neighbours share
// most of their nodes, so it keeps those that it has read.
type proofReader struct {
	size  int64
	nodes map[compact.NodeID][]byte
}

// maxKept bounds the memory of a proofReader.
const maxKept = 20_000

func (p *proofReader) inclusion(tx *store.Tx, index int64) ([][]byte, error) {
	plan, err := proof.Inclusion(uint64(index), uint64(p.size))
	if err != nil {
		return nil, fmt.Errorf("plan proof: %w", err)
	}
	if p.nodes == nil || len(p.nodes) > maxKept {
		p.nodes = map[compact.NodeID][]byte{}
	}
	found := make([][]byte, len(plan.IDs))
	for i, id := range plan.IDs {
		if found[i] = p.nodes[id]; found[i] != nil {
			continue
		}
		read, err := readNodes(tx, plan.IDs[i:i+1])
		if err != nil {
			return nil, err
		}
		found[i], p.nodes[id] = read[0], read[0]
	}
	return plan.Rehash(found, hashes.Hash)
}
