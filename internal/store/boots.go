package store

import (
	"fmt"

	"countersign/internal/model"
)

// Boot is one start of a process that drives intents.
type Boot struct {
	ID         string     `db:"id"`
	Host       string     `db:"host"`
	PID        int        `db:"pid"`
	StartedAt  model.Time `db:"started_at"`
	SeenAt     model.Time `db:"seen_at"`
	DeadAt     model.Time `db:"dead_at"`
	DeclaredBy string     `db:"declared_by"`
	HostID     string     `db:"host_id"` // of the machine's locks; "" where the file has one lock
	Workers    int        `db:"workers"`
	Place      string     `db:"-"` // where it drives the database, see LockPlace; "" is not known
}

// InsertBoot records a start, and where it drives the database.
func (t *Tx) InsertBoot(b Boot) error {
	if err := t.Insert("boots", "id, host, pid, started_at, seen_at, dead_at, declared_by, host_id, workers", b); err != nil {
		return err
	}
	_, err := t.Exec("INSERT INTO boot_places (boot, place) VALUES (?, ?)", b.ID, b.Place)
	return err
}

// FreedWith lists the boots that are not known to be dead, but surely are where
// the lock of a place is free: those of that place. One whose place is not known
// counts too, but under a restore hold: the lock of a copy says nothing about who
// drives the original.
func (t *Tx) FreedWith(place string) (list []Boot, err error) {
	h, err := t.Hold()
	if err != nil {
		return nil, err
	}
	unknown := place
	if h.On() {
		unknown = "unknown"
	}
	err = t.Select(&list, `SELECT * FROM boots WHERE host_id = '' AND dead_at = 0
		AND COALESCE((SELECT place FROM boot_places p WHERE p.boot = boots.id), ?) = ? ORDER BY started_at, id`, unknown, place)
	return list, err
}

// SeeBoot records that a boot is alive; by names who declared it dead
// meanwhile, or is "". A boot under which the database was replaced by a copy
// is as good as dead: only a start can open the hold.
func (t *Tx) SeeBoot(id string) (by string, err error) {
	n, err := t.Changed("UPDATE boots SET seen_at = ? WHERE id = ? AND dead_at = 0 AND NOT EXISTS (SELECT 1 FROM copy_mark)", t.now, id)
	if err != nil || n == 1 {
		return "", err
	}
	return t.declaredBy(id)
}

// HoldBoot keeps a boot from being declared dead until the transaction ends; by
// names who has done so already, or is "", as with SeeBoot.
func (t *Tx) HoldBoot(id string) (by string, err error) {
	var found string
	ok, err := t.Get(&found, "SELECT id FROM boots WHERE id = ? AND dead_at = 0 AND NOT EXISTS (SELECT 1 FROM copy_mark)"+t.shared(), id)
	if err != nil || ok {
		return "", err
	}
	return t.declaredBy(id)
}

// restoring stands for who declared a boot dead where a copy took the database's place.
const restoring = "the copy that was restored under it"

func (t *Tx) declaredBy(id string) (by string, err error) {
	if _, marked, err := t.Mark(); err != nil || marked {
		return restoring, err
	}
	ok, err := t.Get(&by, "SELECT declared_by FROM boots WHERE id = ?", id)
	if err == nil && (!ok || by == "") {
		by = "somebody"
	}
	return by, err
}

// EndBoot records that a boot ended by itself and can send nothing any more.
func (t *Tx) EndBoot(id string) error {
	_, err := t.Exec("UPDATE boots SET seen_at = ?, dead_at = ?, declared_by = 'itself' WHERE id = ? AND dead_at = 0", t.now, t.now, id)
	return err
}

// Bury records that a boot is dead and how that is known, and takes what it
// held away from it: whatever it still brings is late, and its intents are
// recovered at once. buried is false where it was dead already, or is unknown.
// The boot's row is locked first, so that it claims nothing meanwhile, and the
// moment is read last: everything that it reserved began before.
func (t *Tx) Bury(id, how string) (buried bool, err error) {
	n, err := t.Changed("UPDATE boots SET declared_by = ? WHERE id = ? AND dead_at = 0", how, id)
	if err != nil || n == 0 {
		return false, err
	}
	if _, err := t.Exec(`UPDATE intents SET fence = fence + 1, lease_until = 0, lease_worker = '', lease_boot = '', wake_at = ?
		WHERE lease_boot = ?`, t.now, id); err != nil {
		return false, err
	}
	if err := t.later(); err != nil {
		return false, err
	}
	_, err = t.Exec("UPDATE boots SET dead_at = ? WHERE id = ?", t.now, id)
	return true, err
}

