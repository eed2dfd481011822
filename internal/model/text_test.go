package model

import (
	"strings"
	"testing"
)

func TestVisibleCountsWhatAReaderSees(t *testing.T) {
	for text, want := range map[string]int{
		"":                               0,
		"   ":                            0,
		strings.Repeat("\u200b", 8):      0, // spaces of no width
		"\u00ad\u2060\ufeff\u200d\u200e": 0, // soft hyphen, joiners, marks of direction
		"\u3164\u115f\u1160\uffa0":       0, // fillers of Hangul
		"\u2800\ufe0f\U000e0100":         0, // Braille without dots, variation selectors
		"\u00a0\u3000\u2003":             0, // spaces of other widths
		"\u200b \u200b":                  0,
		"too late":                       8,
		"a          b":                   3, // a run of spaces is one
		"a \u200b b":                     3,
		"äöüäöüäö":                       8,
		"已经退回了":                          5,
		"👍🏽":                             2,
	} {
		if got := Visible(text); got != want {
			t.Errorf("Visible(%+q) = %d, want %d", text, got, want)
		}
	}
}

// TestFrames: what keeps the direction of a copied number is left out, what turns
// that of others is not.
func TestFrames(t *testing.T) {
	for text, want := range map[string]string{"call \u202a+44 20 7946 0000\u202c today": "call +44 20 7946 0000 today", "\u2066+44\u2069 \u2068x\u2069": "+44 x",
		"a\u202eb\u202dc\u202bd\u2067e": "a\u202eb\u202dc\u202bd\u2067e", "شارع 5\u200e": "شارع 5\u200e"} {
		if got := WithoutFrames(text); got != want {
			t.Errorf("%q: %q, want %q", text, got, want)
		}
	}
}
