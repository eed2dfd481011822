package store

import "countersign/internal/model"

// BankFile is a bank's file that a person uploaded, without its bytes, which are
// those of its upload. Only its mapping, and with it what it was read as, changes.
type BankFile struct {
	ID         string     `db:"id"`
	Account    string     `db:"account"`
	Person     string     `db:"person"`      // id of who uploaded it
	PersonName string     `db:"person_name"` // and the name, as it was then
	Upload     string     `db:"upload"`      // id of the upload that holds its bytes
	SHA256     []byte     `db:"sha256"`
	Size       int        `db:"size"` // bytes
	Name       string     `db:"name"`
	Format     string     `db:"format"`     // as bankfile.File has it
	Mapping    []byte     `db:"mapping"`    // JSON; nil where it is no CSV, or waits for one
	Statements int        `db:"statements"` // how many it holds; 0 while it waits for its mapping
	Lines      int        `db:"lines"`
	BankNumber string     `db:"bank_number"` // the bank's number of the account that its first statement is about
	FromDay    string     `db:"from_day"`    // the days that it covers, as bankfile.File.Days has them
	ToDay      string     `db:"to_day"`
	UploadedAt model.Time `db:"uploaded_at"`
	MappedAt   model.Time `db:"mapped_at"` // 0 where it never was
	MappedBy   string     `db:"mapped_by"` // id of who named its columns last; "" where nobody did
}

const bankFileColumns = `id, account, person, person_name, upload, sha256, size, name, format, mapping, statements, lines, bank_number, from_day, to_day, uploaded_at, mapped_at, mapped_by`

// AddBankFile stores a bank's file beside its upload. It is not taken where the
// account has the same bytes already.
func (t *Tx) AddBankFile(b BankFile) (taken bool, err error) {
	return t.InsertNew("bank_files", bankFileColumns, b)
}

// BankFile finds a bank's file; the error is of kind NotFound. Whose it is, the
// caller looks at.
func (t *Tx) BankFile(id string) (BankFile, error) { return t.bankFile(id, "") }

// LockBankFile is BankFile, and nobody else changes its row until the transaction
// ends. It is locked before lists.
func (t *Tx) LockBankFile(id string) (BankFile, error) { return t.bankFile(id, t.db.dialect.lock) }

func (t *Tx) bankFile(id, lock string) (b BankFile, err error) {
	ok, err := t.Get(&b, "SELECT * FROM bank_files WHERE id = ?"+lock, id)
	if err == nil && !ok {
		err = model.Errorf(model.NotFound, "not-found", "There is no bank file %s, or it is not yours to see.", id)
	}
	return b, err
}

// BankFileBody gives the bytes of a bank's file; nil where there is none.
func (t *Tx) BankFileBody(id string) (body []byte, err error) {
	_, err = t.Get(&body, "SELECT u.body FROM bank_files b JOIN uploads u ON u.id = b.upload WHERE b.id = ?", id)
	return body, err
}

// BankFileOf gives the id of the bank's file that has an upload's bytes; "" where
// none has.
func (t *Tx) BankFileOf(upload string) (id string, err error) {
	_, err = t.Get(&id, "SELECT id FROM bank_files WHERE upload = ?", upload)
	return id, err
}

// SameBankFile finds the account's file with a SHA-256.
func (t *Tx) SameBankFile(account string, sum []byte) (b BankFile, found bool, err error) {
	found, err = t.Get(&b, "SELECT * FROM bank_files WHERE account = ? AND sha256 = ?", account, sum)
	return b, found, err
}

// ListedBankFile is a file with what became of it.
type ListedBankFile struct {
	BankFile
	Recorded int `db:"recorded"` // lines that confirmed lists have recorded
}

// BankFiles lists an account's files from behind a place on, the newest first.
func (t *Tx) BankFiles(account string, after ApprovalMark, limit int) (list []ListedBankFile, err error) {
	where, args := paged("account = ?", []any{account}, after, "uploaded_at", "", limit)
	err = t.Select(&list, "SELECT b.*, ("+recorded+") AS recorded FROM bank_files b WHERE "+where, args...)
	return list, err
}

