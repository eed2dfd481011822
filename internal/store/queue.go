package store

import (
	"slices"
	"strings"

	"countersign/internal/model"
)

// Order is an order in which open work is listed.
type Order string

// The orders. Each is answered by an index of its own.
const (
	OldestUncertainty Order = ""       // then what has been stuck longest
	LargestAmount     Order = "amount" // of one currency
	OldestIntent      Order = "age"
	NewestIntent      Order = "new" // of lists that are not only open work
)

// States of a list that are no states of an intent.
const (
	AnyState     = "all"             // finished work too
	StateUnknown = "outcome_unknown" // open work with a step in doubt
)

// Nobody, as an owner, selects what nobody has taken.
const Nobody = "none"

// NoMoney, as a currency, selects what moves no money.
const NoMoney = "none"

// ListFilter selects intents. Its zero members select everything but Accounts,
// of which an intent must have one.
type ListFilter struct {
	Accounts []string
	Kind     string
	State    string     // "" is open work
	Currency string     // or NoMoney
	Min, Max int64      // minor units of Currency, both included; 0 is no limit
	Before   model.Time // uncertain or stuck since before
	After    model.Time // uncertain or stuck since this moment or later
	Due      model.Time // under a review that is to be decided by this moment
	Provider string     // an effect at it is unknown, settling, under way or failed safely
	// Under StateUnknown, Provider and Currency are those of an effect in doubt.
	Acting bool   // leaves out what waits for an approver
	Owner  string // person id, or Nobody
	Order  Order
	From   *Position // none begins at the first
	Limit  int
}

// Position is a place in an order: right behind (or, Back, right before) the row
// with this key and id.
type Position struct {
	Key  int64
	ID   string
	Back bool
}

// Counted is how many rows match, counted up to MaxCount.
type Counted struct {
	N      int
	Capped bool // there are more
}

// MaxCount is how far lists count.
const MaxCount = 10_000

// Finished reports whether the filter reaches beyond open work; such lists come
// newest first.
func (f ListFilter) Finished() bool {
	switch f.State {
	case "", StateUnknown, string(model.NeedsReview), string(model.RetryableFailure), string(model.AwaitingApproval):
		return false
	}
	return true
}

// arrangement is how an order is read from its index.
type arrangement struct {
	column string
	desc   bool
	where  string
	args   []any
	// What where compares already.
	byOwner, byKind, byState bool
}

// arrange picks the index condition of the filter. What stands in it is all
// that the index is asked for; the rest of the filter is compared row by row.
func (f ListFilter) arrange() arrangement {
	switch {
	case f.Finished(), f.Order == NewestIntent && f.State != "" && f.State != StateUnknown:
		return f.arrangeNewest()
	case f.Order == LargestAmount && f.priced():
		return arrangement{column: "amount", desc: true, where: "sort_open > 0 AND currency = ?", args: []any{f.Currency}}
	case f.Order == OldestIntent:
		return arrangement{column: "created_at", where: "sort_open > 0"}
	}
	return arrangement{column: "sort_open", where: "sort_open > 0"}
}

// arrangeNewest picks the index of a list that reaches beyond open work, newest
// first: the one that leaves the fewest rows to compare.
func (f ListFilter) arrangeNewest() arrangement {
	a := arrangement{column: "created_at", desc: true, where: "1 = 1"}
	switch {
	case f.Owner != "" && f.Owner != Nobody:
		a.where, a.args, a.byOwner = "owner = ? AND owner <> ''", []any{f.Owner}, true
	case f.Kind != "" && (f.State == AnyState || f.State == string(model.Completed)):
		a.where, a.args, a.byKind = "kind = ?", []any{f.Kind}, true
	case f.State != AnyState:
		a.where, a.args, a.byState = "state = ?", []any{f.State}, true
	}
	return a
}

// Key is the row's place in the filter's order.
func (f ListFilter) Key(i *model.Intent) int64 {
	switch f.arrange().column {
	case "amount":
		return i.Amount
	case "created_at":
		return int64(i.CreatedAt)
	}
	return i.SortOpen
}

