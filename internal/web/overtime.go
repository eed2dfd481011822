package web

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"countersign/internal/audit"
	"countersign/internal/model"
	"countersign/internal/store"
	"countersign/internal/web/timeline"
	"countersign/web/templates"
)

// shownEvents is how many rows the drawing's table has at most.
const shownEvents = 20

// overTime shows what happened, as a drawing and as a table of the same.
// logged are the newest of people's acts that only the log tells, of all.
func (n narrator) overTime(logged []audit.Item, all store.Counted) templates.TimelineView {
	since, first := drawnSince(n.c), n.firstSend()
	n.c = recent(n.c, since)
	acts := n.acts(logged)
	told := len(acts)
	acts = slices.DeleteFunc(acts, func(a act) bool { return a.at < since })
	h := timeline.History{Zone: n.clock.Zone}
	if !n.c.State.Final() || n.c.Uncertain != 0 {
		h.Now = int64(n.now())
	}
	for i, s := range n.c.Steps {
		h.Lanes = append(h.Lanes, n.lane(s, i, acts))
		h.Moments = append(h.Moments, n.promises(s)...)
	}
	if marks := actMarks(acts, ""); len(marks) > 0 {
		h.Lanes = append(h.Lanes, timeline.Lane{Name: "people", Class: "the whole " + n.c.Kind, Marks: marks})
	}
	h = cutOff(h, int64(since))
	if !happenedAnything(h) {
		return templates.TimelineView{}
	}
	v := templates.TimelineView{Drawing: timeline.Draw(h), Rows: n.eventRows(acts), Caption: "oldest first"}
	v.Drawing.Label = n.drawnWords()
	v.Zone = say("Times in ", n.clock.ZoneHead(), ". The axis is not to one scale: each stretch has its own.")
	if since > 0 {
		v.Zone = say(v.Zone, " It begins ", n.at(since), ": what was before is in the tables of attempts and of evidence.")
	}
	older := store.Counted{N: max(all.N-len(logged), 0) + told - len(acts), Capped: all.Capped}
	if n := len(v.Rows) - shownEvents; n > 0 {
		v.Rows, older.N = v.Rows[n:], older.N+n
	}
	for _, s := range n.c.Steps {
		older.N += s.Left.Attempts + s.Left.Evidence
	}
	if older.N > 0 {
		between := n.beginAt(first, &v, &older)
		v.Note = n.whereOlder(older, between, told > 0)
	}
	return v
}

// send is one attempt of a step.
type send struct {
	step    *model.Step
	attempt model.Attempt
}

// firstSend is what the record begins with towards the outside, or nil.
func (n narrator) firstSend() (first *send) {
	for _, s := range n.c.Steps {
		if !s.Class.Effect() || len(s.Attempts) == 0 {
			continue
		}
		if a := s.Attempts[0]; first == nil || a.StartedAt < first.attempt.StartedAt {
			first = &send{s, a}
		}
	}
	return first
}

// beginAt puts the first send before the rows that are shown, in the place of the
// oldest, unless it is one of them: a record is not read from its middle. where is
// where the rows that are left out stand.
func (n narrator) beginAt(first *send, v *templates.TimelineView, older *store.Counted) (where string) {
	if first == nil || len(v.Rows) == 0 || first.attempt.StartedAt >= model.Time(v.Rows[0].At.At) {
		return "older"
	}
	if len(v.Rows) < shownEvents {
		older.N-- // it is shown after all, and takes nobody's place
	}
	v.Rows = append([]templates.TimelineRow{n.attemptEvent(first.step, first.attempt)}, v.Rows[max(len(v.Rows)+1-shownEvents, 0):]...)
	v.Caption = "the first send, then the newest " + counted(len(v.Rows)-1, "row")
	return "between them"
}

// whereOlder says where that is listed which the drawing or its table leaves out.
func (n narrator) whereOlder(older store.Counted, between string, people bool) templates.Text {
	text := say(count(older), " "+between+" are left out here; they are in the tables of attempts and of evidence")
	if people {
		text = say(text, "; what people did is among ", templates.Link("/audit?intent="+n.c.ID, "all entries of this intent"))
	}
	return say(text, ".")
}

// happenedAnything reports whether there is anything to draw but promises.
func happenedAnything(h timeline.History) bool {
	return slices.ContainsFunc(h.Lanes, func(l timeline.Lane) bool { return len(l.Bars)+len(l.Spans)+len(l.Marks) > 0 })
}

func (n narrator) lane(s *model.Step, i int, acts []act) timeline.Lane {
	l := timeline.Lane{Name: s.Name, Class: classWords(&model.Step{Class: s.Class}), Spans: n.spans(s), Marks: append(seenMarks(s), actMarks(acts, s.Name)...)}
	for _, a := range s.Attempts {
		l.Bars = append(l.Bars, n.bar(s, a))
	}
	switch {
	case s.State == model.NotNeeded:
		l.Idle = "not needed"
	case s.State == model.Pending && i > 0 && s != n.c.Unfinished():
		l.Idle = "waits for " + n.c.Steps[i-1].Name
	case s.State == model.Pending:
		l.Idle = "nothing was sent yet"
		if !s.Class.Effect() {
			l.Idle = "not done yet"
		}
	}
	return l
}

// barKinds are the forms of attempts that ended; the others are refusals.
var barKinds = map[model.Result]timeline.BarKind{model.ResultDone: timeline.Done, model.ResultConfirmed: timeline.Done,
	model.ResultAccepted: timeline.Accepted, model.ResultUnknown: timeline.Unknown}

