package timeline

import "fmt"

// The sizes of bars and marks, in the drawing's units.
const (
	barWidth  = 6.0
	barHeight = 20.0
	markReach = 6.0 // from a mark's middle to its edge
)

// looks are how bars and marks are named in the stylesheet and in the legend.
var looks = map[string]string{
	string(Done):         "attempt, done or confirmed",
	string(Accepted):     "attempt, accepted and not final",
	string(Unknown):      "attempt, outcome unknown",
	string(Refused):      "attempt, refused or not sent",
	string(Open):         "attempt under way",
	string(UnknownSince): "not known in this time",
	string(Settling):     "accepted, not final in this time",
	string(Check):        "check (a query)",
	string(Hook):         "webhook",
	string(Paper):        "bank file or late answer",
	string(Person):       "a person’s act",
	"cut":                "time left out, in which nothing happened",
}

// legendOrder is the order of the legend.
var legendOrder = []string{string(Done), string(Accepted), string(Unknown), string(Refused), string(Open),
	string(UnknownSince), string(Settling), string(Check), string(Hook), string(Paper), string(Person), "cut"}

// sample draws a mark of the legend in a box of 16 units.
func sample(kind string) (class, path string) {
	switch k := BarKind(kind); k {
	case Done, Accepted, Unknown, Refused, Open:
		return "a-" + kind, barPath(k, 5, 11, -2)
	}
	switch kind {
	case string(UnknownSince), string(Settling):
		return "band-" + kind, rect(0, 3, 16, 10)
	case "cut":
		return "cut-edge", cutPath(8, 1, 15)
	}
	return "m-" + kind, markPath(MarkKind(kind), 8, 8)
}

func rect(x, y, w, h float64) string {
	return fmt.Sprintf("M%.1f %.1fh%.1fv%.1fh%.1fz", x, y, w, h, -w)
}

// barPath is one attempt: its form alone says what it came to, so that a
// greyscale print and a screen with two colours still tell.
func barPath(kind BarKind, x0, x1, y float64) string {
	w, mid := x1-x0, x1-barWidth/2
	switch kind {
	case Unknown: // pointed where it became unknown
		return fmt.Sprintf("M%.1f %.1fV%.1fH%.1fV%.1fH%.1fL%.1f %.1fL%.1f %.1fz", x0, y+8, y+barHeight, x1, y+8, mid+5, mid, y, mid-5, y+8)
	case Refused: // a bar between two stops
		return rect(x0-2, y, w+4, 3) + rect(x0, y+3, w, barHeight-6) + rect(x0-2, y+barHeight-3, w+4, 3)
	case Accepted: // round: what moves is round
		return pill(x0, y, w)
	}
	return rect(x0, y, w, barHeight)
}

// pill is a bar with round ends, upright while it is narrow.
func pill(x, y, w float64) string {
	if r := w / 2; w <= barHeight {
		return fmt.Sprintf("M%.1f %.1fa%.1f %.1f 0 0 1 %.1f 0V%.1fa%.1f %.1f 0 0 1 %.1f 0z", x, y+r, r, r, w, y+barHeight-r, r, r, -w)
	}
	const r = barHeight / 2
	return fmt.Sprintf("M%.1f %.1fH%.1fa%.0f %.0f 0 0 1 0 %.0fH%.1fa%.0f %.0f 0 0 1 0 %.0fz", x+r, y, x+w-r, r, r, barHeight, x+r, r, r, -barHeight)
}

// markPath is one mark about its middle.
func markPath(kind MarkKind, x, y float64) string {
	switch kind {
	case Hook:
		return fmt.Sprintf("M%.1f %.1fv9m-3.5-4l3.5 4 3.5-4", x, y-5)
	case Paper:
		return fmt.Sprintf("M%.1f %.1fh7v8h-7z", x-3.5, y-4)
	case Person:
		return fmt.Sprintf("M%.1f %.1fl5 5-5 5-5-5z", x, y-5)
	}
	return fmt.Sprintf("M%.1f %.1fa3.5 3.5 0 1 0 7 0a3.5 3.5 0 1 0-7 0z", x-3.5, y)
}

// cutPath is one edge of a cut, a line that does not run straight.
func cutPath(x, y0, y1 float64) string {
	path, side := fmt.Sprintf("M%.1f %.1f", x, y0), 3.0
	for y := y0; y+4 <= y1; y += 4 {
		path += fmt.Sprintf("l%.1f 4", side)
		side = -side
	}
	return path
}
