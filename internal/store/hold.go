package store

import (
	"fmt"
	"os"
	"path/filepath"

	"countersign/internal/model"
)

// CopyMark is what console backup leaves in a copy.
type CopyMark struct {
	MadeAt         model.Time `db:"made_at"`
	Place          string     `db:"place"`    // where the original was driven, see LockPlace
	LogSize        int64      `db:"log_size"` // numbered audit entries in the copy
	CheckpointSize int64      `db:"checkpoint_size"`
	CheckpointRoot []byte     `db:"checkpoint_root"`
}

// LockPlace names where a SQLite database is driven: this host and its lock. Whoever
// holds the lock knows that no process drives the same place.
// On PostgreSQL no lock tells of processes, and it is "".
func LockPlace(dsn string) (string, error) {
	if IsPostgres(dsn) {
		return "", nil
	}
	host, err := os.Hostname()
	if err != nil {
		return "", fmt.Errorf("name of this host: %w", err)
	}
	path, err := filepath.Abs(LockPath(dsn))
	if err != nil {
		return "", fmt.Errorf("place of the lock: %w", err)
	}
	return host + ":" + path, nil
}

// Mark is the mark of a copy; ok is false on a database that is none.
func (t *Tx) Mark() (m CopyMark, ok bool, err error) {
	ok, err = t.Get(&m, "SELECT made_at, place, log_size, checkpoint_size, checkpoint_root FROM copy_mark")
	return m, ok, err
}

// TakeMark removes the mark of a copy: the hold that it led to stays.
func (t *Tx) TakeMark() error {
	t.marked = false
	_, err := t.Exec("DELETE FROM copy_mark")
	return err
}

const holdColumns = `id, cause, since, restored_from, sweep_from, kept_size, kept_root, old_size, old_root, call_us, settle_us,
	dead_at, dead_by, dead_because, phase, reached, turned, sweep_asked, swept_at, lifted_at, lifted_because`

// Hold is the newest restore hold, also one that was lifted, or nil. It is read
// once in a transaction.
func (t *Tx) Hold() (*model.Hold, error) {
	if t.holdRead {
		return t.hold, nil
	}
	var h model.Hold
	var found, marked bool
	err := t.Together(
		func() (err error) {
			found, err = t.Get(&h, "SELECT "+holdColumns+" FROM holds ORDER BY since DESC, id DESC LIMIT 1")
			return err
		},
		func() error {
			_, err := t.Get(&marked, "SELECT EXISTS (SELECT 1 FROM copy_mark) AS marked")
			return err
		})
	if err != nil {
		return nil, err
	}
	if found {
		t.hold = &h
	}
	t.holdRead, t.marked = true, marked
	return t.hold, nil
}

// Holds lists the restore holds, newest first.
func (t *Tx) Holds(limit int) (list []model.Hold, err error) {
	err = t.Select(&list, "SELECT "+holdColumns+" FROM holds ORDER BY since DESC, id DESC LIMIT ?", limit)
	return list, err
}

// loadHold tells a case whether nothing may be sent. A server's database can be
// replaced by a copy under a running process: the mark counts as a hold until a
// start finds it and opens one.
func (t *Tx) loadHold(c *model.Case) (err error) {
	c.Hold, err = t.Hold()
	c.Held = c.Hold.On() || t.marked
	return err
}

// OpenHold stores a hold. One that is on already ends by it: the newer one
// covers what the older one did.
func (t *Tx) OpenHold(h model.Hold) error {
	if _, err := t.Exec("UPDATE holds SET lifted_at = ?, phase = 'over', lifted_because = ? WHERE lifted_at = 0", t.now, "superseded by "+h.ID); err != nil {
		return err
	}
	t.holdRead, t.hold = true, &h
	return t.Insert("holds", holdColumns, h)
}

// MoveHold stores how far a hold has come. The error is of kind Stale where
// somebody moved it since it was read; then nothing was changed.
func (t *Tx) MoveHold(before, after model.Hold) error {
	n, err := t.Changed(`UPDATE holds SET phase = ?, reached = ?, turned = ?, dead_at = ?, dead_by = ?, dead_because = ?, sweep_asked = ?, swept_at = ?,
		lifted_at = ?, lifted_because = ? WHERE id = ? AND phase = ? AND reached = ? AND dead_at = ? AND lifted_at = ?`,
		after.Phase, after.Reached, after.Turned, after.DeadAt, after.DeadBy, after.DeadBecause, after.SweepAsked, after.SweptAt,
		after.LiftedAt, after.LiftedBecause, before.ID, before.Phase, before.Reached, before.DeadAt, before.LiftedAt)
	if err == nil && n != 1 {
		return model.Errorf(model.Stale, "stale", "The restore hold moved meanwhile; nothing was changed.")
	}
	t.holdRead, t.hold = false, nil
	return err
}

