package bankfile

import (
	"regexp"
	"slices"
	"strings"
	"time"
)

// dayForm is how days are kept.
const dayForm = time.DateOnly

// mtEntryForm are the parts of :61:: value date, entry date, mark, the third
// letter of the currency, amount, type of transaction, and references.
var mtEntryForm = regexp.MustCompile(`^(\d{6})(\d{4})?(R[CD]|E[CD]|[CD])([A-Z])? ?([\d.,]+)([A-Z][A-Z0-9 ]{3})?(.*)$`)

// mtIn says by the mark whether an entry brings money into the account: credits,
// credits that are expected, and debits that are given back.
var mtIn = map[string]int{"C": 1, "EC": 1, "RD": 1, "D": 0, "ED": 0, "RC": 0}

// entry reads :61:. The line still lacks its number, and what :86: says. What is
// expected is not booked.
func (r *mtReader) entry(f mtField, currency string) (Line, error) {
	p := mtEntryForm.FindStringSubmatch(f.lines[0])
	if p == nil && len(f.lines) > 1 { // cut before its end
		f.lines = slices.Concat([]string{f.lines[0] + f.lines[1]}, f.lines[2:])
		p = mtEntryForm.FindStringSubmatch(f.lines[0])
	}
	if p == nil {
		return Line{}, refuse("Line %d: the entry :61: cannot be read. It is expected to begin with the value date as YYMMDD, the mark (C, D, RC or RD), and the amount with a comma, such as 261130C1250,50.", f.at)
	}
	if currency == "" {
		return Line{}, refuse("Line %d: the currency of the entry is not known: the message has no balance (:60F:) and no limit (:34F:) before its end.", f.at)
	}
	mark, letter := p[3], p[4]
	if letter != "" && letter != currency[2:] {
		if letter == "R" {
			return Line{}, refuse("Line %d: the mark %sR is neither a mark of SWIFT nor the last letter of %s: it may be a credit or debit, or its reversal. Ask the bank which.", f.at, mark, currency)
		}
		r.file.note(f.at, "the letter %s behind the mark %s is not the last letter of %s, in which the entry was read.", letter, mark, currency)
	}
	amount, err := r.amount(f.at, p[5], currency)
	if err != nil {
		return Line{}, refuse("Line %d: the amount %s of the entry :61: %s.", f.at, p[5], reason(err))
	}
	in := mtIn[mark]
	line := Line{Currency: currency, Amount: amount.Amount, Booked: mark[0] != 'E', Back: mark[0] == 'R' || strings.HasSuffix(p[6], "RTI"),
		Charge: strings.HasSuffix(p[6], "CHG")}
	if f.unsure {
		line.Doubt = "The line before it is as long as texts are cut: this may be an entry of the bank, or the rest of the text of the entry before."
	}
	if in == 0 {
		line.Amount = -line.Amount
	}
	r.tally(amount.Amount, in)
	r.dates(&line, f.at, p[1], p[2])
	ours, name, theirs := mtReferences(p[7])
	line.BankRef = reference(theirs)
	if !slices.Contains(mtElsewhere, ours) {
		line.Refs = addRef(line.Refs, "customer reference", ours)
	}
	further := strings.TrimSpace(name + " " + strings.Join(f.lines[1:], ""))
	line.Refs = addWords(line.Refs, further)
	line.Text = oneLine(further)
	return line, nil
}

// mtElsewhere are customer references that say that the reference is in :86:.
var mtElsewhere = []string{"KREF", "EREF", "MREF", "PREF", "MARF", "KREF+", "EREF+", "MREF+"}

// mtReferences splits the end of :61: into the customer's reference and the bank's.
// Banks that fill the first to its sixteen places may go on with a name.
func mtReferences(text string) (ours, name, theirs string) {
	ours, theirs, _ = strings.Cut(text, "//")
	const places = 16
	if len(ours) > places && strings.Contains(ours[:places], "  ") {
		ours, name = ours[:places], ours[places:]
	}
	return strings.TrimSpace(ours), strings.ToValidUTF8(name, ""), theirs
}

// dates reads the value date, YYMMDD, and the entry date, MMDD, which is in the
// year that brings it nearest to the value date; where it is left out it is the
// same, as SWIFT writes it only where it differs. What no calendar has (interest is
// reckoned to the 30th of February) is left out.
func (r *mtReader) dates(line *Line, at int, value, entry string) {
	valued, ok := mtDay(value)
	if ok {
		line.ValuedOn = valued.Format(dayForm)
	} else {
		r.file.note(at, "the value date %s is not in the calendar and was left out.", value)
		if valued, ok = mtDay(value[:2] + "0701"); !ok {
			return
		}
	}
	if entry == "" {
		line.BookedOn = line.ValuedOn
		return
	}
	var booked time.Time
	for year := valued.Year() - 1; year <= valued.Year()+1; year++ {
		day, err := time.Parse("20060102", time.Date(year, 1, 1, 0, 0, 0, 0, time.UTC).Format("2006")+entry)
		if err == nil && (booked.IsZero() || day.Sub(valued).Abs() < booked.Sub(valued).Abs()) {
			booked = day
		}
	}
	if booked.IsZero() {
		r.file.note(at, "the entry date %s is not in the calendar and was left out.", entry)
		return
	}
	line.BookedOn = booked.Format(dayForm)
}

// mtDay reads YYMMDD; years from 80 are of the last century, as SWIFT has it.
func mtDay(text string) (time.Time, bool) {
	century := "20"
	if text[0] >= '8' {
		century = "19"
	}
	day, err := time.Parse("20060102", century+text)
	return day, err == nil
}

// mtDayText is mtDay from and to text, blanks around it left out.
func mtDayText(text string) (string, bool) {
	if text = strings.TrimSpace(text); text == "" {
		return "", false
	}
	day, ok := mtDay(text)
	return day.Format(dayForm), ok
}
