// Package timeline draws what happened to one intent: it turns moments into
// places. It reads nothing, knows no clock and writes no markup; the page's
// template shows what it has placed.
//
// The axis is cut where nothing happened for long, and a cut says for how long:
// seconds of sends and days of waiting are both legible on one line. What lies
// too close together is drawn as one mark with its number, so that a drawing
// has a bounded size however much happened.
package timeline

import "time"

// History is what is drawn. All moments are microseconds UTC.
type History struct {
	Now     int64          // the moment of the page; 0 where it is not in view
	Zone    *time.Location // of the labels; nil is UTC
	Lanes   []Lane
	Moments []Moment
}

// Lane is one step, or the people's acts about the whole intent.
type Lane struct {
	Name, Class string
	Idle        string // said in place of marks where nothing happened yet
	Bars        []Bar
	Spans       []Span
	Marks       []Mark
}

// BarKind is what an attempt came to.
type BarKind string

// The kinds of bar. Each has a shape, a pattern and a colour of its own.
const (
	Done     BarKind = "ok"
	Accepted BarKind = "acc"
	Unknown  BarKind = "unk"
	Refused  BarKind = "stop"
	Open     BarKind = "run" // still under way
)

// barKinds lists them in the order in which a group stacks them.
var barKinds = []BarKind{Unknown, Refused, Accepted, Done, Open}

// Bar is one attempt, or several that the caller has counted together.
type Bar struct {
	From, To int64 // To is the present moment while it is open
	Kind     BarKind
	Number   int    // of the first
	Count    int    // 0 and 1 are one
	Says     string // in a word or two: "reset"
}

// SpanKind is what a step was while nothing definite was known.
type SpanKind string

// The kinds of span.
const (
	UnknownSince SpanKind = "unknown"
	Settling     SpanKind = "settling"
)

// Span is a time in which a step's effect was not certain.
type Span struct {
	From, To int64
	Kind     SpanKind
}

// MarkKind is what a mark stands for.
type MarkKind string

// The kinds of mark.
const (
	Check  MarkKind = "check"  // a query
	Hook   MarkKind = "hook"   // a webhook
	Paper  MarkKind = "paper"  // a bank file, or an answer that came late
	Person MarkKind = "person" // what a person did
)

// Mark is something at one moment.
type Mark struct {
	At   int64
	Kind MarkKind
	Says string // short, or ""
}

// Moment is a line through all lanes: a promise's end.
type Moment struct {
	At   int64
	Says string
}

// moments lists every moment at which something is drawn, in no order.
func (h History) moments() []int64 {
	var list []int64
	for _, lane := range h.Lanes {
		for _, b := range lane.Bars {
			list = append(list, b.From, max(b.To, b.From))
		}
		for _, s := range lane.Spans {
			list = append(list, s.From, max(s.To, s.From))
		}
		for _, m := range lane.Marks {
			list = append(list, m.At)
		}
	}
	for _, m := range h.Moments {
		list = append(list, m.At)
	}
	if h.Now != 0 {
		list = append(list, h.Now)
	}
	return list
}
