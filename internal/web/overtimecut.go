package web

import (
	"slices"

	"countersign/internal/model"
	"countersign/internal/store"
	"countersign/internal/web/timeline"
)

// An outline leaves the middle of a long record out. What is drawn begins where
// nothing is left out any more, in every lane: a drawing with a gap would say that
// nothing happened in it.

// drawnSince is the moment from which the outline has everything; 0 is a record
// that is whole.
func drawnSince(c *model.Case) (since model.Time) {
	for _, s := range c.Steps {
		if s.Left.Evidence > 0 {
			since = max(since, s.Evidence[max(len(s.Evidence)-store.OutlineRows, 0)].At)
		}
		if s.Left.Attempts > 0 {
			since = max(since, unbroken(s.Attempts)[0].StartedAt)
		}
	}
	return since
}

// recent is the case with what its record has since a moment; the rest counts as
// left out.
func recent(c *model.Case, since model.Time) *model.Case {
	if since == 0 {
		return c
	}
	whole := *c
	whole.Steps = slices.Clone(c.Steps)
	for i, s := range c.Steps {
		r := *s
		r.Attempts = slices.DeleteFunc(slices.Clone(s.Attempts), func(a model.Attempt) bool { return a.StartedAt < since })
		r.Evidence = slices.DeleteFunc(slices.Clone(s.Evidence), func(e model.Evidence) bool { return e.At < since })
		r.Left.Attempts += len(s.Attempts) - len(r.Attempts)
		r.Left.Evidence += len(s.Evidence) - len(r.Evidence)
		whole.Steps[i] = &r
	}
	return &whole
}

// cutOff is the history from a moment on: what lasts begins there, and promises
// that ended before are none any more.
func cutOff(h timeline.History, since int64) timeline.History {
	for i := range h.Lanes {
		l := &h.Lanes[i]
		l.Spans = slices.DeleteFunc(l.Spans, func(s timeline.Span) bool { return s.To < since })
		for j := range l.Spans {
			l.Spans[j].From = max(l.Spans[j].From, since)
		}
	}
	h.Moments = slices.DeleteFunc(h.Moments, func(m timeline.Moment) bool { return m.At < since })
	return h
}
