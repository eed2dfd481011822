package store

import "countersign/internal/model"

// Why a sweep has an object read.
const (
	LookDiffers = "differs" // a list shows it otherwise than its step says
	LookMissing = "missing" // no list shows it, though its step is confirmed
)

// What can become of such a reading.
const (
	LookApplied    = "applied"    // it was read, and is evidence now
	LookMissed     = "missing"    // the provider does not know it, asked twice
	LookUnanswered = "unanswered" // the provider never answered what it meant
	LookMoot       = "moot"       // nothing is left to compare
)

// SweepLook is an object that the sweep has read by its own id, because a list
// and a step differ about it.
type SweepLook struct {
	Provider    string     `db:"provider"`
	Operation   string     `db:"operation"`
	ExternalRef string     `db:"external_ref"`
	IntentID    string     `db:"intent_id"`
	Step        string     `db:"step"`
	Generation  int        `db:"generation"` // whose key the object names; 0 is not known
	Why         string     `db:"why"`
	ListedAs    string     `db:"listed_as"` // what the list said: a repeat of it is no news
	AskedAt     model.Time `db:"asked_at"`
	DueAt       model.Time `db:"due_at"` // 0 once it is settled
	Tries       int        `db:"tries"`
	MissedAt    model.Time `db:"missed_at"` // when the provider first did not know it
	Outcome     string     `db:"outcome"`
	SettledAt   model.Time `db:"settled_at"`
}

// SweepLook reads the look at an object; ok is false where none was asked for.
func (t *Tx) SweepLook(provider, operation, ref string) (l SweepLook, ok bool, err error) {
	ok, err = t.Get(&l, "SELECT * FROM sweep_looks WHERE provider = ? AND operation = ? AND external_ref = ?", provider, operation, ref)
	return l, ok, err
}

// AskLook has an object read as soon as may be, in place of an earlier look.
func (t *Tx) AskLook(l SweepLook) error {
	l.AskedAt, l.DueAt, l.Tries, l.MissedAt, l.Outcome, l.SettledAt = t.now, t.now, 0, 0, "", 0
	_, err := t.insert("sweep_looks", "provider, operation, external_ref, intent_id, step, generation, why, listed_as, asked_at, due_at",
		` ON CONFLICT (provider, operation, external_ref) DO UPDATE SET intent_id = excluded.intent_id, step = excluded.step,
		generation = excluded.generation, why = excluded.why, listed_as = excluded.listed_as, asked_at = excluded.asked_at,
		due_at = excluded.due_at, tries = 0, missed_at = 0, outcome = '', settled_at = 0`, l)
	return err
}

// DueLooks lists the looks that are due, oldest first.
func (t *Tx) DueLooks(limit int) (list []SweepLook, err error) {
	err = t.Select(&list, "SELECT * FROM sweep_looks WHERE due_at > 0 AND due_at <= ? ORDER BY due_at LIMIT ?"+t.passOver("sweep_looks"), t.now, limit)
	return list, err
}

// PostponeLook schedules a look again, with its tries and first miss.
func (t *Tx) PostponeLook(l SweepLook, at model.Time) error {
	_, err := t.Exec(`UPDATE sweep_looks SET due_at = ?, tries = ?, missed_at = ? WHERE provider = ? AND operation = ? AND external_ref = ?
		AND settled_at = 0`, at, l.Tries, l.MissedAt, l.Provider, l.Operation, l.ExternalRef)
	return err
}

// SettleLook records what became of a look.
func (t *Tx) SettleLook(l SweepLook, outcome string) error {
	_, err := t.Exec(`UPDATE sweep_looks SET due_at = 0, outcome = ?, settled_at = ? WHERE provider = ? AND operation = ? AND external_ref = ?
		AND settled_at = 0`, outcome, t.now, l.Provider, l.Operation, l.ExternalRef)
	return err
}
