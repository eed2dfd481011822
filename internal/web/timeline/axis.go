package timeline

import (
	"slices"
	"time"

	"countersign/internal/model"
)

// The axis: its two ends, the room of a cut, and the least room of a stretch
// between two cuts, in the drawing's units.
const (
	axisLeft   = 164.0
	axisRight  = 1190.0
	cutWidth   = 84.0
	leastWidth = 48.0
	maxCuts    = 6
)

// A gap is cut out when it is much longer than the others are on average, is a
// good part of what is left of the axis, and is worth a mark at all.
const (
	cutTimesMean = 4
	cutShare     = 0.3
	leastCut     = time.Minute
)

// stretch is a part of the axis without a cut. Within it, time is linear.
type stretch struct {
	from, to int64
	x0, x1   float64
	events   int
}

// axis places moments.
type axis struct {
	stretches []stretch
}

// newAxis makes the axis of a set of moments, of which there is at least one.
func newAxis(moments []int64) axis {
	moments = slices.Clone(moments)
	slices.Sort(moments)
	a := axis{stretches: split(moments, cuts(slices.Compact(slices.Clone(moments))))}
	a.place()
	return a
}

// gap is a time without events, between two moments that follow each other.
type gap struct{ from, length int64 }

// cuts chooses the gaps that are cut out, by their beginnings.
func cuts(moments []int64) map[int64]bool {
	var gaps []gap
	for i := 1; i < len(moments); i++ {
		gaps = append(gaps, gap{moments[i-1], moments[i] - moments[i-1]})
	}
	slices.SortStableFunc(gaps, func(a, b gap) int { return int(min(max(b.length-a.length, -1), 1)) })
	left := moments[len(moments)-1] - moments[0]
	chosen := map[int64]bool{}
	for i, g := range gaps {
		others := int64(len(gaps) - i - 1)
		mean := int64(0)
		if others > 0 {
			mean = (left - g.length) / others
		}
		long := g.length > leastCut.Microseconds() && float64(g.length) > cutShare*float64(left) && g.length > cutTimesMean*mean
		if !long || others == 0 && i == 0 || len(chosen) == maxCuts {
			break
		}
		chosen[g.from] = true
		left -= g.length
	}
	return chosen
}

// split makes the stretches between the cuts. moments are sorted, and may repeat.
func split(moments []int64, cut map[int64]bool) []stretch {
	list := []stretch{{from: moments[0], to: moments[0]}}
	for i, at := range moments {
		if i > 0 && at != moments[i-1] && cut[moments[i-1]] {
			list = append(list, stretch{from: at})
		}
		last := &list[len(list)-1]
		last.to = at
		last.events++
	}
	return list
}

// place gives every stretch its room: half by how long it lasted, half by how
// much happened in it, and never too little for a label.
func (a *axis) place() {
	var lasted int64
	events := 0
	for _, s := range a.stretches {
		lasted += s.to - s.from
		if s.to > s.from { // a single moment needs no more than the least
			events += s.events
		}
	}
	n := float64(len(a.stretches))
	free := axisRight - axisLeft - (n-1)*cutWidth - n*leastWidth
	x := axisLeft
	for i := range a.stretches {
		s := &a.stretches[i]
		share := 0.0
		if lasted > 0 && s.to > s.from {
			share = 0.5*float64(s.to-s.from)/float64(lasted) + 0.5*float64(s.events)/float64(events)
		}
		s.x0, s.x1 = x, x+leastWidth+free*share
		x = s.x1 + cutWidth
	}
}

// at places a moment. One inside a cut lies at its beginning, since nothing is
// drawn there.
func (a axis) at(moment int64) float64 {
	for i := len(a.stretches) - 1; i >= 0; i-- {
		s := a.stretches[i]
		if moment < s.from {
			continue
		}
		if s.to == s.from { // a single moment stands in the middle of its room
			return (s.x0 + s.x1) / 2
		}
		return s.x0 + (s.x1-s.x0)*float64(min(moment, s.to)-s.from)/float64(s.to-s.from)
	}
	return a.stretches[0].x0
}

// cut is a place where the axis leaves time out.
type cut struct {
	x0, x1 float64
	says   string
}

func (a axis) cuts() (list []cut) {
	for i := 1; i < len(a.stretches); i++ {
		before, after := a.stretches[i-1], a.stretches[i]
		lasted := time.Duration(after.from-before.to) * time.Microsecond
		list = append(list, cut{before.x1, after.x0, Lasting(lasted)})
	}
	return list
}

// Lasting is a length of time as a cut says it: "50 min", "2 d 4 h".
func Lasting(d time.Duration) string {
	if d >= 48*time.Hour {
		days, hours := int(d.Hours())/24, int(d.Hours())%24
		text := model.Lasting(time.Duration(days) * 24 * time.Hour)
		if hours > 0 && days < 10 {
			text = text[:len(text)-len(" days")] + " d " + model.Lasting(time.Duration(hours)*time.Hour)
		}
		return text
	}
	if d >= 10*time.Minute {
		d = d.Round(time.Minute)
	}
	return model.Lasting(d)
}
