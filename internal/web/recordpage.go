package web

import (
	"fmt"
	"net/url"
	"strconv"
	"strings"

	"countersign/internal/model"
	"countersign/internal/store"
	"countersign/web/templates"
)

// recordPage is the part of a long record that one page shows. The address names
// the row behind which it begins, so that a page stays what it is while newer
// rows come; a name that is not there is the first page.
type recordPage[R any] struct {
	rows []R
	rest int  // how many are older
	deep bool // it begins behind the newest
}

// recordPages are the attempts and the evidence that the page of an intent shows.
type recordPages struct {
	attempts recordPage[model.Attempt]
	evidence recordPage[model.Evidence]
}

// newestRecord is what stands there at first: all of it is in the outline.
func newestRecord(c *model.Case) (r recordPages) {
	r.attempts.rows, r.attempts.rest = store.NewestAttempts(c, shownAttempts)
	r.evidence.rows, r.evidence.rest = store.NewestEvidence(c, shownEvidence)
	return r
}

// read puts the older rows in place that the address asks for.
func (r *recordPages) read(tx *store.Tx, c *model.Case, q url.Values) error {
	*r = newestRecord(c)
	var parts []func() error
	if step, number, ok := attemptNamed(q.Get("attempts")); ok {
		parts = append(parts, func() error {
			rows, rest, err := tx.OlderAttempts(c, step, number, shownAttempts)
			r.attempts = r.attempts.orOlder(rows, rest)
			return err
		})
	}
	if id := legible(q.Get("evidence")); id != "" && store.Searchable(id) {
		parts = append(parts, func() error {
			rows, rest, err := tx.OlderEvidence(c, id, shownEvidence)
			r.evidence = r.evidence.orOlder(rows, rest)
			return err
		})
	}
	return tx.Together(parts...)
}

func (p recordPage[R]) orOlder(rows []R, rest int) recordPage[R] {
	if len(rows) == 0 {
		return p
	}
	return recordPage[R]{rows, rest, true}
}

// attemptName is an attempt's place on the page, and its name in the address.
func attemptName(a model.Attempt) string { return fmt.Sprintf("attempt-%s-%d", a.Step, a.Number) }

func attemptNamed(name string) (step string, number int, ok bool) {
	text, ours := strings.CutPrefix(name, "attempt-")
	at := strings.LastIndexByte(text, '-')
	if !ours || at < 0 {
		return "", 0, false
	}
	number, err := strconv.Atoi(text[at+1:])
	return text[:at], number, err == nil && number > 0 && number <= 1<<30
}

// more links to the older rows, and from a deep page back to the newest; last is
// the name of the page's last row.
func (p recordPage[R]) more(intent, what, last string) *templates.More {
	address := "/intents/" + intent
	more := &templates.More{Before: say(grouped(int64(p.rest)), " older.")}
	if p.deep {
		more.Before = say(templates.Link(address+"#"+what, "The newest"), ". ", more.Before)
	}
	switch {
	case p.rest > 0:
		more.Href, more.Label = address+"?"+url.Values{what: {last}}.Encode()+"#"+what, "Older "+what
	case p.deep:
		more.Before, more.Href, more.Label = say("These are the oldest."), address+"#"+what, "The newest"
	default:
		return nil
	}
	return more
}

// unbroken are a step's attempts without a gap before the newest: in an outline
// the newest ones alone.
func unbroken(list []model.Attempt) []model.Attempt {
	at := len(list) - 1
	for at > 0 && list[at-1].Number == list[at].Number-1 {
		at--
	}
	return list[max(at, 0):]
}
