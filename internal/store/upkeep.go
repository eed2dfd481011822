package store

import "countersign/internal/model"

// Upkeep counts what an installation asks of those who look after it. The counts
// of alerts and conflicts are of the accounts asked for, each up to MaxCount.
type Upkeep struct {
	Undelivered int `db:"undelivered"` // deliveries of standing alerts that were given up
	Conflicts   int `db:"conflicts"`   // contradictions that nobody has closed
	Running     int `db:"running"`     // starts with workers that are not known to be dead
	Silent      int `db:"silent"`      // of these, those not seen for long
}

// Upkeep reads the counts; a start not seen since silent is silent.
func (t *Tx) Upkeep(accounts []string, silent model.Time) (u Upkeep, err error) {
	if len(accounts) == 0 {
		return u, nil
	}
	in := "(" + marks(len(accounts)) + ")"
	args := append(anys(accounts), MaxCount)
	args = append(append(append(args, anys(accounts)...), MaxCount), silent)
	_, err = t.Get(&u, `SELECT
		(SELECT count(*) FROM (SELECT 1 FROM alert_deliveries d JOIN alerts a ON a.id = d.alert_id
			WHERE d.given_up_at > 0 AND a.ended_at = 0 AND (a.account = '' OR a.account IN `+in+`) LIMIT ?) AS lost) AS undelivered,
		(SELECT count(*) FROM (SELECT 1 FROM conflicts k JOIN intents i ON i.id = k.intent_id WHERE k.closed_at = 0 AND i.account IN `+in+` LIMIT ?) AS differing) AS conflicts,
		(SELECT count(*) FROM boots WHERE dead_at = 0 AND workers > 0) AS running,
		(SELECT count(*) FROM boots WHERE dead_at = 0 AND workers > 0 AND seen_at < ?) AS silent`, args...)
	return u, err
}

// Contradicted lists intents of the accounts whose observations contradict each
// other, the longest open first.
func (t *Tx) Contradicted(accounts []string, limit int) (rows []model.Intent, err error) {
	if len(accounts) == 0 {
		return nil, nil
	}
	err = t.Select(&rows, "SELECT "+rowColumns+" FROM intents WHERE account IN ("+marks(len(accounts))+`)
		AND id IN (SELECT intent_id FROM conflicts WHERE closed_at = 0) ORDER BY stuck_since, id LIMIT ?`, append(anys(accounts), limit)...)
	return rows, err
}

// CurrentProviders names the providers that have a contract in force.
func (t *Tx) CurrentProviders() (names []string, err error) {
	err = t.Select(&names, "SELECT DISTINCT provider FROM contracts WHERE current AND provider <> '' ORDER BY provider")
	return names, err
}
