package store

import "countersign/internal/model"

// Upload is a document that a person gave as evidence. It never changes.
type Upload struct {
	ID         string     `db:"id"`
	Account    string     `db:"account"`
	Person     string     `db:"person"`
	Name       string     `db:"name"`
	MediaType  string     `db:"media_type"`
	Body       []byte     `db:"body"`
	SHA256     []byte     `db:"sha256"`
	UploadedAt model.Time `db:"uploaded_at"`
}

// InsertUpload stores a document.
func (t *Tx) InsertUpload(u Upload) error {
	return t.Insert("uploads", "id, account, person, name, media_type, body, sha256, uploaded_at", u)
}

// Upload finds a document of an account; the error is of kind NotFound.
func (t *Tx) Upload(account, id string) (u Upload, err error) {
	ok, err := t.Get(&u, "SELECT * FROM uploads WHERE id = ? AND account = ?", id, account)
	if err == nil && !ok {
		err = noUpload(id)
	}
	return u, err
}

// UploadDigest gives the SHA-256 of a document of an account without reading its
// bytes; the error is of kind NotFound.
func (t *Tx) UploadDigest(account, id string) (sum []byte, err error) {
	ok, err := t.Get(&sum, "SELECT sha256 FROM uploads WHERE id = ? AND account = ?", id, account)
	if err == nil && !ok {
		err = noUpload(id)
	}
	return sum, err
}

func noUpload(id string) error {
	return model.Errorf(model.NotFound, "not-found", "There is no upload %s in this account.", id)
}
