package store

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"unicode"

	"countersign/internal/model"
)

// signs are the signs of currencies, and the codes that each may mean; one that
// many currencies share says nothing.
var signs = map[string][]string{"€": {"EUR"}, "£": {"GBP"}, "¥": {"JPY", "CNY"}, "₹": {"INR"}, "₩": {"KRW"}, "₺": {"TRY"}, "₪": {"ILS"}, "₫": {"VND"}, "₴": {"UAH"},
	"₦": {"NGN"}, "₱": {"PHP"}, "฿": {"THB"}, "zł": {"PLN"}, "US$": {"USD"}, "$": nil}

// byDigits are the codes of all currencies by the number of their decimals, as
// an IN list.
var byDigits = func() (lists [5]string) {
	for _, c := range model.Currencies() {
		lists[c.Digits] += ",'" + c.Code + "'"
	}
	for i := range lists {
		lists[i] = strings.TrimPrefix(lists[i], ",")
	}
	return lists
}()

// figure is one way to read a number: "41,800" is 41800, and is 41.800 too.
type figure struct{ whole, fraction string }

// byAmount are the lookups of an amount as letters and people write it: with any
// of the marks for thousands and decimals, its currency before or behind it or
// not named. Every way to read it is looked up: nothing is done with it but to
// show what was found.
func byAmount(text string, accounts []string) (list []lookup) {
	number, codes := currencyOf(text)
	in := marks(len(accounts))
	for _, r := range readings(number) {
		for digits, all := range byDigits {
			amount, ok := r.minor(digits)
			if !ok || all == "" {
				continue
			}
			currencies, args := all, append(anys(accounts), amount)
			if codes != nil {
				of := slices.DeleteFunc(slices.Clone(codes), func(code string) bool { n, _ := model.Exponent(code); return n != digits })
				currencies, args = marks(len(of)), append(args, anys(of)...)
			}
			if currencies != "" {
				list = append(list, lookup{fmt.Sprintf("SELECT id FROM intents WHERE account IN (%s) AND amount = ? AND currency IN (%s)", in, currencies), args})
			}
		}
	}
	return list
}

// currencyOf takes the code or sign of a currency from around a number; nil is
// any currency.
func currencyOf(text string) (number string, codes []string) {
	text = strings.TrimSpace(text)
	from := strings.IndexFunc(text, unicode.IsDigit)
	to := strings.LastIndexFunc(text, unicode.IsDigit)
	if from < 0 {
		return "", nil
	}
	before := strings.TrimSpace(strings.TrimRight(strings.TrimSpace(text[:from]), "+-−"))
	name := strings.TrimSpace(strings.TrimLeft(before, "+-−") + strings.TrimSpace(text[to+1:]))
	if !isASCIIDigit(text[to]) || name == "" {
		return text[from : to+1], nil
	}
	if codes, ok := signs[name]; ok {
		return text[from : to+1], codes
	}
	if code := strings.ToUpper(name); known(code) {
		return text[from : to+1], []string{code}
	}
	return "", nil // something else with a number in it
}

func isASCIIDigit(b byte) bool { return '0' <= b && b <= '9' }

func known(code string) bool {
	_, ok := model.Exponent(code)
	return ok
}

// readings are the ways in which a number may be read; none where it is none.
func readings(number string) (list []figure) {
	number = strings.Map(func(r rune) rune {
		switch {
		case unicode.IsSpace(r), r == '\'', r == '’', r == '_':
			return ' '
		case r == '٫':
			return ','
		}
		return r
	}, number)
	if number == "" || strings.Trim(number, "0123456789., ") != "" {
		return nil
	}
	if whole, ok := ungrouped(number); ok {
		list = append(list, figure{whole, ""})
	}
	if at := strings.LastIndexAny(number, ".,"); at > 0 && !strings.Contains(number[:at], number[at:at+1]) {
		if whole, ok := ungrouped(number[:at]); ok && allDigits(number[at+1:]) {
			list = append(list, figure{whole, number[at+1:]})
		}
	}
	return list
}

// ungrouped are the digits of a whole number, whose groups have one mark between
// them: three digits in the last and two or three in those before it.
func ungrouped(number string) (digits string, ok bool) {
	at := strings.IndexAny(number, "., ")
	if at < 0 {
		return number, allDigits(number)
	}
	groups := strings.Split(number, number[at:at+1])
	for i, group := range groups {
		last := i == len(groups)-1
		if !allDigits(group) || len(group) > 3 || i > 0 && len(group) < 2 || last && len(group) != 3 {
			return "", false
		}
	}
	return strings.Join(groups, ""), true
}

func allDigits(text string) bool { return text != "" && strings.Trim(text, "0123456789") == "" }

// minor is the number in minor units of a currency with so many decimals; not ok
// where it has more of them, or is no amount.
func (r figure) minor(digits int) (amount int64, ok bool) {
	if len(r.fraction) > digits {
		return 0, false
	}
	amount, err := strconv.ParseInt(r.whole+r.fraction+strings.Repeat("0", digits-len(r.fraction)), 10, 64)
	return amount, err == nil && amount > 0 && amount <= model.MaxAmount
}
