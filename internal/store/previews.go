package store

import "countersign/internal/model"

// Preview is a sealed plan that waits for its own actor's confirmation.
type Preview struct {
	ID        string     `db:"id"`
	IntentID  string     `db:"intent_id"`
	Account   string     `db:"account"`
	Actor     string     `db:"actor"`
	Action    string     `db:"action"`
	Step      string     `db:"step"` // "" where the action takes none
	Input     []byte     `db:"input"`
	Plan      []byte     `db:"plan"` // JSON
	Digest    string     `db:"digest"`
	Version   int64      `db:"version"` // the intent's
	People    int        `db:"people"`
	CreatedAt model.Time `db:"created_at"`
	ExpiresAt model.Time `db:"expires_at"`
	UsedAt    model.Time `db:"used_at"`   // 0 until confirmed
	UsedWith  string     `db:"used_with"` // digest of the confirmation's contents
	Receipt   []byte     `db:"receipt"`   // the first answer, JSON
}

const previewColumns = `id, intent_id, account, actor, action, step, input, plan, digest, version, people, created_at, expires_at`

// InsertPreview stores a preview that nobody has confirmed yet.
func (t *Tx) InsertPreview(p Preview) error { return t.Insert("previews", previewColumns, p) }

// Preview finds a preview by id; the error is of kind NotFound. Whose it is, the
// caller looks at.
func (t *Tx) Preview(id string) (p Preview, err error) {
	ok, err := t.Get(&p, "SELECT * FROM previews WHERE id = ?", id)
	if err == nil && !ok {
		err = model.Errorf(model.NotFound, "not-found", "There is no preview %s, or it is not yours.", id)
	}
	return p, err
}

// ConsumePreview uses a preview up, once, with what it was confirmed with and
// the answer that every repeat gets. The error is of kind Stale where it is used.
func (t *Tx) ConsumePreview(id, with string, receipt []byte) error {
	n, err := t.Changed("UPDATE previews SET used_at = ?, used_with = ?, receipt = ? WHERE id = ? AND used_at = 0", t.now, with, receipt, id)
	if err == nil && n != 1 {
		return model.Errorf(model.Stale, "preview-consumed", "The preview %s is used.", id)
	}
	return err
}
