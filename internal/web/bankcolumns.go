package web

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"countersign/internal/bankfile"
	"countersign/web/templates"
)

// mappingNames are the fields of the form by name, as sentences begin with them.
var mappingNames = map[string]string{"separator": "The separator", "encoding": "The encoding", "skip_lines": "The lines before the header", "skip_rows": "The rows at the end",
	"header": "The header", "dates": "The way of days", "decimal": "The decimal mark", "grouping": "The mark between thousands", "booked_on": "The booking day", "valued_on": "The value day",
	"amount": "The amount", "debit": "The debit column", "credit": "The credit column", "direction": "The direction", "in": "The word for money in", "out_word": "The word for money out",
	"turned": "The sign", "status": "The status", "booked_words": "The words for booked rows", "any_status": "The status that does not matter", "currency": "The currency", "currency_column": "The currency’s column", "bank_account": "The bank account", "account_column": "The account’s column",
	"balance": "The balance", "bank_ref": "The bank’s reference", "refs": "A column of references", "other": "The other side", "other_account": "The other side’s account", "text": "The text"}

// mappingOrder is that of the form.
var mappingOrder = []string{"separator", "encoding", "skip_lines", "header", "skip_rows", "dates", "decimal", "grouping", "booked_on", "valued_on", "amount", "turned", "debit", "credit",
	"direction", "in", "out_word", "status", "booked_words", "any_status", "currency_column", "currency", "account_column", "bank_account", "refs", "bank_ref", "balance", "other", "other_account", "text"}

// mappingGroups are the form's fields with what stands in them.
func mappingGroups(f mappingFields, rows bankfile.Preview) []templates.MappingGroup {
	columns := columnsOf(rows)
	column := func(name, label, hint, value string) templates.MappingField {
		if len(columns) > mostOptions {
			return templates.MappingField{Name: name, Label: label, Hint: hint, Value: value, Column: true}
		}
		return templates.MappingField{Name: name, Label: label, Hint: hint, Options: optionsFor(columns, value, "none")}
	}
	text := func(name, label, hint, value string) templates.MappingField {
		return templates.MappingField{Name: name, Label: label, Hint: hint, Value: value}
	}
	return []templates.MappingGroup{
		cutting(f),
		{Legend: "How days and amounts are written", Fields: []templates.MappingField{
			{Name: "dates", Label: "Days", Hint: "As in the column of the booking day", Options: choose(f.Dates, dateFormats(f.Dates)...)},
			{Name: "decimal", Label: "Decimal mark", Options: choose(f.Decimal, "", "not said", ".", "point, as in 1.50", ",", "comma, as in 1,50")},
			{Name: "grouping", Label: "Between thousands", Options: choose(f.Grouping, "none", "nothing", "point", "point", "comma", "comma", "blank", "blank", "apostrophe", "apostrophe")}}},
		{Legend: "What moved, and when", Fields: []templates.MappingField{
			column("booked_on", "Booking day", "", f.BookedOn), column("valued_on", "Value day", "", f.ValuedOn), column("amount", "Amount with its sign", "", f.Amount),
			column("debit", "or money out", "A column of its own", f.Debit), column("credit", "and money in", "A column of its own", f.Credit),
			column("direction", "or a column of words", "Beside an amount without a sign", f.Direction), text("in", "Its word for money in", "Such as C, Bij", f.In), text("out_word", "Its word for money out", "Such as D, Af", f.Out),
			{Name: "turned", Label: "The sign is turned", Hint: "Money out has no minus", Value: f.Turned, Box: true}}},
		{Legend: "Which rows are booked", Hint: "A row that the bank has not booked proves nothing",
			Fields: []templates.MappingField{
				column("status", "Column of the status", "", f.Status), text("booked_words", "Its words for booked rows", "With commas between, such as Gebucht, Booked", f.BookedWords),
				{Name: "any_status", Label: "Every row is booked", Hint: "Whatever a column seems to say", Value: f.AnyStatus, Box: true}}},
		{Legend: "Currency and bank account", Hint: "In a column, or the same for the whole file", Fields: []templates.MappingField{
			column("currency_column", "Currency’s column", "", f.CurrencyColumn), text("currency", "or the currency", "ISO code, such as EUR", f.Currency),
			column("account_column", "Account’s column", "", f.AccountColumn), text("bank_account", "or the account", "IBAN or number", f.Account)}},
		{Legend: "Where our references may stand", Hint: "Lines are matched by these columns alone. Tick each that may hold what we sent: end-to-end id, remittance text.",
			Name: "refs", Boxes: tickedColumns(columns, f.Refs)},
		{Legend: "What else helps a person", Fields: []templates.MappingField{
			column("bank_ref", "The bank’s own reference", "By which a line is found again", f.BankRef), column("balance", "Balance after the row", "", f.Balance), column("other", "Name of the other side", "", f.Other),
			column("other_account", "Account of the other side", "", f.OtherAccount), column("text", "Text", "", f.Text)}},
	}
}

