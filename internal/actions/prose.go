package actions

import (
	"fmt"
	"strings"
	"unicode/utf8"

	"countersign/internal/model"
)

// proseOf is a text that somebody typed, as it is kept: without what a paste
// frames it with unseen, and without the space around it.
func proseOf(text string) string { return strings.TrimSpace(model.WithoutFrames(text)) }

// turning are the characters that turn the direction of text, by name: nobody
// sees them, so that only a name tells what to look for.
var turning = map[rune]string{'\u202b': "right-to-left embedding", '\u202d': "left-to-right override", '\u202e': "right-to-left override", '\u2067': "right-to-left isolate"}

// disturbance says which character of a prose is refused and where it stands,
// without repeating the text; "" where none is.
func disturbance(text string) string {
	if !utf8.ValidString(text) {
		return "holds bytes that are no text in UTF-8"
	}
	at := strings.IndexFunc(text, func(r rune) bool { return model.Disruptive(r) && !strings.ContainsRune("\n\r\t", r) })
	if at < 0 {
		return ""
	}
	r, _ := utf8.DecodeRuneInString(text[at:])
	before := text[:at]
	place := fmt.Sprintf("as character %d of line %d", 1+utf8.RuneCountInString(before[strings.LastIndex(before, "\n")+1:]), 1+strings.Count(before, "\n"))
	if name, ok := turning[r]; ok {
		return fmt.Sprintf("holds the unseen character %U (%s) %s, which would turn the direction of what follows it: type it anew there, without pasting", r, name, place)
	}
	return fmt.Sprintf("holds the unseen character %U %s, which is no text: type it anew there, without pasting", r, place)
}
