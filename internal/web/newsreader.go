package web

import (
	"context"
	"slices"

	"countersign/internal/audit"
	"countersign/internal/model"
	"countersign/internal/store"
)

// newsReader is the one reader of all streams.
type newsReader struct {
	*news
	begun  bool
	last   int64 // index of the last entry read; -1 is none
	recent []audit.News
}

// seen is what one look found.
type seen struct {
	entries  []audit.News
	missed   bool // there were more than are read at once
	versions map[string]int64
	sessions map[string]bool // nil where they were not checked
}

// look reads what is new and tells whom it concerns.
func (r *newsReader) look(ctx context.Context, sessions bool) error {
	list := r.listeners()
	var s seen
	if err := r.db.View(ctx, func(tx *store.Tx) error { return r.read(tx, list, sessions, &s) }); err != nil {
		return err
	}
	r.remember(s.entries)
	for _, one := range list {
		r.pass(one, s)
	}
	return nil
}

func (r *newsReader) read(tx *store.Tx, list []*stream, sessions bool, s *seen) (err error) {
	var intents, ids []string
	for _, one := range list {
		ids = append(ids, one.session)
		if one.intent != "" {
			intents = append(intents, one.intent)
		}
	}
	if s.versions, err = tx.Versions(intents); err != nil {
		return err
	}
	if sessions {
		if s.sessions, err = tx.LiveSessions(ids); err != nil {
			return err
		}
	}
	if r.begun {
		s.entries, err = r.log.News(tx, r.last, newsPerLook)
		s.missed = len(s.entries) == newsPerLook
		return err
	}
	s.entries, err = r.log.Latest(tx, newsPerLook)
	slices.Reverse(s.entries)
	r.begun = err == nil
	return err
}

// remember keeps the newest entries for pages that open their stream a moment
// after they were made.
func (r *newsReader) remember(entries []audit.News) {
	if len(entries) == 0 {
		return
	}
	r.last = entries[len(entries)-1].Index
	r.recent = append(r.recent, entries...)
	r.recent = slices.Clone(r.recent[max(0, len(r.recent)-newsPerLook):])
}

// pass tells one stream what a look found.
func (r *newsReader) pass(one *stream, s seen) {
	entries := s.entries
	if one.since != 0 { // its first look: what happened since the page was made
		entries = slices.DeleteFunc(slices.Clone(r.recent), func(n audit.News) bool { return n.At < one.since })
		one.since = 0
	}
	version := s.versions[one.intent]
	if s.missed || slices.ContainsFunc(entries, one.hears) || one.version != 0 && version != one.version {
		one.tell()
	}
	one.version = version
	if s.sessions != nil && !s.sessions[one.session] {
		r.end(one)
	}
}

// end tells a stream, once, that its session is over.
func (r *newsReader) end(one *stream) {
	select {
	case <-one.ended:
	default:
		close(one.ended)
	}
}

// sinceOf is the moment from which on a page wants news: a little before it was
// made, since an entry is dated by the beginning of its transaction.
func sinceOf(made int64) model.Time { return model.Time(made).Add(-newsSlack) }
