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
