package bankfile

import (
	"fmt"
	"strconv"
)

// maxNotes is how many oddities of a file are told: more are one.
const maxNotes = 100

// note adds a sentence on what is odd, about a line of the file, or about all of
// it at 0.
func (f *File) note(at int, format string, args ...any) {
	switch n := len(f.Notes); {
	case n > maxNotes:
		return
	case n == maxNotes:
		f.Notes = append(f.Notes, "There is more that is odd in this file than is told here.")
		return
	}
	text := fmt.Sprintf(format, args...)
	if at > 0 {
		text = fmt.Sprintf("Line %d: %s", at, text)
	}
	f.Notes = append(f.Notes, text)
}

// quoted shows what a file has, cut where it is longer than a sentence bears.
func quoted(text string) string {
	const most = 60
	text = oneLine(text)
	if runes := []rune(text); len(runes) > most {
		text = string(runes[:most]) + "…"
	}
	return strconv.Quote(text)
}
