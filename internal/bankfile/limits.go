package bankfile

import "countersign/internal/model"

// What a file may be. A statement of a busy month is far below; what is above
// was not made by a bank, or is to be had by the day.
const (
	MaxSize  = 5 << 20 // bytes, as for every upload
	MaxLines = 20_000
	// MaxColumns are those of a row of a CSV file: banks have some dozens.
	MaxColumns = 200
)

// ErrNoMapping is what Parse gives for a CSV file without a mapping: nothing in
// the file says which column holds what. It is of kind Invalid.
var ErrNoMapping error = model.Errorf(model.Invalid, "no-mapping",
	"This is a CSV file, which does not say what its columns mean: choose the columns before it can be read.")

// refuse makes the error for a file that is not taken: sentences for an operator
// that say what is wrong, where, and what to do. It is of kind Invalid.
func refuse(format string, args ...any) error {
	return model.Errorf(model.Invalid, "bank-file", format, args...)
}

// tooWide refuses the first row that has more than MaxColumns.
func tooWide(rows []csvRow) error {
	for _, row := range rows {
		if len(row.cells) > MaxColumns {
			return refuse("Line %d has %d columns, and a file may have %d. Check how its cells are separated, or ask the bank for an export with fewer columns.", row.at, len(row.cells), MaxColumns)
		}
	}
	return nil
}

// tooMany refuses a file with more than MaxLines of something.
func tooMany(what string) error {
	return refuse("The file has more than 20,000 %s, the most that is taken. Ask the bank for a shorter period.", what)
}
