package bankfile

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"countersign/internal/model"
)

// csvReader reads the rows of one file by its mapping.
type csvReader struct {
	m          Mapping
	layout     string
	columns    csvColumns
	file       File
	statements map[[2]string]*csvStatement // by account and currency
	order      [][2]string                 // as they come
	lines      int
	debitSign  int64 // of the first debit that is not nought: all have the same
}

// csvStatement is a statement with its booked lines, and the balances behind them
// where they have some.
type csvStatement struct {
	Statement
	booked   []Line
	balances []int64
}

// readCSV reads a CSV file by a mapping: one statement for each account and
// currency, in the order of their first rows. An error of the mapping names its
// members, an error of a row its line and column.
func readCSV(body []byte, m Mapping) (File, error) {
	if err := m.Validate(); err != nil {
		return File{}, err
	}
	text, err := decoded(body, m.Encoding)
	if err != nil {
		return File{}, err
	}
	rows, err := csvRows(text, m.Separator, m.SkipLines, MaxLines+m.SkipRows+2)
	if err != nil {
		return File{}, err
	}
	if err := tooWide(rows); err != nil {
		return File{}, err
	}
	var header []string
	if m.Header && len(rows) > 0 {
		header, rows = rows[0].cells, rows[1:]
	}
	rows = rows[:max(0, len(rows)-m.SkipRows)]
	switch {
	case len(rows) > MaxLines:
		return File{}, tooMany("lines")
	case len(rows) == 0:
		return File{}, refuse("The file has no row that is read. Check how many lines are left out at the beginning and at the end, and whether there is a header.")
	}
	r := csvReader{m: m, file: File{Format: "CSV"}, statements: map[[2]string]*csvStatement{}}
	r.layout, _ = dateLayout(m.Dates)
	if r.columns, err = m.find(header); err != nil {
		return File{}, err
	}
	if err := m.decided(header, rows); err != nil {
		return File{}, err
	}
	for _, row := range rows {
		if err := r.row(row); err != nil {
			return File{}, err
		}
	}
	return r.finish(), nil
}

// fault is the error of one cell.
func (r *csvReader) fault(row csvRow, member, format string, args ...any) error {
	return refuse("Line %d, %s: %s", row.at, quoted(r.columns.names[member]), fmt.Sprintf(format, args...))
}

// text is a cell in one line.
func (r *csvReader) text(row csvRow, member string) string {
	return oneLine(row.cell(r.columns.of(member)))
}

// row reads one row as a line of its statement.
func (r *csvReader) row(row csvRow) error {
	currency, err := r.currency(row)
	if err != nil {
		return err
	}
	r.lines++
	line := Line{Number: r.lines, Entry: r.lines, Booked: r.booked(row), Currency: currency, origin: origin{row: rowOf(row.cells)}}
	if line.Amount, err = r.amount(row, currency); err != nil {
		return err
	}
	if line.BookedOn, err = r.day(row, "booked_on"); err != nil {
		return err
	}
	if row.cell(r.columns.of("valued_on")) != "" {
		if line.ValuedOn, err = r.day(row, "valued_on"); err != nil {
			return err
		}
	}
	line.BankRef = reference(row.cell(r.columns.of("bank_ref")))
	for i := range r.m.Refs {
		member := fmt.Sprintf("refs/%d", i)
		line.Refs = addRef(line.Refs, r.columns.names[member], row.cell(r.columns.of(member)))
	}
	line.Other, line.OtherAccount, line.Text = r.text(row, "other"), r.text(row, "other_account"), r.text(row, "text")
	line.Refs = addWords(line.Refs, line.Text)
	return r.put(row, line)
}

// put adds a line, and the balance behind it, to the statement that it is of.
func (r *csvReader) put(row csvRow, line Line) error {
	account := oneLine(r.m.Account)
	if r.m.AccountColumn != "" {
		account = r.text(row, "account_column")
	}
	key := [2]string{account, line.Currency}
	s := r.statements[key]
	if s == nil {
		s = &csvStatement{Statement: Statement{Kind: Booked, Account: account, Currency: line.Currency}}
		r.statements[key] = s
		r.order = append(r.order, key)
		if note := ibanNote(account); note != "" && !slices.Contains(r.file.Notes, note) {
			r.file.note(0, "%s", note)
		}
	}
	if s.Lines = append(s.Lines, line); !line.Booked {
		return nil
	}
	s.booked = append(s.booked, line)
	if text := row.cell(r.columns.of("balance")); text != "" {
		balance, err := r.number(row, "balance", text, line.Currency)
		if err != nil {
			return err
		}
		s.balances = append(s.balances, balance)
	}
	return nil
}

// currency is the code that stands in the row, or that of the whole file.
func (r *csvReader) currency(row csvRow) (string, error) {
	if r.m.CurrencyColumn == "" {
		return r.m.Currency, nil
	}
	code := strings.ToUpper(row.cell(r.columns.of("currency_column")))
	if _, ok := model.Exponent(code); !ok {
		return "", r.fault(row, "currency_column", "%s is not the code of a currency, such as EUR.", quoted(code))
	}
	return code, nil
}

// day reads a day; a time behind it is left out.
func (r *csvReader) day(row csvRow, member string) (string, error) {
	text := row.cell(r.columns.of(member))
	day, ok := parseDay(text, r.layout)
	if !ok {
		return "", r.fault(row, member, "%s is not a day written as %s.", quoted(text), r.m.Dates)
	}
	return day.Format(dayForm), nil
}

// parseDay reads a day by a layout, and no day before 1970, which is a year of two
// digits read as four.
func parseDay(text, layout string) (time.Time, bool) {
	text = strings.TrimSuffix(text, ".") // as Hungarians write
	day, err := time.Parse(layout, text)
	if err != nil {
		date, _, _ := strings.Cut(text, " ")
		date, _, _ = strings.Cut(date, "T")
		day, err = time.Parse(layout, date)
	}
	return day, err == nil && day.Year() >= 1970
}

// finish gives the file with the balances of its statements.
func (r *csvReader) finish() File {
	for _, key := range r.order {
		s := r.statements[key]
		if n := len(s.booked); n > 0 && len(s.balances) == n {
			s.setBalances()
		}
		r.file.Statements = append(r.file.Statements, s.Statement)
	}
	return r.file
}

// setBalances makes the opening and the closing balance of those behind the rows.
// Rows stand oldest or newest first: the order in which the balances follow from
// each other, or else the order of the days.
func (s *csvStatement) setBalances() {
	last := len(s.booked) - 1
	newestFirst := s.booked[0].BookedOn > s.booked[last].BookedOn
	if up, down := s.follows(1), s.follows(-1); up != down {
		newestFirst = down
	}
	first := 0
	if newestFirst {
		first, last = last, first
	}
	opening, ok := add(s.balances[first], -s.booked[first].Amount)
	if !ok {
		return
	}
	s.Opening = &Balance{Money: model.Money{Amount: opening, Currency: s.Currency}, On: s.booked[first].BookedOn}
	s.Closing = &Balance{Money: model.Money{Amount: s.balances[last], Currency: s.Currency}, On: s.booked[last].BookedOn}
}

// follows reports whether each balance is the one a step before it (1: above, -1:
// below) and the amount of its row.
func (s *csvStatement) follows(step int) bool {
	for i, balance := range s.balances {
		before := i - step
		if before < 0 || before > len(s.balances)-1 {
			continue
		}
		if s.balances[before]+s.booked[i].Amount != balance {
			return false
		}
	}
	return true
}
