package store

import "countersign/internal/model"

// SeenObject is one of a provider's objects as a list showed it last.
type SeenObject struct {
	Provider    string     `db:"provider"`
	Operation   string     `db:"operation"`
	ExternalRef string     `db:"external_ref"`
	Reference   string     `db:"reference"` // as the provider has it
	StepKey     string     `db:"step_key"`  // the same as a step key of ours, or ""
	Amount      int64      `db:"amount"`    // minor units
	Currency    string     `db:"currency"`
	Status      string     `db:"status"`  // the provider's own word
	MadeAt      model.Time `db:"made_at"` // by the provider's clock; 0 where it does not say
	SeenAt      model.Time `db:"seen_at"`
}

const seenColumns = "provider, operation, external_ref, reference, step_key, amount, currency, status, made_at, seen_at"

// See keeps what a page of a list showed, in place of what it showed before.
func (t *Tx) See(objects []SeenObject) error {
	_, err := t.insert("seen_objects", seenColumns, ` ON CONFLICT (provider, operation, external_ref) DO UPDATE SET reference = excluded.reference,
		step_key = excluded.step_key, amount = excluded.amount, currency = excluded.currency, status = excluded.status,
		made_at = excluded.made_at, seen_at = excluded.seen_at`, objects)
	return err
}

// FoundUnder lists the objects that name this step key or wire key at a provider,
// as lists showed them; those of a step that has its object are among them.
func (t *Tx) FoundUnder(provider, stepKey, wireKey string) (list []SeenObject, err error) {
	err = t.Select(&list, `SELECT * FROM seen_objects WHERE provider = ? AND (step_key <> '' AND step_key = ? OR reference = ? AND reference <> '')
		ORDER BY made_at, external_ref`, provider, stepKey, wireKey)
	return list, err
}

// ForgetSeen removes what no list has shown since a moment. What was ever an
// orphan stays: its intent may still be posted.
func (t *Tx) ForgetSeen(provider, operation string, before model.Time, limit int) error {
	_, err := t.Exec(`DELETE FROM seen_objects WHERE provider = ? AND operation = ? AND external_ref IN (
		SELECT s.external_ref FROM seen_objects s WHERE s.provider = ? AND s.operation = ? AND s.seen_at < ? AND NOT EXISTS (
			SELECT 1 FROM orphans o WHERE o.provider = s.provider AND o.operation = s.operation AND o.external_ref = s.external_ref)
		ORDER BY s.seen_at LIMIT ?)`, provider, operation, provider, operation, before, limit)
	return err
}

// Unlisted is an object of a confirmed step that no page of a pass showed.
type Unlisted struct {
	ExternalRef string     `db:"external_ref"`
	IntentID    string     `db:"intent_id"`
	Step        string     `db:"step"`
	At          model.Time `db:"at"`
}

// UnlistedObjects lists, in the order in which we learnt of them, the objects of
// confirmed steps that became known between since and before and that no list
// has shown since seen. It goes on behind a position; the zero one begins.
func (t *Tx) UnlistedObjects(provider, operation string, since, before, seen model.Time, behind Unlisted, limit int) (list []Unlisted, err error) {
	err = t.Select(&list, `SELECT o.external_ref, o.intent_id, o.step, o.at FROM objects o
		JOIN steps s ON s.intent_id = o.intent_id AND s.name = o.step
		WHERE o.provider = ? AND o.operation = ? AND o.at >= ? AND o.at < ? AND (o.at > ? OR o.at = ? AND o.external_ref > ?)
			AND s.state = 'confirmed' AND s.external_ref = o.external_ref AND NOT EXISTS (SELECT 1 FROM seen_objects n
				WHERE n.provider = o.provider AND n.operation = o.operation AND n.external_ref = o.external_ref AND n.seen_at >= ?)
		ORDER BY o.at, o.external_ref LIMIT ?`,
		provider, operation, since, before, behind.At, behind.At, behind.ExternalRef, seen, limit)
	return list, err
}

// StandingStep reads one step as its row stands, without attempts or evidence, to
// compare an object with it; it is the zero step where there is none.
func (t *Tx) StandingStep(intent, step string) (s model.Step, err error) {
	_, err = t.Get(&s, "SELECT * FROM steps WHERE intent_id = ? AND name = ?", intent, step)
	return s, err
}
