package audit

import (
	"strings"

	"countersign/internal/store"
)

// Show selects entries by what they are.
type Show string

// What entries may be. ByPeople leaves out people's signing in and out, which
// would hide what they did.
const (
	Everybody Show = ""
	ByPeople  Show = "people"
	Refusals  Show = "refusals" // refused or denied, to people and to keys
)

// People's ids begin with peopleFrom, and end before peopleTo.
const (
	peopleFrom = "person-"
	peopleTo   = "person."
)

// refusal reports whether an event says that something was not done.
func refusal(event string) bool {
	return strings.HasSuffix(event, ".denied") || strings.HasSuffix(event, ".refused")
}

// splitShow turns a filter of one account into one for each event or each
// person that it shows, so that an index answers each in order.
func (f Filter) splitShow(tx *store.Tx, account string) (parts []Filter, err error) {
	switch {
	case f.Show == Refusals && f.Event == "":
		events, err := eventsOf(tx, account, "", "~")
		for _, event := range events {
			if refusal(event) {
				part := f
				part.Event, part.Show = event, Everybody
				parts = append(parts, part)
			}
		}
		return orNothing(parts), err
	case f.Show == ByPeople && f.Actor == "":
		var people []string
		if err := tx.Select(&people, actorsQuery, account, peopleFrom, peopleTo, account, peopleTo, maxParts+1); err != nil {
			return nil, err
		}
		for _, person := range people {
			part := f
			part.Actor = person
			parts = append(parts, part)
		}
		return orNothing(parts), nil
	}
	return []Filter{f}, nil
}

// orNothing is the parts, or one that selects no entry.
func orNothing(parts []Filter) []Filter {
	if len(parts) == 0 {
		return []Filter{{}}
	}
	return parts
}

// actorsQuery goes from each actor to the next one in the index.
const actorsQuery = `WITH RECURSIVE actors (actor) AS (
	SELECT min(actor) FROM audit_log WHERE account = ? AND actor > ? AND actor < ? UNION ALL
	SELECT (SELECT min(actor) FROM audit_log WHERE account = ? AND actor > actors.actor AND actor < ?) FROM actors WHERE actors.actor IS NOT NULL)
	SELECT actor FROM actors WHERE actor IS NOT NULL LIMIT ?`

// where is the condition of what is shown, on audit_log g.
func (s Show) where(add func(string, ...any)) {
	switch s {
	case ByPeople:
		add("g.actor > ? AND g.actor < ? AND g.event NOT IN ('signin.ok', 'signin.failed', 'signout')", peopleFrom, peopleTo)
	case Refusals:
		add("(g.event LIKE '%.denied' OR g.event LIKE '%.refused')")
	}
}