// AddLifter records who wants the hold lifted; added is false where that person
// does already.
func (t *Tx) AddLifter(l model.HoldLifter) (added bool, err error) {
	return t.InsertNew("hold_lifters", "hold_id, person, name, reason, at", l)
}

// Lifters lists who wants the hold lifted, in order.
func (t *Tx) Lifters(hold string) (list []model.HoldLifter, err error) {
	err = t.Select(&list, "SELECT hold_id, person, name, reason, at FROM hold_lifters WHERE hold_id = ? ORDER BY at", hold)
	return list, err
}

// LastNumbered is the time of the newest numbered audit entry, or where there is
// none the latest stored time.
func (t *Tx) LastNumbered() (at model.Time, err error) {
	_, err = t.Get(&at, `SELECT COALESCE((SELECT at FROM audit_log ORDER BY idx DESC LIMIT 1), (SELECT latest FROM installation))`)
	return at, err
}

// HoldBatch lists the next intents, by id, that a phase of the hold is about:
// all that were there before it, and with later ones those too.
func (t *Tx) HoldBatch(h model.Hold, later bool, limit int) (ids []string, err error) {
	until := h.Since
	if later {
		until = t.now
	}
	err = t.Select(&ids, `SELECT id FROM intents WHERE id > ? AND created_at <= ? AND EXISTS (SELECT 1 FROM steps s WHERE s.intent_id = intents.id
		AND s.state NOT IN ('confirmed', 'not_needed')) ORDER BY id LIMIT ?`, h.Reached, until, limit)
	return ids, err
}

// LivingElsewhere reports whether a process of another place than this one has
// driven the database, or may have. Of a place without a lock that is never
// known: one may have begun after the copy was made.
func (t *Tx) LivingElsewhere(place string) (bool, error) {
	if place == "" {
		return true, nil
	}
	var n int
	_, err := t.Get(&n, `SELECT count(*) FROM boots b LEFT JOIN boot_places p ON p.boot = b.id
		WHERE p.place IS NULL OR p.place <> ?`, place)
	return n > 0, err
}

// EndOlderBoots records that every boot that began before a moment is dead.
func (t *Tx) EndOlderBoots(before model.Time, by string) error {
	_, err := t.Exec("UPDATE boots SET dead_at = ?, declared_by = ? WHERE dead_at = 0 AND started_at < ?", t.now, by, before)
	return err
}

// OlderBoots lists the boots that began before a moment and are not known to be
// dead, newest first.
func (t *Tx) OlderBoots(before model.Time, limit int) (list []Boot, err error) {
	err = t.Select(&list, "SELECT * FROM boots WHERE dead_at = 0 AND started_at < ? ORDER BY started_at DESC LIMIT ?", before, limit)
	return list, err
}

// LockInstallation waits until no other transaction has it, and keeps it.
func (t *Tx) LockInstallation() error {
	_, err := t.Exec("UPDATE installation SET latest = latest WHERE one = 1")
	return err
}

// searchedGenerations is under how many generations of a step objects are looked for.
const searchedGenerations = 20

// FoundForStep lists the objects that lists showed under a step's keys, of
// whatever generation, by the provider's ids.
func (t *Tx) FoundForStep(s *model.Step) (refs []string, err error) {
	args := []any{s.Provider, s.WireKey}
	for n := 1; n <= searchedGenerations; n++ {
		args = append(args, model.StepKey(s.IntentID, s.Name, n))
	}
	err = t.Select(&refs, `SELECT external_ref FROM seen_objects WHERE provider = ? AND (reference <> '' AND reference = ?
		OR step_key IN (`+marks(searchedGenerations)+`)) ORDER BY made_at, external_ref`, args...)
	return refs, err
}

// Listed reports whether a provider's objects of an operation can be listed.
func (t *Tx) Listed(provider, operation string) (lists bool, err error) {
	_, err = t.Get(&lists, "SELECT lists FROM sweeps WHERE provider = ? AND operation = ?", provider, operation)
	return lists, err
}

// countedUnknown caps how many unknown effects a hold's state counts.
const countedUnknown = 10_000

// RestoredUnknown counts the effects whose outcome is unknown, at most 10,000.
func (t *Tx) RestoredUnknown() (n int, err error) {
	_, err = t.Get(&n, "SELECT count(*) FROM (SELECT 1 FROM steps WHERE state = 'outcome_unknown' LIMIT ?) AS unknown", countedUnknown)
	return n, err
}
