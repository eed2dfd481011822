package store

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"countersign/internal/model"
)

// Search limits: longer text is no key of ours, and more rows are no answer.
const (
	maxSearch = 255
	MaxFound  = 200
)

// Searchable reports whether a text can be anything that Search finds.
func Searchable(text string) bool {
	return text != "" && len(text) <= maxSearch && utf8.ValidString(text) && strings.IndexFunc(text, unicode.IsControl) < 0
}

// lookup is one way of finding intents, answered by an index: exactly or by the
// beginning of a text, never by what stands inside it.
type lookup struct {
	query string
	args  []any
}

// upTo is the lookup as a table of at most n rows.
func (l lookup) upTo(n int) lookup {
	return lookup{"(SELECT * FROM (" + l.query + ") AS found LIMIT ?) AS part", append(l.args[:len(l.args):len(l.args)], n)}
}

// ways are all the ways in which a text may name intents.
type ways struct {
	exact  []lookup // keys, ids and references: few rows by their nature
	begins []lookup // what begins so, has that amount or goes there: any number of rows
	words  nameWords
}

// waysOf finds out what a text may be.
func waysOf(text string, accounts []string) (w ways) {
	named := pasted(text)
	key, name := visible(named), folded(named)
	w.exact = exactly(key, visible(text))
	w.begins = append(begun(key, accounts), byIntentID(key)...)
	if name != "" {
		w.begins = append(w.begins, byName(name, accounts))
	}
	w.begins = append(append(w.begins, byContact(key, accounts)), byAmount(text, accounts)...)
	w.words = wordsOf(name, accounts)
	return w
}

// visible leaves out what a paste carries along unseen: spaces of no width, soft
// hyphens, marks of direction.
func visible(text string) string {
	return strings.Map(func(r rune) rune {
		if unicode.Is(unicode.Cf, r) {
			return -1
		}
		return r
	}, text)
}

// exactly are the lookups of a text that is the whole of a key, id or reference.
// Those that are made here are found in letters of any case. link is
// the text with the address around it: it may be a document's.
func exactly(text, link string) (list []lookup) {
	small, id := strings.ToLower(text), madeHere(text)
	add := func(query string, args ...any) { list = append(list, lookup{query, args}) }
	add("SELECT id FROM intents WHERE key = ?", text)
	add("SELECT intent_id AS id FROM steps WHERE wire_key IN (?, ?) AND wire_key <> ''", text, small)
	add("SELECT intent_id AS id FROM generations WHERE wire_key IN (?, ?)", text, small)
	add("SELECT intent_id AS id FROM steps WHERE external_ref = ? AND external_ref <> ''", text)
	add(seenAs, text, text)
	add("SELECT intent_id AS id FROM webhook_work WHERE event_id = ?", text)
	add("SELECT intent_id AS id FROM attempts WHERE request_id IN (?, ?) AND request_id <> ''", text, id)
	add("SELECT intent_id AS id FROM evidence WHERE document IN (?, ?) AND document <> ''", link, "upload:"+id)
	add("SELECT intent_id AS id FROM evidence WHERE id = ?", id)
	add("SELECT intent_id AS id FROM previews WHERE id = ?", id)
	add("SELECT intent_id AS id FROM approvals WHERE id = ?", id)
	add("SELECT intent_id AS id FROM bulk_items WHERE bulk_id = ?", id)
	add("SELECT intent_id AS id FROM audit_entries WHERE id = ?", id)
	if number, ok := auditNumber(link); ok {
		add("SELECT intent_id AS id FROM audit_log WHERE idx = ?", number)
	}
	return list
}

// madeHere is an id of ours as it is kept, in whatever letters it came: the prefix
// small, what NewID made behind it in capitals.
func madeHere(text string) string {
	prefix, rest, _ := strings.Cut(text, "-")
	return strings.ToLower(prefix) + "-" + strings.ToUpper(rest)
}

// auditNumber reads the number of an audit entry as pages show it, "Audit number
// 4,229", or as it is written otherwise: "#4229", or in the address of its page.
func auditNumber(text string) (number int64, ok bool) {
	bare := strings.ToLower(pasted(text))
	for _, label := range []string{"audit", "entry", "number", "#"} {
		bare = strings.TrimSpace(strings.TrimPrefix(bare, label))
	}
	if grouped.MatchString(bare) {
		bare = strings.ReplaceAll(bare, ",", "")
	}
	number, err := strconv.ParseInt(bare, 10, 64)
	return number, err == nil && number >= 0
}

// grouped is a number with the marks between its thousands.
var grouped = regexp.MustCompile(`^[0-9]{1,3}(,[0-9]{3})+$`)

