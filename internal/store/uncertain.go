package store

import (
	"countersign/internal/model"
)

// Uncertain is the open uncertainty in one currency ("" where no money is at
// stake): effects of which nobody knows whether they happened.
type Uncertain struct {
	Currency string     `db:"currency"`
	Effects  int        `db:"effects"`
	Amount   int64      `db:"amount"` // minor units
	Oldest   model.Time `db:"oldest"`
}

// uncertainIntents are the intents with an unknown step, found by their index;
// no more than MaxCount+1, so that no page counts for ever. Every currency is
// named so that the planner takes that index and none that merely begins with
// the account.
func uncertainIntents(accounts []string) (query string, args []any) {
	return "(SELECT id, uncertain FROM intents WHERE account IN (" + marks(len(accounts)) + ") AND currency >= '' AND uncertain_since > 0 LIMIT ?)",
		append(anys(accounts), MaxCount+1)
}

// uncertaintyQuery goes from the few intents to their steps: CROSS JOIN keeps the
// planner from reading all steps instead.
func uncertaintyQuery(accounts []string) (string, []any) {
	from, args := uncertainIntents(accounts)
	return `SELECT CASE WHEN s.amount = 0 THEN '' ELSE s.currency END AS currency, count(*) AS effects, sum(CASE WHEN s.amount > 0 AND i.uncertain > s.amount THEN i.uncertain ELSE s.amount END) AS amount,
		min(s.uncertain_since) AS oldest FROM ` + from + ` AS i CROSS JOIN steps s
		WHERE s.intent_id = i.id AND s.state = 'outcome_unknown' GROUP BY 1 ORDER BY 1`, args
}

// Uncertainty sums the open uncertainty of the accounts by currency; currencies
// are never added up. capped tells that there is more than was looked at.
func (t *Tx) Uncertainty(accounts []string) (sums []Uncertain, capped bool, err error) {
	if len(accounts) == 0 {
		return nil, false, nil
	}
	query, args := uncertaintyQuery(accounts)
	err = t.Select(&sums, query, args...)
	effects := 0
	for _, u := range sums {
		effects += u.Effects
	}
	return sums, effects > MaxCount, err
}

// UncertainCell is the open uncertainty at one provider in one currency that is
// as old as its class of age says.
type UncertainCell struct {
	Provider string     `db:"provider"`
	Currency string     `db:"currency"`
	Age      int        `db:"age"` // index into the ages asked for: the first that it is younger than
	Effects  int        `db:"effects"`
	Amount   int64      `db:"amount"`
	Oldest   model.Time `db:"oldest"`
}

// UncertaintyTable sums the open uncertainty by provider, currency and age.
// since are the boundaries of age, the youngest first: an effect belongs to the
// first boundary that it is not older than, else behind the last.
func (t *Tx) UncertaintyTable(accounts []string, since [3]model.Time) (cells []UncertainCell, err error) {
	if len(accounts) == 0 {
		return nil, nil
	}
	from, args := uncertainIntents(accounts)
	err = t.Select(&cells, `SELECT s.provider, CASE WHEN s.amount = 0 THEN '' ELSE s.currency END AS currency,
		CASE WHEN s.uncertain_since >= ? THEN 0 WHEN s.uncertain_since >= ? THEN 1 WHEN s.uncertain_since >= ? THEN 2 ELSE 3 END AS age,
		count(*) AS effects, sum(CASE WHEN s.amount > 0 AND i.uncertain > s.amount THEN i.uncertain ELSE s.amount END) AS amount, min(s.uncertain_since) AS oldest
		FROM `+from+` AS i CROSS JOIN steps s WHERE s.intent_id = i.id AND s.state = 'outcome_unknown' GROUP BY 1, 2, 3 ORDER BY 1, 2, 3`,
		append([]any{since[0], since[1], since[2]}, args...)...)
	return cells, err
}

// NavCounts are the counts that stand in the navigation of every page.
type NavCounts struct{ Approvals, Uncertain Counted }

// NavCounts counts open approval requests and intents with an unknown step.
func (t *Tx) NavCounts(accounts []string) (n NavCounts, err error) {
	if len(accounts) == 0 {
		return n, nil
	}
	return t.navCounts(marks(len(accounts)), anys(accounts)...)
}

// navCounts is NavCounts of accounts that SQL lists. Every currency is named for
// the planner, as in uncertainIntents.
func (t *Tx) navCounts(accounts string, args ...any) (n NavCounts, err error) {
	count := func(into *Counted, from string) func() error {
		return func() (err error) {
			*into, err = t.counted("SELECT count(*) FROM (SELECT 1 FROM "+from+" LIMIT ?) AS matching", append(args[:len(args):len(args)], MaxCount+1)...)
			return err
		}
	}
	var lists Counted // requests about many intents
	err = t.Together(
		count(&lists, "bulks WHERE account IN ("+accounts+") AND state = 'open' AND people > 1 AND used_at > 0"),
		count(&n.Approvals, "approvals WHERE account IN ("+accounts+") AND state = 'open'"),
		count(&n.Uncertain, "intents WHERE account IN ("+accounts+") AND currency >= '' AND uncertain_since > 0"))
	n.Approvals = Counted{min(n.Approvals.N+lists.N, MaxCount), n.Approvals.Capped || lists.Capped || n.Approvals.N+lists.N > MaxCount}
	return n, err
}
