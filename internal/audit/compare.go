package audit

import (
	"encoding/hex"
	"fmt"

	"github.com/transparency-dev/merkle/compact"
)

// compare checks that files of one log agree: the same size has the same root,
// and a complete export contains the roots of all smaller ones. It marks the
// files that were compared. Files of a log that was lost in a restore, as an
// export with that restore tells, are compared among themselves.
func compare(files []File, verified []Verified) error {
	for i := range verified {
		if verified[i].Installation != verified[0].Installation {
			return &Fault{File: verified[i].Name, Index: -1, Why: "it is of another installation than " + verified[0].Name}
		}
	}
	logs, err := partLost(files, verified)
	if err != nil {
		return err
	}
	for _, members := range logs {
		if err := compareLog(files, verified, members); err != nil {
			return err
		}
	}
	return nil
}

// compareLog compares the members, by index, which are of one log.
func compareLog(files []File, verified []Verified, members []int) error {
	roots := map[int64]*Verified{}
	largest := -1
	for _, i := range members {
		v := &verified[i]
		if v.Complete && (largest < 0 || v.Size > verified[largest].Size) {
			largest = i
		}
		other, ok := roots[v.Size]
		if !ok {
			roots[v.Size] = v
			continue
		}
		if other.Root != v.Root {
			return differs(*v, *other)
		}
		v.Compared, other.Compared = true, true
	}
	if largest < 0 || len(roots) < 2 {
		return nil
	}
	if err := contains(files[largest], verified[largest], roots); err != nil {
		return err
	}
	for _, i := range members {
		v := &verified[i]
		v.Compared = v.Compared || v.Size <= verified[largest].Size
	}
	return nil
}

// contains reads a complete export again and compares its root at each size that
// another file speaks of.
func contains(file File, whole Verified, roots map[int64]*Verified) error {
	_, err := verifyFile(file, func(edge *compact.Range) error {
		other, ok := roots[int64(edge.End())]
		if !ok {
			return nil
		}
		root, err := rootOf(edge)
		if err != nil {
			return err
		}
		if hex.EncodeToString(root) != other.Root {
			return differs(*other, whole)
		}
		return nil
	})
	return err
}

func differs(a, b Verified) error {
	return &Fault{File: a.Name, Index: -1,
		Why: fmt.Sprintf("at %d entries its log is another than that of %s: one of them was changed", a.Size, b.Name)}
}
