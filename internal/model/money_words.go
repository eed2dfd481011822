package model

import "strings"

// Words is the amount in English, for a person to compare with the figures:
// "twelve thousand four hundred US dollars, no cents". An unknown currency is
// told by its code, in minor units.
func (m Money) Words() string {
	entry, ok := currencies[m.Currency]
	if !ok {
		return sign(m.Amount) + counted(m.magnitude(), "minor unit", "minor units") + " of " + m.Currency
	}
	factor := uint64(powersOfTen[entry.digits])
	words := sign(m.Amount) + counted(m.magnitude()/factor, entry.one, entry.many)
	if entry.digits == 0 {
		return words
	}
	one, many := entry.minorNames()
	if minor := m.magnitude() % factor; minor > 0 {
		return words + " and " + counted(minor, one, many)
	}
	return words + ", no " + many
}

// minorNames names the minor unit for one and for many.
func (e currencyEntry) minorNames() (one, many string) {
	if e.minorOne == "" {
		return "minor unit", "minor units"
	}
	return e.minorOne, e.minorMany
}

func sign(amount int64) string {
	if amount < 0 {
		return "minus "
	}
	return ""
}

func counted(n uint64, one, many string) string {
	if n == 1 {
		return "one " + one
	}
	return cardinal(n) + " " + many
}

var (
	smallNumbers = [...]string{
		"zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine",
		"ten", "eleven", "twelve", "thirteen", "fourteen", "fifteen", "sixteen",
		"seventeen", "eighteen", "nineteen",
	}
	tens   = [...]string{"", "", "twenty", "thirty", "forty", "fifty", "sixty", "seventy", "eighty", "ninety"}
	scales = [...]struct {
		size uint64
		name string
	}{
		{1e18, "quintillion"}, {1e15, "quadrillion"}, {1e12, "trillion"},
		{1e9, "billion"}, {1e6, "million"}, {1e3, "thousand"}, {100, "hundred"},
	}
)

// cardinal is a whole number in English words, on the short scale.
func cardinal(n uint64) string {
	var words []string
	for _, scale := range scales {
		if n >= scale.size {
			words = append(words, cardinal(n/scale.size), scale.name)
			n %= scale.size
		}
	}
	if n > 0 || len(words) == 0 {
		words = append(words, belowHundred(n))
	}
	return strings.Join(words, " ")
}

func belowHundred(n uint64) string {
	switch {
	case n < 20:
		return smallNumbers[n]
	case n%10 == 0:
		return tens[n/10]
	}
	return tens[n/10] + "-" + smallNumbers[n%10]
}