// atProvider tells whether a row of intents is stuck at a provider.
const atProvider = `EXISTS (SELECT 1 FROM steps stuck_at WHERE stuck_at.intent_id = intents.id AND stuck_at.provider = ?
	AND stuck_at.state IN ('outcome_unknown', 'in_progress', 'failed_safely'))`

// priced reports whether the filter is of one currency.
func (f ListFilter) priced() bool { return f.Currency != "" && f.Currency != NoMoney }

// doubtedEffect tells whether a row of intents has an effect in doubt with the
// filter's provider and currency: an intent of an amount can wait for a message
// that has none.
func (f ListFilter) doubtedEffect() (term string, args []any) {
	term = "EXISTS (SELECT 1 FROM steps open_step WHERE open_step.intent_id = intents.id AND " + inDoubt
	if f.Provider != "" {
		term, args = term+" AND open_step.provider = ?", append(args, f.Provider)
	}
	switch {
	case f.Currency == NoMoney:
		term += " AND (open_step.open_amount = 0 OR open_step.currency = '')"
	case f.Currency != "":
		term, args = term+" AND open_step.open_amount <> 0 AND open_step.currency = ?", append(args, f.Currency)
	}
	return term + ")", args
}

// rest is the part of the filter that no index answers. Columns are hidden in
// expressions, so that no planner leaves the index of the order for them.
func (f ListFilter) rest(a arrangement) (where string, args []any) {
	add := func(set bool, term string, values ...any) {
		if set {
			where, args = where+" AND "+term, append(args, values...)
		}
	}
	add(f.Kind != "" && !a.byKind, "(kind || '') = ?", f.Kind)
	add(f.State == StateUnknown && a.column == "sort_open", "sort_open < ?", int64(model.BehindUncertain))
	add(f.State == StateUnknown && a.column != "sort_open", "(uncertain_since + 0) > 0")
	add(f.State != "" && f.State != AnyState && f.State != StateUnknown && !a.byState, "(state || '') = ?", f.State)
	add(f.priced() && a.column != "amount", "(currency || '') = ?", f.Currency)
	add(f.Currency == NoMoney && f.State != StateUnknown, "((amount + 0) = 0 OR (currency || '') = '')")
	add(f.Min > 0 && f.priced(), "(amount + 0) >= ?", f.Min)
	add(f.Max > 0 && f.priced(), "(amount + 0) <= ?", f.Max)
	add(f.Before != 0, "COALESCE(NULLIF(uncertain_since, 0), stuck_since) < ?", f.Before)
	add(f.After != 0, "COALESCE(NULLIF(uncertain_since, 0), stuck_since) >= ?", f.After)
	add(f.Due != 0, "review_due > 0 AND review_due <= ?", f.Due)
	unknown, effectArgs := f.doubtedEffect()
	add(f.State == StateUnknown && f.Provider+f.Currency != "", unknown, effectArgs...)
	add(f.Provider != "" && f.State != StateUnknown, atProvider, f.Provider)
	add(f.Acting, "NOT "+waits)
	add(f.Owner == Nobody, "(owner || '') = ''")
	add(f.Owner != "" && f.Owner != Nobody && !a.byOwner, "(owner || '') = ?", f.Owner)
	return where, args
}

// rowColumns are an intent's columns without its params, which can be large.
const rowColumns = `id, account, kind, key, amount, currency, payee, payee_ref, period, look_alike, due_by, state, reason, stuck,
	confirmed, uncertain, version, fence, lease_worker, lease_boot, lease_until, wake_at, created_at, updated_at, created_by,
	creator, uncertain_since, stuck_since, review_due, owner, owner_name, parent, parent_step, sort_open`

// listQuery reads each account from the index in order and merges, so that the
// work is bounded by the limit whatever the table holds.
func (f ListFilter) listQuery() (query string, args []any) {
	a := f.arrange()
	rest, restArgs := f.rest(a)
	ascending := a.desc == (f.From != nil && f.From.Back)
	direction, beyond := " DESC", "<"
	if ascending {
		direction, beyond = "", ">"
	}
	order := " ORDER BY " + a.column + direction + ", id" + direction + " LIMIT ?"
	var parts []string
	for _, account := range f.Accounts {
		part := "SELECT " + rowColumns + " FROM intents WHERE account = ? AND " + a.where + rest
		args = append(append(append(args, account), a.args...), restArgs...)
		if f.From != nil {
			part += " AND (" + a.column + ", id) " + beyond + " (?, ?)"
			args = append(args, f.From.Key, f.From.ID)
		}
		parts = append(parts, "SELECT * FROM ("+part+order+") AS part")
		args = append(args, f.Limit)
	}
	if len(parts) == 1 {
		return parts[0], args
	}
	return "SELECT * FROM (" + strings.Join(parts, " UNION ALL ") + ") AS merged" + order, append(args, f.Limit)
}

