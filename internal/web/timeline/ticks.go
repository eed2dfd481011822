package timeline

import "time"

// steps are the distances that ticks may have.
var steps = []time.Duration{time.Second, 2 * time.Second, 5 * time.Second, 10 * time.Second, 15 * time.Second, 30 * time.Second,
	time.Minute, 2 * time.Minute, 5 * time.Minute, 10 * time.Minute, 15 * time.Minute, 30 * time.Minute,
	time.Hour, 2 * time.Hour, 3 * time.Hour, 6 * time.Hour, 12 * time.Hour, day, 2 * day, 7 * day, 14 * day, 28 * day, 84 * day, 364 * day}

const day = 24 * time.Hour

// tickRoom is the least distance of two ticks, in the drawing's units.
const tickRoom = 84

// tick is a labelled place of the axis.
type tick struct {
	at    int64
	x     float64
	says  string
	first bool // of its stretch
}

// ticks marks each stretch at round moments of the zone's own clock.
func (a axis) ticks(zone *time.Location) (list []tick) {
	for _, s := range a.stretches {
		step := s.step()
		first := len(list)
		for at := round(s.from-1, step, zone); at <= s.to; at = round(at, step, zone) {
			list = append(list, tick{at: at, x: a.at(at)})
		}
		if len(list) == first {
			list = append(list, tick{at: s.from, x: a.at(s.from)})
			step = time.Second
		}
		list[first].first = true
		for i := first; i < len(list); i++ {
			list[i].says = says(list, i, step, zone)
		}
	}
	return list
}

// step is the least distance that leaves room for the labels of a stretch.
func (s stretch) step() time.Duration {
	for _, step := range steps {
		if float64(s.to-s.from)/float64(step.Microseconds())*tickRoom <= s.x1-s.x0 {
			return step
		}
	}
	return steps[len(steps)-1]
}

// round is the next moment after at that is a multiple of step on the zone's
// clock. Where the clocks change in between, it is that of the new offset.
func round(at int64, step time.Duration, zone *time.Location) int64 {
	unit := step.Microseconds()
	before := offset(at, zone)
	next := at - mod(at+before, unit) + unit
	if after := offset(next, zone); after != before && step > time.Hour {
		if moved := next + before - after; moved > at {
			next = moved
		}
	}
	return next
}

func mod(n, unit int64) int64 { return ((n % unit) + unit) % unit }

func offset(at int64, zone *time.Location) int64 {
	_, seconds := time.UnixMicro(at).In(zone).Zone()
	return (time.Duration(seconds) * time.Second).Microseconds()
}

// says labels a tick: the clock, with the date where the day is a new one, and
// with the offset where that has changed.
func says(list []tick, i int, step time.Duration, zone *time.Location) string {
	at := time.UnixMicro(list[i].at).In(zone)
	layout := "15:04"
	if step < time.Minute {
		layout = "15:04:05"
	}
	if i == 0 {
		return at.Format("2 Jan " + layout)
	}
	last := time.UnixMicro(list[i-1].at).In(zone)
	if at.Format(time.DateOnly) != last.Format(time.DateOnly) {
		if step >= day {
			layout = ""
		}
		layout = "2 Jan " + layout
	}
	if at.Format("-07:00") != last.Format("-07:00") {
		layout += " -07:00"
	}
	return at.Format(layout)
}
