package bankfile

import (
	"bytes"
	"cmp"
	"slices"
)

// format is one format of files: is tells it from the first bytes, read reads it.
// What is says yes to must be of the format or not be read at all.
type format struct {
	is   func(body []byte) bool
	read func(body []byte) (File, error)
}

// formats are the formats that say themselves what they are. A CSV file does not:
// it is what is left, and needs a Mapping.
var formats = []format{
	{isXML, readXML},
	{isMT, readMT},
	{isBAI2, readBAI2},
}

// Parse reads a file of a bank: camt.052, camt.053 and camt.054, MT940, MT942,
// BAI2, or CSV by a mapping. It tells the format from the bytes; the mapping
// matters only for CSV. Reading the same bytes gives the same file.
//
// An error is of kind Invalid and says in full sentences what is wrong, where, and
// what to do. A file is read whole or not at all. ErrNoMapping is the error for
// CSV without a mapping.
func Parse(body []byte, m *Mapping) (File, error) {
	body = bytes.TrimPrefix(body, []byte("\ufeff"))
	if err := readable(body); err != nil {
		return File{}, err
	}
	for _, f := range formats {
		if f.is(body) {
			return finished(f.read(body))
		}
	}
	switch {
	case isBinary(body), m == nil && !hasRows(body):
		return File{}, errNoBankFile
	case m == nil:
		return File{}, cmp.Or(guessedWidth(body), ErrNoMapping)
	}
	return finished(readCSV(body, *m))
}

// errNoBankFile is the refusal of what is of no format that is read.
var errNoBankFile = refuse("This is no file of a bank that can be read. " +
	"Ask the bank for camt.053, camt.052 or camt.054 (XML), MT940, MT942, BAI2 or CSV; " +
	"a PDF, a spreadsheet or an archive is not taken.")

// readable refuses what no reader has to look at.
func readable(body []byte) error {
	switch {
	case len(body) > MaxSize:
		return refuse("The file is larger than 5 MiB, the most that is taken. Ask the bank for a shorter period.")
	case len(bytes.TrimSpace(body)) == 0:
		return refuse("The file is empty. Get it from the bank again.")
	case isUTF16(body):
		return refuse("The file is written in UTF-16, which is not taken. Save it as UTF-8 and upload it again.")
	}
	return nil
}

// isUTF16 reports a byte order mark of UTF-16 or UTF-32, or two first characters
// of which each is half noughts.
func isUTF16(body []byte) bool {
	return bytes.HasPrefix(body, []byte{0xFF, 0xFE}) || bytes.HasPrefix(body, []byte{0xFE, 0xFF}) ||
		len(body) > 3 && (body[0] == 0) != (body[1] == 0) && (body[0] == 0) == (body[2] == 0) && (body[1] == 0) == (body[3] == 0)
}

// isBinary reports bytes that no text has in any encoding taken.
func isBinary(body []byte) bool {
	return bytes.IndexByte(body, 0) >= 0 || bytes.HasPrefix(body, []byte("%PDF"))
}

// hasRows reports whether a text may be CSV: one of the separators makes a table of
// most of its rows, from the first that is no preamble.
func hasRows(body []byte) bool {
	if body = bytes.TrimSpace(body); body[0] == '{' || body[0] == '[' || body[0] == '<' {
		return false
	}
	text := lenient(body, guessEncoding(body))
	return slices.ContainsFunc(Separators, func(separator string) bool {
		rows, _ := csvRows(text, separator, 0, guessRows) // as far as they can be cut
		return isTable(rows)
	})
}

// guessedWidth refuses a CSV file whose beginning has too many columns, as it is
// cut by the separator that it seems to have.
func guessedWidth(body []byte) error {
	text := lenient(body, guessEncoding(body))
	rows, _ := csvRows(text, guessSeparator(text), 0, guessRows) // as far as they can be cut
	return tooWide(rows)
}

// isTable reports rows that mostly have the same width, of which one has a day and
// an amount, or several have more cells than sentences have commas.
func isTable(rows []csvRow) bool {
	width, n := commonWidth(rows)
	first := slices.IndexFunc(rows, func(r csvRow) bool { return len(r.cells) == width })
	if width < 2 || n*2 <= len(rows)-first {
		return false
	}
	return n > 2 && width > 4 || slices.ContainsFunc(rows, func(r csvRow) bool {
		day := slices.IndexFunc(r.cells, func(cell string) bool { return fits(cell, dayCells) })
		amount := slices.IndexFunc(r.cells, func(cell string) bool { return fits(cell, amountCells) })
		return day >= 0 && amount >= 0
	})
}

// finished refuses a file with more lines than are taken, and gives the lines of
// another one what only the whole file says of them.
func finished(f File, err error) (File, error) {
	if err != nil {
		return File{}, err
	}
	lines := 0
	for _, s := range f.Statements {
		lines += len(s.Lines)
	}
	if lines > MaxLines {
		return File{}, tooMany("lines")
	}
	f.identify()
	f.boundWords()
	for i := range f.Statements {
		f.Statements[i].boundDeclared()
		f.Statements[i].doubt()
	}
	return f, nil
}
