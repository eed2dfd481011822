package web

import (
	"errors"
	"net/http"
	"slices"
	"strconv"
	"strings"

	"countersign/internal/bankfile"
	"countersign/internal/model"
	"countersign/internal/store"
	"countersign/internal/web/problem"
	"countersign/web/templates"
)

// mappingFields are the fields of the form that names the columns, as typed.
type mappingFields struct {
	Separator      string   `form:"separator"`
	Encoding       string   `form:"encoding"`
	SkipLines      string   `form:"skip_lines"`
	SkipRows       string   `form:"skip_rows"`
	Header         string   `form:"header"`
	Dates          string   `form:"dates"`
	Decimal        string   `form:"decimal"`
	Grouping       string   `form:"grouping"`
	BookedOn       string   `form:"booked_on"`
	ValuedOn       string   `form:"valued_on"`
	Amount         string   `form:"amount"`
	Debit          string   `form:"debit"`
	Credit         string   `form:"credit"`
	Direction      string   `form:"direction"`
	In             string   `form:"in"`
	Out            string   `form:"out_word"`
	Turned         string   `form:"turned"`
	Status         string   `form:"status"`
	BookedWords    string   `form:"booked_words"`
	AnyStatus      string   `form:"any_status"`
	Currency       string   `form:"currency"`
	CurrencyColumn string   `form:"currency_column"`
	Account        string   `form:"bank_account"`
	AccountColumn  string   `form:"account_column"`
	Balance        string   `form:"balance"`
	BankRef        string   `form:"bank_ref"`
	Refs           []string `form:"refs"`
	Other          string   `form:"other"`
	OtherAccount   string   `form:"other_account"`
	Text           string   `form:"text"`
	Do             string   `form:"do"`
}

// fieldsOf shows a mapping in the form.
func fieldsOf(m bankfile.Mapping) mappingFields {
	box := map[bool]string{true: "yes"}
	number := func(n int) string {
		if n == 0 {
			return ""
		}
		return strconv.Itoa(n)
	}
	return mappingFields{Separator: separatorWord(m.Separator), Encoding: m.Encoding, SkipLines: number(m.SkipLines), SkipRows: number(m.SkipRows), Header: box[m.Header],
		Dates: m.Dates, Decimal: m.Decimal, Grouping: groupingWord(m.Grouping), BookedOn: m.BookedOn, ValuedOn: m.ValuedOn, Amount: m.Amount, Debit: m.Debit, Credit: m.Credit,
		Direction: m.Direction, In: m.In, Out: m.Out, Turned: box[m.Turned],
		Status: m.Status, BookedWords: strings.Join(m.BookedWords, ", "), AnyStatus: box[m.AnyStatus], Currency: m.Currency, CurrencyColumn: m.CurrencyColumn, Account: m.Account,
		AccountColumn: m.AccountColumn, Balance: m.Balance, BankRef: m.BankRef, Refs: m.Refs, Other: m.Other, OtherAccount: m.OtherAccount, Text: m.Text}
}

// mapping reads the form; what is no number at all is a fault of its field.
func (f mappingFields) mapping() (m bankfile.Mapping, faults templates.FieldErrors) {
	number := func(name, typed string) int {
		n, err := strconv.Atoi(strings.TrimSpace(typed))
		if typed != "" && (err != nil || n < 0) {
			faults = append(faults, templates.FieldError{Field: name, Message: mappingNames[name] + " is no number of lines"})
		}
		return n
	}
	m = bankfile.Mapping{Separator: separators[f.Separator], Encoding: f.Encoding, SkipLines: number("skip_lines", f.SkipLines), SkipRows: number("skip_rows", f.SkipRows),
		Header: f.Header != "", Dates: strings.TrimSpace(f.Dates), Decimal: f.Decimal, Grouping: groupings[f.Grouping], BookedOn: f.BookedOn, ValuedOn: f.ValuedOn, Amount: f.Amount,
		Debit: f.Debit, Credit: f.Credit, Direction: f.Direction, In: strings.TrimSpace(f.In), Out: strings.TrimSpace(f.Out), Turned: f.Turned != "",
		Status: f.Status, BookedWords: betweenCommas(f.BookedWords), AnyStatus: f.AnyStatus != "",
		Currency: strings.ToUpper(strings.TrimSpace(f.Currency)), CurrencyColumn: f.CurrencyColumn, Account: strings.TrimSpace(f.Account), AccountColumn: f.AccountColumn,
		Balance: f.Balance, BankRef: f.BankRef, Refs: f.Refs, Other: f.Other, OtherAccount: f.OtherAccount, Text: f.Text}
	return m, faults
}

// betweenCommas are words with commas between them.
func betweenCommas(typed string) (words []string) {
	for word := range strings.SplitSeq(typed, ",") {
		if word = strings.TrimSpace(word); word != "" {
			words = append(words, word)
		}
	}
	return words
}

// Separators and marks between thousands have words in forms, where blanks and
// tabs cannot be seen.
var (
	separators = map[string]string{"comma": ",", "semicolon": ";", "tab": "\t", "bar": "|"}
	groupings  = map[string]string{"none": "", "point": ".", "comma": ",", "blank": " ", "apostrophe": "'"}
)

