package web

import (
	"net/url"
	"strings"
	"unicode"
	"unicode/utf8"

	"countersign/internal/store"
	"countersign/internal/zone"
)

// queueQuery is the address of a list, as it came. State "" is what no approver
// is asked about, stateOpen all open work; zone is that of the days in from and
// until, and stands there so that an address means the same to everybody.
type queueQuery struct {
	text, kind, state, account, currency, min, max, from, until, zone, due, provider, owner, sort, cursor string

	typed     string // the text as it was typed, of which text is what is searched for
	selection string // what is ticked over pages, by id

	at string // the list's own address, where that is not made of the query: a saved view
}

// stateOpen lists all open work, what waits for approvers too.
const stateOpen = "open"

// Values of the filter by deadline.
const (
	duePast = "past"
	dueSoon = "soon"
	dueAny  = "any"
)

func readQueueQuery(q url.Values) queueQuery {
	at := func(name string) string { return legible(strings.TrimSpace(q.Get(name))) }
	query := queueQuery{text: unquoted(q.Get("q")), kind: at("kind"), state: at("state"), account: at("account"), currency: at("currency"), min: at("min"), max: at("max"),
		from: at("from"), until: at("before"), zone: at("zone"), due: at("due"), provider: at("provider"), owner: at("owner"), sort: at("sort"), cursor: at("cursor"), selection: at("selection"), typed: strings.TrimSpace(q.Get("q"))}
	if _, known := zone.Find(query.zone); known && query.from == "" && query.until == "" {
		query.zone = "" // it is of no day; one that is not known is said
	}
	return query
}

// legible keeps what a page can repeat of what came in an address.
func legible(text string) string {
	const longest = 512
	if len(text) > longest {
		text = text[:longest]
	}
	return strings.ToValidUTF8(text, "\uFFFD")
}

// unquoted is a text to search for without what a paste brings along: space,
// seen and unseen, quotes, brackets and the end of a sentence. Where nothing else is left, it is
// the text.
func unquoted(text string) string {
	const around = "\"'`<>()[]{}“”„‟‘’‚‛«»‹›「」"
	frame := func(r rune) bool {
		return unicode.IsSpace(r) || unicode.Is(unicode.Cf, r) || strings.ContainsRune(around, r)
	}
	bare := strings.TrimFunc(strings.TrimRight(strings.TrimFunc(text, frame), ".,;!?"), frame)
	if bare == "" {
		return strings.TrimSpace(text)
	}
	return bare
}

// values are the query's members that are set, but for the place in the list.
func (q queueQuery) values() url.Values {
	values := url.Values{}
	for name, value := range map[string]string{"q": q.text, "kind": q.kind, "state": q.state, "account": q.account, "currency": q.currency, "min": q.min, "max": q.max,
		"from": q.from, "before": q.until, "zone": q.zone, "due": q.due, "provider": q.provider, "owner": q.owner, "sort": q.sort} {
		if value != "" {
			values.Set(name, value)
		}
	}
	return values
}

// address is the list's address, with other values in place of some; "" drops one.
func (q queueQuery) address(changes ...string) string {
	values := q.values()
	for i := 0; i+1 < len(changes); i += 2 {
		values.Del(changes[i])
		if changes[i+1] != "" {
			values.Set(changes[i], changes[i+1])
		}
	}
	if len(values) == 0 {
		return "/"
	}
	return "/?" + values.Encode()
}

// page is the address of another place in the list.
func (q queueQuery) page(cursor string) string {
	if q.at == "" {
		return q.carry(q.address("cursor", cursor))
	}
	return q.carry(q.at + "?" + url.Values{"cursor": {cursor}}.Encode())
}

// here is the address of what is shown.
func (q queueQuery) here() string {
	switch {
	case q.cursor != "":
		return q.page(q.cursor)
	case q.at != "":
		return q.carry(q.at)
	}
	return q.carry(q.address())
}

// plain reports whether nothing is filtered, searched or sorted.
func (q queueQuery) plain() bool { return q.at == "" && q.address() == "/" }

// narrow reports whether the list is of some states, and of them not all that
// matches, by more than its state.
func (q queueQuery) narrow() bool {
	return q.state != store.AnyState && (q.text == "" || q.state != "") && q.address("sort", "", "state", "") != "/"
}

// How much of a text that was searched for is shown, and how much stands in the
// page's controls: these search for it again, so it is cut only where it is longer
// than anything that can be found.
const (
	searchShown = 80
	searchSent  = 255
)

// shown is the text as it was typed, as far as a page repeats it.
func (q queueQuery) shown() string { return upTo(q.typed, searchShown) }

// again is the text for the controls that search for it once more.
func (q queueQuery) again() string { return upTo(q.text, searchSent) }

// upTo is a text that came in an address, up to a number of characters.
func upTo(text string, most int) string {
	text = strings.Map(func(r rune) rune {
		if unicode.IsControl(r) {
			return '\uFFFD'
		}
		return r
	}, strings.ToValidUTF8(text, "\uFFFD"))
	if utf8.RuneCountInString(text) > most {
		text = string([]rune(text)[:most-1]) + "…"
	}
	return text
}

// unsearchable says why a text finds nothing whatever is stored; "" where it can.
func (q queueQuery) unsearchable() string {
	switch {
	case q.text == "" || store.Searchable(q.text):
		return ""
	case !utf8.ValidString(q.text):
		return "It is no text: some of its bytes are no characters."
	case strings.ContainsFunc(q.text, unicode.IsControl):
		return "It holds control characters or line breaks, which no id, key, reference or name has. Paste one of them at a time."
	}
	return "It is " + grouped(int64(len(q.text))) + " bytes long; no id, key, reference or name here is longer than 255. Paste one of them alone."
}
