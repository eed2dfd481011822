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
	// Waiting says that it is a CSV whose columns nobody has named yet: there are no
	// statements and no matches then.
	Waiting bool
	// Proposal is a mapping to begin with, of a CSV alone: the file's own, else the
	// account's last one where it reads this file, else a guess. Rows are its first
	// rows as cells.
	Proposal bankfile.Mapping
	Rows     bankfile.Preview
	// MapperName is the name of who named its columns last; "" where nobody did.
	MapperName string
	// MayMap says that the actor may name its columns, or name them anew: it is a CSV
	// of which no confirmed list is open, carried out or done.
	MayMap bool

	Read    bankfile.File    // with every statement; Statement.Check tells whether one adds up
	Matches []bankfile.Match // one per line, in the file's order
	// Unnamed are steps that move money, are uncertain, are in a currency of the file
	// and named by none of its lines, the oldest doubt first; at most MaxUnnamed.
	Unnamed []bankfile.Step
	More    bool         // there are more of them
	Lists   []model.Bulk // confirmed lists made of it, the newest first, without items
	Now     model.Time   // when it was read
}

// MaxUnnamed is how many steps that no line names are given.
const MaxUnnamed = 200

// CSV is the format of files that wait for a mapping.
const CSV = "CSV"

// waits reports whether nobody has said yet how the file is to be read.
func (b *BankFile) waits() bool { return b.Format == CSV && b.Mapping == nil }

// describe keeps with the file what it was read as.
func (b *BankFile) describe(f bankfile.File) {
	b.Format, b.Statements, b.Lines, b.BankNumber, b.FromDay, b.ToDay = f.Format, len(f.Statements), 0, "", "", ""
	for i := range f.Statements {
		s := &f.Statements[i]
		b.Lines += len(s.Lines)
		if i == 0 {
			b.BankNumber = s.Account
		}
		for _, line := range s.Lines {
			if day := line.BookedOn; day != "" {
				b.ToDay = max(b.ToDay, day)
				if b.FromDay == "" || day < b.FromDay {
					b.FromDay = day
				}
			}
		}
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
