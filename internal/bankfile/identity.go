package bankfile

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"strings"
	"unicode/utf8"
)

// origin is where a line stands in its file: what its identity, and whether it is
// another line once more, need beside what else the line says.
type origin struct {
	account    string // of its statement
	statement  int    // its statement, by the number in the file, from 1
	kind       Kind   // of its statement
	row        string // its row of a CSV file, whichever columns are mapped; "" elsewhere
	occurrence int    // among the lines of its file with the same contents, from 1
}

// Contents is a digest of what the bank says of the line: its account, day, amount,
// references and texts, or all cells of its row of a CSV file. It does not depend on
// the rest of the file, nor on which columns a mapping names. Two lines of a file
// with the same contents may be one movement told twice, or two that are alike.
func (l Line) Contents() string {
	said := []string{l.origin.row}
	if l.origin.row == "" {
		said = []string{l.origin.account, l.BookedOn, fmt.Sprint(l.Amount), l.Currency, l.BankRef, l.Other, l.OtherAccount, l.Text}
		for _, r := range l.Refs {
			said = append(said, r.Kind, r.Value)
		}
	}
	sum := sha256.Sum256(fmt.Appendf(nil, "%q", said))
	return hex.EncodeToString(sum[:16])
}

// Identity tells a line from all others where the bank gives it no reference of
// its own: its contents, and which of the lines with the same contents it is in
// its file. The same line in another file has the same identity.
func (l Line) Identity() string { return fmt.Sprintf("%s-%d", l.Contents(), l.origin.occurrence) }

// identify gives the lines of a file what their identities need.
func (f *File) identify() {
	seen := map[string]int{}
	for at, s := range f.Statements {
		for i := range s.Lines {
			line := &s.Lines[i]
			line.origin.account, line.origin.statement, line.origin.kind = s.Account, at+1, s.Kind
			contents := line.Contents()
			seen[contents]++
			line.origin.occurrence = seen[contents]
		}
	}
}

// rowOf is what a row of a CSV file is: its cells as far as they are the same in
// every encoding, without blanks around them and without empty ones at the end.
func rowOf(cells []string) string {
	plain := make([]string, len(cells))
	for i, cell := range cells {
		plain[i] = strings.TrimSpace(strings.Map(func(r rune) rune {
			if r >= utf8.RuneSelf {
				return -1
			}
			return r
		}, cell))
	}
	return strings.TrimRight(strings.Join(plain, "\x1f"), "\x1f")
}
