package bankfile

import (
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"countersign/internal/model"
)

// mtReader reads the messages of one file: it numbers the lines through and
// gathers what is odd.
type mtReader struct {
	file   *File
	lines  int
	texts  int        // :86: of the entry that is read, so far
	tallys [2]mtTally // of the statement that is read: what went out, what came in
}

// maxTexts is how many :86: of one entry are read; banks write one, or two.
const maxTexts = 8

// mtTally counts entries and sums their amounts, without a sign.
type mtTally struct {
	n   int
	sum int64
}

// tally counts a line; the sum stops at the largest amount.
func (r *mtReader) tally(amount int64, in int) {
	t := &r.tallys[in]
	t.n++
	t.sum = min(t.sum+max(amount, -amount), model.MaxAmount)
}

// mtTotal is what a report says of itself in :90D: or :90C:.
type mtTotal struct {
	tag  string
	text string
	at   int
}

// statement reads one message.
func (r *mtReader) statement(m mtMessage) (Statement, error) {
	s := Statement{Kind: Booked, Currency: m.currency()}
	first := m.fields[0].at
	switch m.format() {
	case "MT940", "MT941", "MT950":
	case "MT942":
		s.Kind = Interim
	default:
		return s, refuse("Line %d begins an %s message, which is no statement: take MT940 or MT942 messages only.", first, m.format())
	}
	if f := m.unsure(); f != nil {
		s.Declared = append(s.Declared, fmt.Sprintf("Line %d begins with :%s: behind a line that is as long as texts are cut: it may be a field, or the rest of the text.", f.at, f.tag))
	}
	r.tallys = [2]mtTally{}
	var totals []mtTotal
	previous := ""
	for _, f := range m.fields {
		if err := r.field(&s, f, previous); err != nil {
			return s, err
		}
		if f.tag == "90D" || f.tag == "90C" {
			totals = append(totals, mtTotal{f.tag, f.text(), f.at})
		}
		previous = f.tag
	}
	if s.Account == "" {
		r.file.note(first, "the message does not say its account (:25:).")
	}
	return s, r.declare(&s, totals)
}

// field takes one field into a statement; previous is the tag of the one before.
func (r *mtReader) field(s *Statement, f mtField, previous string) (err error) {
	switch f.tag {
	case "20":
		if s.ID == "" {
			s.ID = oneLine(f.text())
		}
	case "28", "28C":
		s.ID = oneLine(f.text())
	case "25", "25P":
		s.Account = oneLine(f.lines[0]) // a second line of :25P: is the bank
		if note := ibanNote(s.Account); note != "" && !slices.Contains(r.file.Notes, note) {
			r.file.note(0, "%s", note)
		}
	case "60F", "60M":
		if s.Opening == nil {
			s.Opening, err = r.balance(f)
		}
	case "62F", "62M":
		s.Closing, err = r.balance(f)
	case "61":
		if r.lines++; r.lines > MaxLines {
			return tooMany("lines")
		}
		r.texts = 0
		var line Line
		if line, err = r.entry(f, s.Currency); err == nil {
			line.Number, line.Entry, line.Booked = r.lines, r.lines, line.Booked && s.Kind == Booked
			s.Lines = append(s.Lines, line)
		}
	case "86":
		// After another field it is about the whole statement.
		if r.texts++; r.texts <= maxTexts && (previous == "61" || previous == "86") && len(s.Lines) > 0 {
			mtDetails(f.lines).fill(&s.Lines[len(s.Lines)-1])
		}
	}
	return err
}

var (
	mtBalanceForm = regexp.MustCompile(`^([CD])(\d{6})([A-Z]{3})([\d.,]+)$`)
	mtLimitForm   = regexp.MustCompile(`^([A-Z]{3})[CD]?[\d,]+$`)
	mtTotalForm   = regexp.MustCompile(`^(\d{1,5})([A-Z]{3})([\d.,]+)$`)
)

// currency is the account's: of its balances, or else of the limit or the totals.
func (m mtMessage) currency() string {
	for _, f := range m.fields {
		switch f.tag {
		case "60F", "60M", "62F", "62M":
			if p := mtBalanceForm.FindStringSubmatch(f.text()); p != nil {
				return p[3]
			}
		case "34F":
			if p := mtLimitForm.FindStringSubmatch(f.text()); p != nil {
				return p[1]
			}
		case "90D", "90C":
			if p := mtTotalForm.FindStringSubmatch(f.text()); p != nil {
				return p[2]
			}
		}
	}
	return ""
}

// balance reads :60F:, :62F: and the like.
func (r *mtReader) balance(f mtField) (*Balance, error) {
	p := mtBalanceForm.FindStringSubmatch(f.text())
	if p == nil {
		return nil, refuse("Line %d: the balance :%s: cannot be read. It is expected as C or D, the day as YYMMDD, the currency, and the amount with a comma, such as C261130EUR1250,50.", f.at, f.tag)
	}
	amount, err := r.amount(f.at, p[4], p[3])
	if err != nil {
		return nil, refuse("Line %d: the amount %s of the balance :%s: %s.", f.at, p[4], f.tag, reason(err))
	}
	if p[1] == "D" {
		amount.Amount = -amount.Amount
	}
	balance := &Balance{Money: amount}
	if day, ok := mtDayText(p[2]); ok {
		balance.On = day
	} else {
		r.file.note(f.at, "the day %s of the balance :%s: is not in the calendar and was left out.", p[2], f.tag)
	}
	return balance, nil
}

// amount reads an amount, which has a decimal comma in SWIFT. Some banks leave it
// out behind whole units, which is told.
func (r *mtReader) amount(at int, text, currency string) (model.Money, error) {
	money, err := mtAmount(text, currency)
	if err == nil && !strings.Contains(text, ",") {
		r.file.note(at, "the amount %s has no decimal comma and was read as %s.", text, money)
	}
	return money, err
}

func mtAmount(text, currency string) (model.Money, error) {
	if strings.Contains(text, ".") || strings.Count(text, ",") > 1 {
		return model.Money{}, model.Errorf(model.Invalid, "bank-file", "the amount cannot be read").
			WithFields(model.Field{Location: "/amount", Message: "is not an amount with one decimal comma, such as 1250,50"})
	}
	return amountOf(strings.Replace(text, ",", ".", 1), currency)
}

// declare compares the totals that a report states of itself with its lines.
func (r *mtReader) declare(s *Statement, totals []mtTotal) error {
	for _, total := range totals {
		p := mtTotalForm.FindStringSubmatch(total.text)
		if p == nil {
			return refuse("Line %d: the total :%s: cannot be read. It is expected as the number of entries, the currency, and the amount with a comma, such as 3EUR12,50.", total.at, total.tag)
		}
		said, err := mtAmount(p[3], p[2])
		if err != nil {
			return refuse("Line %d: the amount %s of the total :%s: %s.", total.at, p[3], total.tag, reason(err))
		}
		count, _ := strconv.Atoi(p[1]) // five digits
		words, have := "credits", r.tallys[1]
		if total.tag == "90D" {
			words, have = "debits", r.tallys[0]
		}
		if have.n != count || have.sum != said.Amount || p[2] != s.Currency {
			s.Declared = append(s.Declared, fmt.Sprintf("The file counts %d %s of %s in all (:%s:), its lines are %d of %s.",
				count, words, said, total.tag, have.n, model.Money{Amount: have.sum, Currency: s.Currency}))
		}
	}
	return nil
}
