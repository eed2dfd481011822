package store

import "countersign/internal/model"

// StoredIntent gives the fingerprint of the intent with this id, and its params
// as accepted; ok is false where there is none. It reads one row, so that a
// repeat which contradicts the first costs nothing.
func (t *Tx) StoredIntent(id string) (i model.Intent, ok bool, err error) {
	ok, err = t.Get(&i, "SELECT id, account, kind, key, fingerprint, params FROM intents WHERE id = ?", id)
	return i, ok, err
}

// StepGeneration is the present generation of a step; 0 where there is no such step.
func (t *Tx) StepGeneration(intent, step string) (n int, err error) {
	_, err = t.Get(&n, "SELECT generation FROM steps WHERE intent_id = ? AND name = ?", intent, step)
	return n, err
}

// InsertAbandonment records that a person gave an intent up. The error is of
// kind Conflict where somebody did already.
func (t *Tx) InsertAbandonment(a model.Abandonment) error {
	n, err := t.Changed("INSERT INTO abandonments (intent_id, at, by_name, reason) VALUES (?, ?, ?, ?) ON CONFLICT DO NOTHING",
		a.IntentID, a.At, a.By, a.Reason)
	if err == nil && n == 0 {
		return model.Errorf(model.Conflict, "action-refused", "The intent was abandoned already.")
	}
	return err
}

// Creator is the id of the person who answers for an intent, "" where there is none.
func (t *Tx) Creator(intent string) (person string, err error) {
	_, err = t.Get(&person, "SELECT creator FROM intents WHERE id = ?", intent)
	return person, err
}
