package bankfile

import (
	"fmt"
	"math"
	"regexp"
	"strconv"
	"strings"

	"countersign/internal/model"
)

// baiRecord is one record with its continuations (88): their texts without the
// code and the closing slash, the line of the file on which it begins, and how
// many physical records it has.
type baiRecord struct {
	code   string
	pieces []string
	at     int
	count  int
}

// fields are the comma-separated parts of all pieces.
func (r baiRecord) fields() []string {
	var all []string
	for _, piece := range r.pieces {
		all = append(all, strings.Split(piece, ",")...)
	}
	return all
}

// baiStart is a file header and the group header behind it.
var baiStart = regexp.MustCompile(`^\s*01,[^\r\n]*(?:/\s+|\s*[\r\n]\s*)02,`)

// isBAI2 reports whether a file begins as BAI files do.
func isBAI2(body []byte) bool { return baiStart.Match(body[:min(len(body), 4096)]) }

var (
	baiLine  = regexp.MustCompile(`^(\d\d)[,:/]`)
	baiCodes = "01 02 03 16 49 98 99"
	// baiBetween is the end of a record and the beginning of another one, where a file
	// is one line; the fields that must follow tell it apart from a slash in a text.
	baiBetween = regexp.MustCompile(`/\s+((?:0[123],|16,\d{3},|49,[-+]?\d+,|9[89],[-+]?\d+,|88[,:]))`)
	baiEnd     = " \t\x00\x1a"
)

// baiRecords cuts a text into records, which begin a line each. Some banks write
// several in a line; but where an entry has begun, a slash may stand in a text that
// others than the bank have written, so that nothing is cut there unless the whole
// file is one line.
func baiRecords(text string) ([]baiRecord, error) {
	c := baiCutter{}
	text = strings.NewReplacer("\r\n", "\n", "\r", "\n").Replace(text)
	single := !strings.Contains(strings.Trim(text, "\n"+baiEnd), "\n")
	number := 0
	for line := range strings.SplitSeq(text, "\n") {
		number++
		if line = strings.Trim(line, baiEnd); single || !c.inEntry(line) {
			line = baiBetween.ReplaceAllString(line, "/\n$1")
		}
		for record := range strings.SplitSeq(line, "\n") {
			if record = strings.Trim(record, baiEnd); record == "" {
				continue
			}
			if err := c.take(record, number); err != nil {
				return nil, err
			}
		}
	}
	return c.all, nil
}

// baiCutter gathers records; open says that no slash has ended the last piece.
type baiCutter struct {
	all  []baiRecord
	open bool
}

// inEntry reports whether a line begins an entry or goes on with one.
func (c *baiCutter) inEntry(line string) bool {
	p := baiLine.FindStringSubmatch(line)
	if p == nil || p[1] == "88" {
		return len(c.all) > 0 && c.all[len(c.all)-1].code == "16"
	}
	return p[1] == "16"
}

// take takes one physical record. What begins with no code goes on with the text
// of an entry that nothing has ended.
func (c *baiCutter) take(record string, at int) error {
	p := baiLine.FindStringSubmatch(record)
	var last *baiRecord
	if len(c.all) > 0 {
		last = &c.all[len(c.all)-1]
	}
	open := c.open
	c.open = !strings.HasSuffix(record, "/")
	record = strings.TrimSuffix(record, "/")
	switch {
	case p == nil && last != nil && last.code == "16" && open:
		if text := &last.pieces[len(last.pieces)-1]; len(*text)+len(record) < maxDetails { // more is not read
			*text += " " + record
		}
	case p == nil:
		return refuse("Line %d: the record cannot be read. It is expected to begin with a code of two digits and a comma, such as 16 for an entry.", at)
	case p[1] == "88" && last != nil:
		last.pieces = append(last.pieces, strings.TrimPrefix(record, p[0]))
		last.count++
	case !strings.Contains(baiCodes, p[1]):
		return refuse("Line %d: BAI2 has no record %s at this place. The records are 01, 02, 03, 16, 49, 98 and 99, and 88 to continue one.", at, p[1])
	default:
		c.all = append(c.all, baiRecord{p[1], []string{strings.TrimPrefix(record, p[0])}, at, 1})
	}
	return nil
}

// baiReader reads the records of one file in their order.
type baiReader struct {
	file       *File
	assumed    bool // that the currency is USD, which was told
	group      baiGroup
	account    baiAccount
	lines      int
	inFile     baiSum // of what the trailer 99 states: groups
	unfinished string // the trailer that is still to come; "" where none is
}

// baiSum is what a trailer states of the records before it.
type baiSum struct{ amount, parts, records int64 }

// add counts a part with its amount; sums stay where they no longer fit.
func (s *baiSum) add(amount int64) {
	s.parts++
	s.amount = clamped(s.amount, amount)
}

