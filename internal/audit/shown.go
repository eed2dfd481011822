package audit

import (
	"encoding/hex"
	"errors"
	"fmt"
	"iter"

	"github.com/transparency-dev/merkle/compact"
	"github.com/transparency-dev/merkle/rfc6962"
)

// subtree is a complete subtree of the log: whatever the log's size, its hash is
// the same, so that files of different sizes can be compared by it.
type subtree struct {
	compact.NodeID
	hash string
}

// end is the index behind its last entry.
func (s subtree) end() int64 { return int64((s.Index + 1) << s.Level) }

// shown is what a line of an export shows of the tree: in a complete export the
// subtrees that end with the entry, else those on the path of its proof and
// beside it. A line of an export shows no less of an entry than any further one.
type shown struct {
	index    int64
	subtrees []subtree
}

// pathOf gives the complete subtrees that a proof shows (RFC 6962, 2.1.1): those
// that hold the entry, and their neighbours.
func pathOf(index, size int64, leaf []byte, path [][]byte) (list []subtree) {
	at, hash := compact.NewNodeID(0, uint64(index)), leaf
	add := func(id compact.NodeID, hash []byte) {
		if s := (subtree{id, string(hash)}); s.end() <= size {
			list = append(list, s)
		}
	}
	add(at, hash)
	for last := uint64(size - 1); len(path) > 0; at, last = at.Parent(), last>>1 {
		if at.Index == last && at.Index&1 == 0 {
			continue // the right edge of the tree: nothing stands beside it here
		}
		beside := path[0]
		path = path[1:]
		add(at.Sibling(), beside)
		if at.Index&1 == 0 {
			hash = rfc6962.DefaultHasher.HashChildren(hash, beside)
		} else {
			hash = rfc6962.DefaultHasher.HashChildren(beside, hash)
		}
		add(at.Parent(), hash)
	}
	return list
}

// rootsAt gives the roots of a file's log at some sizes, where it can show them.
func rootsAt(file File, sizes ...int64) (map[int64]string, error) {
	hashOf := map[compact.NodeID]string{}
	for _, size := range sizes {
		for _, id := range compact.RangeNodes(0, uint64(size), nil) {
			hashOf[id] = ""
		}
	}
	_, err := verifyFile(file, func(s shown) error {
		for _, t := range s.subtrees {
			if _, wanted := hashOf[t.NodeID]; wanted {
				hashOf[t.NodeID] = t.hash
			}
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	roots := map[int64]string{}
	for _, size := range sizes {
		if root, ok, err := rootFrom(hashOf, size); err != nil {
			return nil, err
		} else if ok {
			roots[size] = hex.EncodeToString(root)
		}
	}
	return roots, nil
}

// rootFrom gives the root of a size; ok is false where a subtree of it is not known.
func rootFrom(hashOf map[compact.NodeID]string, size int64) (root []byte, ok bool, err error) {
	var list [][]byte
	for _, id := range compact.RangeNodes(0, uint64(size), nil) {
		if hashOf[id] == "" {
			return nil, false, nil
		}
		list = append(list, []byte(hashOf[id]))
	}
	edge, err := hashes.NewRange(0, uint64(size), list)
	if err != nil {
		return nil, false, fmt.Errorf("root of %d: %w", size, err)
	}
	root, err = rootOf(edge)
	return root, err == nil, err
}

// lines gives what each line of an export shows, in the order of indexes.
func lines(file File) iter.Seq2[shown, error] {
	return func(yield func(shown, error) bool) {
		enough := errors.New("enough")
		_, err := verifyFile(file, func(s shown) error {
			if !yield(s, nil) {
				return enough
			}
			return nil
		})
		if err != nil && !errors.Is(err, enough) {
			yield(shown{}, err)
		}
	}
}

// reader is one of two files that are read side by side.
type reader struct {
	file       File
	next       func() (shown, error, bool)
	last, peek shown
	more       bool
}

func (r *reader) advance() (err error) {
	r.last = r.peek
	r.peek, err, r.more = r.next()
	return err
}

// sameNodes compares the subtrees below a size that two files show, and with them
// the entries that both hold; shared is false where there are none. Both are read
// once, in the order of indexes: of what a file shows about an entry, the lines
// next to it show the most, so that no more than those are kept.
func sameNodes(one, other File, upTo int64) (shared bool, err error) {
	sides := [2]*reader{{file: one}, {file: other}}
	for _, r := range sides {
		next, stop := iter.Pull2(lines(r.file))
		defer stop()
		r.next = next
		if err := r.advance(); err != nil {
			return false, err
		}
	}
	var worst *subtree // the smallest subtree that differs
	for sides[0].more || sides[1].more {
		at, beside := sides[0], sides[1]
		if !at.more || beside.more && beside.peek.index < at.peek.index {
			at, beside = beside, at
		}
		for _, near := range [][]subtree{beside.last.subtrees, beside.peek.subtrees} {
			common, bad := differing(at.peek.subtrees, near, upTo)
			shared = shared || common
			if bad != nil && (worst == nil || bad.Level < worst.Level) {
				worst = bad
			}
		}
		if worst != nil && worst.Level == 0 {
			break
		}
		if err := at.advance(); err != nil {
			return shared, err
		}
	}
	if worst != nil {
		return shared, contradiction(one, other, *worst)
	}
	return shared, nil
}

// differing finds what two lines both show, and the smallest of it that is not
// the same.
func differing(one, other []subtree, upTo int64) (common bool, bad *subtree) {
	for _, a := range one {
		for _, b := range other {
			if a.NodeID != b.NodeID || a.end() > upTo {
				continue
			}
			common = true
			if a.hash != b.hash && (bad == nil || a.Level < bad.Level) {
				bad = &a
			}
		}
	}
	return common, bad
}

func contradiction(one, other File, s subtree) error {
	if s.Level == 0 {
		return &Fault{File: one.Name, Index: int64(s.Index), Why: "it is another entry than in " + other.Name + ": one of the two files was changed, or the log between them"}
	}
	return &Fault{File: one.Name, Index: -1, Why: fmt.Sprintf("of the entries %d to %d at least one is another than in the log of %s: one of the two files was changed, or the log between them",
		s.Index<<s.Level, s.end()-1, other.Name)}
}
