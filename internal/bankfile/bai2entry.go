package bankfile

import (
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// baiCursor walks through the fields of a record, of which starts begin a
// continuation.
type baiCursor struct {
	fields []string
	at     int
	starts map[int]bool
}

// cursor stands at the first field of a record.
func (r baiRecord) cursor() *baiCursor {
	c := &baiCursor{starts: map[int]bool{}}
	for _, piece := range r.pieces {
		c.starts[len(c.fields)] = true
		c.fields = append(c.fields, strings.Split(piece, ",")...)
	}
	return c
}

// beginsWithType reports whether a continuation begins here with a type.
func (c *baiCursor) beginsWithType() bool {
	return c.left() && c.starts[c.at] && baiType.MatchString(strings.TrimSpace(c.fields[c.at]))
}

func (c *baiCursor) left() bool { return c.at < len(c.fields) }

// next is the next field without blanks around it; "" at the end.
func (c *baiCursor) next() string {
	if !c.left() {
		return ""
	}
	c.at++
	return strings.TrimSpace(c.fields[c.at-1])
}

// funds reads when the funds are there, with the fields that each type has more:
// V a day and a time, S three amounts, D a number of pairs of days and amounts.
// It gives the day of V.
func (c *baiCursor) funds() (day string, ok bool) {
	more := 0
	switch c.next() {
	case "V":
		day = c.next()
		c.next()
		if day == "" {
			return "", true
		}
		return mtDayText(day)
	case "S":
		more = 3
	case "D":
		pairs, err := strconv.Atoi(c.next())
		if err != nil || pairs < 0 || pairs > len(c.fields)-c.at {
			return "", false
		}
		more = 2 * pairs
	}
	for range more {
		c.next()
	}
	return "", true
}

// baiReturns are the types that say that a payment came back, or was taken back.
var baiReturns = []string{"252", "255", "257", "258", "261", "266", "552", "555", "557", "558", "561", "566"}

// baiFees are the types of what the bank takes for itself: for an overdraft, for a
// returned item, for the account, and others.
var baiFees = []string{"564", "567", "661", "698"}

// baiDirection says by the type of an entry whether its money came in (1) or went
// out (-1); 0 where the type does not say it.
func baiDirection(kind string) int64 {
	switch {
	case kind >= "100" && kind <= "399", kind >= "920" && kind <= "959":
		return 1
	case kind >= "400" && kind <= "699", kind >= "960" && kind <= "999":
		return -1
	}
	return 0
}

// entry reads 16: a type, an amount, when the funds are there, the references of
// the bank and of the customer, and a text, which has commas of its own.
func (r *baiReader) entry(record baiRecord) error {
	if !r.account.open {
		return refuse("Line %d: the entry belongs to no account: a record 03 is expected before it.", record.at)
	}
	s := &r.file.Statements[len(r.file.Statements)-1]
	c := record.cursor()
	kind, text := c.next(), c.next()
	if kind >= "890" && kind <= "899" {
		return nil // tells something and moves no money
	}
	direction := baiDirection(kind)
	if !baiType.MatchString(kind) || direction == 0 {
		return refuse("Line %d: the type %s does not say whether the entry is a credit (100 to 399) or a debit (400 to 699).", record.at, quoted(kind))
	}
	amount, err := baiAmount(text, s.Currency)
	switch {
	case err != nil:
		return refuse("Line %d: the amount %s of the entry: %s.", record.at, quoted(text), reason(err))
	case text == "" || amount < 0:
		return refuse("Line %d: the entry of type %s needs an amount without a sign.", record.at, kind)
	}
	day, ok := c.funds()
	if !ok {
		return refuse("Line %d: when the funds of the entry are there cannot be read. After V a day is expected as YYMMDD, after D a number.", record.at)
	}
	if r.lines++; r.lines > MaxLines {
		return tooMany("lines")
	}
	r.account.sum.add(amount)
	line := Line{Number: r.lines, Entry: r.lines, Booked: s.Kind == Booked, Amount: direction * amount, Currency: s.Currency,
		BookedOn: r.group.asOf, ValuedOn: day, Back: slices.Contains(baiReturns, kind), Charge: slices.Contains(baiFees, kind), BankRef: reference(c.next())}
	line.Refs = addRef(nil, "customer reference", c.next())
	line.say(record, len(c.fields)-c.at)
	s.Lines = append(s.Lines, line)
	return nil
}

// baiKeyed is a continuation that names itself: references, and the name and the
// account of the creditor (CRNM, CACT) and of the debtor (DBNM, DACT).
var baiKeyed = regexp.MustCompile(`^\s*(EREF|KREF|MREF|CREF|CRNM|CACT|DBNM|DACT)[:+]\s*(.+)$`)

// key takes a continuation that names itself. The other side is the creditor of
// what went out, and the debtor of what came in.
func (l *Line) key(word, value string) {
	out := l.Amount < 0
	switch {
	case word == "CRNM" && out, word == "DBNM" && !out:
		l.Other = oneLine(value)
	case word == "CACT" && out, word == "DACT" && !out:
		l.OtherAccount = oneLine(value)
	case strings.HasSuffix(word, "REF"):
		l.Refs = addRef(l.Refs, word, value)
	}
}

// say takes the text of an entry: the last fields, of which there are as many as
// left, and all pieces behind them.
func (l *Line) say(record baiRecord, left int) {
	var texts []string
	size := 0
	for _, piece := range slices.Backward(record.pieces) {
		fields := strings.Split(piece, ",")
		if left <= 0 {
			break
		}
		texts = append(texts, strings.Join(fields[max(0, len(fields)-left):], ","))
		left -= len(fields)
	}
	slices.Reverse(texts)
	for _, text := range texts {
		if size += len(text); size > maxDetails {
			break
		}
		if p := baiKeyed.FindStringSubmatch(text); p != nil {
			l.key(p[1], p[2])
		}
		l.Refs = addWords(l.Refs, text)
		l.Text = oneLine(l.Text + " " + text)
	}
}