// clamped adds within the range of integers.
func clamped(a, b int64) int64 {
	const most = math.MaxInt64 / 2
	return max(-most, min(a+b, most))
}

// baiGroup is what a group header says of the accounts behind it.
type baiGroup struct {
	currency string
	asOf     string // the day
	interim  bool
	sum      baiSum
}

// readBAI2 reads a file of cash management balance reporting, version 2. Each
// account record is a statement of its own.
func readBAI2(body []byte) (File, error) {
	records, err := baiRecords(mtText(body))
	if err != nil {
		return File{}, err
	}
	r := baiReader{file: &File{Format: "BAI2"}}
	for _, record := range records {
		r.countRecords(int64(record.count))
		if err := r.record(record); err != nil {
			return File{}, err
		}
	}
	if len(r.file.Statements) == 0 {
		return File{}, refuse("The file has no account: a record 03 is expected for each.")
	}
	if r.unfinished != "" {
		r.file.note(0, "The file ends before its record %s: a part of it may be missing. Get it from the bank again.", r.unfinished)
	}
	return *r.file, nil
}

// countRecords counts physical records for the trailers.
func (r *baiReader) countRecords(n int64) {
	r.account.sum.records += n
	r.group.sum.records += n
	r.inFile.records += n
}

func (r *baiReader) record(record baiRecord) error {
	switch record.code {
	case "01":
		r.inFile = baiSum{records: int64(record.count)}
		r.unfinished = "99"
	case "02":
		return r.beginGroup(record)
	case "03":
		return r.beginAccount(record)
	case "16":
		return r.entry(record)
	case "49":
		return r.endAccount(record)
	case "98":
		stated, err := r.trailer(record, "group", "accounts", r.group.sum)
		r.inFile.add(stated)
		return err
	case "99":
		r.unfinished = ""
		_, err := r.trailer(record, "file", "groups", r.inFile)
		return err
	}
	return nil
}

// beginGroup reads 02: receiver, sender, status, day, time, currency, and how
// final the day is. A group for tests and one that takes back another are refused:
// their entries are not what happened.
func (r *baiReader) beginGroup(record baiRecord) error {
	f := append(record.fields(), make([]string, 7)...)
	switch strings.TrimSpace(f[2]) {
	case "2":
		return refuse("Line %d: the group says that it takes back a report (status 2). Upload the report that replaces it.", record.at)
	case "4":
		return refuse("Line %d: the group says that it is a test (status 4): nothing in it happened.", record.at)
	}
	day, ok := mtDayText(f[3])
	if !ok {
		return refuse("Line %d: the day %s of the group cannot be read. It is expected as YYMMDD.", record.at, quoted(f[3]))
	}
	modifier := strings.TrimSpace(f[6])
	r.group = baiGroup{
		currency: strings.TrimSpace(f[5]),
		asOf:     day,
		interim:  modifier == "1" || modifier == "3",
		sum:      baiSum{records: int64(record.count)},
	}
	return nil
}

// trailer compares what 98 or 99 states with the parts before it, and gives the
// stated control total.
func (r *baiReader) trailer(record baiRecord, of, parts string, have baiSum) (int64, error) {
	f := append(record.fields(), make([]string, 3)...)
	var said baiSum
	for i, into := range []*int64{&said.amount, &said.parts, &said.records} {
		n, ok := baiInteger(f[i])
		if !ok {
			return 0, refuse("Line %d: the number %s in the record %s cannot be read.", record.at, quoted(f[i]), record.code)
		}
		*into = n
	}
	if said == have || len(r.file.Statements) == 0 {
		return said.amount, nil
	}
	last := &r.file.Statements[len(r.file.Statements)-1]
	last.Declared = append(last.Declared, fmt.Sprintf("The %s states a control total of %d, %d %s and %d records (record %s), it has %d, %d and %d.",
		of, said.amount, said.parts, parts, said.records, record.code, have.amount, have.parts, have.records))
	return said.amount, nil
}

// baiInteger reads digits with a sign or none; nothing is nought.
func baiInteger(text string) (int64, bool) {
	text = strings.TrimSpace(text)
	if text == "" {
		return 0, true
	}
	n, err := strconv.ParseInt(strings.TrimPrefix(text, "+"), 10, 64)
	return n, err == nil && !strings.HasPrefix(text, "+-") && !strings.HasPrefix(text, "++")
}

// baiAmount reads an amount, whose decimals are those of the currency.
func baiAmount(text, currency string) (int64, error) {
	n, ok := baiInteger(text)
	if !ok {
		return 0, model.Errorf(model.Invalid, "bank-file", "the amount cannot be read").
			WithFields(model.Field{Location: "/amount", Message: "is not made of digits only"})
	}
	money, err := model.NewMoney(n, currency)
	return money.Amount, err
}
