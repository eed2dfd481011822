package bankfile

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"countersign/internal/model"
)

// Bounds of what a proposal looks at.
const (
	guessBytes = 256 << 10
	guessRows  = 200
)

// Guess looks at the bytes of a CSV file and proposes how to read them, with the
// rows that this gives. What it cannot tell it leaves empty, such as the order of
// day and month where every date fits both: the proposal is for a person, who
// changes and confirms it, and Mapping.Validate says what is still missing.
func Guess(body []byte) (Mapping, Preview) {
	m := Mapping{Encoding: guessEncoding(body)}
	text := lenient(body, m.Encoding)
	m.Separator = guessSeparator(text)
	rows, _ := csvRows(text, m.Separator, 0, guessRows) // as far as they can be cut
	g := guess{m: &m}
	g.split(rows)
	g.choose()
	g.numbers()
	g.days()
	g.footer(body)
	return m, Sample(body, m)
}

// Sample gives the first rows of a CSV file as a mapping cuts them. It is empty
// where they cannot be cut so; what the encoding does not have is shown as U+FFFD.
func Sample(body []byte, m Mapping) Preview {
	if !slices.Contains(Separators, m.Separator) || m.SkipLines < 0 || m.SkipLines > 1000 {
		return Preview{}
	}
	rows, _ := csvRows(lenient(body, m.Encoding), m.Separator, m.SkipLines, PreviewRows+1)
	var p Preview
	for _, row := range rows {
		p.Columns = max(p.Columns, len(row.cells))
		cells := make([]string, 0, min(len(row.cells), PreviewColumns))
		for _, cell := range row.cells[:min(len(row.cells), PreviewColumns)] {
			cell = oneLine(cell)
			if runes := []rune(cell); len(runes) > PreviewCell {
				cell = string(runes[:PreviewCell-1]) + "…"
			}
			cells = append(cells, cell)
		}
		switch {
		case m.Header && p.Header == nil:
			p.Header = cells
		case len(p.Rows) < PreviewRows:
			p.Rows = append(p.Rows, cells)
		}
	}
	return p
}

// lenient is the beginning of a file as text, to its last whole line.
func lenient(body []byte, encoding string) string {
	if len(body) > guessBytes {
		body = body[:guessBytes]
		if end := strings.LastIndexByte(string(body), '\n'); end >= 0 {
			body = body[:end+1]
		}
	}
	if table := charmaps[encoding]; table != nil {
		text, err := table.NewDecoder().String(string(body))
		if err == nil {
			return text
		}
	}
	return strings.ToValidUTF8(strings.TrimPrefix(string(body), "\ufeff"), "\ufffd")
}

// guessEncoding is UTF-8 where the bytes are that; else the encoding in which the
// most headers of banks can be read, and the fewest signs stand inside of words.
func guessEncoding(body []byte) string {
	if utf8.Valid(body) {
		return "utf-8"
	}
	best, most := "", 0
	for _, encoding := range []string{"windows-1252", "windows-1250", "iso-8859-2"} {
		text := strings.ToLower(lenient(body, encoding))
		score := -strangeness(text)
		for _, r := range roles {
			for _, word := range r.words {
				if len(word) > utf8.RuneCountInString(word) && strings.Contains(text, word) {
					score += 10
				}
			}
		}
		if best == "" || score > most {
			best, most = encoding, score
		}
	}
	return best
}

// strangeness counts what is not in ASCII and no letter beside letters.
func strangeness(text string) (n int) {
	before := ' '
	for _, r := range text {
		if r >= utf8.RuneSelf && !unicode.IsLetter(r) && unicode.IsLetter(before) {
			n++
		}
		before = r
	}
	return n
}

// guessSeparator is the one that cuts most rows into the same number of cells, and
// into more cells where several do.
func guessSeparator(text string) string {
	best, most := Separators[0], 0.0
	for _, separator := range Separators {
		rows, err := csvRows(text, separator, 0, guessRows)
		if len(rows) == 0 {
			continue
		}
		width, n := commonWidth(rows)
		score := float64(n)/float64(len(rows)) + float64(min(width, 100))/1000
		if err != nil {
			score /= 2
		}
		if width > 1 && score > most {
			best, most = separator, score
		}
	}
	return best
}

// commonWidth is the number of cells that most rows have, the larger of equals,
// and how many rows have it.
func commonWidth(rows []csvRow) (width, n int) {
	counts := map[int]int{}
	for _, row := range rows {
		counts[len(row.cells)]++
	}
	for w, count := range counts {
		if count > n || count == n && w > width {
			width, n = w, count
		}
	}
	return width, n
}

// guess gathers what is told of one file.
type guess struct {
	m      *Mapping
	header []string // as the file has it, its first PreviewColumns; nil where there is none
	rows   []csvRow // behind it
	column map[string]int
}

// split finds the header: the first row in which two cells are known headers, or
// else the first of the common width, where it has no day and no amount.
func (g *guess) split(rows []csvRow) {
	width, _ := commonWidth(rows)
	known := slices.IndexFunc(rows, func(r csvRow) bool { return knownHeaders(r.cells) > 1 })
	first := known
	if first < 0 {
		first = slices.IndexFunc(rows, func(r csvRow) bool { return len(r.cells) == width })
	}
	if first < 0 {
		return
	}
	g.m.SkipLines = min(rows[first].at-1, 1000)
	cells := rows[first].cells[:min(len(rows[first].cells), PreviewColumns)]
	isData := func(cell string) bool { return fits(cell, dayCells) || fits(cell, amountCells) }
	if g.m.Header = known >= 0 || !slices.ContainsFunc(cells, isData); g.m.Header {
		g.header, first = cells, first+1
	}
	g.rows = rows[first:]
}

// knownHeaders counts the cells that are headers of banks.
func knownHeaders(cells []string) (n int) {
	for _, cell := range cells[:min(len(cells), PreviewColumns)] {
		name := strings.ToLower(headerName(cell))
		if slices.Contains(refWords, name) || slices.Contains(directionWords, name) ||
			slices.ContainsFunc(roles, func(r role) bool { return slices.Contains(r.words, name) }) {
			n++
		}
	}
	return n
}

// fits reports whether a cell looks like a kind; blank ones look like none.
func fits(cell string, kind cellKind) bool {
	cell = strings.TrimSpace(cell)
	switch kind {
	case dayCells:
		return len(daysOf(cell)) > 0
	case amountCells:
		return strings.ContainsAny(cell, "0123456789") && amountShape.MatchString(blanks.Replace(cell))
	case codeCells:
		_, ok := model.Exponent(strings.ToUpper(cell))
		return ok
	}
	return cell != ""
}
