package bankfile

import (
	"regexp"
	"strings"

	"countersign/internal/model"
)

// amount is the signed amount of a row.
func (r *csvReader) amount(row csvRow, currency string) (int64, error) {
	if r.m.Amount == "" {
		return r.debitOrCredit(row, currency)
	}
	amount, err := r.number(row, "amount", row.cell(r.columns.of("amount")), currency)
	switch {
	case err != nil:
		return 0, err
	case r.m.Direction == "" && r.m.Turned:
		return -amount, nil
	case r.m.Direction == "":
		return amount, nil
	case amount < 0:
		return 0, r.fault(row, "amount", "the amount has a sign beside a column that says its direction.")
	}
	switch word := row.cell(r.columns.of("direction")); {
	case strings.EqualFold(word, strings.TrimSpace(r.m.In)):
		return amount, nil
	case strings.EqualFold(word, strings.TrimSpace(r.m.Out)):
		return -amount, nil
	default:
		return 0, r.fault(row, "direction", "%s is neither %s nor %s.", quoted(word), quoted(r.m.In), quoted(r.m.Out))
	}
}

// debitOrCredit reads the one of two columns that a row fills. Debits may all have
// a minus or all have none; credits have none.
func (r *csvReader) debitOrCredit(row csvRow, currency string) (int64, error) {
	var amounts [2]int64
	filled := 0
	for i, member := range []string{"debit", "credit"} {
		text := row.cell(r.columns.of(member))
		if text == "" {
			continue
		}
		var err error
		if amounts[i], err = r.number(row, member, text, currency); err != nil {
			return 0, err
		}
		filled++
	}
	debit, credit := amounts[0], amounts[1]
	switch {
	case filled == 0:
		return 0, r.fault(row, "debit", "neither this column nor that of the credits has an amount.")
	case debit != 0 && credit != 0:
		return 0, r.fault(row, "debit", "both this column and that of the credits have an amount.")
	case credit < 0:
		return 0, r.fault(row, "credit", "the amount has a minus, so that it is not clear whether it came in.")
	case debit == 0:
		return credit, nil
	}
	sign := int64(1)
	if debit < 0 {
		sign = -1
	}
	if r.debitSign == 0 {
		r.debitSign = sign
	}
	if sign != r.debitSign {
		return 0, r.fault(row, "debit", "some amounts of this column have a minus and others have none, so that it is not clear which went out.")
	}
	return -debit * sign, nil
}

// number reads a number as the mapping says that they are written. More digits
// behind the decimal mark than the currency has may be a group of thousands, even
// where they are zeros.
func (r *csvReader) number(row csvRow, member, text, currency string) (int64, error) {
	plain, ok := r.m.plain(text)
	if !ok {
		return 0, r.fault(row, member, "%s is not an amount as the mapping has it, such as %s.", quoted(text), "1"+r.m.Grouping+"250"+r.m.Decimal+"50")
	}
	_, fraction, _ := strings.Cut(plain, ".")
	if most, known := model.Exponent(currency); known && len(fraction) > most {
		return 0, r.fault(row, member, "%s has %d digits behind the decimal mark, and %s has %d at most: choose the other mark where this one stands between thousands, or ask the bank for plain amounts.",
			quoted(text), len(fraction), currency, most)
	}
	money, err := amountOf(plain, currency)
	if err != nil {
		return 0, r.fault(row, member, "%s %s.", quoted(text), reason(err))
	}
	return money.Amount, nil
}

// blanks are the blanks between thousands, and the apostrophe that is typeset.
var blanks = strings.NewReplacer("\u00a0", " ", "\u202f", " ", "\u2009", " ", "\u2019", "'", "\u2212", "-")

// grouped are digits in groups of three, each but the first behind a "_".
var grouped = regexp.MustCompile(`^\d{1,3}(_\d{3})*$|^\d+$`)

// plain makes a plain decimal with a dot of a number as the mapping has them. The
// sign may stand before it or behind it, or be a pair of brackets; groups have
// three digits each.
func (m Mapping) plain(text string) (string, bool) {
	text = strings.TrimSpace(blanks.Replace(text))
	sign := ""
	switch {
	case strings.HasPrefix(text, "(") && strings.HasSuffix(text, ")"):
		sign, text = "-", text[1:len(text)-1]
	case strings.HasPrefix(text, "-"), strings.HasPrefix(text, "+"):
		sign, text = text[:1], text[1:]
	case strings.HasSuffix(text, "-"), strings.HasSuffix(text, "+"):
		sign, text = text[len(text)-1:], text[:len(text)-1]
	}
	whole, fraction, _ := strings.Cut(strings.TrimSpace(text), m.Decimal)
	if m.Grouping != "" {
		whole = strings.ReplaceAll(whole, m.Grouping, "_")
	}
	if strings.Contains(text, "_") || whole != "" && !grouped.MatchString(whole) || fraction != "" && !digitsOnly(fraction) || whole+fraction == "" {
		return "", false
	}
	return strings.TrimPrefix(sign, "+") + strings.ReplaceAll(whole, "_", "") + "." + fraction, true
}
