package bankfile

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"countersign/internal/model"
)

// file makes a message's File.
func (m camtMessage) file(format string, kind Kind) (File, error) {
	f := File{Format: format}
	entries, lines := 0, 0
	var notes []string
	for _, s := range slices.Concat(m.Stmt, m.Rpt, m.Ntfctn) {
		statement, err := s.statement(kind, entries, lines)
		if err != nil {
			return File{}, err
		}
		entries += len(s.Ntry)
		lines += len(statement.Lines)
		f.Statements = append(f.Statements, statement)
		notes = append(notes, s.notes()...)
	}
	if len(f.Statements) == 0 {
		return File{}, refuse("The file is a %s without any statement. Get it from the bank again.", format)
	}
	slices.Sort(notes)
	for _, note := range slices.Compact(notes) {
		f.note(0, "%s", note)
	}
	return f, nil
}

// notes are what is odd about a statement and does not keep it from being read.
func (s camtStatement) notes() (notes []string) {
	if note := ibanNote(oneLine(s.Acct.IBAN)); note != "" {
		notes = append(notes, note)
	}
	if copied := strings.TrimSpace(s.CpyDplctInd); copied != "" {
		what := map[string]string{"CODU": "a copy and a duplicate", "COPY": "a copy", "DUPL": "a duplicate"}[copied]
		if what == "" {
			what = oneLine(copied)
		}
		notes = append(notes, fmt.Sprintf("The bank marks the statement %s as %s: its lines may be known from another file.", oneLine(s.Id), what))
	}
	return notes
}

// statement reads one statement. Its entries and lines are numbered on from those
// before it in the file.
func (s camtStatement) statement(kind Kind, entries, lines int) (Statement, error) {
	out := Statement{ID: oneLine(s.Id), Kind: kind, Account: s.Acct.number(), Currency: strings.TrimSpace(s.Acct.Ccy)}
	var err error
	if out.Opening, out.Closing, err = s.balances(); err != nil {
		return Statement{}, err
	}
	var sums totals
	for i, e := range s.Ntry {
		entry, err := e.lines(entries+i+1, out.Account)
		if err != nil {
			return Statement{}, err
		}
		for _, line := range entry {
			lines++
			line.Number = lines
			out.Lines = append(out.Lines, line)
		}
		sums.count(entry)
	}
	out.Declared = sums.unlike(s)
	return out, nil
}

// balances finds the booked balances at both ends. Where there is no opening or
// closing balance, interim booked balances take their place; available balances
// never do.
func (s camtStatement) balances() (opening, closing *Balance, err error) {
	first := func(code string) int {
		return slices.IndexFunc(s.Bal, func(b camtBalance) bool { return strings.TrimSpace(b.Code) == code })
	}
	last := func(code string) (at int) {
		at = -1
		for i, b := range s.Bal {
			if strings.TrimSpace(b.Code) == code {
				at = i
			}
		}
		return at
	}
	from, to := first("OPBD"), last("CLBD")
	if from < 0 {
		from = first("PRCD")
	}
	if to < 0 {
		to = last("ITBD")
	}
	if from < 0 && first("ITBD") != to {
		from = first("ITBD")
	}
	if from >= 0 {
		if opening, err = s.Bal[from].balance(); err != nil {
			return nil, nil, err
		}
	}
	if to >= 0 {
		closing, err = s.Bal[to].balance()
	}
	return opening, closing, err
}

// balance reads one balance.
func (b camtBalance) balance() (*Balance, error) {
	place := "the balance " + strings.TrimSpace(b.Code)
	money, err := signed(b.Amt, b.CdtDbtInd.String(), place)
	if err != nil {
		return nil, err
	}
	on, err := b.Dt.day(place)
	if err != nil {
		return nil, err
	}
	return &Balance{Money: money, On: on}, nil
}

// signed reads an amount with its direction from the account's side. The place is
// where it stands, for the error.
func signed(a camtAmount, direction, place string) (model.Money, error) {
	text, currency := strings.TrimSpace(a.Value), strings.TrimSpace(a.Ccy)
	money, err := amountOf(text, currency)
	switch {
	case strings.HasPrefix(text, "-"):
		return model.Money{}, refuse("In %s, the amount %s has a sign beside its CdtDbtInd. Ask the bank for a correct file.", place, oneLine(text))
	case err != nil:
		return model.Money{}, refuse("In %s, the amount %q with the currency %q %s. Ask the bank for a correct file.",
			place, oneLine(text), oneLine(currency), reason(err))
	}
	switch strings.TrimSpace(direction) {
	case "CRDT":
		return money, nil
	case "DBIT":
		return model.Money{Amount: -money.Amount, Currency: currency}, nil
	}
	return model.Money{}, refuse("In %s, CdtDbtInd is %q, which is neither CRDT nor DBIT. Ask the bank for a correct file.", place, oneLine(direction))
}

// day gives the day of a date or of a time, as the bank writes it: its zone is not
// turned into another. "" is no date.
func (d camtDate) day(place string) (string, error) {
	text := strings.TrimSpace(d.Dt + d.DtTm)
	if text == "" {
		return "", nil
	}
	day := text[:min(len(text), len(time.DateOnly))]
	if _, err := time.Parse(time.DateOnly, day); err != nil {
		return "", refuse("In %s, %q is not a date such as 2026-03-31. Ask the bank for a correct file.", place, oneLine(text))
	}
	return day, nil
}
