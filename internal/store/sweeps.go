package store

import "countersign/internal/model"

// The phases of a pass of the sweep.
const (
	SweepIdle      = ""
	SweepListing   = "listing"   // what the provider made, page by page
	SweepComparing = "comparing" // what we hold confirmed and no page showed
)

// Sweep is where the sweep of one operation at one provider stands.
type Sweep struct {
	Provider  string     `db:"provider"`
	Operation string     `db:"operation"`
	Lists     bool       `db:"lists"` // whether the provider can list it at all
	Asked     model.Time `db:"asked"` // list back to here at the next pass; 0 none
	DueAt     model.Time `db:"due_at"`
	Phase     string     `db:"phase"`
	Since     model.Time `db:"since"` // of the pass under way
	BeganAt   model.Time `db:"began_at"`
	Cursor    string     `db:"cursor"`
	Listed    int64      `db:"listed"`
	DoneSince model.Time `db:"done_since"` // of the last whole pass
	DoneBegan model.Time `db:"done_began"`
	DoneAt    model.Time `db:"done_at"`
	Trouble   string     `db:"trouble"`
	Tries     int        `db:"tries"`
}

// RecordSweep makes the row of an operation where there is none yet, due at
// once, and keeps whether its provider can list it.
func (t *Tx) RecordSweep(provider, operation string, lists bool) error {
	_, err := t.Exec(`INSERT INTO sweeps (provider, operation, lists, due_at) VALUES (?, ?, ?, ?)
		ON CONFLICT (provider, operation) DO UPDATE SET lists = excluded.lists,
			due_at = CASE WHEN sweeps.due_at = 0 THEN excluded.due_at ELSE sweeps.due_at END`, provider, operation, lists, t.now)
	return err
}

// RetireSweeps keeps the rows of providers that are not configured any more, as
// ones that cannot be listed.
func (t *Tx) RetireSweeps(configured []string) error {
	query := "UPDATE sweeps SET lists = FALSE WHERE lists"
	if len(configured) > 0 {
		query += " AND provider NOT IN (" + marks(len(configured)) + ")"
	}
	_, err := t.Exec(query, anys(configured)...)
	return err
}

// Sweeps lists where every sweep stands, by provider and operation.
func (t *Tx) Sweeps() (list []Sweep, err error) {
	err = t.Select(&list, "SELECT * FROM sweeps ORDER BY provider, operation")
	return list, err
}

// DueSweep gives the sweep of these providers that has been due longest; ok is
// false where none is.
func (t *Tx) DueSweep(providers []string) (s Sweep, ok bool, err error) {
	if len(providers) == 0 {
		return s, false, nil
	}
	ok, err = t.Get(&s, `SELECT * FROM sweeps WHERE lists AND due_at > 0 AND due_at <= ? AND provider IN (`+marks(len(providers))+`)
		ORDER BY due_at, provider, operation LIMIT 1`, append([]any{t.now}, anys(providers)...)...)
	return s, ok, err
}

// MoveSweep stores where a sweep stands now, if it still stands where old says;
// moved is false where another sweeper was faster, and then nothing was stored.
func (t *Tx) MoveSweep(old, now Sweep) (moved bool, err error) {
	n, err := t.Changed(`UPDATE sweeps SET asked = CASE WHEN asked = ? THEN ? ELSE asked END, due_at = ?, phase = ?, since = ?, began_at = ?,
		cursor = ?, listed = ?, done_since = ?, done_began = ?, done_at = ?, trouble = ?, tries = ?
		WHERE provider = ? AND operation = ? AND phase = ? AND began_at = ? AND cursor = ?`,
		old.Asked, now.Asked, now.DueAt, now.Phase, now.Since, now.BeganAt,
		now.Cursor, now.Listed, now.DoneSince, now.DoneBegan, now.DoneAt, now.Trouble, now.Tries,
		old.Provider, old.Operation, old.Phase, old.BeganAt, old.Cursor)
	return n == 1, err
}

// AskSweep has every operation that can be listed swept as soon as may be, back
// to since or further. A pass under way is begun anew: what it listed before
// now does not answer the question.
func (t *Tx) AskSweep(since model.Time) error {
	_, err := t.Exec(`UPDATE sweeps SET asked = CASE WHEN asked = 0 OR asked > ? THEN ? ELSE asked END, due_at = ?,
		phase = '', began_at = 0, cursor = '', listed = 0, trouble = '', tries = 0 WHERE lists`, since, since, t.now)
	return err
}

// Unswept lists the operations of which no whole pass began at or after began
// and listed back to since. Those that cannot be listed are among them.
func (t *Tx) Unswept(since, began model.Time) (list []Sweep, err error) {
	err = t.Select(&list, `SELECT * FROM sweeps WHERE NOT (lists AND done_began > 0 AND done_began >= ? AND done_since <= ?)
		ORDER BY provider, operation`, began, since)
	return list, err
}

// Served records which accounts a provider serves; what it once served stays.
func (t *Tx) Served(provider string, accounts []string) error {
	for _, account := range accounts {
		if _, err := t.Exec("INSERT INTO provider_accounts (provider, account) VALUES (?, ?) ON CONFLICT DO NOTHING", provider, account); err != nil {
			return err
		}
	}
	return nil
}