// List gives the intents that a filter selects, in its order, without their
// params. more tells whether there are further ones in the direction asked for.
func (t *Tx) List(f ListFilter) (rows []model.Intent, more bool, err error) {
	if len(f.Accounts) == 0 {
		return nil, false, nil
	}
	f.Limit++ // one more tells whether there is more
	query, args := f.listQuery()
	if err := t.Select(&rows, query, args...); err != nil {
		return nil, false, err
	}
	if more = len(rows) == f.Limit; more {
		rows = rows[:f.Limit-1]
	}
	if f.From != nil && f.From.Back {
		slices.Reverse(rows)
	}
	return rows, more, nil
}

// maxLooked is how many of an account's newest intents Newest compares.
const maxLooked = 10_000

// Newest finds what a filter selects among the newest intents of each account,
// in no order: at most MaxFound, of work that no index of the filter's own
// leads to. more tells that there are further ones.
func (t *Tx) Newest(f ListFilter) (rows []model.Intent, more bool, err error) {
	rest, restArgs := f.rest(arrangement{})
	var parts []string
	var args []any
	for _, account := range f.Accounts {
		parts = append(parts, "SELECT * FROM (SELECT "+rowColumns+" FROM intents WHERE account = ? ORDER BY created_at DESC, id DESC LIMIT ?) AS intents WHERE 1 = 1"+rest)
		args = append(append(args, account, maxLooked), restArgs...)
	}
	if len(parts) == 0 {
		return nil, false, nil
	}
	err = t.Select(&rows, "SELECT * FROM ("+strings.Join(parts, " UNION ALL ")+") AS found LIMIT ?", append(args, MaxFound+1)...)
	if more = len(rows) > MaxFound; more {
		rows = rows[:MaxFound]
	}
	return rows, more, err
}

func (f ListFilter) countQuery() (query string, args []any) {
	a := f.arrange()
	rest, restArgs := f.rest(a)
	args = append(append(anys(f.Accounts), a.args...), restArgs...)
	return "SELECT count(*) FROM (SELECT 1 FROM intents WHERE account IN (" + marks(len(f.Accounts)) + ") AND " + a.where + rest +
		" LIMIT ?) AS matching", append(args, MaxCount+1)
}

// Count counts what a filter selects, up to MaxCount.
func (t *Tx) Count(f ListFilter) (Counted, error) {
	if len(f.Accounts) == 0 {
		return Counted{}, nil
	}
	query, args := f.countQuery()
	return t.counted(query, args...)
}

// counted runs a query that counts at most MaxCount+1 rows.
func (t *Tx) counted(query string, args ...any) (c Counted, err error) {
	_, err = t.Get(&c.N, query, args...)
	if c.Capped = c.N > MaxCount; c.Capped {
		c.N = MaxCount
	}
	return c, err
}

// Currencies lists the currencies of open work, going from each to the next in
// the index.
func (t *Tx) Currencies(accounts []string) (list []string, err error) {
	for _, account := range accounts {
		var found []string
		if err := t.Select(&found, `WITH RECURSIVE c (currency) AS (
			SELECT min(currency) FROM intents WHERE account = ? AND sort_open > 0 UNION ALL
			SELECT (SELECT min(currency) FROM intents WHERE account = ? AND sort_open > 0 AND currency > c.currency) FROM c WHERE c.currency IS NOT NULL)
			SELECT currency FROM c WHERE currency IS NOT NULL AND currency <> ''`, account, account); err != nil {
			return nil, err
		}
		list = append(list, found...)
	}
	slices.Sort(list)
	return slices.Compact(list), nil
}
