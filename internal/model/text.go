package model

import "unicode"

// Disruptive reports whether a character breaks a line or turns the direction of
// the text around it: a name or a reason must not be able to change how an
// amount beside it is read.
func Disruptive(r rune) bool {
	return unicode.IsControl(r) || r == '\u2028' || r == '\u2029' ||
		'\u202a' <= r && r <= '\u202e' || '\u2066' <= r && r <= '\u2069'
}
