package actions

import (
	"context"
	"errors"

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
	// MayMap says that the mapping may still be changed: no list was confirmed of it.
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

// errUnbuilt stands in until the body is there.
var errUnbuilt = errors.New("not there yet")

// TakeBankFile stores a bank's file of an account as an upload of its own, once:
// the same bytes again in the account give the first one, with Known set, and
// store nothing. Its bytes need not be UTF-8. A CSV is stored unread and waits for
// MapBankFile; any other file must be readable. Stored files have one audit entry,
// bankfile.stored. Errors: kind NotFound behind an account wall; Denied for who may
// not mark (with an entry); Invalid, with code "too-large" over MaxUpload, else
// "invalid-params", for a name that is none and for a file that cannot be read,
// with a sentence that says where and why. After an error nothing is stored.
func (r *Runner) TakeBankFile(ctx context.Context, actor authz.Actor, account, name string, body []byte) (BankFile, error) {
	return BankFile{}, errUnbuilt
}

// MapBankFile says how the columns of a CSV are to be read, or says it anew; it
// must read the whole file without fault. Lists that were previewed under another
// mapping and not confirmed expire. The same mapping again changes nothing; else
// there is one audit entry, bankfile.mapped. Errors: kind NotFound for a file that
// is not the actor's to see; Denied for who may not mark (with an entry); Invalid
// for a mapping that is none (with its faults as Fields) or does not read the
// file; Conflict for a file that is no CSV, and once a list was confirmed of it.
// After an error nothing has changed.
func (r *Runner) MapBankFile(ctx context.Context, actor authz.Actor, id string, m bankfile.Mapping) (BankFile, error) {
	return BankFile{}, errUnbuilt
}

// ReadBankFile reads a stored file anew and sets it beside the steps as they are.
// It changes nothing. Who reads the account's intents may read it. The error is of
// kind NotFound for everybody else.
func (r *Runner) ReadBankFile(ctx context.Context, actor authz.Actor, id string) (b BankReading, err error) {
	err = r.db.View(ctx, func(tx *store.Tx) error { b, err = BankReadingIn(tx, actor, id); return err })
	return b, err
}

// BankReadingIn is ReadBankFile, as a transaction sees it. It asks twice, the
// second time with what the file names.
func BankReadingIn(tx *store.Tx, actor authz.Actor, id string) (BankReading, error) {
	return BankReading{}, errUnbuilt
}

// BankFiles lists the files of an account in which the actor reads intents, the
// newest first. Errors: kind NotFound behind an account wall, Invalid for a cursor
// that is none.
func (r *Runner) BankFiles(ctx context.Context, actor authz.Actor, q BankFileQuery) (page BankFilePage, err error) {
	err = r.db.View(ctx, func(tx *store.Tx) error { page, err = BankFilesIn(tx, actor, q); return err })
	return page, err
}

// BankFilesIn is BankFiles, as a transaction sees them. It asks once.
func BankFilesIn(tx *store.Tx, actor authz.Actor, q BankFileQuery) (BankFilePage, error) {
	return BankFilePage{}, errUnbuilt
}

// PreviewBankFile plans a mark of "happened" for each of the chosen lines, by
// their numbers in the file, changes nothing, and freezes them as a list for its
// own actor: it is confirmed, signed and carried out as every list is, through
// ConfirmBulk. An item's document is the file, its reference the bank's, its date
// the booking day. What does not prove its step any more, and what the rules of a
// mark refuse, is excluded with its rule and sentence; of two lines of one intent
// the second is. Errors: kind NotFound for a file that is not the actor's to see;
// Denied with code "denied" (with an entry) or "step-up-required"; Invalid for no
// lines, more than MaxBulk (code "too-large"), and lines that the file does not
// have or that name no step of ours; Conflict for a file that waits for its
// mapping; Stale where the mapping was changed meanwhile.
func (r *Runner) PreviewBankFile(ctx context.Context, actor authz.Actor, id string, lines []int) (model.Bulk, error) {
	return model.Bulk{}, errUnbuilt
}