// cutting are the fields that say how the file is cut into cells.
func cutting(f mappingFields) templates.MappingGroup {
	return templates.MappingGroup{Legend: "How the file is cut into cells", Fields: []templates.MappingField{
		{Name: "separator", Label: "Between cells", Options: choose(f.Separator, "comma", "comma", "semicolon", "semicolon", "tab", "tab", "bar", "upright bar")},
		{Name: "encoding", Label: "Letters", Options: choose(f.Encoding, twice(bankfile.Encodings)...)},
		{Name: "skip_lines", Label: "Lines before the header", Value: f.SkipLines},
		{Name: "skip_rows", Label: "Rows at the end that are no movements", Value: f.SkipRows},
		{Name: "header", Label: "The first row names the columns", Value: f.Header, Box: true}}}
}

// twice makes each word the label of itself.
func twice(words []string) (pairs []string) {
	for _, word := range words {
		pairs = append(pairs, word, word)
	}
	return pairs
}

// dateFormats are the usual ways of days, and the file's own where it is none.
func dateFormats(own string) []string {
	list := append([]string{"", "not said"}, twice(bankfile.DateFormats)...)
	if own != "" && !slices.Contains(bankfile.DateFormats, own) {
		list = append(list, own, own)
	}
	return list
}

// mostOptions is how many columns a select offers: each field has one, and the page
// has to stay light. Of more, a column is typed, with all of them to choose from.
const mostOptions = 32

// longHead is how much of a header is shown, in characters; a column with a longer
// one goes by its number.
const longHead = 40

// columnsOf are the columns of a file as a mapping names them: by their header
// where that is their own and no number, else by their number.
func columnsOf(rows bankfile.Preview) (list []templates.Choice) {
	heads := headsOf(rows)
	for i, head := range heads {
		head = strings.TrimSpace(head)
		number := strconv.Itoa(i + 1)
		c := templates.Choice{Value: head, Label: fmt.Sprintf("%s  %s", number, head)}
		same := func(other string) bool { return strings.TrimSpace(other) == head }
		if utf8.RuneCountInString(head) > longHead {
			c.Label = fmt.Sprintf("%s  %s…", number, string([]rune(head)[:longHead-1]))
		}
		if head == "" || utf8.RuneCountInString(head) > longHead || !strings.ContainsFunc(head, func(r rune) bool { return !unicode.IsDigit(r) }) || slices.IndexFunc(heads, same) != i || slices.ContainsFunc(heads[i+1:], same) {
			c.Value = number
		}
		list = append(list, c)
	}
	return list
}

// isColumn reports whether a mapping's word names the column: its header or its number.
func isColumn(c templates.Choice, place int, word string) bool {
	return word != "" && (c.Value == word || strconv.Itoa(place+1) == word)
}

// optionsFor are the columns as options; one that the file does not have stays,
// so that it is seen and mended.
func optionsFor(columns []templates.Choice, word, none string) []templates.Choice {
	list := []templates.Choice{{Value: "", Label: none}}
	found := word == ""
	for i, c := range columns {
		c.Current = isColumn(c, i, word)
		found = found || c.Current
		list = append(list, c)
	}
	if !found {
		list = append(list, templates.Choice{Value: word, Label: word + " (not in this file)", Current: true})
	}
	return list
}

// tickedColumns are the columns as boxes: those whose cells are shown, and what is
// ticked.
func tickedColumns(columns []templates.Choice, words []string) (list []templates.Choice) {
	for i, c := range columns {
		c.Current = slices.ContainsFunc(words, func(word string) bool { return isColumn(c, i, word) })
		if c.Current || i < bankfile.PreviewColumns {
			list = append(list, c)
		}
	}
	return list
}
