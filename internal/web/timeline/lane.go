package timeline

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"countersign/web/templates"
)

// markRows are the rows under the bars, each with the kinds that stand on it.
var markRows = [][]MarkKind{{Check, Paper}, {Hook}, {Person}}

// lane draws one lane from y down, and gives where it ends.
func (d *drawing) lane(l Lane, y float64) float64 {
	d.line("lane", 0, y, boxWidth-16)
	d.word("tm", 0, y+17, short(l.Name, laneName), monoLetter)
	d.word("", 0, y+31, short(l.Class, laneName), letter)
	end := y + lanePad
	if len(l.Bars)+len(l.Spans) > 0 {
		end += lineHeight
		d.spans(l.Spans, end)
		d.bars(l.Bars, end)
		end += barHeight + lanePad
	}
	for _, kinds := range markRows {
		marks := slices.DeleteFunc(slices.Clone(l.Marks), func(m Mark) bool { return !slices.Contains(kinds, m.Kind) })
		if len(marks) > 0 {
			d.marks(marks, end+lineHeight/2)
			end += lineHeight + 2
		}
	}
	end = max(end, y+laneLeast)
	if l.Idle != "" && len(l.Bars)+len(l.Spans)+len(l.Marks) == 0 {
		d.line("idle", axisLeft, y+laneLeast/2+4, boxWidth-16)
		d.word("", axisLeft+8, y+laneLeast/2, short(l.Idle, 60), letter)
	}
	return end
}

func (d *drawing) word(class string, x, y float64, text string, each float64) {
	if text == "" {
		return
	}
	d.Words = append(d.Words, templates.Words{Class: class, X: x, Y: y, Wide: each * float64(len([]rune(text))), Text: text})
}

func (d *drawing) spans(list []Span, y float64) {
	for _, s := range list {
		kind := string(s.Kind)
		d.used[kind] = true
		x0, x1 := d.axis.at(s.From), d.axis.at(s.To)
		d.shape("band-"+kind, rect(x0, y, max(x1-x0, 1), barHeight), "")
	}
}

// block is one attempt, or several that lie too close to be told apart.
type block struct {
	x0, x1 float64
	bars   []Bar
}

// bars draws attempts and their numbers above them.
func (d *drawing) bars(list []Bar, y float64) {
	above := &row{left: axisLeft - 8, right: boxWidth}
	blocks := d.blocks(list)
	for _, b := range blocks {
		d.block(b, y)
		mid := (b.x0 + b.x1) / 2
		number := templates.Words{Class: "b", Y: y - 4, Text: b.number()}
		number.Wide = width(number.Text)
		if placed, ok := above.put(number, middle(mid)); ok {
			d.Words = append(d.Words, placed)
		}
	}
	for _, b := range blocks { // what came back, where there is room beside the number
		says := templates.Words{Y: y - 4, Text: b.says()}
		says.Wide = width(says.Text)
		if says.Text == "" {
			continue
		}
		x := (b.x0+b.x1)/2 + width(b.number())/2 + 5
		if placed, ok := above.put(says, right(x)); ok {
			d.Words = append(d.Words, placed)
		}
	}
}

// blocks groups the attempts that would touch each other.
func (d *drawing) blocks(list []Bar) (blocks []block) {
	list = slices.Clone(list)
	slices.SortStableFunc(list, func(a, b Bar) int { return cmp.Compare(a.From, b.From) })
	const gap, groupWidth = 6, 22
	for _, b := range list {
		x0 := d.axis.at(b.From)
		x1 := max(d.axis.at(max(b.To, b.From)), x0+barWidth)
		if b.Count > 1 {
			x1 = max(x1, x0+groupWidth)
		}
		if n := len(blocks); n > 0 && x0 < blocks[n-1].x1+gap {
			last := &blocks[n-1]
			last.bars = append(last.bars, b)
			last.x1 = max(last.x1, x1, last.x0+groupWidth)
			continue
		}
		blocks = append(blocks, block{x0: x0, x1: x1, bars: []Bar{b}})
	}
	return blocks
}

func (b block) count() (n int) {
	for _, bar := range b.bars {
		n += max(bar.Count, 1)
	}
	return n
}

// number names the attempts of a block: "3", "3–7", "× 1,240".
func (b block) number() string {
	n, first := b.count(), b.bars[0].Number
	switch {
	case n == 1:
		return fmt.Sprint(first)
	case n > 99:
		return "× " + thousands(n)
	}
	return fmt.Sprintf("%d–%d", first, first+n-1)
}

