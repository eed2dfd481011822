package bankfile

import (
	"fmt"
	"regexp"
	"slices"
	"strings"

	"countersign/internal/model"
)

// baiAccount is the account that is read: what its own trailer is compared with,
// and what its record says of credits and debits in all.
type baiAccount struct {
	sum    baiSum // of all amounts, summaries too
	totals map[string]baiTotal
	open   bool
}

// baiTotal is a sum that the account record states; count is -1 where it states none.
type baiTotal struct{ amount, count int64 }

// beginAccount reads 03: account, currency, and summaries of four fields each: a
// type, an amount, a count, and when the funds are there.
func (r *baiReader) beginAccount(record baiRecord) error {
	f := append(strings.Split(record.pieces[0], ","), "")
	s := Statement{Kind: Booked, Account: oneLine(f[0]), Currency: strings.TrimSpace(f[1])}
	if s.Currency == "" {
		s.Currency = r.group.currency
	}
	if s.Currency == "" {
		s.Currency = "USD"
		if !r.assumed {
			r.file.note(record.at, "neither the account nor its group names a currency, which in BAI2 means USD.")
		}
		r.assumed = true
	}
	if _, ok := model.Exponent(s.Currency); !ok {
		return refuse("Line %d: %s is not the code of a currency in which can be paid.", record.at, quoted(s.Currency))
	}
	if r.group.interim {
		s.Kind = Interim
	}
	if note := ibanNote(s.Account); note != "" && !slices.Contains(r.file.Notes, note) {
		r.file.note(0, "%s", note)
	}
	r.account = baiAccount{sum: baiSum{records: int64(record.count)}, totals: map[string]baiTotal{}, open: true}
	if err := r.summaries(&s, record); err != nil {
		return err
	}
	if r.file.Statements = append(r.file.Statements, s); len(r.file.Statements) > MaxLines {
		return tooMany("accounts")
	}
	return nil
}

var baiType = regexp.MustCompile(`^\d{3}$`)

// summaries reads the summaries of an account record. One may be cut anywhere; a
// continuation that begins with a type where a count may stand begins another, as
// what is blank at the end of a record may be missing.
func (r *baiReader) summaries(s *Statement, record baiRecord) error {
	c := record.cursor()
	c.next() // account
	c.next() // currency
	at := record.at
	for c.left() {
		kind := c.next()
		if kind == "" {
			continue
		}
		if !baiType.MatchString(kind) {
			return refuse("Line %d: %s stands in the account record where a type of three digits is expected.", at, quoted(kind))
		}
		text := c.next()
		amount, err := baiAmount(text, s.Currency)
		if err != nil {
			return refuse("Line %d: the amount %s of type %s: %s.", at, quoted(text), kind, reason(err))
		}
		total := baiTotal{amount, -1}
		if !c.beginsWithType() {
			if count := c.next(); count != "" {
				var ok bool
				if total.count, ok = baiInteger(count); !ok {
					return refuse("Line %d: the count %s of type %s cannot be read.", at, quoted(count), kind)
				}
			}
		}
		if !c.beginsWithType() {
			c.funds()
		}
		r.account.sum.add(amount)
		r.account.totals[kind] = total
		if text != "" {
			s.setBAIBalance(kind, &Balance{Money: model.Money{Amount: amount, Currency: s.Currency}, On: r.group.asOf})
		}
	}
	return nil
}

// setBAIBalance takes the opening and the closing ledger balance. The available
// ones (040, 045) are not booked.
func (s *Statement) setBAIBalance(kind string, balance *Balance) {
	switch kind {
	case "010":
		s.Opening = balance
	case "015":
		s.Closing = balance
	}
}

// endAccount reads 49 and compares what the account states of itself.
func (r *baiReader) endAccount(record baiRecord) error {
	if !r.account.open {
		return refuse("Line %d: the record 49 ends an account that no record 03 began.", record.at)
	}
	s := &r.file.Statements[len(r.file.Statements)-1]
	f := append(record.fields(), "", "")
	amount, fine := baiInteger(f[0])
	records, fine2 := baiInteger(f[1])
	if !fine || !fine2 {
		return refuse("Line %d: the control total %s or the number of records %s in the record 49 cannot be read.", record.at, quoted(f[0]), quoted(f[1]))
	}
	have := r.account.sum
	if amount != have.amount || records != have.records {
		s.Declared = append(s.Declared, fmt.Sprintf("The account states a control total of %d and %d records (record 49), it has %d and %d.",
			amount, records, have.amount, have.records))
	}
	for _, t := range []struct {
		kind, words string
		sign        int64
	}{{"100", "credits", 1}, {"400", "debits", -1}} {
		if said, ok := r.account.totals[t.kind]; ok {
			s.declareTurnover(t.kind, t.words, t.sign, said)
		}
	}
	r.group.sum.add(amount)
	r.account.open = false
	return nil
}

// declareTurnover compares a stated sum of credits or debits with the lines. An
// account without any line is a summary, of which nothing can be compared.
func (s *Statement) declareTurnover(kind, words string, sign int64, said baiTotal) {
	n, sum := int64(0), int64(0)
	for _, line := range s.Lines {
		if line.Amount*sign > 0 {
			n++
			sum = clamped(sum, line.Amount*sign)
		}
	}
	if len(s.Lines) == 0 || sum == said.amount && (said.count < 0 || said.count == n) {
		return
	}
	counted := "the " + words
	if said.count >= 0 {
		counted = fmt.Sprintf("%d %s", said.count, words)
	}
	s.Declared = append(s.Declared, fmt.Sprintf("The account states %s of %s in all (type %s), its lines are %d of %s.", counted,
		model.Money{Amount: said.amount, Currency: s.Currency}, kind, n, model.Money{Amount: sum, Currency: s.Currency}))
}
