package store

import "countersign/internal/model"

// Gauges are the numbers of the whole installation as they stand now. Every count
// ends at MaxCount: none costs more the more intents there are.
type Gauges struct {
	Intents    map[model.IntentState]int
	Unknown    []ProviderUnknown
	Alerts     []KindStanding
	Webhooks   Waiting // received events whose work is due or planned
	Deliveries Waiting // of alerts
	GivenUp    int     // deliveries of alerts that were given up
}

// ProviderUnknown is what is unknown at one provider.
type ProviderUnknown struct {
	Provider string     `db:"provider"`
	Steps    int        `db:"steps"`
	Oldest   model.Time `db:"oldest"`
}

// KindStanding is how many alerts of one kind stand.
type KindStanding struct {
	Kind   string     `db:"kind"`
	N      int        `db:"n"`
	Oldest model.Time `db:"oldest"`
}

// Waiting is a queue: how many, and when the next is due.
type Waiting struct {
	N    int        `db:"n"`
	Next model.Time `db:"next"`
}

// accountsAtOnce is how many accounts one statement names.
const accountsAtOnce = 400

// Gauges reads them, each from an index.
func (t *Tx) Gauges() (g Gauges, err error) {
	if g.Intents, err = t.countStates(); err != nil {
		return g, err
	}
	if err = t.Select(&g.Unknown, unknownQuery, MaxCount); err != nil {
		return g, err
	}
	if err = t.Select(&g.Alerts, standingQuery, MaxCount); err != nil {
		return g, err
	}
	if _, err = t.Get(&g.Webhooks, inboxQuery, MaxCount); err != nil {
		return g, err
	}
	if _, err = t.Get(&g.Deliveries, deliveriesQuery, MaxCount); err != nil {
		return g, err
	}
	_, err = t.Get(&g.GivenUp, givenUpQuery, MaxCount)
	return g, err
}

// Each inner query names the order of a partial index, so that it is read from there.
const (
	unknownQuery = `SELECT provider, count(*) AS steps, min(uncertain_since) AS oldest FROM (SELECT provider, uncertain_since FROM steps
		WHERE state = 'outcome_unknown' ORDER BY intent_id LIMIT ?) AS unknown GROUP BY provider ORDER BY provider`
	standingQuery = `SELECT kind, count(*) AS n, min(raised_at) AS oldest FROM (SELECT kind, raised_at FROM alerts
		WHERE ended_at = 0 ORDER BY account, raised_at, id LIMIT ?) AS standing GROUP BY kind ORDER BY kind`
	inboxQuery = `SELECT count(*) AS n, COALESCE(min(due_at), 0) AS next FROM (SELECT due_at FROM webhook_work
		WHERE due_at > 0 ORDER BY due_at LIMIT ?) AS inbox`
	deliveriesQuery = `SELECT count(*) AS n, COALESCE(min(next_at), 0) AS next FROM (SELECT next_at FROM alert_deliveries
		WHERE next_at > 0 ORDER BY channel, next_at LIMIT ?) AS waiting`
	givenUpQuery = `SELECT count(*) FROM (SELECT given_up_at FROM alert_deliveries WHERE given_up_at > 0 ORDER BY given_up_at LIMIT ?) AS given_up`
)

// AllAccounts are the names of all accounts, in order.
func (t *Tx) AllAccounts() (list []string, err error) {
	err = t.Select(&list, "SELECT id FROM accounts ORDER BY id")
	return list, err
}

// countStates counts the intents of every state over all accounts.
func (t *Tx) countStates() (map[model.IntentState]int, error) {
	counts := map[model.IntentState]int{}
	for after := ""; ; {
		var accounts []string
		err := t.Select(&accounts, "SELECT id FROM accounts WHERE id > ? ORDER BY id LIMIT ?", after, accountsAtOnce)
		if err != nil || len(accounts) == 0 {
			return counts, err
		}
		after = accounts[len(accounts)-1]
		for _, state := range model.IntentStates {
			if counts[state] >= MaxCount {
				continue
			}
			var n int
			if _, err := t.Get(&n, stateQuery(len(accounts)), append(anys(accounts), state, MaxCount-counts[state])...); err != nil {
				return nil, err
			}
			counts[state] += n
		}
	}
}

// stateQuery counts the intents of one state in some accounts, up to a limit.
func stateQuery(accounts int) string {
	return "SELECT count(*) FROM (SELECT 1 FROM intents WHERE account IN (" + marks(accounts) + ") AND state = ? LIMIT ?) AS found"
}
