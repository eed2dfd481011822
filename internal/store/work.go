package store

import (
	"countersign/internal/model"
)

// Due lists the intents for which the engine has something to do by now, the
// longest waiting first. A leased intent wakes when its lease ends. Where many
// claim at once, the rows are locked, and those that others have locked are
// passed over.
func (t *Tx) Due(limit int) ([]string, error) {
	var ids []string
	err := t.Select(&ids, "SELECT id FROM intents WHERE wake_at > 0 AND wake_at <= ? ORDER BY wake_at LIMIT ?"+t.passOver("intents"), t.now, limit)
	return ids, err
}

// passOver ends a SELECT that locks its rows of a table and leaves out those
// that others have locked.
func (t *Tx) passOver(table string) string {
	if !t.writes || t.db.dialect.lock == "" {
		return ""
	}
	return t.db.dialect.lock + " OF " + table + " SKIP LOCKED"
}

// shared ends a SELECT of rows that must stay as they are until the transaction
// ends, such as a person's rights.
func (t *Tx) shared() string {
	if !t.writes {
		return ""
	}
	return t.db.dialect.share
}

// NextWake is the earliest moment at which the engine has something to do with
// any intent, webhook or look of a sweep; 0 is never.
func (t *Tx) NextWake() (at model.Time, err error) {
	_, err = t.Get(&at, `SELECT COALESCE(MIN(at), 0) FROM (
		SELECT MIN(wake_at) AS at FROM intents WHERE wake_at > 0 UNION ALL
		SELECT MIN(due_at) FROM webhook_work WHERE due_at > 0 UNION ALL
		SELECT MIN(due_at) FROM sweep_looks WHERE due_at > 0) AS next`)
	return at, err
}

// oneAtATime waits until no other transaction is at the named work; SQLite has
// one writer anyway.
func (t *Tx) oneAtATime(name string) error {
	if !t.db.Shared() {
		return nil
	}
	_, err := t.Exec("SELECT pg_advisory_xact_lock(hashtextextended(?, 0))", name)
	return err
}

// Lease is one live right to drive an intent.
type Lease struct {
	IntentID string     `db:"id"`
	Account  string     `db:"account"`
	Worker   string     `db:"lease_worker"`
	Boot     string     `db:"lease_boot"`
	Until    model.Time `db:"lease_until"`
	Fence    int64      `db:"fence"`
}

// Leases lists the live leases of the accounts.
func (t *Tx) Leases(accounts []string, limit int) ([]Lease, error) {
	var list []Lease
	if len(accounts) == 0 {
		return nil, nil
	}
	err := t.Select(&list, `SELECT id, account, lease_worker, lease_boot, lease_until, fence FROM intents
		WHERE wake_at > 0 AND lease_until > ? AND account IN (`+marks(len(accounts))+`) ORDER BY lease_until LIMIT ?`,
		append(append([]any{t.now}, anys(accounts)...), limit)...)
	return list, err
}

// anys makes arguments of strings.
func anys(list []string) []any {
	out := make([]any, len(list))
	for i, s := range list {
		out[i] = s
	}
	return out
}

// PutOff lets an intent rest until a time, without changing anything else.
func (t *Tx) PutOff(intent string, until model.Time) error {
	_, err := t.Exec("UPDATE intents SET wake_at = ?, lease_worker = '', lease_boot = '', lease_until = 0 WHERE id = ?", until, intent)
	return err
}