func thousands(n int) string {
	if n < 1000 {
		return fmt.Sprint(n)
	}
	return fmt.Sprintf("%s,%03d", thousands(n/1000), n%1000)
}

// says is what the attempts of a block came to, where it is the same of all.
func (b block) says() string {
	for _, bar := range b.bars {
		if bar.Says != b.bars[0].Says {
			return ""
		}
	}
	return short(b.bars[0].Says, longestLabel)
}

// block draws one attempt in its form, or a group with its kinds above each
// other, each as high as its share.
func (d *drawing) block(b block, y float64) {
	if b.count() == 1 {
		bar := b.bars[0]
		d.used[string(bar.Kind)] = true
		d.shape("a-"+string(bar.Kind), barPath(bar.Kind, b.x0, b.x1, y), title(fmt.Sprintf("Attempt %d", bar.Number), bar.Says))
		return
	}
	counts := map[BarKind]int{}
	for _, bar := range b.bars {
		counts[bar.Kind] += max(bar.Count, 1)
		d.used[string(bar.Kind)] = true
	}
	at := y
	for _, kind := range barKinds {
		if counts[kind] == 0 {
			continue
		}
		high := barHeight * float64(counts[kind]) / float64(b.count())
		d.shape("g-"+string(kind), rect(b.x0, at, b.x1-b.x0, high), fmt.Sprintf("%s × %s", thousands(counts[kind]), looks[string(kind)]))
		at += high
	}
	d.shape("g-edge", rect(b.x0, y, b.x1-b.x0, barHeight), "")
}

func title(what, says string) string {
	if says == "" {
		return what
	}
	return what + ": " + says
}

// crowd is one mark, or several of a kind at nearly the same place.
type crowd struct {
	x     float64
	marks []Mark
}

// marks draws one row of marks about y, with as many of their words as fit.
func (d *drawing) marks(list []Mark, y float64) {
	crowds := d.crowds(list)
	line := &row{left: axisLeft - 8, right: boxWidth}
	for _, c := range crowds {
		line.take(c.x-markReach, c.x+markReach)
		kind := c.marks[0].Kind
		d.used[string(kind)] = true
		d.over("m-"+string(kind), markPath(kind, c.x, y), c.title())
	}
	for _, c := range crowds {
		for _, text := range c.words() {
			words := templates.Words{Class: "t", Y: y + 4, Text: text, Wide: width(text)}
			if placed, ok := line.put(words, right(c.x+markReach+3), left(c.x-markReach-3)); ok {
				d.Words = append(d.Words, placed)
				break
			}
		}
	}
}

// crowds groups marks that would touch; those of two kinds are moved apart.
func (d *drawing) crowds(list []Mark) (crowds []crowd) {
	list = slices.Clone(list)
	slices.SortStableFunc(list, func(a, b Mark) int { return cmp.Compare(a.At, b.At) })
	const reach = 2*markReach + 2
	for _, m := range list {
		x := d.axis.at(m.At)
		n := len(crowds)
		switch {
		case n > 0 && x < crowds[n-1].x+reach && crowds[n-1].marks[0].Kind == m.Kind:
			crowds[n-1].marks = append(crowds[n-1].marks, m)
			continue
		case n > 1 && x < crowds[n-1].x+reach && crowds[n-2].marks[0].Kind == m.Kind && x < crowds[n-2].x+2*reach:
			crowds[n-2].marks = append(crowds[n-2].marks, m)
			continue
		case n > 0:
			x = max(x, crowds[n-1].x+reach)
		}
		crowds = append(crowds, crowd{x: x, marks: []Mark{m}})
	}
	return crowds
}

// words are what may stand beside a crowd, the fullest first.
func (c crowd) words() (list []string) {
	if n := len(c.marks); n > 1 {
		many := "× " + thousands(n)
		if same := c.same(); same != "" {
			list = append(list, many+" "+short(same, longestLabel))
		}
		return append(list, many)
	}
	if says := short(c.marks[0].Says, longestLabel); says != "" {
		return []string{says}
	}
	return nil
}

// same is what all marks of a crowd say, or "".
func (c crowd) same() string {
	for _, m := range c.marks {
		if m.Says != c.marks[0].Says {
			return ""
		}
	}
	return c.marks[0].Says
}

func (c crowd) title() string {
	var list []string
	for _, m := range c.marks[:min(len(c.marks), 5)] {
		if m.Says != "" {
			list = append(list, short(m.Says, 80))
		}
	}
	if more := len(c.marks) - 5; more > 0 && len(list) > 0 {
		list = append(list, thousands(more)+" more")
	}
	return strings.Join(list, "; ")
}
