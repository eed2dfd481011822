package bankfile

// Mapping says how a CSV file of a bank is to be read. It is the same as JSON,
// TOML and form. Columns are named by their header, or by their number from 1;
// a header that stands twice, or is made of digits, by its number. "" leaves a
// column out.
type Mapping struct {
	Separator string `json:"separator" toml:"separator"` // one of Separators
	Encoding  string `json:"encoding" toml:"encoding"`   // one of Encodings
	// SkipLines are the lines before the header (or the first row) and SkipRows
	// the rows at the end, such as totals, that are no movements.
	SkipLines int  `json:"skip_lines,omitempty" toml:"skip_lines,omitempty"`
	SkipRows  int  `json:"skip_rows,omitempty" toml:"skip_rows,omitempty"`
	Header    bool `json:"header" toml:"header"` // the first row that is read names the columns

	// Dates is how days are written, in D, DD, M, MM, MMM (Jan), YY and YYYY:
	// "DD.MM.YYYY". A time of day behind it is left out.
	Dates    string `json:"dates" toml:"dates"`
	Decimal  string `json:"decimal" toml:"decimal"`                       // "." or ","
	Grouping string `json:"grouping,omitempty" toml:"grouping,omitempty"` // between thousands: one of Groupings

	BookedOn string `json:"booked_on" toml:"booked_on"`
	ValuedOn string `json:"valued_on,omitempty" toml:"valued_on,omitempty"`

	// Amount is one signed column; where it has no signs, Direction says what is
	// what; else Debit and Credit are two columns, of which each row fills one.
	Amount string `json:"amount,omitempty" toml:"amount,omitempty"`
	Debit  string `json:"debit,omitempty" toml:"debit,omitempty"`
	Credit string `json:"credit,omitempty" toml:"credit,omitempty"`
	// Direction is the column beside Amount that says In for money that came in
	// ("Bij", "C") and Out for money that went out ("Af", "D").
	Direction string `json:"direction,omitempty" toml:"direction,omitempty"`
	In        string `json:"in,omitempty" toml:"in,omitempty"`
	Out       string `json:"out,omitempty" toml:"out,omitempty"`
	// Turned says that Amount is more than zero for money that went out.
	Turned bool `json:"turned,omitempty" toml:"turned,omitempty"`

	// Status is the column that says whether the bank has booked a row, which it has
	// where the column says one of BookedWords. AnyStatus says that a column which
	// looks like one does not matter: every row is booked.
	Status      string   `json:"status,omitempty" toml:"status,omitempty"`
	BookedWords []string `json:"booked_words,omitempty" toml:"booked_words,omitempty"`
	AnyStatus   bool     `json:"any_status,omitempty" toml:"any_status,omitempty"`

	// Currency and Account are the same for the whole file, or stand in a column.
	Currency       string `json:"currency,omitempty" toml:"currency,omitempty"` // ISO 4217
	CurrencyColumn string `json:"currency_column,omitempty" toml:"currency_column,omitempty"`
	Account        string `json:"account,omitempty" toml:"account,omitempty"`
	AccountColumn  string `json:"account_column,omitempty" toml:"account_column,omitempty"`

	Balance      string   `json:"balance,omitempty" toml:"balance,omitempty"` // booked, after the row
	BankRef      string   `json:"bank_ref,omitempty" toml:"bank_ref,omitempty"`
	Refs         []string `json:"refs,omitempty" toml:"refs,omitempty"` // columns of references
	Other        string   `json:"other,omitempty" toml:"other,omitempty"`
	OtherAccount string   `json:"other_account,omitempty" toml:"other_account,omitempty"`
	Text         string   `json:"text,omitempty" toml:"text,omitempty"`
}

// Separators, Encodings, Groupings and DateFormats are what a Mapping may say;
// of date formats these are the usual ones, others made of the same parts are
// taken too.
var (
	Separators  = []string{",", ";", "\t", "|"}
	Encodings   = []string{"utf-8", "windows-1252", "iso-8859-1", "windows-1250", "iso-8859-2"}
	Groupings   = []string{"", ".", ",", " ", "'"}
	DateFormats = []string{"YYYY-MM-DD", "DD.MM.YYYY", "DD/MM/YYYY", "MM/DD/YYYY", "DD-MM-YYYY",
		"YYYYMMDD", "YYYY/MM/DD", "YYYY.MM.DD", "D.M.YYYY", "D/M/YYYY", "M/D/YYYY", "D-M-YYYY", "DD.MM.YY", "DD/MM/YY",
		"MM/DD/YY", "DD-MM-YY", "D.M.YY", "D MMM YYYY", "DD-MMM-YYYY"}
)

// Preview is the beginning of a CSV file as cells, for a person who makes a
// mapping: at most PreviewRows rows, PreviewColumns columns, and PreviewCell
// characters a cell.
type Preview struct {
	Header  []string // nil where the mapping says that there is none
	Rows    [][]string
	Columns int // of the widest of these rows, left-out ones included
}

// The bounds of a Preview.
const (
	PreviewRows    = 5
	PreviewColumns = 64
	PreviewCell    = 120
)
