package audit

import (
	"encoding/hex"
	"slices"
	"strings"

	"countersign/internal/model"
	"countersign/internal/store"
)

// Accounts says whose entries may be seen. The zero value sees none.
type Accounts struct {
	all   bool
	names []string
}

// Everything sees the whole log, the installation's own entries included.
func Everything() Accounts { return Accounts{all: true} }

// Of sees the entries of the named accounts.
func Of(accounts ...string) Accounts {
	names := slices.Clone(accounts)
	slices.Sort(names)
	return Accounts{names: slices.Compact(names)}
}

// listed names the accounts; nil is all.
func (a Accounts) listed() []string {
	if a.all {
		return nil
	}
	return append([]string{}, a.names...)
}

func (a Accounts) sees(account string) bool {
	return a.all || slices.Contains(a.names, account)
}

// Filter selects numbered entries. Zero members select everything but Accounts,
// whose zero value sees none.
type Filter struct {
	Accounts Accounts
	Event    string // exact, or a prefix that ends in "."
	Show     Show
	Intent   string
	Actor    string     // the actor's id
	From, To model.Time // half-open, by when it was recorded
	After    *int64     // only greater indexes
	Before   *int64     // only smaller indexes
	Newest   bool       // newest first; else ascending
	Limit    int        // 100 when 0, at most 1,000
}

// found is a row that an Item is made from.
type found struct {
	Index    *int64 `db:"idx"`
	LeafHash []byte `db:"leaf_hash"` // that it got with its number
	stored
}

const foundColumns = "g.idx, g.leaf_hash, e.id, e.at, e.actor, e.event, e.account, e.intent_id, e.canonical, e.mac"

// List gives the entries that a filter selects, in the order of their indexes.
func (l *Log) List(tx *store.Tx, f Filter) ([]Item, error) {
	f.Limit = min(f.Limit, 1000)
	if f.Limit <= 0 {
		f.Limit = 100
	}
	query, args, err := f.query(tx, foundColumns)
	if err != nil {
		return nil, err
	}
	return l.items(tx, query, args...)
}

// query selects columns of the log g and the entries e. Its parts are each
// answered in order by an index, so its cost is bounded by their number and the
// limit, not by how many entries match or do not.
func (f Filter) query(tx *store.Tx, columns string) (string, []any, error) {
	parts, err := f.split(tx)
	if err != nil {
		return "", nil, err
	}
	var queries []string
	var args []any
	for _, part := range parts {
		where, values := part.where()
		queries = append(queries, "SELECT * FROM (SELECT g.idx, g.entry_id, g.leaf_hash FROM audit_log g WHERE "+where+f.order()+" LIMIT ?) AS part")
		args = append(append(args, values...), f.Limit)
	}
	return "SELECT " + columns + " FROM (" + strings.Join(queries, " UNION ALL ") +
		") AS g JOIN audit_entries e ON e.id = g.entry_id" + f.order() + " LIMIT ?", append(args, f.Limit), nil
}

func (f Filter) order() string {
	if f.Newest {
		return " ORDER BY g.idx DESC"
	}
	return " ORDER BY g.idx"
}

// maxParts bounds the parts of one query.
const maxParts = 200

// split turns a filter into filters of one account and one event each, where it
// names accounts and a prefix of events.
func (f Filter) split(tx *store.Tx) ([]Filter, error) {
	if f.Accounts.all {
		return []Filter{f}, nil
	}
	var parts []Filter
	for _, account := range f.Accounts.names {
		part := f
		part.Accounts = Of(account)
		byEvent, err := part.splitEvents(tx, account)
		if err != nil {
			return nil, err
		}
		parts = append(parts, byEvent...)
	}
	if len(parts) == 0 || len(parts) > maxParts {
		return []Filter{f}, nil
	}
	return parts, nil
}

func (f Filter) splitEvents(tx *store.Tx, account string) (parts []Filter, err error) {
	if f.Show != Everybody {
		return f.splitShow(tx, account)
	}
	if !strings.HasSuffix(f.Event, ".") {
		return []Filter{f}, nil
	}
	events, err := eventsOf(tx, account, f.Event, prefixEnd(f.Event))
	for _, event := range events {
		part := f
		part.Event = event
		parts = append(parts, part)
	}
	return parts, err
}

// eventsQuery goes from each event to the next one in the index.
const eventsQuery = `WITH RECURSIVE events (event) AS (
	SELECT min(event) FROM audit_log WHERE account = ? AND event > ? AND event < ? UNION ALL
	SELECT (SELECT min(event) FROM audit_log WHERE account = ? AND event > events.event AND event < ?) FROM events WHERE events.event IS NOT NULL)
	SELECT event FROM events WHERE event IS NOT NULL LIMIT ?`

