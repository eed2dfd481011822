package store

import (
	"countersign/internal/model"
)

// inDoubt tells of a row of steps what model.Step.InDoubt does, in the words of
// their index.
const inDoubt = "(state = 'outcome_unknown' OR state <> 'in_progress' AND open_amount > 0)"

// Uncertain is the open uncertainty in one currency ("" where no money is at
// stake): effects of which nobody knows what happened.
type Uncertain struct {
	Currency string     `db:"currency"`
	Effects  int        `db:"effects"`
	Amount   int64      `db:"amount"` // minor units
	Oldest   model.Time `db:"oldest"`
}

// uncertainIntents are the intents with a step in doubt, found by their index;
// no more than MaxCount+1, so that no page counts for ever. Every currency is
// named so that the planner takes that index and none that merely begins with
// the account.
func uncertainIntents(accounts []string) (query string, args []any) {
	return "(SELECT id, kind FROM intents WHERE account IN (" + marks(len(accounts)) + ") AND currency >= '' AND uncertain_since > 0 LIMIT ?)",
		append(anys(accounts), MaxCount+1)
}

// uncertaintyQuery goes from the few intents to their steps: CROSS JOIN keeps the
// planner from reading all steps instead.
func uncertaintyQuery(accounts []string) (string, []any) {
	from, args := uncertainIntents(accounts)
	return `SELECT CASE WHEN s.open_amount = 0 THEN '' ELSE s.currency END AS currency, count(*) AS effects, sum(s.open_amount) AS amount,
		min(s.uncertain_since) AS oldest FROM ` + from + ` AS i CROSS JOIN steps s
		WHERE s.intent_id = i.id AND ` + inDoubt + ` GROUP BY 1 ORDER BY 1`, args
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

// NavCounts are the counts that stand in the navigation of every page.
type NavCounts struct{ Approvals, Uncertain Counted }

// NavCounts counts open approval requests and intents with a step in doubt.
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