func separatorWord(separator string) string { return wordOf(separators, separator) }
func groupingWord(grouping string) string   { return wordOf(groupings, grouping) }

// wordOf finds the word of a mark; "" is none of them.
func wordOf(words map[string]string, mark string) string {
	for word, of := range words {
		if of == mark {
			return word
		}
	}
	return ""
}

// mapBankFile takes how the columns are to be read: the file is read so, or the
// form comes back with what is to be mended and everything that was typed.
func (v *visit) mapBankFile() error {
	var typed mappingFields
	if err := v.bind(&typed); err != nil {
		return err
	}
	p, err := v.openBankFile()
	if err != nil {
		return err
	}
	m, faults := typed.mapping()
	if typed.Do == "look" {
		return v.mappingAgain(http.StatusOK, p, typed, m, faults)
	}
	if len(faults) > 0 {
		return v.mappingAgain(http.StatusUnprocessableEntity, p, typed, m, faults)
	}
	_, err = v.Runner.MapBankFile(v.r.Context(), v.actor, p.ID, m)
	if err == nil {
		return v.to(bankFilePath(p.ID))
	}
	if faults = mappingFaults(err); len(faults) == 0 {
		return err
	}
	return v.mappingAgain(problem.Of(err).Status, p, typed, m, faults)
}

// mappingFaults puts what is wrong beside its field; what is about no field is
// beside the first. Of other errors there are none.
func mappingFaults(err error) (faults templates.FieldErrors) {
	var e *model.Error
	if !errors.Is(err, model.Invalid) || !errors.As(err, &e) {
		return nil
	}
	for _, f := range e.Fields {
		member, _, _ := strings.Cut(strings.TrimPrefix(f.Location, "/"), "/") // of "/refs/0"
		name := formName(member)
		if mappingNames[name] == "" {
			name = "separator"
		}
		faults = append(faults, templates.FieldError{Field: name, Message: mappingNames[name] + " " + f.Message})
	}
	if len(faults) == 0 {
		faults = templates.FieldErrors{{Field: "separator", Message: e.Message}}
	}
	slices.SortStableFunc(faults, func(a, b templates.FieldError) int {
		return slices.Index(mappingOrder, a.Field) - slices.Index(mappingOrder, b.Field)
	})
	return faults
}

// formName is the form's name of a member; some would not be told apart from other
// fields of pages.
func formName(member string) string {
	switch member {
	case "account":
		return "bank_account"
	case "out":
		return "out_word"
	}
	return member
}

// mappingAgain shows the form as it was typed, with the first rows as it cuts them.
func (v *visit) mappingAgain(status int, p bankPage, typed mappingFields, m bankfile.Mapping, faults templates.FieldErrors) error {
	var u store.Upload
	if err := v.read(func(tx *store.Tx) (err error) { u, err = tx.Upload(p.Account, p.Upload); return err }); err != nil {
		return err
	}
	p.Proposal, p.Rows = m, bankfile.Sample(u.Body, m)
	view := templates.BankFileView{Page: v.titled("Bank file " + p.Name), ID: p.ID, Name: p.Name, Meta: v.bankMeta(p), Facts: v.bankFacts(p)}
	view.Mapping = v.mappingForm(p)
	if view.Mapping.Refused == nil {
		view.Mapping.Groups, view.Mapping.Errors = mappingGroups(typed, p.Rows), faults
	}
	return v.show(status, templates.BankFile(view))
}

// mappingForm asks how the columns are to be read, beginning with the proposal.
func (v *visit) mappingForm(p bankPage) *templates.BankMapping {
	form := &templates.BankMapping{Say: say("A CSV says by itself neither what its columns are nor how its numbers and days are written, and nothing is guessed about money. Say it once: the next file of this account begins with it."),
		Heads: headsOf(p.Rows), Rows: p.Rows.Rows}
	form.Heads = form.Heads[:min(len(form.Heads), bankfile.PreviewColumns)]
	if columns := columnsOf(p.Rows); len(columns) > mostOptions {
		form.Columns = columns
	}
	if !p.Waiting {
		form.Cancel = bankFilePath(p.ID)
	}
	switch {
	case !p.may.Allowed:
		form.Refused = &templates.Note{Kind: "q", Title: say("You may read this and not name the columns."), Text: []templates.Text{say(p.may.Because)}}
	case !p.MayMap:
		form.Refused = &templates.Note{Kind: "no", Title: say("How the columns are read cannot be changed any more."),
			Text: []templates.Text{say("Marks were confirmed from this file as it is read now. "), say(templates.Link(bankFilePath(p.ID), "Back to what it says"))}}
	}
	if form.Refused != nil && p.Mapping != nil {
		form.Say, form.Facts = say("A CSV does not say what its columns are: a person did. Each line is read so; what is not listed is not read."), mappedFacts(p.Proposal, p.Rows)
	}
	form.Groups = mappingGroups(fieldsOf(p.Proposal), p.Rows)
	return form
}

// headsOf are the names of the columns; those without one are empty.
func headsOf(rows bankfile.Preview) []string {
	heads := make([]string, min(rows.Columns, bankfile.MaxColumns))
	copy(heads, rows.Header)
	return heads
}
