package store

import (
	"slices"
	"strings"
	"unicode"

	"golang.org/x/text/unicode/norm"

	"countersign/internal/model"
)

// Limits of what is kept of a payee's name for searching.
const (
	maxPayeeWords = 8  // beginnings of a name, one at each word
	maxPayeeWord  = 64 // bytes of each
)

// unmarked spells letters that no decomposition takes apart.
var unmarked = strings.NewReplacer("đ", "d", "ð", "d", "ł", "l", "ø", "o", "ß", "ss", "ı", "i", "æ", "ae", "œ", "oe", "þ", "th", "ς", "σ")

// folded writes a name as it is searched for: small letters without accents,
// words parted by single spaces.
func folded(name string) string {
	var b strings.Builder
	for _, r := range norm.NFKD.String(name) {
		switch {
		case unicode.Is(unicode.Mn, r):
		case unicode.IsLetter(r), unicode.IsDigit(r):
			b.WriteRune(unicode.ToLower(r))
		default:
			b.WriteByte(' ')
		}
	}
	return unmarked.Replace(strings.Join(strings.Fields(b.String()), " "))
}

// payeeWord is the name of a payee from one of its words on, folded.
type payeeWord struct {
	Account string `db:"account"`
	Word    string `db:"word"`
	Intent  string `db:"intent_id"`
}

// payeeWords are the rows under which an intent is found by its payee's name, no
// two alike: a long name of words that repeat reads the same from several of them
// on, once it is cut.
func payeeWords(i *model.Intent) (rows []payeeWord) {
	rest := folded(i.Payee)
	for n := 0; rest != "" && n < maxPayeeWords; n++ {
		if row := (payeeWord{i.Account, cut(rest, maxPayeeWord), i.ID}); !slices.Contains(rows, row) {
			rows = append(rows, row)
		}
		_, rest, _ = strings.Cut(rest, " ")
	}
	return rows
}

// cut shortens a text to at most n bytes, at the end of a letter.
func cut(text string, n int) string {
	if len(text) <= n {
		return text
	}
	return strings.ToValidUTF8(text[:n], "")
}