// recorded counts the lines of the file b that confirmed lists have recorded.
const recorded = `SELECT count(*) FROM bulks l JOIN bulk_items m ON m.bulk_id = l.id
	WHERE l.bank_file = b.id AND l.bank_file <> '' AND l.used_at > 0 AND m.outcome = 'executed'`

// Recorded counts the lines of a file that confirmed lists have recorded.
func (t *Tx) Recorded(id string) (n int, err error) {
	_, err = t.Get(&n, "SELECT ("+recorded+") FROM bank_files b WHERE b.id = ?", id)
	return n, err
}

// LastMapping gives the mapping that was named last for a file of the account of
// the file; nil where none was.
func (t *Tx) LastMapping(id string) (mapping []byte, err error) {
	_, err = t.Get(&mapping, `SELECT o.mapping FROM bank_files o WHERE o.account = (SELECT b.account FROM bank_files b WHERE b.id = ?) AND o.mapped_at > 0
		ORDER BY o.mapped_at DESC LIMIT 1`, id)
	return mapping, err
}

// MapperName is the name of who named the columns of a file last; "" where nobody
// did.
func (t *Tx) MapperName(id string) (name string, err error) {
	_, err = t.Get(&name, "SELECT name FROM people WHERE id = (SELECT mapped_by FROM bank_files WHERE id = ?)", id)
	return name, err
}

// MapBankFile keeps how a CSV is read, and what it was read as. The caller has
// locked the file.
func (t *Tx) MapBankFile(b BankFile) error {
	_, err := t.Exec(`UPDATE bank_files SET mapping = ?, mapped_at = ?, mapped_by = ?, statements = ?, lines = ?, bank_number = ?, from_day = ?, to_day = ? WHERE id = ?`,
		b.Mapping, b.MappedAt, b.MappedBy, b.Statements, b.Lines, b.BankNumber, b.FromDay, b.ToDay, b.ID)
	return err
}

// ExpireBankLists ends the time of lists that were made of a file and never
// confirmed, with that of their plans, and tells whether another one stands: is
// open or being carried out, or has recorded a line. What was rejected, withdrawn,
// dismissed or has expired stands no more, nor does what was done with no effect.
func (t *Tx) ExpireBankLists(id string) (stands bool, err error) {
	const left = "bank_file = ? AND bank_file <> '' AND used_at = 0 AND expires_at > ?"
	over := t.now - 1
	if _, err := t.Exec("UPDATE previews SET expires_at = ? WHERE expires_at > ? AND id IN (SELECT m.preview_id FROM bulk_items m WHERE m.preview_id <> '' AND m.bulk_id IN (SELECT id FROM bulks WHERE "+left+"))",
		over, over, id, over); err != nil {
		return false, err
	}
	if _, err := t.Exec("UPDATE bulks SET expires_at = ? WHERE "+left, over, id, over); err != nil {
		return false, err
	}
	_, err = t.Get(&stands, "SELECT EXISTS (SELECT 1 FROM bulks WHERE bank_file = ? AND bank_file <> '' AND used_at > 0 AND (state = 'running' OR state = 'open' AND expires_at > ?))", id, t.now)
	if err != nil || stands {
		return stands, err
	}
	n, err := t.Recorded(id)
	return n > 0, err
}

// OfBankFile is the id of the list that the preview of an intent belongs to, where
// that was made of a bank's file; else "".
func (t *Tx) OfBankFile(intent, preview string) (list string, err error) {
	_, err = t.Get(&list, "SELECT l.id FROM bulk_items m JOIN bulks l ON l.id = m.bulk_id WHERE m.intent_id = ? AND m.preview_id = ? AND l.bank_file <> ''", intent, preview)
	return list, err
}

// BankLists lists the confirmed lists that were made of a file, the newest first,
// without their items; at most 200.
func (t *Tx) BankLists(id string) (list []model.Bulk, err error) {
	err = t.Select(&list, "SELECT * FROM bulks WHERE bank_file = ? AND bank_file <> '' AND used_at > 0 ORDER BY used_at DESC, id LIMIT 200", id)
	return list, err
}
