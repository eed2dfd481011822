package store

import (
	"cmp"
	"slices"
	"strings"
	"time"

	"countersign/internal/model"
)

// UncertainAges are the classes of age of what is uncertain, the youngest first: an
// effect is of the first that it is not older than, else of one behind the last.
var UncertainAges = [3]time.Duration{time.Hour, 6 * time.Hour, 24 * time.Hour}

// UncertainPart is the open uncertainty of one sort: at one provider, in one
// currency, under intents of one kind, by one operation, of one class of age.
type UncertainPart struct {
	Provider  string     `db:"provider"`
	Currency  string     `db:"currency"` // "" where no money is at stake
	Kind      string     `db:"kind"`
	Operation string     `db:"operation"`
	Age       int        `db:"age"` // index into UncertainAges, or their number
	Effects   int        `db:"effects"`
	Amount    int64      `db:"amount"` // minor units
	Oldest    model.Time `db:"oldest"`
}

// UncertainParts sums the open uncertainty of the accounts by everything that its
// reports tell apart, as old as it is at a moment. No more than MaxCount+1 intents
// are looked at; looked is how many effects that were.
func (t *Tx) UncertainParts(accounts []string, at model.Time) (parts []UncertainPart, looked int, err error) {
	if len(accounts) == 0 {
		return nil, 0, nil
	}
	from, args := uncertainIntents(accounts)
	var since []any
	for _, age := range UncertainAges {
		since = append(since, at.Add(-age))
	}
	err = t.Select(&parts, `SELECT s.provider, CASE WHEN s.open_amount = 0 THEN '' ELSE s.currency END AS currency, i.kind, s.operation,
		CASE WHEN s.uncertain_since >= ? THEN 0 WHEN s.uncertain_since >= ? THEN 1 WHEN s.uncertain_since >= ? THEN 2 ELSE 3 END AS age,
		count(*) AS effects, sum(s.open_amount) AS amount, min(s.uncertain_since) AS oldest
		FROM `+from+` AS i CROSS JOIN steps s WHERE s.intent_id = i.id AND `+inDoubt+` GROUP BY 1, 2, 3, 4, 5 ORDER BY 1, 2, 3, 4, 5`,
		append(since, args...)...)
	for _, p := range parts {
		looked += p.Effects
	}
	return parts, looked, err
}

// Settling is what one provider has accepted in one currency and not finished.
type Settling struct {
	Provider string     `db:"provider"`
	Currency string     `db:"currency"` // "" where no money is at stake
	Effects  int        `db:"effects"`
	Amount   int64      `db:"amount"`    // minor units
	FirstDue model.Time `db:"first_due"` // when the first must be finished; 0 is no limit
}

// accountSettling is Settling in one account.
type accountSettling struct {
	Account string `db:"account"`
	Settling
}

// settlingQuery sums, for each account by its index, what must be finished first:
// however much settles in one, it hides nothing of another.
func settlingQuery(accounts []string) (query string, args []any) {
	const first = "SELECT * FROM (SELECT account, provider, currency, amount, open_amount, settles_by FROM steps WHERE account = ? AND settling ORDER BY settles_by LIMIT ?) AS part"
	parts := make([]string, len(accounts))
	for i, account := range accounts {
		parts[i] = first
		args = append(args, account, MaxCount+1)
	}
	return `SELECT account, provider, CASE WHEN amount = 0 THEN '' ELSE currency END AS currency, count(*) AS effects, sum(open_amount) AS amount, min(settles_by) AS first_due
		FROM (` + strings.Join(parts, " UNION ALL ") + ") AS first GROUP BY 1, 2, 3 ORDER BY 1, 2, 3", args
}

// Settling sums what settles in the accounts, by provider and currency. capped tells
// that more settles in one of them than was looked at: of each account, the
// MaxCount+1 effects that must be finished first.
func (t *Tx) Settling(accounts []string) (list []Settling, capped bool, err error) {
	if len(accounts) == 0 {
		return nil, false, nil
	}
	var rows []accountSettling
	query, args := settlingQuery(accounts)
	err = t.Select(&rows, query, args...)
	looked := map[string]int{}
	for _, r := range rows {
		looked[r.Account] += r.Effects
		capped = capped || looked[r.Account] > MaxCount
		at, found := slices.BinarySearchFunc(list, r.Settling, inOrder)
		if !found {
			list = slices.Insert(list, at, r.Settling)
			continue
		}
		s := &list[at]
		s.Effects, s.Amount, s.FirstDue = s.Effects+r.Effects, s.Amount+r.Amount, min(s.FirstDue, r.FirstDue)
	}
	return list, capped, err
}

func inOrder(a, b Settling) int {
	return cmp.Or(strings.Compare(a.Provider, b.Provider), strings.Compare(a.Currency, b.Currency))
}

// StillUnknown lists the steps of intents that are in doubt now, as
// <intent id>:<step name>.
func (t *Tx) StillUnknown(intents []string) (steps []string, err error) {
	if len(intents) == 0 {
		return nil, nil
	}
	err = t.Select(&steps, "SELECT intent_id || ':' || name FROM steps WHERE "+inDoubt+" AND intent_id IN ("+marks(len(intents))+")", anys(intents)...)
	return steps, err
}
