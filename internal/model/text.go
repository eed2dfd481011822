package model

import (
	"strings"
	"unicode"
)

// Disruptive reports whether a character breaks a line or turns the direction of
// the text around it: a name or a reason must not be able to change how an
// amount beside it is read.
func Disruptive(r rune) bool {
	return unicode.IsControl(r) || r == '\u2028' || r == '\u2029' ||
		'\u202a' <= r && r <= '\u202e' || '\u2066' <= r && r <= '\u2069'
}

// WithoutFrames leaves out the unseen marks with which other programs frame what
// is copied from them, a phone number above all, so that it keeps its direction.
// Without them the text reads as it would anyway. Overrides, and what turns the
// text to the other side, stay and are Disruptive.
func WithoutFrames(text string) string { return frames.Replace(text) }

var frames = strings.NewReplacer("\u202a", "", "\u202c", "", "\u2066", "", "\u2068", "", "\u2069", "")

// Visible counts the characters of a text that a reader sees: what takes no room
// or leaves no ink does not count, and a run of spaces between two words is one.
// Whatever must say something, a reason, a note or a name, is measured by it.
func Visible(text string) (n int) {
	for _, word := range strings.FieldsFunc(text, func(r rune) bool { return unicode.IsSpace(r) || unicode.Is(unicode.Zs, r) }) {
		inked := 0
		for _, r := range word {
			if !inkless(r) {
				inked++
			}
		}
		if inked > 0 && n > 0 {
			n++ // the space before it
		}
		n += inked
	}
	return n
}

// inkless reports whether a character draws nothing: what only joins, divides or
// varies others, fillers of a script, and the Braille cell without dots.
func inkless(r rune) bool {
	return !unicode.IsGraphic(r) || r == '\u2800' || unicode.In(r, unicode.Other_Default_Ignorable_Code_Point, unicode.Variation_Selector)
}
