package bankfile

import (
	"encoding/csv"
	"errors"
	"io"
	"slices"
	"strings"
	"unicode/utf8"

	"golang.org/x/text/encoding/charmap"
)

// charmaps are the encodings of one byte a character.
var charmaps = map[string]*charmap.Charmap{
	"windows-1252": charmap.Windows1252, "iso-8859-1": charmap.ISO8859_1,
	"windows-1250": charmap.Windows1250, "iso-8859-2": charmap.ISO8859_2,
}

// decoded is a file as text; what the encoding does not have is an error that
// names the line.
func decoded(body []byte, encoding string) (string, error) {
	text := strings.TrimPrefix(string(body), "\ufeff")
	if table := charmaps[encoding]; table != nil {
		var err error
		if text, err = table.NewDecoder().String(string(body)); err != nil {
			return "", refuse("The file cannot be read as %s: choose another encoding.", encoding)
		}
		if at := strings.IndexRune(text, utf8.RuneError); at >= 0 {
			return "", refuse("Line %d has a character that %s does not have: choose another encoding.", 1+strings.Count(text[:at], "\n"), encoding)
		}
		return text, nil
	}
	if !utf8.ValidString(text) {
		at := strings.IndexRune(strings.ToValidUTF8(text, "\ufffd"), utf8.RuneError)
		return "", refuse("Line %d is not in UTF-8: choose another encoding, such as windows-1252.", 1+strings.Count(text[:min(at, len(text))], "\n"))
	}
	return text, nil
}

// csvRow is one row with the line of the file on which it begins, from 1.
type csvRow struct {
	at    int
	cells []string
}

// cell is the cell of a column, from 0, without blanks around it; "" where the row
// is too short.
func (r csvRow) cell(column int) string {
	if column < 0 || column >= len(r.cells) {
		return ""
	}
	return strings.TrimSpace(r.cells[column])
}

// csvRows cuts a text into at most most rows; blank ones are left out. What stands
// in the left-out lines at the beginning is not looked at.
func csvRows(text, separator string, skip, most int) ([]csvRow, error) {
	text = strings.NewReplacer("\r\n", "\n", "\r", "\n").Replace(text)
	for range skip {
		_, text, _ = strings.Cut(text, "\n")
	}
	r := csv.NewReader(strings.NewReader(text))
	r.Comma = rune(separator[0])
	r.FieldsPerRecord = -1
	r.TrimLeadingSpace = separator != "\t" // else empty cells would go, too
	var rows []csvRow
	for len(rows) < most {
		cells, err := r.Read()
		switch {
		case errors.Is(err, io.EOF):
			return rows, nil
		case err != nil:
			return rows, quoteFault(err, skip)
		}
		at, _ := r.FieldPos(0)
		if slices.ContainsFunc(cells, func(c string) bool { return strings.TrimSpace(c) != "" }) {
			rows = append(rows, csvRow{at + skip, cells})
		}
	}
	return rows, nil
}

// quoteFault says where quotes are wrong, which is all that CSV can have wrong.
func quoteFault(err error, skip int) error {
	var fault *csv.ParseError
	if !errors.As(err, &fault) {
		return refuse("The file cannot be cut into rows: %s.", err)
	}
	return refuse("Line %d: in the row that begins here a double quote is missing, or stands inside of a cell that does not begin with one. Choose another separator, or double the quotes inside of the cell.",
		fault.StartLine+skip)
}

// headerName is a header without blanks around it, and without the commas that some
// banks leave behind the last one.
func headerName(cell string) string { return strings.TrimRight(strings.TrimSpace(cell), ", ") }

// csvColumns are the columns of a file by the member of the mapping that names
// them, from 0, and the names by which a person knows them.
type csvColumns struct {
	index map[string]int
	names map[string]string
}

// of is the column of a member, -1 where the mapping leaves it out.
func (c csvColumns) of(member string) int {
	if at, ok := c.index[member]; ok {
		return at
	}
	return -1
}

// find finds the columns of a mapping in a header, which is nil where there is
// none. All faults are told at once.
func (m Mapping) find(header []string) (csvColumns, error) {
	found := csvColumns{map[string]int{}, map[string]string{}}
	var f faults
	for _, c := range m.columns() {
		at, numbered := columnNumber(c.name)
		if numbered {
			found.index[c.member], found.names[c.member] = at-1, "column "+c.name
			if header != nil && at > len(header) {
				f.add(c.member, "is larger than the number of columns in the header")
			}
			continue
		}
		name := headerName(c.name)
		same := func(cell string) bool { return headerName(cell) == name }
		first := slices.IndexFunc(header, same)
		switch {
		case first < 0:
			f.add(c.member, "is not in the header of this file")
		case slices.ContainsFunc(header[first+1:], same):
			f.add(c.member, "stands more than once in the header: choose it by its number")
		}
		found.index[c.member], found.names[c.member] = first, name
	}
	return found, f.err()
}
