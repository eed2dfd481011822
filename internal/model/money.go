package model

import (
	"strconv"
	"strings"
)

// MaxAmount is the largest amount of minor units, and -MaxAmount the smallest:
// the range in which a double, and so every JSON reader, keeps each integer.
const MaxAmount = 1<<53 - 1

// Money is an amount in minor units of a currency: {125050, "USD"} is 1,250.50
// US dollars, {1250, "JPY"} is 1,250 yen. The zero value is no money at all.
type Money struct {
	Amount   int64  `json:"amount"`   // minor units
	Currency string `json:"currency"` // ISO 4217 code
}

// NewMoney checks an amount of minor units and its currency. The error is of
// kind Invalid and names the member at fault.
func NewMoney(amount int64, currency string) (Money, error) {
	if _, err := payableDigits(currency); err != nil {
		return Money{}, err
	}
	if amount > MaxAmount || amount < -MaxAmount {
		return Money{}, tooLarge(currency)
	}
	return Money{Amount: amount, Currency: currency}, nil
}

// MajorUnits gives n major units ("50,000 dollars") in minor units. The error
// is of kind Invalid: a currency that cannot be paid in, or too large a result.
func MajorUnits(n int64, currency string) (int64, error) {
	digits, err := payableDigits(currency)
	if err != nil {
		return 0, err
	}
	factor := powersOfTen[digits]
	if n > MaxAmount/factor || n < -MaxAmount/factor {
		return 0, tooLarge(currency)
	}
	return n * factor, nil
}

// ParseDecimal reads a plain decimal: an optional minus, digits, and after a dot
// at most as many digits as the currency has. Grouping, a plus sign, exponents,
// spaces and surplus decimals, zeros too, are refused: a separator read wrongly
// changes the amount a thousandfold. The error is of kind Invalid.
func ParseDecimal(text, currency string) (Money, error) {
	digits, err := payableDigits(currency)
	if err != nil {
		return Money{}, err
	}
	unsigned, negative := strings.CutPrefix(text, "-")
	whole, fraction, dotted := strings.Cut(unsigned, ".")
	if !allDigits(whole) || dotted && !allDigits(fraction) {
		return Money{}, amountError("is not a plain decimal number such as 1250.50")
	}
	if len(fraction) > digits {
		return Money{}, amountError("has more than the %d decimals of %s", digits, currency)
	}
	amount, err := strconv.ParseInt(whole+fraction+strings.Repeat("0", digits-len(fraction)), 10, 64)
	if err != nil {
		return Money{}, tooLarge(currency)
	}
	if negative {
		amount = -amount
	}
	return NewMoney(amount, currency)
}

// String is the amount for people: "1,250.50 USD", with U+2212 as the minus.
func (m Money) String() string { return m.Digits() + " " + m.Currency }

// Digits is the amount for people without its currency: "1,250.50". An unknown
// currency has no decimals: the figure is then its minor units.
func (m Money) Digits() string {
	sign, whole, fraction := m.split()
	var b strings.Builder
	if sign {
		b.WriteString("\u2212")
	}
	for i, digit := range whole {
		if i > 0 && (len(whole)-i)%3 == 0 {
			b.WriteByte(',')
		}
		b.WriteRune(digit)
	}
	return b.String() + fraction
}

// Decimal is the amount for programs, which ParseDecimal reads back: "-1250.50".
func (m Money) Decimal() string {
	sign, whole, fraction := m.split()
	if sign {
		return "-" + whole + fraction
	}
	return whole + fraction
}

// split gives the sign, the digits of the major units, and those of the minor
// units behind their dot, or nothing where the currency has none.
func (m Money) split() (negative bool, whole, fraction string) {
	digits, _ := Exponent(m.Currency)
	text := strconv.FormatUint(m.magnitude(), 10)
	if missing := digits + 1 - len(text); missing > 0 {
		text = strings.Repeat("0", missing) + text
	}
	whole = text[:len(text)-digits]
	if digits > 0 {
		fraction = "." + text[len(text)-digits:]
	}
	return m.Amount < 0, whole, fraction
}

// magnitude is the amount without its sign; unlike -Amount it holds for every int64.
func (m Money) magnitude() uint64 {
	if m.Amount < 0 {
		return -uint64(m.Amount)
	}
	return uint64(m.Amount)
}

// powersOfTen are the minor units of one major unit, by number of decimals.
var powersOfTen = [...]int64{1, 10, 100, 1_000, 10_000}

// payableDigits is Exponent with the reason of a refusal.
func payableDigits(currency string) (int, error) {
	digits, ok := Exponent(currency)
	switch {
	case ok:
		return digits, nil
	case isWithoutMinorUnit(currency):
		return 0, invalidMember("/currency", "has no minor unit: nothing can be paid in it")
	}
	return 0, invalidMember("/currency", "is not an ISO 4217 code in force")
}

func allDigits(s string) bool {
	for _, c := range []byte(s) {
		if c < '0' || c > '9' {
			return false
		}
	}
	return s != ""
}

// tooLarge says the largest amount as people write it.
func tooLarge(currency string) error {
	return amountError("is larger than %s, the most that is taken", Money{Amount: MaxAmount, Currency: currency})
}

func amountError(format string, args ...any) error {
	return invalidMember("/amount", format, args...)
}
