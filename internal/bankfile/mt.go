package bankfile

import (
	"bytes"
	"regexp"
	"slices"
	"strings"
	"unicode/utf8"

	"golang.org/x/text/encoding/charmap"
)

// mtField is one field of a SWIFT message: its tag without the colons, its lines
// without the tag, and the line of the file on which it begins, from 1.
type mtField struct {
	tag    string
	lines  []string
	at     int
	unsure bool // the line before it is as wide as texts are cut, and this may be the rest of a text
}

// text is a field that stands in one line; what follows it is no part of it.
func (f mtField) text() string { return strings.TrimSpace(f.lines[0]) }

// mtMessage is one message: one statement, or one page of a statement that has
// several. number is "940" and the like where an envelope says so.
type mtMessage struct {
	number string
	fields []mtField
	closed bool // it has its closing balance
}

// has reports whether a message has a field with one of the tags.
func (m mtMessage) has(tags ...string) bool {
	return slices.ContainsFunc(m.fields, func(f mtField) bool { return slices.Contains(tags, f.tag) })
}

// unsure is the first field that may be the rest of a text and would change what
// the whole statement is, or nil. The only closing balance is none: a statement has
// one. An entry has a doubt of its own, and a text is a text.
func (m mtMessage) unsure() *mtField {
	closing := 0
	for _, f := range m.fields {
		if strings.HasPrefix(f.tag, "62") {
			closing++
		}
	}
	for i, f := range m.fields {
		if f.unsure && f.tag != "61" && f.tag != "86" && (!strings.HasPrefix(f.tag, "62") || closing > 1) {
			return &m.fields[i]
		}
	}
	return nil
}

var (
	// mtTag are the tags of statements. Others do not begin a field: a line that is
	// cut inside of a time of day begins with ":26:", too.
	mtTag = regexp.MustCompile(`^:(20|21|25P?|28C?|13D?|34F|60[FM]|61|62[FM]|64|65|86|90[CD]|NS|94[02]):`)
	// mtType is the message's number in block 2 of an envelope.
	mtType = regexp.MustCompile(`\{2:[IO](\d{3})`)
	// mtFraming are the control characters that some banks send around a message.
	mtFraming = "\x00\x01\x03\x04\x1a"
)

// isMT reports whether a file is made of SWIFT statement messages: a reference,
// an account, and what statements have, near its beginning. A few lines may stand
// before the first field.
func isMT(body []byte) bool {
	const near, before = 4096, 16
	m := mtMessages(mtText(body[:min(len(body), near)]))
	return len(m) > 0 && m[0].has("20") && m[0].fields[0].at <= before &&
		(m[0].has("25", "25P") || m[0].has("28", "28C", "60F", "60M", "61", "34F"))
}

// mtText is the file as text: UTF-8, or else the Western European code of Windows.
func mtText(body []byte) string {
	body = bytes.TrimPrefix(body, []byte("\ufeff"))
	if utf8.Valid(body) {
		return string(body)
	}
	text, err := charmap.Windows1252.NewDecoder().Bytes(body)
	if err != nil { // no byte is an error in this code; what it does not have is U+FFFD
		return string(body)
	}
	return string(text)
}

// mtMessages cuts a text into messages. What stands outside of fields (headers of
// a transfer, blocks of an envelope, blank lines) is left out.
func mtMessages(text string) []mtMessage {
	var all []mtMessage
	var now mtMessage
	end := func() {
		if len(now.fields) > 0 {
			all = append(all, now)
		}
		now = mtMessage{}
	}
	text = strings.NewReplacer("\r\n", "\n", "\r", "\n").Replace(text)
	number, cut := 0, ""
	width, wide := mtWidth(text), false
	for line := range strings.SplitSeq(text, "\n") {
		number++
		line = cut + strings.Trim(line, mtFraming)
		if cut = ""; line == ":" { // a line that is cut behind the first sign of a tag
			cut = line
			continue
		}
		if rest, over := strings.CutPrefix(line, "-}"); over || strings.TrimSpace(line) == "-" {
			end()
			line = strings.TrimSpace(strings.TrimPrefix(rest, "-"))
		}
		if strings.HasPrefix(line, "{") {
			end()
			if found := mtType.FindStringSubmatch(line); found != nil {
				now.number = found[1]
			}
			_, line, _ = strings.Cut(line, "{4:")
		}
		if now.begins(line) {
			end()
		}
		now.add(line, number, wide)
		wide = isWide(line, width)
	}
	end()
	return all
}

// mtCut is where SWIFT has texts cut: behind so many signs, and a tag before them.
const mtCut = 65

// mtWidth is the width at which the texts of a file are cut: that of SWIFT, or of
// the longest line where that is beyond it.
func mtWidth(text string) int {
	width := mtCut
	for line := range strings.SplitSeq(text, "\n") {
		if n := utf8.RuneCountInString(line); n > width+len(":86:") && !strings.HasPrefix(line, "{") {
			width = n
		}
	}
	return width
}

// isWide reports whether a line may have been cut at its end, where a blank may
// have been left out.
func isWide(line string, width int) bool {
	n := utf8.RuneCountInString(strings.TrimRight(line, " "))
	return n >= width-1 && n <= width+len(":86:")
}

// begins reports whether a line is the first of another message, where nothing
// has ended the one before.
func (m mtMessage) begins(line string) bool {
	switch {
	case strings.HasPrefix(line, ":20:"):
		return len(m.fields) > 0
	case strings.HasPrefix(line, ":25:"):
		return m.closed
	}
	return false
}

// add takes a line as a field, or as a further line of the last one.
func (m *mtMessage) add(line string, number int, wide bool) {
	switch tag := mtTag.FindString(line); tag {
	case "":
	case ":940:", ":942:": // some banks write the type before the first field
		m.number = strings.Trim(tag, ":")
		return
	default:
		f := mtField{strings.Trim(tag, ":"), []string{line[len(tag):]}, number, wide}
		m.fields = append(m.fields, f)
		m.closed = m.closed || f.tag == "62F" || f.tag == "62M"
		return
	}
	if last := len(m.fields) - 1; last >= 0 && line != "" {
		m.fields[last].lines = append(m.fields[last].lines, line)
	}
}

// readMT reads a file of MT940 and MT942 messages. Each page of a statement is a
// statement of its own, as each has its own balances.
func readMT(body []byte) (File, error) {
	file := File{}
	r := mtReader{file: &file}
	if !utf8.Valid(body) {
		file.note(0, "The file is not in UTF-8 and does not say its encoding: it was read as Western European text, so that other letters in names and texts may be wrong.")
	}
	var formats []string
	for _, m := range mtMessages(mtText(body)) {
		s, err := r.statement(m)
		if err != nil {
			return File{}, err
		}
		if format := m.format(); !slices.Contains(formats, format) {
			formats = append(formats, format)
		}
		if file.Statements = append(file.Statements, s); len(file.Statements) > MaxLines {
			return File{}, tooMany("statements")
		}
	}
	if len(file.Statements) == 0 {
		return File{}, refuse("The file has no SWIFT message: none of its lines begins with a field such as :20:.")
	}
	file.Format = strings.Join(formats, " and ")
	return file, nil
}

// format is the name of a message's type. Without an envelope, what has a floor
// limit, a time or totals of its own, or no booked balance, is an interim report.
func (m mtMessage) format() string {
	switch {
	case m.number != "":
		return "MT" + m.number
	case m.has("34F", "13", "13D", "90C", "90D") || !m.has("60F", "60M", "62F", "62M"):
		return "MT942"
	}
	return "MT940"
}
