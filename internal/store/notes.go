package store

import "countersign/internal/model"

// Note is what somebody wrote down about an intent. It never changes.
type Note struct {
	ID       string     `db:"id"` // sorts by time
	IntentID string     `db:"intent_id"`
	Person   string     `db:"person"` // id of who wrote it
	Name     string     `db:"name"`   // the name, as it was then
	At       model.Time `db:"at"`
	Text     string     `db:"text"`
}

// AddNote keeps a note, with an id and a time of its own.
func (t *Tx) AddNote(n Note) (Note, error) {
	n.ID, n.At = t.NewID("note"), t.now
	return n, t.Insert("notes", "id, intent_id, person, name, at, text", n)
}

// Notes lists the notes about an intent, the newest first: those before the note
// with the id before, or from the newest on where it is "". more tells whether
// there are older ones.
func (t *Tx) Notes(intent, before string, limit int) (list []Note, more bool, err error) {
	err = t.Select(&list, "SELECT * FROM notes WHERE intent_id = ? AND (? = '' OR id < ?) ORDER BY id DESC LIMIT ?", intent, before, before, limit+1)
	if more = len(list) > limit; more {
		list = list[:limit]
	}
	return list, more, err
}

// CountNotes counts the notes about an intent, up to MaxCount.
func (t *Tx) CountNotes(intent string) (Counted, error) {
	return t.counted("SELECT count(*) FROM (SELECT 1 FROM notes WHERE intent_id = ? LIMIT ?) AS written", intent, MaxCount+1)
}
