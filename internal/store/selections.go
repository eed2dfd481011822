package store

import (
	"time"

	"countersign/internal/model"
)

// keepSelections is how long a person's selection is kept once a newer one is begun.
const keepSelections = 7 * 24 * time.Hour

// NewSelection begins an empty selection of a person's, and forgets old ones.
func (t *Tx) NewSelection(person string) (id string, err error) {
	old := "SELECT id FROM selections WHERE person = ? AND created_at < ?"
	for _, statement := range []string{"DELETE FROM selected_intents WHERE selection_id IN (" + old + ")", "DELETE FROM selections WHERE id IN (" + old + ")"} {
		if _, err := t.Exec(statement, person, t.now.Add(-keepSelections)); err != nil {
			return "", err
		}
	}
	id = t.NewID("selection")
	_, err = t.Exec("INSERT INTO selections (id, person, created_at) VALUES (?, ?, ?)", id, person, t.now)
	return id, err
}

// LockSelection finds a person's own selection and keeps it from changing until
// the transaction ends; the error is of kind NotFound.
func (t *Tx) LockSelection(person, id string) (model.Selection, error) {
	return t.selection(person, id, t.db.dialect.lock)
}

// Selection finds a person's own selection; the error is of kind NotFound.
func (t *Tx) Selection(person, id string) (model.Selection, error) {
	return t.selection(person, id, "")
}

func (t *Tx) selection(person, id, lock string) (s model.Selection, err error) {
	ok, err := t.Get(&s.ID, "SELECT id FROM selections WHERE id = ? AND person = ?"+lock, id, person)
	if err != nil {
		return s, err
	}
	if !ok {
		return s, model.Errorf(model.NotFound, "not-found", "There is no selection %s, or it is not yours.", id)
	}
	var rows []struct {
		Intent string `db:"intent_id"`
		Page   string `db:"page"`
	}
	err = t.Select(&rows, "SELECT intent_id, page FROM selected_intents WHERE selection_id = ? ORDER BY position, intent_id", id)
	pages := map[string]bool{}
	for _, row := range rows {
		s.Intents = append(s.Intents, row.Intent)
		pages[row.Page] = true
	}
	s.Pages = len(pages)
	return s, err
}

// SelectedIntents lists the intents of a person's own selection in the order of
// ticking, without their params: those of the accounts alone. Of another's
// selection, and of none, it lists nothing.
func (t *Tx) SelectedIntents(person, id string, accounts []string) (rows []model.Intent, err error) {
	if len(accounts) == 0 {
		return nil, nil
	}
	err = t.Select(&rows, "SELECT "+rowColumns+" FROM intents JOIN selected_intents ON intent_id = id WHERE selection_id = (SELECT id FROM selections WHERE id = ? AND person = ?)"+
		" AND (account || '') IN ("+marks(len(accounts))+") ORDER BY position, intent_id", append([]any{id, person}, anys(accounts)...)...)
	return rows, err
}

// SelectIntents puts intents into a selection that the caller has locked: those
// of the accounts that it does not hold yet. page names where they were ticked.
func (t *Tx) SelectIntents(s model.Selection, page string, accounts, intents []string) error {
	if len(intents) == 0 || len(accounts) == 0 {
		return nil
	}
	var known []string
	err := t.Select(&known, "SELECT id FROM intents WHERE id IN ("+marks(padded(len(intents)))+") AND (account || '') IN ("+marks(len(accounts))+")",
		append(pad(intents), anys(accounts)...)...)
	if err != nil {
		return err
	}
	own := map[string]bool{}
	for _, intent := range known {
		own[intent] = true
	}
	for at, intent := range intents {
		if !own[intent] {
			continue
		}
		if _, err := t.Exec("INSERT INTO selected_intents (selection_id, intent_id, position, page) VALUES (?, ?, ?, ?) ON CONFLICT DO NOTHING",
			s.ID, intent, len(s.Intents)+at+1, page); err != nil {
			return err
		}
	}
	return nil
}

// UnselectIntents takes intents out of a selection that the caller has locked.
func (t *Tx) UnselectIntents(id string, intents []string) error {
	if len(intents) == 0 {
		return nil
	}
	_, err := t.Exec("DELETE FROM selected_intents WHERE selection_id = ? AND intent_id IN ("+marks(padded(len(intents)))+")",
		append([]any{id}, pad(intents)...)...)
	return err
}

// ClearSelection takes everything out of a selection that the caller has locked.
func (t *Tx) ClearSelection(id string) error {
	_, err := t.Exec("DELETE FROM selected_intents WHERE selection_id = ?", id)
	return err
}
