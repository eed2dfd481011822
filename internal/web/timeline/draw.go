package timeline

import (
	"cmp"
	"fmt"
	"slices"
	"time"

	"countersign/web/templates"
)

// The drawing's box and its rows, in its own units.
const (
	boxWidth   = 1232.0
	lineHeight = 15.0 // of one row of words
	tickHeight = 18.0
	laneLeast  = 42.0
	lanePad    = 6.0
)

// drawing is a drawing in the making.
type drawing struct {
	templates.Drawing
	axis  axis
	used  map[string]bool // kinds that the legend explains
	late  []templates.Shape
	lines []line // through all lanes
}

// Draw places everything that a history holds. Without a single moment the
// drawing is empty. Label is left to the caller, who knows what is worth saying.
func Draw(h History) templates.Drawing {
	moments := h.moments()
	if len(moments) == 0 {
		return templates.Drawing{}
	}
	if h.Zone == nil {
		h.Zone = time.UTC
	}
	d := &drawing{axis: newAxis(moments), used: map[string]bool{}}
	d.Width = boxWidth
	top := d.promises(h)
	bottom := top
	for _, lane := range h.Lanes {
		bottom = d.lane(lane, bottom)
	}
	d.line("lane", 0, bottom, boxWidth-16)
	d.Height = bottom + 4 + d.cutsThrough(top, bottom)
	d.grid(h.Zone, bottom)
	for _, l := range d.lines {
		d.over(l.class, fmt.Sprintf("M%.1f %.1fV%.1f", l.x, l.y, bottom), "")
	}
	d.Shapes = append(d.Shapes, d.late...)
	for _, kind := range legendOrder {
		if d.used[kind] {
			class, path := sample(kind)
			d.Legend = append(d.Legend, templates.Legend{Class: class, Path: path, Text: looks[kind]})
		}
	}
	return d.Drawing
}

func (d *drawing) shape(class, path, title string) {
	d.Shapes = append(d.Shapes, templates.Shape{Class: class, Path: path, Title: title})
}

// over draws what lies above everything else.
func (d *drawing) over(class, path, title string) {
	d.late = append(d.late, templates.Shape{Class: class, Path: path, Title: title})
}

func (d *drawing) line(class string, x0, y, x1 float64) {
	d.shape(class, fmt.Sprintf("M%.1f %.1fH%.1f", x0, y, x1), "")
}

// promises writes the words of the lines through all lanes, in as many rows as
// they need, and gives the top of the lanes. The rows fill from below and from
// the right, so that a line seldom crosses the words of another.
func (d *drawing) promises(h History) float64 {
	list := throughAll(h)
	slices.SortStableFunc(list, func(a, b passing) int { return cmp.Compare(b.At, a.At) })
	var rows []*row
	placed := make([]templates.Words, len(list))
	level := make([]int, len(list))
	for n, m := range list {
		x := d.axis.at(m.At)
		words := templates.Words{Class: m.class + "t", Text: m.Says, Wide: width(m.Says)}
		for i := range len(rows) + 1 {
			if i == len(rows) {
				rows = append(rows, &row{left: 0, right: boxWidth})
			}
			var ok bool
			if placed[n], ok = rows[i].put(words, right(x-2), left(x+2)); ok {
				level[n] = i
				break
			}
		}
	}
	top := tickHeight + float64(len(rows))*lineHeight
	for n, m := range list {
		placed[n].Y = top - 5 - float64(level[n])*lineHeight
		d.Words = append(d.Words, placed[n])
		d.lines = append(d.lines, line{m.class, d.axis.at(m.At), placed[n].Y + 3})
	}
	return top
}

// passing is a line through all lanes, with the class of its stroke.
type passing struct {
	Moment
	class string
}

// line is where such a line begins.
type line struct {
	class string
	x, y  float64
}

// throughAll lists the promises and the present moment.
func throughAll(h History) (list []passing) {
	if h.Now != 0 {
		list = append(list, passing{Moment{h.Now, "now " + time.UnixMicro(h.Now).In(h.Zone).Format("15:04")}, "now"})
	}
	for _, m := range h.Moments {
		list = append(list, passing{Moment{m.At, short(m.Says, mostPromised)}, "prom"})
	}
	return list
}

// grid draws the ticks whose labels have room.
func (d *drawing) grid(zone *time.Location, bottom float64) {
	line := &row{left: 0, right: boxWidth}
	ticks := d.axis.ticks(zone)
	for _, first := range []bool{true, false} { // every stretch has one label at least
		for _, t := range ticks {
			if t.first == first {
				d.tick(line, t, bottom)
			}
		}
	}
}

func (d *drawing) tick(line *row, t tick, bottom float64) {
	words := templates.Words{Text: t.says, Wide: width(t.says), Y: 11}
	placed, ok := line.put(words, middle(t.x))
	if !ok {
		return
	}
	d.Words = append(d.Words, placed)
	d.Shapes = append([]templates.Shape{{Class: "grid", Path: fmt.Sprintf("M%.1f %.1fV%.1f", t.x, 15.0, bottom)}}, d.Shapes...)
}

// cutsThrough marks where time is left out, and says how much under the lanes;
// it gives the height of those words.
func (d *drawing) cutsThrough(top, bottom float64) float64 {
	cuts := d.axis.cuts()
	for _, c := range cuts {
		d.used["cut"] = true
		d.over("cut-edge", cutPath(c.x0+8, top, bottom)+cutPath(c.x1-8, top, bottom), c.says+" left out")
		d.Words = append(d.Words, templates.Words{Class: "cutt", X: (c.x0 + c.x1) / 2, Y: bottom + 12, Mid: true, Wide: width(c.says), Text: c.says})
	}
	if len(cuts) == 0 {
		return 0
	}
	return lineHeight
}
