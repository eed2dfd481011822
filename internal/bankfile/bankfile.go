// Package bankfile reads what banks write about an account: statements, interim
// reports and notices. It is pure: bytes in, lines out, and Find sets the lines
// beside the steps that they may prove.
//
// Everything is signed from the account's side: more than zero came in, less went
// out. Nothing is bent to make a file fit: what does not add up is read as it is,
// and Statement.Check says by how much it is off.
package bankfile

import "countersign/internal/model"

// File is one file of a bank, read.
type File struct {
	// Format is the name that people know it by: "camt.053.001.08", "MT940", "BAI2", "CSV".
	Format     string
	Statements []Statement
	// Notes are full sentences on what is odd about the file and was read all the
	// same, such as wrong check digits of an account.
	Notes []string
}

// Kind says what a statement's lines are worth.
type Kind string

// The kinds of statements.
const (
	Booked  Kind = "booked"  // a statement of booked lines: camt.053, MT940
	Interim Kind = "interim" // a report before the books are closed: camt.052, MT942
	Notice  Kind = "notice"  // notices of single lines: camt.054
)

// Statement is what a bank says of one account over one period.
type Statement struct {
	ID       string // the bank's name for it; "" where it gives none
	Kind     Kind
	Account  string // an IBAN or another number, as written
	Currency string // of the account, ISO 4217; "" where the file does not say
	Opening  *Balance
	Closing  *Balance
	Lines    []Line
	// Declared are sums and counts that the file states of itself and that do not
	// fit its lines: full sentences.
	Declared []string
}

// Balance is a booked balance.
type Balance struct {
	model.Money
	On string // the day, 2006-01-02; "" where it is not said
}

// Line is one movement: an entry, or one payment of an entry that gathers several
// and says the amount of each.
type Line struct {
	Number int // in the file, from 1
	// Entry numbers the entry in the file, from 1: lines of one gathered entry share it.
	Entry    int
	Booked   bool  // the bank has booked it; else it is pending or for information
	Amount   int64 // minor units, signed from the account's side
	Currency string
	BookedOn string // the day, 2006-01-02; "" where it is not said
	ValuedOn string // the same
	// Back says that the bank names the line a return or reversal, and Code why
	// ("AC01"), where it says so.
	Back bool
	Code string
	// BankRef is the bank's own reference of the line, by which a person finds it
	// again; "" where there is none.
	BankRef      string
	Refs         []Ref  // references that the payer may have given
	Other        string // name of the other side
	OtherAccount string
	Text         string // for a person, in one line
	// Charge says that the bank marks the line as a charge of its own: it is no
	// payment, whatever payment it names.
	Charge bool
	// Doubt is why the line proves nothing although it was read: a full sentence, ""
	// where there is no doubt.
	Doubt string

	origin origin
}

// Ref is one reference on a line. What says that there is none (NOTPROVIDED,
// NONREF) is left out.
type Ref struct {
	Kind  string // "EndToEndId", "InstrId", "EREF", "text", a column's name, ...
	Value string
}