// eventsOf gives the different events of an account behind one text and before
// another.
func eventsOf(tx *store.Tx, account, begin, end string) (events []string, err error) {
	err = tx.Select(&events, eventsQuery, account, begin, end, account, end, maxParts+1)
	return events, err
}

// prefixEnd is the first text behind all that begin with a prefix that ends in
// ".": "/" follows it in the order of bytes.
func prefixEnd(prefix string) string { return strings.TrimSuffix(prefix, ".") + "/" }

// where is the condition of a filter on audit_log g.
func (f Filter) where() (string, []any) {
	var terms []string
	var args []any
	add := func(term string, values ...any) {
		terms, args = append(terms, term), append(args, values...)
	}
	f.Accounts.where(add)
	f.Show.where(add)
	if strings.HasSuffix(f.Event, ".") {
		add("g.event > ? AND g.event < ?", f.Event, prefixEnd(f.Event))
	} else if f.Event != "" {
		add("g.event = ?", f.Event)
	}
	if f.Intent != "" {
		// The index holds only entries of intents, and must be told so.
		add("g.intent_id = ? AND g.intent_id <> ''", f.Intent)
	}
	if f.Actor != "" {
		add("g.actor = ?", f.Actor)
	}
	if f.From != 0 {
		add("g.at >= ?", f.From)
	}
	if f.To != 0 {
		add("g.at < ?", f.To)
	}
	if f.After != nil {
		add("g.idx > ?", *f.After)
	}
	if f.Before != nil {
		add("g.idx < ?", *f.Before)
	}
	return strings.Join(terms, " AND "), args
}

func (a Accounts) where(add func(string, ...any)) {
	switch {
	case a.all:
		add("1 = 1")
	case len(a.names) == 0:
		add("1 = 0")
	default:
		values := make([]any, len(a.names))
		for i, name := range a.names {
			values[i] = name
		}
		add("g.account IN ("+marks(len(values))+")", values...)
	}
}

// items reads rows as entries. A row without a number that is not ours is not
// shown: the sequencer would refuse it.
func (l *Log) items(tx *store.Tx, query string, args ...any) ([]Item, error) {
	var rows []found
	if err := tx.Select(&rows, query, args...); err != nil {
		return nil, err
	}
	list := make([]Item, 0, len(rows))
	for _, row := range rows {
		if row.Index == nil && l.genuine(row.stored) != "" {
			continue
		}
		item, err := row.item()
		if err != nil {
			return nil, err
		}
		list = append(list, item)
	}
	return list, nil
}

// item is the row as an entry. One that was changed is shown by what stands there
// now, and by its columns where that cannot be read.
func (f found) item() (item Item, err error) {
	item, err = itemOf(f.Index, f.Canonical)
	if f.Index == nil {
		return item, err
	}
	why := fits(f.Canonical, f.LeafHash)
	if err != nil && why != "" {
		item, err = Item{Index: f.Index, Canonical: f.Canonical, record: record{ID: f.ID, At: f.At, Actor: Actor{ID: f.Actor, Name: f.Actor},
			Event: f.Event, Account: f.Account, Intent: f.Intent}}, nil
		item.LeafHash = hex.EncodeToString(leafHash(f.Canonical))
	}
	item.Changed = why
	return item, err
}

// ByIndex gives the entry with a number, or an error of kind NotFound, also for
// an entry that may not be seen.
func (l *Log) ByIndex(tx *store.Tx, who Accounts, index int64) (Item, error) {
	return l.one(tx, who, "SELECT "+foundColumns+` FROM audit_log g JOIN audit_entries e ON e.id = g.entry_id WHERE g.idx = ?`, index)
}

// ByID gives the entry with an id, numbered or not; errors as ByIndex.
func (l *Log) ByID(tx *store.Tx, who Accounts, id string) (Item, error) {
	return l.one(tx, who, "SELECT "+foundColumns+` FROM audit_entries e LEFT JOIN audit_log g ON g.entry_id = e.id WHERE e.id = ?`, id)
}

func (l *Log) one(tx *store.Tx, who Accounts, query string, args ...any) (Item, error) {
	list, err := l.items(tx, query, args...)
	if err != nil {
		return Item{}, err
	}
	if len(list) == 0 || !who.sees(list[0].Account) {
		return Item{}, model.Errorf(model.NotFound, "not-found", "There is no such audit entry.")
	}
	return list[0], nil
}

// ForIntent gives the newest entries of an intent, newest first, those without a
// number included. Whether the intent may be seen is the caller's question.
func (l *Log) ForIntent(tx *store.Tx, intent string, limit int) ([]Item, error) {
	return l.items(tx, "SELECT "+foundColumns+` FROM audit_entries e LEFT JOIN audit_log g ON g.entry_id = e.id
		WHERE e.intent_id = ? AND e.intent_id <> '' ORDER BY e.id DESC LIMIT ?`, intent, limit)
}