func (n narrator) bar(s *model.Step, a model.Attempt) timeline.Bar {
	b := timeline.Bar{From: int64(a.StartedAt), To: int64(a.FinishedAt), Number: a.Number, Kind: timeline.Refused}
	if kind, ok := barKinds[a.Result]; ok {
		b.Kind = kind
	}
	if a.FinishedAt == 0 {
		b.Kind, b.To = timeline.Open, int64(n.now())
	}
	if s.Class.Effect() {
		b.Says = endedWith(a)
	}
	return b
}

// seenMarks are what was observed of a step without a send of ours.
func seenMarks(s *model.Step) (list []timeline.Mark) {
	for _, e := range s.Evidence {
		m := timeline.Mark{At: int64(e.At), Says: e.Status}
		if e.Status == "" && e.Says != model.Inconclusive {
			m.Says = words(string(e.Says))
		}
		switch e.Source {
		case model.FromQuery:
			m.Kind = timeline.Check
		case model.FromWebhook:
			m.Kind = timeline.Hook
		case model.FromBankFile:
			m.Kind, m.Says = timeline.Paper, "bank file: "+words(string(e.Says))
		case model.FromLate:
			m.Kind, m.Says = timeline.Paper, fmt.Sprintf("late answer of attempt %d", e.Attempt)
		default: // an attempt has its bar, a person's mark is an act
			continue
		}
		list = append(list, m)
	}
	return list
}

// turn is a moment from which a step was certain, unknown or settling.
type turn struct {
	at   model.Time
	kind timeline.SpanKind // "" is certain
}

// spans are the times in which the outcome of a step was not certain, as its
// attempts and its evidence tell; how it stands now has the last word.
func (n narrator) spans(s *model.Step) (list []timeline.Span) {
	if !s.Class.Effect() {
		return nil
	}
	present := turn{at: s.ChangedAt}
	switch {
	case s.State == model.OutcomeUnknown:
		present.kind = timeline.UnknownSince
	case s.Settling:
		present.kind = timeline.Settling
	}
	turns := turnsOf(s)
	if len(turns) == 0 && present.kind == "" {
		return nil
	}
	if len(turns) == 0 || turns[len(turns)-1].kind != present.kind {
		turns = append(turns, present)
	}
	for i, t := range turns {
		end := n.now()
		if i+1 < len(turns) {
			end = turns[i+1].at
		}
		if t.kind != "" && end >= t.at {
			list = append(list, timeline.Span{From: int64(t.at), To: int64(end), Kind: t.kind})
		}
	}
	return list
}

// turnsOf reads them from the record, in the order of time.
func turnsOf(s *model.Step) (turns []turn) {
	var all []turn
	for _, a := range s.Attempts {
		switch a.Result {
		case model.ResultUnknown:
			all = append(all, turn{a.FinishedAt, timeline.UnknownSince})
		case model.ResultAccepted:
			all = append(all, turn{a.FinishedAt, timeline.Settling})
		case model.ResultConfirmed:
			all = append(all, turn{at: a.FinishedAt})
		}
	}
	for _, e := range s.Evidence {
		switch {
		case e.Says == model.Happened, e.Says == model.DidNotHappen:
			all = append(all, turn{at: e.At})
		case e.Source == model.FromQuery && e.Says == model.Inconclusive && e.Ref != "" && !e.Final:
			all = append(all, turn{e.At, timeline.Settling})
		}
	}
	slices.SortStableFunc(all, func(a, b turn) int { return cmp.Compare(a.at, b.at) })
	certain := timeline.SpanKind("")
	for _, t := range all {
		if t.kind != certain {
			turns, certain = append(turns, t), t.kind
		}
	}
	return turns
}

// promises are the ends of promises that still matter for a step.
func (n narrator) promises(s *model.Step) (list []timeline.Moment) {
	if s.Settling && s.SettlesBy != 0 {
		list = append(list, timeline.Moment{At: int64(s.SettlesBy), Says: "settles by " + n.at(s.SettlesBy).Brief()})
	}
	if s.State != model.OutcomeUnknown || s.ExternalRef != "" || n.object(s) != nil {
		return list
	}
	if at, ok := n.c.NotFoundFinalAt(s); ok {
		list = append(list, timeline.Moment{At: int64(at), Says: "“not found” is final from " + n.at(at).Brief()})
	}
	if until, ok := s.SafeUntil(n.timing.Call); ok && !n.stopped() {
		list = append(list, timeline.Moment{At: int64(until), Says: "safe to send again until " + n.at(until).Brief()})
	}
	return list
}

// drawnWords say what the drawing shows, for whoever does not see it.
func (n narrator) drawnWords() string {
	list := []string{"One lane per step."}
	for _, s := range n.c.Steps {
		if len(s.Attempts) == 0 && len(s.Evidence) == 0 {
			continue
		}
		text := s.Name + ": " + counted(s.Tried(), "attempt")
		if s.Left.Attempts > 0 {
			text += fmt.Sprintf(", the newest %d of them drawn", len(s.Attempts))
		}
		if count := s.Looks(); count > 0 {
			text += ", " + counted(count, "check")
		}
		text += ", now " + stateWords(stepState(s))
		if s.State == model.OutcomeUnknown {
			text += " since " + n.at(s.UncertainSince).Of("2 Jan 15:04:05 -07:00")
		}
		list = append(list, text+".")
	}
	return strings.Join(list, " ") + " The table below says the same."
}