// later moves the transaction's time to the present.
func (t *Tx) later() error {
	now, err := t.db.clock(t.ctx, t.tx)
	if err != nil {
		return fmt.Errorf("read the clock: %w", err)
	}
	t.now = max(t.now, now)
	return nil
}

// Alive lists the boots of a machine that are not known to be dead, oldest first.
func (t *Tx) Alive(hostID string) ([]Boot, error) {
	var list []Boot
	err := t.Select(&list, "SELECT * FROM boots WHERE host_id = ? AND dead_at = 0 ORDER BY started_at, id", hostID)
	return list, err
}

// Boot gives one start; ok is false when there is none of this id.
func (t *Tx) Boot(id string) (b Boot, ok bool, err error) {
	ok, err = t.Get(&b, "SELECT * FROM boots WHERE id = ?", id)
	return b, ok, err
}

// BootsBy gives the starts with some ids, in no order.
func (t *Tx) BootsBy(ids []string) (list []Boot, err error) {
	if len(ids) == 0 {
		return nil, nil
	}
	err = t.Select(&list, "SELECT * FROM boots WHERE id IN ("+marks(padded(len(ids)))+")", pad(ids)...)
	return list, err
}

// bootOrder puts those first that are not known to be dead, then the newest.
const bootOrder = "CASE WHEN dead_at = 0 THEN 0 ELSE 1 END, -started_at, id"

// Boots lists starts, those first that are not known to be dead, then the newest;
// after is the id of the last one of the page before, "" begins.
func (t *Tx) Boots(after string, limit int) ([]Boot, error) {
	var list []Boot
	err := t.Select(&list, "SELECT * FROM boots WHERE ? = '' OR ("+bootOrder+") > (SELECT "+bootOrder+" FROM boots WHERE id = ?) ORDER BY "+bootOrder+" LIMIT ?",
		after, after, limit)
	return list, err
}

// CountBoots counts the starts.
func (t *Tx) CountBoots() (Counted, error) {
	return t.counted("SELECT count(*) FROM (SELECT 1 FROM boots LIMIT ?) AS found", MaxCount+1)
}

// LeasesOf counts, by boot, the live leases on intents of the accounts.
func (t *Tx) LeasesOf(boots, accounts []string) (map[string]int, error) {
	count := map[string]int{}
	if len(boots) == 0 || len(accounts) == 0 {
		return count, nil
	}
	var rows []struct {
		Boot string `db:"lease_boot"`
		N    int    `db:"n"`
	}
	args := append(append(anys(boots), anys(accounts)...), t.now)
	err := t.Select(&rows, "SELECT lease_boot, COUNT(*) AS n FROM intents WHERE lease_boot <> '' AND lease_boot IN ("+marks(len(boots))+
		") AND account IN ("+marks(len(accounts))+") AND lease_until > ? GROUP BY lease_boot", args...)
	for _, r := range rows {
		count[r.Boot] = r.N
	}
	return count, err
}

// BootConcerns lists the accounts whose work the end of a boot decides about:
// it has a lease there, or an attempt that recovery took from it and that is
// still uncertain.
func (t *Tx) BootConcerns(id string) ([]string, error) {
	var accounts []string
	err := t.Select(&accounts, `SELECT account FROM intents WHERE lease_boot <> '' AND lease_boot = ? UNION
		SELECT i.account FROM intents i JOIN attempts a ON a.intent_id = i.id WHERE i.uncertain_since > 0 AND a.boot = ? AND a.lost
		ORDER BY 1`, id, id)
	return accounts, err
}

// RenewLeases prolongs the leases of a boot on these intents. What it has lost
// meanwhile stays lost.
func (t *Tx) RenewLeases(boot string, intents []string, until model.Time) error {
	if len(intents) == 0 {
		return nil
	}
	_, err := t.Exec("UPDATE intents SET lease_until = ?, wake_at = ? WHERE lease_boot = ? AND lease_until > ? AND id IN ("+marks(len(intents))+")",
		append([]any{until, until, boot, t.now}, anys(intents)...)...)
	return err
}
