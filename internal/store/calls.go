package store

import (
	"strings"

	"countersign/internal/model"
)

// Calls counts the calls of one operation at one provider, by how they ended.
type Calls struct {
	Provider  string     `db:"provider"`
	Operation string     `db:"operation"`
	All       int        `db:"calls"`
	Went      int        `db:"went"`    // confirmed, accepted
	Refused   int        `db:"refused"` // failed safely: refused, throttled, never sent, or failed later
	Unknown   int        `db:"unknown"` // of these nobody knew what they came to
	Open      int        `db:"under_way"`
	First     model.Time `db:"first_at"` // the earliest call that is counted
}

// callsQuery counts the newest calls of the accounts. Each account's are found by
// their index: those of a quiet one are all there, however many others call.
func callsQuery(accounts []string, since model.Time) (query string, args []any) {
	const newest = "SELECT * FROM (SELECT intent_id, step, result, started_at FROM attempts WHERE account = ? AND started_at >= ? AND result <> 'done' ORDER BY started_at DESC LIMIT ?) AS part"
	parts := make([]string, len(accounts))
	for i, account := range accounts {
		parts[i] = newest
		args = append(args, account, since, MaxCount)
	}
	return `SELECT s.provider, s.operation, count(*) AS calls,
	COALESCE(sum(CASE WHEN a.result IN ('confirmed', 'accepted') THEN 1 ELSE 0 END), 0) AS went,
	COALESCE(sum(CASE WHEN a.result IN ('not_sent', 'throttled', 'rejected_permanent', 'rejected_curable', 'failed_after_accepted', 'did_not_happen') THEN 1 ELSE 0 END), 0) AS refused,
	COALESCE(sum(CASE WHEN a.result = 'unknown' THEN 1 ELSE 0 END), 0) AS unknown,
	COALESCE(sum(CASE WHEN a.result = '' THEN 1 ELSE 0 END), 0) AS under_way,
	min(a.started_at) AS first_at
	FROM (SELECT * FROM (` + strings.Join(parts, " UNION ALL ") + `) AS merged ORDER BY started_at DESC LIMIT ?) AS a
	CROSS JOIN steps s WHERE s.intent_id = a.intent_id AND s.name = a.step AND s.provider <> ''
	GROUP BY s.provider, s.operation ORDER BY s.provider, s.operation`, append(args, MaxCount)
}

// unnamedCalls finds an attempt of before attempts named their account, which the
// counts by account leave out.
const unnamedCalls = "SELECT number FROM attempts WHERE account = '' AND started_at >= ? AND result <> 'done' LIMIT 1"

// UnnamedCalls reports whether calls were made since a moment that name no account,
// by a version of the product that did not keep it: CallsSince counts none of them.
func (t *Tx) UnnamedCalls(since model.Time) (any bool, err error) {
	var number int
	return t.Get(&number, unnamedCalls, since)
}

// CallsSince counts the calls of the accounts to providers since a moment, by
// operation: of these the newest MaxCount are looked at.
func (t *Tx) CallsSince(accounts []string, since model.Time) (list []Calls, err error) {
	if len(accounts) == 0 {
		return nil, nil
	}
	query, args := callsQuery(accounts, since)
	err = t.Select(&list, query, args...)
	return list, err
}
