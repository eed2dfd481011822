package bankfile

import (
	"slices"
	"strings"
	"unicode"

	"countersign/internal/model"
)

// Bounds of what is kept of one line: more than these are no references but prose.
const (
	maxRefs  = 64  // references of one line
	maxRef   = 255 // bytes of a reference
	leastRef = 6   // bytes of a word of a text that may be a reference
	maxText  = 500 // characters of a text

	maxWords     = 32     // words of the text of one line that may be references
	maxFileWords = 50_000 // and of all lines of a file
)

// wordKind is the kind of a reference that is a word of a text.
const wordKind = "text"

// none are the words by which banks say that there is no reference, in capital
// letters and without blanks and punctuation.
var none = []string{"NOTPROVIDED", "NOTAVAIL", "NOTAVAILABLE", "NOTAPPLICABLE", "NOTSPECIFIED",
	"NONREF", "NOREF", "NOREFERENCE", "NONE", "NA", "NULL", "UNKNOWN"}

// saysNone reports whether a value in the place of a reference says that there is
// none: NOTPROVIDED, NONREF and the like, nothing but zeros, or nothing.
func saysNone(value string) bool {
	bare := strings.Map(func(r rune) rune {
		if !unicode.IsLetter(r) && !unicode.IsDigit(r) {
			return -1
		}
		return unicode.ToUpper(r)
	}, value)
	return strings.Trim(bare, "0") == "" || slices.Contains(none, bare)
}

// reference is a value in the place of a reference as it is kept: in one line, or
// "" where it says that there is none or is too long to be one.
func reference(value string) string {
	if value = oneLine(value); saysNone(value) || len(value) > maxRef {
		return ""
	}
	return value
}

// addRef adds a reference to those of a line, unless it says that there is none,
// is there already, or the line has as many as it may.
func addRef(refs []Ref, kind, value string) []Ref {
	r := Ref{Kind: kind, Value: reference(value)}
	if r.Value == "" || len(refs) >= maxRefs || slices.Contains(refs, r) {
		return refs
	}
	return append(refs, r)
}

// addWords adds the words of a free text that look like references: long enough,
// with a digit or a joining sign, without the punctuation around them. It ends one
// beyond as many as a line may have, by which File.boundWords knows that there are more.
func addWords(refs []Ref, text string) []Ref {
	words := 0
	for _, r := range refs {
		if r.Kind == wordKind {
			words++
		}
	}
	for word := range strings.FieldsSeq(text) {
		if words > maxWords {
			break
		}
		word = strings.TrimFunc(word, func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) })
		if len(word) < leastRef || !strings.ContainsAny(word, "0123456789-_:/.") {
			continue
		}
		before := len(refs)
		if refs = addRef(refs, wordKind, word); len(refs) > before {
			words++
		}
	}
	return refs
}

// boundWords leaves out words of texts beyond those that a line and a file may
// have, and says so.
func (f *File) boundWords() {
	left, told := maxFileWords, false
	for _, s := range f.Statements {
		for i := range s.Lines {
			line := &s.Lines[i]
			most, words := min(maxWords, left), 0
			line.Refs = slices.DeleteFunc(line.Refs, func(r Ref) bool {
				if r.Kind == wordKind {
					words++
				}
				return r.Kind == wordKind && words > most
			})
			left -= min(words, most)
			switch {
			case words > most && most == maxWords:
				f.note(0, "The text of entry %d has more than %d words that may be references: those behind them are not looked at.", line.Entry, maxWords)
			case words > most && !told:
				f.note(0, "The texts of the file have more than %d words that may be references: those from entry %d on are not looked at.", maxFileWords, line.Entry)
				told = true
			}
		}
	}
}

// oneLine makes one line of a text: blanks and line ends become single spaces,
// what could change how the text around it is read is left out, and what is
// longer than a person reads is cut.
func oneLine(text string) string {
	text = strings.Map(func(r rune) rune {
		switch {
		case unicode.IsSpace(r):
			return ' '
		case model.Disruptive(r):
			return -1
		}
		return r
	}, strings.ToValidUTF8(text, ""))
	text = strings.Join(strings.Fields(text), " ")
	if runes := []rune(text); len(runes) > maxText {
		return string(runes[:maxText]) + "…"
	}
	return text
}
