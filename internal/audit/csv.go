package audit

import (
	"bytes"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"
	"unicode"

	"countersign/internal/store"
)

// csvHeader names the columns. Every cell is text in quotes but index and
// attempt, which are numbers.
const csvHeader = `"index","at","at_utc","actor_type","actor_id","actor_name","roles","event","account","intent","step_key","attempt","preview","reason","result","policy","detail","leaf_hash"`

// csvLines is the format for spreadsheets (RFC 4180).
type csvLines struct{ zone *time.Location }

func newCSVLines(into *bytes.Buffer, zone *time.Location) csvLines {
	if zone == nil {
		zone = time.UTC
	}
	into.WriteString(csvHeader + "\r\n")
	return csvLines{zone}
}

func (c csvLines) entry(_ *store.Tx, into *bytes.Buffer, row logEntry) error {
	e, err := itemOf(&row.Index, row.Canonical)
	if err != nil {
		return fmt.Errorf("entry %d: %w", row.Index, err)
	}
	cells := []string{
		strconv.FormatInt(row.Index, 10),
		quoted(e.At.Std().In(c.zone).Format("2006-01-02T15:04:05.000000-07:00")), quoted(e.At.String()),
		quoted(e.Actor.Type), quoted(e.Actor.ID), quoted(e.Actor.Name), quoted(strings.Join(e.Actor.Roles, " ")),
		quoted(e.Event), quoted(e.Account), quoted(e.Intent), quoted(e.StepKey), attemptCell(e.Attempt),
		quoted(e.Preview), quoted(e.Reason), quoted(e.Result), quoted(e.Policy), quoted(string(e.Detail)), quoted(e.LeafHash),
	}
	into.WriteString(strings.Join(cells, ",") + "\r\n")
	return nil
}

func (c csvLines) end(*bytes.Buffer) error { return nil }

// errCSV says why a CSV export is not verified.
var errCSV = errors.New("a CSV export cannot be verified, since it holds neither the entries' own bytes nor a checkpoint; export the log as JSON Lines (--format jsonl) and verify that file")

// startsCSV tells whether a file's first line is the header of a CSV export, as
// it was written or as a spreadsheet saved it.
func startsCSV(line []byte) bool {
	text := strings.TrimPrefix(string(line[:min(len(line), 20)]), "\ufeff")
	return strings.HasPrefix(strings.TrimPrefix(text, `"`), "index")
}

// quoted makes a text cell.
func quoted(text string) string {
	return `"` + strings.ReplaceAll(Neutral(text), `"`, `""`) + `"`
}

// Neutral keeps a spreadsheet from reading text as a formula: it puts an
// apostrophe wherever a cell could begin with one, which is the beginning, and
// behind anything that some locale takes for a separator. Plain signed numbers
// and telephone numbers stay as they are. Original reverses it.
func Neutral(text string) string {
	safe := rewriteCells(text, func(cell string) string {
		if strings.HasPrefix(cell, "'") || startsFormula(cell) {
			return "'" + cell
		}
		return cell
	})
	if strings.IndexAny(text, "\t\r\n") == 0 {
		return "'" + safe
	}
	return safe
}

// Original gives the text that Neutral was given.
func Original(cell string) string {
	return rewriteCells(cell, func(c string) string { return strings.TrimPrefix(c, "'") })
}

// separators end a cell in some locale's reading of a CSV file.
const separators = ",;|\t\r\n"

// rewriteCells applies fn to each part of a text between separators.
func rewriteCells(text string, fn func(string) string) string {
	var b strings.Builder
	for {
		end := strings.IndexAny(text, separators)
		if end < 0 {
			b.WriteString(fn(text))
			return b.String()
		}
		b.WriteString(fn(text[:end]))
		b.WriteByte(text[end])
		text = text[end+1:]
	}
}

// startsFormula tells whether a spreadsheet may take a cell for a formula:
// what it skips at the beginning is skipped here.
func startsFormula(cell string) bool {
	rest := strings.TrimLeftFunc(cell, func(r rune) bool {
		return r == '"' || unicode.IsSpace(r) || unicode.IsControl(r) || unicode.Is(unicode.Cf, r)
	})
	return rest != "" && strings.ContainsRune("=+-@＝＋－＠", []rune(rest)[0]) && !signedNumber(rest)
}

// signedNumber tells whether a text is a sign and then only digits, points and
// spaces, which computes nothing.
func signedNumber(text string) bool {
	unsigned := strings.TrimLeft(text, "+-")
	return len(text)-len(unsigned) == 1 && unsigned != "" && unsigned[0] >= '0' && unsigned[0] <= '9' &&
		strings.Trim(unsigned, "0123456789. ") == ""
}

// attemptCell is an attempt's number, empty where an entry is about none.
func attemptCell(number int) string {
	if number == 0 {
		return ""
	}
	return strconv.Itoa(number)
}
