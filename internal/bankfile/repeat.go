package bankfile

import (
	"cmp"
	"slices"
)

// repeats finds the lines that are another line of their file once more, as in
// reports that begin with what the last one said, by their numbers. A line repeats
// only a line of another statement: what a statement says twice it counts twice, and
// so do two statements of booked lines, which never cover the same movement. Lines
// that the bank gives no reference, and rows of a CSV, may be alike and two payments.
// A line that is not booked, in doubt or a charge is no line that others repeat.
func repeats(lines []*Line) map[int]int {
	lines = slices.DeleteFunc(lines, func(l *Line) bool {
		return l.BankRef == "" || l.origin.row != "" || !l.Booked || l.Charge
	})
	slices.SortFunc(lines, func(a, b *Line) int {
		return cmp.Or(cmp.Compare(rank(a), rank(b)), cmp.Compare(a.Number, b.Number))
	})
	copies, first := make([]likeness, len(lines)), map[likeness]*Line{}
	seen := map[inStatement]int{}
	for i, line := range lines {
		like := likeness{contents: line.Contents(), back: line.Back}
		in := inStatement{like, line.origin.statement}
		seen[in]++
		like.nth = seen[in]
		if copies[i] = like; first[like] == nil && line.Doubt == "" {
			first[like] = line
		}
	}
	again := map[int]int{}
	for i, line := range lines {
		if one := first[copies[i]]; one != nil && one != line && (rank(one) != 0 || rank(line) != 0) {
			again[line.Number] = one.Number
		}
	}
	return again
}

// likeness is what a line shares with those that it repeats, of which each statement
// has one: the line says the same, and is the nth of its statement that does.
type likeness struct {
	contents string
	back     bool
	nth      int
}

// inStatement is what the lines of one statement share that say the same.
type inStatement struct {
	likeness
	statement int
}

// rank sorts lines of booked statements before those of reports, which repeat them.
func rank(line *Line) int {
	if line.origin.kind == Booked {
		return 0
	}
	return 1
}
