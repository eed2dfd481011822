package templates

import "strconv"

// Drawing is a timeline whose every place is decided: shapes and words in the
// units of its own box.
type Drawing struct {
	Width, Height float64
	Label         string // the whole in a sentence or two, for whoever does not see it
	Shapes        []Shape
	Words         []Words
	Legend        []Legend
}

// Shape is one path of a drawing. Class is a rule of the stylesheet; nothing
// else gives it a colour or a pattern.
type Shape struct {
	Class, Path string
	Title       string // said when it is pointed at; "" for none
}

// Words are one line of text of a drawing.
type Words struct {
	Class string // "" is ordinary
	X, Y  float64
	End   bool    // they end at X
	Mid   bool    // their middle is at X
	Wide  float64 // the room that was kept for them
	Text  string
}

// Legend is one line of the legend, with its mark drawn in a box of 16 units.
type Legend struct {
	Class, Path, Text string
}

// TimelineView is what happened over time, drawn and as a table.
type TimelineView struct {
	Drawing Drawing
	Zone    Text
	Rows    []TimelineRow
	Caption string // which rows these are, and in which order
	Note    Text   // which rows are not there, and where they are; or nil
}

// TimelineRow is one line of the table that says the same as the drawing.
type TimelineRow struct {
	At     Time
	Until  Time // zero where it is one moment
	Step   string
	What   Text
	State  State // whose shape the result takes, or ""
	CameTo Text
	Detail Text
}

// tenths writes a place of a drawing.
func tenths(n float64) string { return strconv.FormatFloat(n, 'f', 1, 64) }

func (d Drawing) box() string { return "0 0 " + tenths(d.Width) + " " + tenths(d.Height) }

// anchor is where X lies in the words.
func (w Words) anchor() string {
	switch {
	case w.End:
		return "end"
	case w.Mid:
		return "middle"
	}
	return "start"
}
