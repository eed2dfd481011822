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
	FromDay    string     `db:"from_day"`    // the first and the last day on which a line was booked, 2006-01-02; "" where none says
	ToDay      string     `db:"to_day"`
	UploadedAt model.Time `db:"uploaded_at"`
	MappedAt   model.Time `db:"mapped_at"` // 0 where it never was
}
