package store

import (
	"time"

	"countersign/internal/model"
)

// TakeLease takes or renews the right to do a work of which there is one doer at
// a time, in any process, and keeps its row locked until the transaction ends.
// mine is false while another holder's right still runs. The fence grows with
// every change of holder.
func (t *Tx) TakeLease(name, holder string, length time.Duration) (mine bool, err error) {
	changed, err := t.Changed(`INSERT INTO leases (name, holder, fence, until) VALUES (?, ?, 1, ?)
		ON CONFLICT (name) DO UPDATE SET holder = excluded.holder, until = excluded.until,
			fence = leases.fence + CASE WHEN leases.holder = excluded.holder THEN 0 ELSE 1 END
		WHERE leases.holder = excluded.holder OR leases.until <= ?`, name, holder, t.now.Add(length), t.now)
	return changed == 1, err
}

// EndLease lets the next holder begin at once; a right of another's stays.
func (t *Tx) EndLease(name, holder string) error {
	_, err := t.Exec("UPDATE leases SET until = 0 WHERE name = ? AND holder = ? AND until > 0", name, holder)
	return err
}

// DropLease forgets a right, where no other holder's runs. It is for work that is
// over for good: a right of the same name begins with the first fence again, which
// somebody may hold from before.
func (t *Tx) DropLease(name, holder string) error {
	_, err := t.Exec("DELETE FROM leases WHERE name = ? AND holder = ?", name, holder)
	return err
}

// LeaseElsewhere reports whether another holder's right runs now.
func (t *Tx) LeaseElsewhere(name, holder string) (bool, error) {
	var until model.Time
	return t.Get(&until, "SELECT until FROM leases WHERE name = ? AND holder <> ? AND until > ?", name, holder, t.now)
}

// FreeLeases ends the leases of all work. The caller holds the database's own
// lock, so that whoever held one is dead.
func (t *Tx) FreeLeases() error {
	_, err := t.Exec("UPDATE leases SET until = 0 WHERE until > 0")
	return err
}
