package bankfile

import (
	"fmt"
	"strings"

	"countersign/internal/model"
)

// total counts entries and sums them without their signs.
type total struct {
	entries int
	sum     int64 // minor units
}

// totals are what the entries of a statement make, to compare with what the file
// declares of itself.
type totals struct {
	all, credits, debits total
	currency             string
	unsummed             bool // several currencies, or beyond all amounts
}

// count adds one entry by its lines.
func (t *totals) count(entry []Line) {
	var net int64
	for _, line := range entry {
		net += line.Amount // they add up to the entry, which is an amount
	}
	side, amount := &t.credits, net
	if net < 0 {
		side, amount = &t.debits, -net
	}
	if t.currency == "" {
		t.currency = entry[0].Currency
	}
	if t.currency != entry[0].Currency {
		t.unsummed = true
	}
	for _, to := range []*total{&t.all, side} {
		sum, ok := add(to.sum, amount)
		if !ok {
			sum, t.unsummed = 0, true
		}
		to.entries, to.sum = to.entries+1, sum
	}
}

// unlike says in full sentences what the statement declares and does not hold.
func (t *totals) unlike(s camtStatement) (sentences []string) {
	for _, d := range []struct {
		what     string
		declared camtTotal
		have     total
	}{{"entries", s.All, t.all}, {"credits", s.Credits, t.credits}, {"debits", s.Debits, t.debits}} {
		if n := oneLine(d.declared.NbOfNtries); n != "" && strings.TrimLeft(n, "0") != strings.TrimLeft(fmt.Sprint(d.have.entries), "0") {
			sentences = append(sentences, fmt.Sprintf("The statement declares %s %s and holds %d.", n, d.what, d.have.entries))
		}
		text := oneLine(d.declared.Sum)
		if text == "" || t.unsummed || t.currency == "" {
			continue
		}
		if sum, err := amountOf(text, t.currency); err != nil || sum.Amount != d.have.sum {
			sentences = append(sentences, fmt.Sprintf("The statement declares %s as the sum of its %s, which is %s.",
				text, d.what, model.Money{Amount: d.have.sum, Currency: t.currency}))
		}
	}
	return sentences
}
