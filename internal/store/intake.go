package store

import "countersign/internal/model"

// StoredIntent gives the fingerprint of the intent with this id, and its params
// as accepted; ok is false where there is none. It reads one row, so that a
// repeat which contradicts the first costs nothing.
func (t *Tx) StoredIntent(id string) (i model.Intent, ok bool, err error) {
	ok, err = t.Get(&i, "SELECT id, account, kind, key, fingerprint, params FROM intents WHERE id = ?", id)
	return i, ok, err
}

// StepGenerations gives the present generation of each step of some intents, by
// intent and step.
func (t *Tx) StepGenerations(intents []string) (map[[2]string]int, error) {
	found := map[[2]string]int{}
	if len(intents) == 0 {
		return found, nil
	}
	var rows []struct {
		Intent     string `db:"intent_id"`
		Name       string `db:"name"`
		Generation int    `db:"generation"`
	}
	err := t.Select(&rows, "SELECT intent_id, name, generation FROM steps WHERE intent_id IN ("+marks(padded(len(intents)))+")", pad(intents)...)
	for _, r := range rows {
		found[[2]string{r.Intent, r.Name}] = r.Generation
	}
	return found, err
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
