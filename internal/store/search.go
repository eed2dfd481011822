package store

import (
	"net/url"
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

// lookups are the ways in which a text may name intents of the accounts.
func lookups(text string, accounts []string) []lookup {
	text = pasted(text)
	in, list := "("+marks(len(accounts))+")", anys(accounts)
	exact := func(query string) lookup { return lookup{query, []any{text}} }
	began := func(column, begin string) lookup {
		return lookup{"SELECT id FROM intents WHERE account IN " + in + " AND " + column + " >= ? AND " + column + " < ?",
			append(append([]any{}, list...), begin, prefixEnd(begin))}
	}
	found := []lookup{
		exact("SELECT id FROM intents WHERE key = ?"),
		exact("SELECT intent_id AS id FROM steps WHERE wire_key = ? AND wire_key <> ''"),
		exact("SELECT intent_id AS id FROM generations WHERE wire_key = ?"),
		exact("SELECT intent_id AS id FROM steps WHERE external_ref = ? AND external_ref <> ''"),
		exact("SELECT intent_id AS id FROM attempts WHERE request_id = ? AND request_id <> ''"),
		exact("SELECT intent_id AS id FROM previews WHERE id = ?"),
		exact("SELECT intent_id AS id FROM approvals WHERE id = ?"),
		exact("SELECT intent_id AS id FROM bulk_items WHERE bulk_id = ?"),
		{"SELECT intent_id AS id FROM evidence WHERE document = ? AND document <> ''", []any{"upload:" + text}},
		exact("SELECT intent_id AS id FROM audit_entries WHERE id = ?"),
		began("payee_ref", text),
		{"SELECT id FROM intents WHERE account IN " + in + " AND kind IN ('payout', 'statement', 'dispute', 'compensation') AND key >= ? AND key < ?",
			append(append([]any{}, list...), text, prefixEnd(text))},
	}
	if name := cut(folded(text), maxPayeeWord); name != "" {
		found = append(found, lookup{"SELECT intent_id AS id FROM payee_words WHERE account IN " + in + " AND word >= ? AND word < ?",
			append(append([]any{}, list...), name, prefixEnd(name))})
	}
	if number, err := strconv.ParseInt(strings.TrimPrefix(text, "#"), 10, 64); err == nil && number >= 0 {
		found = append(found, lookup{"SELECT intent_id AS id FROM audit_log WHERE idx = ?", []any{number}})
	}
	return append(found, byIntentID(text)...)
}

// pasted takes out of an address of this console what it names.
func pasted(text string) string {
	for _, room := range []string{"/intents/", "/bulk/", "/approvals/", "/previews/", "/uploads/", "/audit/"} {
		if _, rest, ok := strings.Cut(text, room); ok {
			rest, _, _ = strings.Cut(rest, "?")
			rest, _, _ = strings.Cut(rest, "#")
			rest, _, _ = strings.Cut(rest, "/")
			if name, err := url.PathUnescape(rest); err == nil && Searchable(name) {
				return name
			}
		}
	}
	return text
}

// enoughOfID is how much of an intent id finds it; less would be half the table.
const (
	idPrefix   = "intent-"
	enoughOfID = len(idPrefix) + 5
)

// byIntentID finds by an intent id, by its beginning, and by a step key.
func byIntentID(text string) []lookup {
	text, _, _ = strings.Cut(strings.ToLower(text), ":") // a step key begins with its intent's id
	if !strings.HasPrefix(text, idPrefix) && len(text) > len(idPrefix) && bareID(text) {
		text = idPrefix + text
	}
	if !strings.HasPrefix(text, idPrefix) || len(text) < enoughOfID {
		return nil
	}
	return []lookup{{"SELECT id FROM intents WHERE id >= ? AND id < ?", []any{text, prefixEnd(text)}}}
}

// bareID reports whether a text may be an intent id without its prefix.
func bareID(text string) bool {
	return strings.IndexFunc(text, func(r rune) bool { return (r < '0' || r > '9') && (r < 'a' || r > 'z') }) < 0
}

// searchQuery unites the lookups; each gives at most MaxFound ids.
func searchQuery(text string, f ListFilter) (query string, args []any) {
	var parts []string
	for _, l := range lookups(text, f.Accounts) {
		parts = append(parts, "SELECT * FROM ("+l.query+" LIMIT ?) AS part")
		args = append(append(args, l.args...), MaxFound)
	}
	rest, restArgs := f.rest(arrangement{})
	query = "SELECT " + rowColumns + " FROM intents WHERE id IN (" + strings.Join(parts, " UNION ALL ") + ") AND (account || '') IN (" + marks(len(f.Accounts)) + ")" +
		rest + " ORDER BY created_at DESC, id LIMIT ?"
	return query, append(append(append(args, anys(f.Accounts)...), restArgs...), MaxFound+1)
}

// Search finds intents by intent id or its beginning, intent key or its
// beginning, step key, wire key, provider reference, request id, the id of a
// preview, request for approval, upload or audit entry, an entry's number, a
// pasted address of any of these, the beginning of the payee's reference, and
// the payee's name from any of its words on, whatever its accents, newest first, finished work too. Of the filter,
// order and position are ignored. more tells that there are further ones.
func (t *Tx) Search(text string, f ListFilter) (rows []model.Intent, more bool, err error) {
	if !Searchable(text) || len(f.Accounts) == 0 {
		return nil, false, nil
	}
	query, args := searchQuery(text, f)
	if err := t.Select(&rows, query, args...); err != nil {
		return nil, false, err
	}
	if more = len(rows) > MaxFound; more {
		rows = rows[:MaxFound]
	}
	return rows, more, nil
}
