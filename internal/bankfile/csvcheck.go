package bankfile

import (
	"slices"
	"strconv"
	"strings"

	"countersign/internal/model"
)

// faults gathers what is wrong with a mapping, by its members.
type faults []model.Field

// add names a member, as a JSON pointer, and what is wrong with it.
func (f *faults) add(member, message string) {
	*f = append(*f, model.Field{Location: "/" + member, Message: message})
}

// err is nil where nothing was wrong.
func (f faults) err() error {
	if len(f) == 0 {
		return nil
	}
	return model.Errorf(model.Invalid, "mapping", "The mapping of the columns cannot be used").WithFields(f...)
}

// Validate says everything that is wrong with a mapping by itself, without its
// file, at once. The error is of kind Invalid and names the members as JSON
// pointers ("/booked_on", "/refs/0").
func (m Mapping) Validate() error {
	var f faults
	if !slices.Contains(Separators, m.Separator) {
		f.add("separator", "must be a comma, a semicolon, a tab or a bar")
	}
	if !slices.Contains(Encodings, m.Encoding) {
		f.add("encoding", "must be one of "+strings.Join(Encodings, ", "))
	}
	const mostSkipped = 1000
	if m.SkipLines < 0 || m.SkipLines > mostSkipped {
		f.add("skip_lines", "must be between 0 and 1000")
	}
	if m.SkipRows < 0 || m.SkipRows > mostSkipped {
		f.add("skip_rows", "must be between 0 and 1000")
	}
	if _, ok := dateLayout(m.Dates); !ok {
		f.add("dates", "must have a day, a month and a year once each, such as DD.MM.YYYY")
	}
	m.checkNumbers(&f)
	m.checkAmounts(&f)
	m.checkFixed(&f)
	m.checkStatus(&f)
	if m.BookedOn == "" {
		f.add("booked_on", "is needed: choose the column of the booking day")
	}
	m.checkColumns(&f)
	return f.err()
}

// checkNumbers checks how numbers are written.
func (m Mapping) checkNumbers(f *faults) {
	if m.Decimal != "." && m.Decimal != "," {
		f.add("decimal", "must be a dot or a comma")
	}
	switch {
	case !slices.Contains(Groupings, m.Grouping):
		f.add("grouping", "must be empty, a dot, a comma, a blank or an apostrophe")
	case m.Grouping != "" && m.Grouping == m.Decimal:
		f.add("grouping", "must be another sign than the decimal one")
	}
}

// checkAmounts checks that each row has one amount whose direction is told.
func (m Mapping) checkAmounts(f *faults) {
	switch two := m.Debit != "" || m.Credit != ""; {
	case m.Amount == "" && !two:
		f.add("amount", "is needed, or the two columns of debits and credits")
	case m.Amount != "" && two:
		f.add("amount", "must be empty where debits and credits have columns of their own")
	case two && m.Debit == "":
		f.add("debit", "is needed beside the column of credits")
	case two && m.Credit == "":
		f.add("credit", "is needed beside the column of debits")
	}
	switch {
	case m.Direction == "" && (m.In != "" || m.Out != ""):
		f.add("direction", "is needed where words for in and out are given")
	case m.Direction == "":
	case m.Amount == "":
		f.add("direction", "goes with one column of amounts only")
	case m.In == "" || m.Out == "" || strings.EqualFold(m.In, m.Out):
		f.add("in", "and out must say two different words of the direction's column")
	case m.Turned:
		f.add("turned", "must not be set where a column says the direction")
	}
	if m.Turned && m.Amount == "" {
		f.add("turned", "goes with one column of amounts only")
	}
}

// checkFixed checks what is either the same for the whole file or in a column.
func (m Mapping) checkFixed(f *faults) {
	switch _, payable := model.Exponent(m.Currency); {
	case m.Currency == "" && m.CurrencyColumn == "":
		f.add("currency", "is needed, or its column")
	case m.Currency != "" && m.CurrencyColumn != "":
		f.add("currency", "must be empty where it has a column")
	case m.Currency != "" && !payable:
		f.add("currency", "is not an ISO 4217 code in force")
	}
	if m.Account != "" && m.AccountColumn != "" {
		f.add("account", "must be empty where it has a column")
	}
}

// mappedColumn is a column that a mapping names, and the member that does.
type mappedColumn struct{ member, name string }

// columns are the columns that a mapping names, without those it leaves out.
func (m Mapping) columns() []mappedColumn {
	all := []mappedColumn{
		{"booked_on", m.BookedOn}, {"valued_on", m.ValuedOn}, {"amount", m.Amount}, {"debit", m.Debit}, {"credit", m.Credit},
		{"direction", m.Direction}, {"status", m.Status}, {"currency_column", m.CurrencyColumn}, {"account_column", m.AccountColumn},
		{"balance", m.Balance}, {"bank_ref", m.BankRef}, {"other", m.Other}, {"other_account", m.OtherAccount}, {"text", m.Text},
	}
	for i, name := range m.Refs {
		all = append(all, mappedColumn{"refs/" + strconv.Itoa(i), name})
	}
	return slices.DeleteFunc(all, func(c mappedColumn) bool { return c.name == "" })
}

// checkColumns checks the names of columns as far as the file is not needed.
func (m Mapping) checkColumns(f *faults) {
	if len(m.Refs) > maxRefs {
		f.add("refs", "are more than the 64 columns that are taken")
		return
	}
	for _, c := range m.columns() {
		_, numbered := columnNumber(c.name)
		switch {
		case digitsOnly(c.name) && !numbered:
			f.add(c.member, "is no number of a column: they begin at 1")
		case !m.Header && !numbered:
			f.add(c.member, "must be the number of a column, as there is no header")
		}
	}
}

// columnNumber reads the number of a column, from 1.
func columnNumber(name string) (int, bool) {
	n, err := strconv.Atoi(name)
	return n, err == nil && digitsOnly(name) && n >= 1
}

// dateLayout makes a layout of package time from one that people write: each of
// day, month and year once, and between them dots, slashes, dashes, blanks or
// nothing.
func dateLayout(dates string) (string, bool) {
	var layout strings.Builder
	seen := map[byte]bool{}
	for rest := dates; rest != ""; {
		c := rest[0]
		part := rest[:len(rest)-len(strings.TrimLeft(rest, rest[:1]))]
		rest = rest[len(part):]
		if strings.ContainsRune("./- ", rune(c)) {
			layout.WriteString(part)
			continue
		}
		as, ok := map[string]string{"D": "2", "DD": "02", "M": "1", "MM": "01", "MMM": "Jan", "YY": "06", "YYYY": "2006"}[part]
		if !ok || seen[c] {
			return "", false
		}
		seen[c] = true
		layout.WriteString(as)
	}
	return layout.String(), len(seen) == 3
}