// seenAs goes from each intent whose evidence names an object to the next: a
// step that was looked at a thousand times is one row. It counts its own steps:
// a recursion goes to its end, however few of its rows are wanted.
var seenAs = fmt.Sprintf(`SELECT id FROM (WITH RECURSIVE seen (id, n) AS (SELECT min(intent_id), 1 FROM evidence WHERE ref = ? AND ref <> '' UNION ALL
	SELECT (SELECT min(intent_id) FROM evidence WHERE ref = ? AND ref <> '' AND intent_id > seen.id), n + 1 FROM seen WHERE seen.id IS NOT NULL AND n <= %d)
	SELECT id FROM seen WHERE id IS NOT NULL) AS by_evidence`, MaxFound)

// begun are the lookups of a text with which a key or the payee's reference begins.
func begun(text string, accounts []string) []lookup {
	in := " IN (" + marks(len(accounts)) + ")"
	args := append(anys(accounts), text, prefixEnd(text))
	return []lookup{{"SELECT id FROM intents WHERE account" + in + " AND payee_ref >= ? AND payee_ref < ?", args},
		{"SELECT id FROM intents WHERE account" + in + " AND kind IN ('payout', 'statement', 'dispute', 'compensation') AND key >= ? AND key < ?", args}}
}

// enoughOfID is how much of an intent id finds it; less would be half the table.
const (
	idPrefix   = "intent-"
	enoughOfID = len(idPrefix) + 5
)

// byIntentID finds by an intent id or its beginning, alone or in what is made of
// it: a step key, the id of a mail, a line of a letter.
func byIntentID(text string) []lookup {
	text = strings.ToLower(text)
	_, id, ok := strings.Cut(text, idPrefix)
	if !ok {
		id = text
	}
	behind := strings.TrimLeftFunc(id, inID)
	id = idPrefix + strings.TrimSuffix(id, behind)
	if len(id) < enoughOfID || !ok && behind != "" && behind[0] != ':' {
		return nil
	}
	return []lookup{{"SELECT id FROM intents WHERE id >= ? AND id < ?", []any{id, prefixEnd(id)}}}
}

// inID reports whether a letter may stand in an intent id behind its prefix.
func inID(r rune) bool { return '0' <= r && r <= '9' || 'a' <= r && r <= 'z' }

// query unites the ways; each gives a bounded number of ids.
func (w ways) query(f ListFilter) (query string, args []any) {
	var parts []string
	for _, l := range append(append(w.exact, w.begins...), w.words.lookups()...) {
		l = l.upTo(MaxFound + 1)
		parts, args = append(parts, "SELECT id FROM "+l.query), append(args, l.args...)
	}
	rest, restArgs := f.rest(arrangement{})
	query = "SELECT " + rowColumns + " FROM intents WHERE id IN (" + strings.Join(parts, " UNION ALL ") + ") AND (account || '') IN (" + marks(len(f.Accounts)) + ")" +
		rest + " ORDER BY created_at DESC, id LIMIT ?"
	return query, append(append(append(args, anys(f.Accounts)...), restArgs...), MaxFound+1)
}

// crowdedQuery asks whether more begins with the text than is looked at, so that
// what is found may not be all.
func (w ways) crowdedQuery() (query string, args []any) {
	var either []string
	for _, l := range w.begins {
		l = l.upTo(MaxFound + 1)
		either, args = append(either, "(SELECT count(*) FROM "+l.query+") > ?"), append(append(args, l.args...), MaxFound)
	}
	if every, more := w.words.crowded(); every != "" {
		either, args = append(either, every), append(args, more...)
	}
	return "SELECT CASE WHEN " + strings.Join(either, " OR ") + " THEN 1 ELSE 0 END AS crowded", args
}

// Search finds intents by what somebody was given: an intent id or its
// beginning, alone or in a step key, a mail's Message-ID or a sentence; an intent
// key or its beginning; a wire key; a provider's reference or event, one that
// only evidence names too; a document's link; a request id; the id of a preview,
// request for approval, list, upload, evidence or audit entry, an entry's number;
// an address of this console; the beginning of the payee's reference; the account
// or e-mail address to which it pays or writes; an amount, however it is written,
// with its currency or without; and the payee's name, by the beginnings of its
// words in any order, whatever its accents. Newest first, finished work too. Of the filter, order and position
// are ignored. more tells that there are or may be further ones.
func (t *Tx) Search(text string, f ListFilter) (rows []model.Intent, more bool, err error) {
	if !Searchable(text) || visible(text) == "" || len(f.Accounts) == 0 {
		return nil, false, nil
	}
	w := waysOf(text, f.Accounts)
	query, args := w.query(f)
	crowdedQuery, crowdedArgs := w.crowdedQuery()
	var crowded bool
	err = t.Together(
		func() error { return t.Select(&rows, query, args...) },
		func() error { _, err := t.Get(&crowded, crowdedQuery, crowdedArgs...); return err })
	if err != nil {
		return nil, false, err
	}
	if len(rows) > MaxFound {
		return rows[:MaxFound], true, nil
	}
	return rows, crowded, nil
}
