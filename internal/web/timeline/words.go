package timeline

import (
	"strings"
	"unicode"

	"countersign/web/templates"
)

// The widths of a letter, in the drawing's units: a wide script's, any other's,
// and a figure's in the bold of numbers. They are kept a little too large.
const (
	wideLetter   = 13.0
	letter       = 7.0
	monoLetter   = 7.2
	longestLabel = 44
	mostPromised = 44
	laneName     = 21 // letters of a lane's name
)

// width is the room that a line of text takes at most.
func width(text string) (w float64) {
	for _, r := range text {
		switch {
		case unicode.Is(unicode.Mn, r) || unicode.Is(unicode.Cf, r):
		case r >= 0x1100 && (unicode.In(r, unicode.Han, unicode.Hangul, unicode.Hiragana, unicode.Katakana) || r >= 0xff00):
			w += wideLetter
		case unicode.IsUpper(r) || strings.ContainsRune("mwMW×…“”@%", r):
			w += letter + 3
		default:
			w += letter
		}
	}
	return w
}

// short keeps a label to a length; the table has it whole.
func short(text string, letters int) string {
	text = strings.Join(strings.FieldsFunc(text, func(r rune) bool { return unicode.IsSpace(r) || unicode.IsControl(r) }), " ")
	runes := []rune(text)
	if len(runes) <= letters {
		return text
	}
	return string(runes[:letters-1]) + "…"
}

// room is a part of a row that is taken.
type room struct{ x0, x1 float64 }

// row is a line of the drawing on which words and marks stand side by side.
type row struct {
	left, right float64
	taken       []room
}

func (r *row) take(x0, x1 float64) { r.taken = append(r.taken, room{x0, x1}) }

// free reports whether nothing stands between two places.
func (r *row) free(x0, x1 float64) bool {
	if x0 < r.left || x1 > r.right {
		return false
	}
	for _, t := range r.taken {
		if x0 < t.x1 && t.x0 < x1 {
			return false
		}
	}
	return true
}

// put finds a place for words and takes it: the first of the places that is free.
func (r *row) put(w templates.Words, places ...func(*templates.Words) (x0, x1 float64)) (templates.Words, bool) {
	for _, place := range places {
		placed := w
		x0, x1 := place(&placed)
		if r.free(x0, x1) {
			r.take(x0-2, x1+2)
			return placed, true
		}
	}
	return w, false
}

// The places of a label beside a mark that reaches from x0 to x1.
func right(x float64) func(*templates.Words) (float64, float64) {
	return func(w *templates.Words) (float64, float64) {
		w.X = x
		return x, x + w.Wide
	}
}

func left(x float64) func(*templates.Words) (float64, float64) {
	return func(w *templates.Words) (float64, float64) {
		w.X, w.End = x, true
		return x - w.Wide, x
	}
}

func middle(x float64) func(*templates.Words) (float64, float64) {
	return func(w *templates.Words) (float64, float64) {
		w.X, w.Mid = x, true
		return x - w.Wide/2, x + w.Wide/2
	}
}
