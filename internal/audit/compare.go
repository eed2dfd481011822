package audit

import (
	"fmt"
	"math"
	"slices"
)

// comparison is what becomes of the files of one installation beside each other.
type comparison struct {
	files    []File
	verified []Verified
	roots    []map[int64]string // of each file, by size: what it can show
	forks    []int64            // of each file: where its log was lost from, or never
	tied     map[[2]int]bool    // pairs of which one log begins the other, up to a fork
	partly   map[[2]int]bool    // pairs of which a part could be compared, and is the same
}

// never is the fork of a log that goes on.
const never = math.MaxInt64

// compare compares every pair of files, as far as either can show anything about
// what the other holds, and notes in each what it could be compared with. A
// difference is a *Fault. Where a restore parted two logs, as a complete export
// tells, what stands before the fork is compared.
func compare(files []File, verified []Verified) error {
	for i := range verified {
		if verified[i].Installation != verified[0].Installation {
			return &Fault{File: verified[i].Name, Index: -1, Why: "it is of another installation than " + verified[0].Name}
		}
	}
	if len(files) < 2 {
		return nil
	}
	c := &comparison{files: files, verified: verified, tied: map[[2]int]bool{}, partly: map[[2]int]bool{}}
	if err := c.prepare(); err != nil {
		return err
	}
	for i := range files {
		for j := range i {
			if err := c.pair(i, j); err != nil {
				return err
			}
		}
	}
	c.note()
	return nil
}

// prepare reads what each file can show, and which logs were lost.
func (c *comparison) prepare() error {
	newest := mostEpochs(c.verified)
	wanted := sizes(c.verified)
	if newest >= 0 {
		if err := truthful(c.files[newest], c.verified[newest]); err != nil {
			return err
		}
		for _, e := range c.verified[newest].Epochs {
			wanted = append(wanted, e.KeptSize, e.OldSize)
		}
	}
	for i, file := range c.files {
		roots, err := rootsAt(file, wanted...)
		if err != nil {
			return err
		}
		roots[c.verified[i].Size] = c.verified[i].Root
		c.roots, c.forks = append(c.roots, roots), append(c.forks, never)
	}
	if newest < 0 {
		return nil
	}
	for i := range c.verified {
		v := &c.verified[i]
		if root, shown := c.roots[newest][v.Size]; shown && root == v.Root {
			continue
		}
		if e, ok := lostIn(*v, c.roots[i], c.verified[newest].Epochs); ok {
			c.forks[i], v.Lost = e.KeptSize, true
		}
	}
	return nil
}

// pair compares two files up to where the smaller ends, or their logs parted.
func (c *comparison) pair(i, j int) error {
	a, b := c.verified[i], c.verified[j]
	upTo := min(a.Size, b.Size)
	if c.forks[i] != c.forks[j] {
		upTo = min(upTo, c.forks[i], c.forks[j])
	}
	one, shown := c.roots[i][upTo]
	other, otherShown := c.roots[j][upTo]
	if shown && otherShown && one == other {
		c.tied[[2]int{i, j}] = true
		return nil
	}
	shared, err := sameNodes(c.files[i], c.files[j], upTo)
	if err != nil {
		return err
	}
	if shown && otherShown {
		return &Fault{File: a.Name, Index: -1, Why: fmt.Sprintf("at %d entries its log is another than that of %s: one of them was changed", upTo, b.Name)}
	}
	c.partly[[2]int{i, j}] = shared
	return nil
}

// agree reports whether the log of one file has been shown to begin the other's:
// by the two, or because a third that is no smaller holds both.
func (c *comparison) agree(i, j int) bool {
	tied := func(i, j int) bool { return i == j || c.tied[[2]int{max(i, j), min(i, j)}] }
	for k, third := range c.verified {
		if tied(i, k) && tied(j, k) && third.Size >= max(c.verified[i].Size, c.verified[j].Size) && c.forks[k] == never {
			return true
		}
	}
	return tied(i, j)
}

// note writes into each file what it was compared with.
func (c *comparison) note() {
	for i := range c.verified {
		v := &c.verified[i]
		for j, other := range c.verified {
			switch {
			case i == j || c.agree(i, j):
			case c.partly[[2]int{max(i, j), min(i, j)}]:
				v.Partly = append(v.Partly, other.Name)
			default:
				v.Apart = append(v.Apart, other.Name)
			}
		}
		v.Compared = len(v.Partly)+len(v.Apart) == 0
	}
}

// Tied reports whether every file could be compared, in whole or in part, with
// another one, and these with the rest: false is several files of which nothing
// shows that they are of one log.
func (r Report) Tied() bool {
	if len(r.Files) == 0 {
		return true
	}
	reached := []int{0}
	for at := 0; at < len(reached); at++ {
		from := r.Files[reached[at]]
		for i, f := range r.Files {
			if !slices.Contains(reached, i) && !slices.Contains(from.Apart, f.Name) {
				reached = append(reached, i)
			}
		}
	}
	return len(reached) == len(r.Files)
}
