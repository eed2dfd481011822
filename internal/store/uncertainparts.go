package store

import "countersign/internal/model"

// UncertainPart is the open uncertainty of one sort: at one provider, in one
// currency, under intents of one kind, by one operation, of one class of age.
type UncertainPart struct {
	Provider  string     `db:"provider"`
	Currency  string     `db:"currency"` // "" where no money is at stake
	Kind      string     `db:"kind"`
	Operation string     `db:"operation"`
	Age       int        `db:"age"` // as in UncertaintyTable
	Effects   int        `db:"effects"`
	Amount    int64      `db:"amount"` // minor units
	Oldest    model.Time `db:"oldest"`
}

// UncertainParts sums the open uncertainty of the accounts by everything that its
// report tells apart; since is as in UncertaintyTable. No more than MaxCount+1
// intents are looked at; looked is how many effects that were.
func (t *Tx) UncertainParts(accounts []string, since [3]model.Time) (parts []UncertainPart, looked int, err error) {
	if len(accounts) == 0 {
		return nil, 0, nil
	}
	from := "(SELECT id, uncertain, kind FROM intents WHERE account IN (" + marks(len(accounts)) + ") AND currency >= '' AND uncertain_since > 0 LIMIT ?)"
	args := append(append([]any{since[0], since[1], since[2]}, anys(accounts)...), MaxCount+1)
	err = t.Select(&parts, `SELECT s.provider, CASE WHEN s.amount = 0 THEN '' ELSE s.currency END AS currency, i.kind, s.operation,
		CASE WHEN s.uncertain_since >= ? THEN 0 WHEN s.uncertain_since >= ? THEN 1 WHEN s.uncertain_since >= ? THEN 2 ELSE 3 END AS age,
		count(*) AS effects, sum(CASE WHEN s.amount > 0 AND i.uncertain > s.amount THEN i.uncertain ELSE s.amount END) AS amount, min(s.uncertain_since) AS oldest
		FROM `+from+` AS i CROSS JOIN steps s WHERE s.intent_id = i.id AND s.state = 'outcome_unknown' GROUP BY 1, 2, 3, 4, 5 ORDER BY 1, 2, 3, 4, 5`, args...)
	for _, p := range parts {
		looked += p.Effects
	}
	return parts, looked, err
}

// Settling is what one provider has accepted in one currency and not finished.
type Settling struct {
	Provider string     `db:"provider"`
	Currency string     `db:"currency"`
	Effects  int        `db:"effects"`
	Amount   int64      `db:"amount"`    // minor units
	FirstDue model.Time `db:"first_due"` // when the first must be finished; 0 is no limit
}

// Settling sums what settles in the accounts, of the MaxCount effects that must be
// finished first.
func (t *Tx) Settling(accounts []string) (list []Settling, err error) {
	if len(accounts) == 0 {
		return nil, nil
	}
	err = t.Select(&list, `SELECT s.provider, CASE WHEN s.amount = 0 THEN '' ELSE s.currency END AS currency, count(*) AS effects, sum(s.amount) AS amount, min(s.settles_by) AS first_due
		FROM (SELECT intent_id, provider, currency, amount, settles_by FROM steps WHERE settling ORDER BY settles_by LIMIT ?) AS s
		CROSS JOIN intents i WHERE i.id = s.intent_id AND (i.account || '') IN (`+marks(len(accounts))+`) GROUP BY 1, 2 ORDER BY 1, 2`,
		append([]any{MaxCount}, anys(accounts)...)...)
	return list, err
}

// StillUnknown lists the steps of intents whose outcome is unknown now, as
// <intent id>:<step name>.
func (t *Tx) StillUnknown(intents []string) (steps []string, err error) {
	if len(intents) == 0 {
		return nil, nil
	}
	err = t.Select(&steps, "SELECT intent_id || ':' || name FROM steps WHERE state = 'outcome_unknown' AND intent_id IN ("+marks(len(intents))+")", anys(intents)...)
	return steps, err
}
