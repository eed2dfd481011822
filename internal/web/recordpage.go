package web

import (
	"net/url"
	"slices"

	"countersign/web/templates"
)

// recordPage is the part of a long record that one page shows, with a link to the older ones and one back to the newest.
// The address names the row behind which the page begins, so that a page stays
// what it is while newer rows come; a name that is not there is the first page.
func recordPage[R any](intent, what string, rows []R, name func(R) string, q url.Values, size int) ([]R, *templates.More) {
	from := 1 + slices.IndexFunc(rows, func(row R) bool { return q.Get(what) != "" && name(row) == q.Get(what) })
	page := rows[from:]
	rest := len(page) - size
	if rest > 0 {
		page = page[:size]
	}
	address := "/intents/" + intent
	more := templates.More{Before: say(grouped(int64(max(rest, 0))), " older.")}
	if from > 0 {
		more.Before = say(templates.Link(address+"#"+what, "The newest"), ". ", more.Before)
	}
	switch {
	case rest > 0:
		more.Href, more.Label = address+"?"+url.Values{what: {name(page[size-1])}}.Encode()+"#"+what, "Older "+what
		return page, &more
	case from > 0:
		return page, &templates.More{Before: say("These are the oldest."), Href: address + "#" + what, Label: "The newest"}
	}
	return page, nil
}
