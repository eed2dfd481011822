package actions

import (
	"context"

	"countersign/internal/authz"
	"countersign/internal/bankfile"
	"countersign/internal/model"
	"countersign/internal/store"
)

// BankFile is a bank's file as it is kept: the row, without its bytes.
type BankFile struct {
	store.BankFile
	// Known says that TakeBankFile found these very bytes in the account already and
	// stored nothing; the rest tells who uploaded them first, when and as what.
	Known bool
	// Recorded is how many of its lines have been recorded by confirmed lists; of
	// BankFiles and ReadBankFile.
	Recorded int
}

// BankFileQuery picks a page of an account's files. Cursor is that of the page
// before; Limit is 1 to 200, 0 is 50.
type BankFileQuery struct {
	Account string
	Cursor  string
	Limit   int
}

// BankFilePage is one page of the files, the newest first.
type BankFilePage struct {
	Items      []BankFile
	NextCursor *string
	Now        model.Time // when it was read
}

// BankReading is what a bank's file says, set beside our steps as they are now.
type BankReading struct {
	BankFile
	// Waiting says that it is a CSV whose columns nobody has named yet, or whose
	// columns as they were named do not read it any more: there are no statements and
	// no matches then.
	Waiting bool
	Fault   error // why its own mapping does not read it, of kind Invalid; nil where it does, and where it has none
	// Proposal is a mapping to begin with, of a CSV alone: the file's own, else the
	// account's last one where it reads this file, else a guess. Rows are its first
	// rows as cells.
	Proposal bankfile.Mapping
	Rows     bankfile.Preview
	// MapperName is the name of who named its columns last; "" where nobody did.
	MapperName string
	// MayMap says that the actor may name its columns, or name them anew: it is a CSV
	// of which no confirmed list is open or carried out, or has recorded a line.
	MayMap bool

	Read    bankfile.File    // with every statement; Statement.Check tells whether one adds up
	Matches []bankfile.Match // one per line, in the file's order
	// Unnamed are steps that move money, are uncertain, are in a currency of the file
	// and named by none of its lines, the oldest doubt first; at most MaxUnnamed.
	Unnamed []bankfile.Step
	// Currencies are those of the file in which such steps were looked for, at most
	// MaxCurrencies; MoreCurrencies says that the file has others, of which nothing is said.
	Currencies     []string
	MoreCurrencies bool
	More           bool         // there are more of them
	Lists          []model.Bulk // confirmed lists made of it, the newest first, without items
	Now            model.Time   // when it was read
}

// MaxUnnamed is how many steps that no line names are given.
const MaxUnnamed = 200

// MaxCurrencies is in how many currencies of one file our side is looked for.
const MaxCurrencies = 16

// CSV is the format of files that wait for a mapping.
const CSV = "CSV"

// waits reports whether nobody has said yet how the file is to be read.
func (b *BankFile) waits() bool { return b.Format == CSV && b.Mapping == nil }

// describe keeps with the file what it was read as.
func (b *BankFile) describe(f bankfile.File) {
	b.Format, b.Statements, b.Lines, b.BankNumber = f.Format, len(f.Statements), 0, ""
	b.FromDay, b.ToDay = f.Days()
	for i := range f.Statements {
		b.Lines += len(f.Statements[i].Lines)
	}
	if len(f.Statements) > 0 {
		b.BankNumber = f.Statements[0].Account
	}
}

// BankFiles lists the files of an account in which the actor reads intents, the
// newest first. Errors: kind NotFound behind an account wall, Invalid for a cursor
// that is none.
func (r *Runner) BankFiles(ctx context.Context, actor authz.Actor, q BankFileQuery) (page BankFilePage, err error) {
	err = r.db.View(ctx, func(tx *store.Tx) error { page, err = BankFilesIn(tx, actor, q); return err })
	return page, err
}

// BankFilesIn is BankFiles, as a transaction sees them. It asks once.
func BankFilesIn(tx *store.Tx, actor authz.Actor, q BankFileQuery) (page BankFilePage, err error) {
	page.Now = tx.Now()
	if !actor.May(q.Account, authz.ReadIntents).Allowed {
		return page, notFound("account", q.Account)
	}
	after, err := parseCursor(q.Cursor)
	if err != nil {
		return page, err
	}
	limit := pageLength(q.Limit)
	rows, err := tx.BankFiles(q.Account, after, limit+1) // one more tells whether there is a next page
	if err != nil {
		return page, err
	}
	if len(rows) > limit {
		rows = rows[:limit]
		last := rows[limit-1]
		page.NextCursor = optional(cursorOf(store.ApprovalMark{At: last.UploadedAt, ID: last.ID}))
	}
	for _, row := range rows {
		page.Items = append(page.Items, BankFile{BankFile: row.BankFile, Recorded: row.Recorded})
	}
	return page, nil
}
