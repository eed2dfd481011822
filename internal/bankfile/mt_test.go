package bankfile

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"countersign/internal/model"
)

// testFile reads a file of testdata.
func testFile(t testing.TB, name string) []byte {
	t.Helper()
	body, err := os.ReadFile(filepath.Join("testdata", name))
	if err != nil {
		t.Fatal(err)
	}
	return body
}

// sameLines compares lines in all that they say.
func sameLines(t *testing.T, got, want []Line) {
	t.Helper()
	if len(got) != len(want) {
		t.Fatalf("%d lines, want %d: %+v", len(got), len(want), got)
	}
	for i := range want {
		got := slices.Clone(got)
		got[i].origin = origin{}
		if g, w := fmt.Sprintf("%+v", got[i]), fmt.Sprintf("%+v", want[i]); g != w {
			t.Errorf("line %d:\n got %s\nwant %s", i+1, g, w)
		}
	}
}

func TestMT940WithSubfields(t *testing.T) {
	file, err := readMT(testFile(t, "mt940-subfields.sta"))
	if err != nil || len(file.Statements) != 1 || file.Format != "MT940" || len(file.Notes) != 0 {
		t.Fatalf("%+v, %v", file, err)
	}
	s := file.Statements[0]
	if s.ID != "00251/00001" || s.Kind != Booked || s.Account != "DE89370400440532013000" || s.Currency != "EUR" || s.Check() != "" {
		t.Errorf("%+v; %s", s, s.Check())
	}
	if *s.Opening != (Balance{model.Money{Amount: 1000000, Currency: "EUR"}, "2025-12-30"}) || *s.Closing != (Balance{model.Money{Amount: 898335, Currency: "EUR"}, "2026-01-02"}) {
		t.Errorf("balances %v and %v", *s.Opening, *s.Closing)
	}
	sameLines(t, s.Lines, []Line{
		{Number: 1, Entry: 1, Booked: true, Amount: -12050, Currency: "EUR", BookedOn: "2026-01-02", ValuedOn: "2025-12-31", BankRef: "BK20260102-0001",
			Refs:  []Ref{{"KREF", "batch-2025-12/31"}, {"EREF", "0199f0aa-payout-marta"}, {"text", "INV-2031"}},
			Other: "Marta Oliveira de Sousa Lopes", OtherAccount: "DE02120300000000202051",
			Text: "SEPA-UEBERWEISUNG Commission INV-2031 December Filiale 7"},
		{Number: 2, Entry: 2, Booked: true, Amount: 9900, Currency: "EUR", BookedOn: "2025-12-31", ValuedOn: "2026-01-02", BankRef: "BK20260102-0002",
			Back: true, Code: "902", Refs: []Ref{{"EREF", "0199f0aa-payout-igor"}},
			Other: "Igor Petrov", Text: "RETOURE RETURN Konto erloschen"},
		{Number: 3, Entry: 3, Booked: true, Amount: 525, Currency: "EUR", BookedOn: "2026-01-02", ValuedOn: "2026-01-02", Back: true,
			Refs: []Ref{{"customer reference", "FEE-CANCELLED"}, {"text", "77-2211"}}, Text: "STORNO ENTGELT Entgelt Ref 77-2211"},
		{Number: 4, Entry: 4, Booked: true, Amount: -100050, Currency: "EUR", BookedOn: "2026-01-02", ValuedOn: "2026-01-02", Back: true, BankRef: "BK3",
			Refs: []Ref{{"text", "SUP-000123"}, {"text", "12-88-X"}}, Text: "Supplement SUP-000123 Payment taken back, see /letter/ 12-88-X"},
		{Number: 5, Entry: 5, Booked: true, Amount: 10, Currency: "EUR", BookedOn: "2026-01-02", ValuedOn: "2026-01-02", Back: true,
			Refs: []Ref{{"EREF", "tilde-1"}}, Text: "what ~ is this"},
	})
}

func TestMT940InEnvelopesAndPages(t *testing.T) {
	file, err := readMT(testFile(t, "mt940-envelope-pages.sta"))
	if err != nil || len(file.Statements) != 2 {
		t.Fatalf("%+v, %v", file, err)
	}
	first, second := file.Statements[0], file.Statements[1]
	if first.ID != "7/1" || second.ID != "7/2" || first.Check() != "" || second.Check() != "" {
		t.Errorf("%s: %s; %s: %s", first.ID, first.Check(), second.ID, second.Check())
	}
	sameLines(t, slices.Concat(first.Lines, second.Lines), []Line{
		{Number: 1, Entry: 1, Booked: true, Amount: 2010, Currency: "BHD", BookedOn: "2026-03-01", ValuedOn: "2026-03-01", BankRef: "B-1",
			Refs:  []Ref{{"customer reference", "REF-A"}, {"text", "INV-77"}, {"EREF", "e2e-000077"}},
			Other: "J. de Boer", OtherAccount: "NL91ABNA0417164300", Text: "SEPA OVERBOEKING Invoice INV-77 of May"},
		{Number: 2, Entry: 2, Booked: true, Amount: -5, Currency: "BHD", BookedOn: "2026-03-01", ValuedOn: "2026-03-01", BankRef: "B-2",
			Back: true, Code: "MS03", Other: "Ada Lovelace", OtherAccount: "NL91ABNA0417164300", Text: "back again"},
	})
}

func TestMT942IsNotBooked(t *testing.T) {
	file, err := readMT(testFile(t, "mt942-framed.sta"))
	if err != nil || len(file.Statements) != 1 || file.Format != "MT942" {
		t.Fatalf("%+v, %v", file, err)
	}
	s := file.Statements[0]
	if s.Kind != Interim || s.Currency != "PLN" || s.Opening != nil || s.Closing != nil || len(s.Declared) != 0 {
		t.Errorf("%+v", s)
	}
	sameLines(t, s.Lines, []Line{
		{Number: 1, Entry: 1, Amount: 1000, Currency: "PLN", BookedOn: "2026-11-30", ValuedOn: "2026-11-30", BankRef: "MB-1",
			Refs: []Ref{{"text", "911-TRANSFER"}, {"text", "REF-000077"}, {"text", "REF-00"}},
			Text: "911-TRANSFER 911 TRANSFER; FROM: JAN NOWAK; TITLE: REF-000077; END"},
		{Number: 2, Entry: 2, Amount: -250, Currency: "PLN", BookedOn: "2026-11-30", ValuedOn: "2026-11-30", BankRef: "MB-2"},
	})
}

// statement is a message with an account in EUR and the given lines.
func mtWith(lines ...string) []byte {
	return []byte(":20:X\n:25:1\n:28C:1/1\n:60F:C260101EUR0,\n" + strings.Join(lines, "\n") + "\n")
}

func TestMTTotalsThatDoNotFit(t *testing.T) {
	body := ":20:X\n:25:1\n:28C:1\n:34F:EUR0,\n:13D:2611301200+0100\n:61:261130C5,NTRFX\n:90D:1EUR5,00\n:90C:1EUR5,01\n"
	file, err := readMT([]byte(body))
	if err != nil {
		t.Fatal(err)
	}
	want := []string{
		"The file counts 1 debits of 5.00 EUR in all (:90D:), its lines are 0 of 0.00 EUR.",
		"The file counts 1 credits of 5.01 EUR in all (:90C:), its lines are 1 of 5.00 EUR.",
	}
	if got := file.Statements[0].Declared; !slices.Equal(got, want) {
		t.Errorf("got %q", got)
	}
}

func TestMTNotes(t *testing.T) {
	for _, c := range []struct {
		name, line, note string
		want             Line
	}{
		{"day of no calendar", ":61:260230D5,NMSCINT-1", "Line 5: the value date 260230 is not in the calendar and was left out.",
			Line{Amount: -500}},
		{"entry day of no calendar", ":61:2603010230D5,NMSCINT-1", "Line 5: the entry date 0230 is not in the calendar and was left out.",
			Line{Amount: -500, ValuedOn: "2026-03-01"}},
		{"leap day of the year before", ":61:2501010229C5,NMSCINT-1", "", Line{Amount: 500, ValuedOn: "2025-01-01", BookedOn: "2024-02-29"}},
		{"letter of another currency", ":61:260301CN5,NMSCINT-1", "Line 5: the letter N behind the mark C is not the last letter of EUR, in which the entry was read.",
			Line{Amount: 500, BookedOn: "2026-03-01", ValuedOn: "2026-03-01"}},
		{"no comma", ":61:260301C7260NMSCINT-1", "Line 5: the amount 7260 has no decimal comma and was read as 7,260.00 EUR.",
			Line{Amount: 726000, BookedOn: "2026-03-01", ValuedOn: "2026-03-01"}},
		{"last century", ":61:991231C5,NMSCINT-1", "", Line{Amount: 500, BookedOn: "1999-12-31", ValuedOn: "1999-12-31"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			file, err := readMT(mtWith(c.line))
			if err != nil {
				t.Fatal(err)
			}
			if got := strings.Join(file.Notes, " "); got != c.note {
				t.Errorf("notes %q", got)
			}
			c.want.Number, c.want.Entry, c.want.Booked, c.want.Currency = 1, 1, true, "EUR"
			c.want.Refs = addRef(nil, "customer reference", "INT-1")
			sameLines(t, file.Statements[0].Lines, []Line{c.want})
		})
	}
}

// Banks cut lines where the standard does not let them, and fill places up.
func TestMTOddLines(t *testing.T) {
	for _, c := range []struct {
		name, lines string
		want        Line
	}{
		{"cut inside of the entry", ":61:260301CR\n30,00N062REF-77", Line{Amount: 3000, Refs: []Ref{{"customer reference", "REF-77"}}}},
		{"cut inside of a tag", ":61:260301C30,00N062NONREF\n:\n86:166?00GUTSCHRIFT?20EREF+abc-1", Line{Amount: 3000, Refs: []Ref{{"EREF", "abc-1"}}, Text: "GUTSCHRIFT"}},
		{"cut inside of a time", ":61:260301D6,00N024NONREF\n:86:106?00PAID?20at 12-09-2026T16\n:26:37 in?21 Bonn", Line{Amount: -600, Refs: []Ref{{"text", "12-09-2026T16:26:37"}}, Text: "PAID at 12-09-2026T16:26:37 in Bonn"}},
		{"cut between words", ":61:260301D6,00N024NONREF\n:86:166?20SVWZ+Invoice?21INV-2031", Line{Amount: -600, Refs: []Ref{{"text", "InvoiceINV-2031"}, {"text", "INV-2031"}}, Text: "InvoiceINV-2031"}},
		{"a name behind the reference", ":61:260301D000000000044,95N0600733959555      T-MOBILE BV\n:86:PAYM. 123\n:86:NUMBER 987654321",
			Line{Amount: -4495, Refs: []Ref{{"customer reference", "0733959555"}, {"text", "T-MOBILE"}, {"text", "987654321"}}, Text: "T-MOBILE BV PAYM. 123 NUMBER 987654321"}},
		{"no reference and a name", ":61:260301D5,N030NONREF          TOMTE AB", Line{Amount: -500, Text: "TOMTE AB"}},
		{"a type filled up", ":61:260301D25,03NOV NONREF", Line{Amount: -2503}},
		{"the reference is elsewhere", ":61:260301D25,N102EREF            \nNL70ABNA0987654321", Line{Amount: -2500, Refs: []Ref{{"text", "NL70ABNA0987654321"}}, Text: "NL70ABNA0987654321"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			file, err := readMT([]byte(":940:\n" + string(mtWith(c.lines, ":62F:C260230EUR0,\n-XXX"))))
			if err != nil || len(file.Statements) != 1 || len(file.Notes) != 1 || file.Statements[0].Closing.On != "" {
				t.Fatalf("%+v, %v", file, err)
			}
			c.want.Number, c.want.Entry, c.want.Booked, c.want.Currency, c.want.BookedOn, c.want.ValuedOn = 1, 1, true, "EUR", "2026-03-01", "2026-03-01"
			sameLines(t, file.Statements[0].Lines, []Line{c.want})
		})
	}
}

func TestMTErrorsNameTheLine(t *testing.T) {
	usd := ":20:X\n:25:1\n:60F:C260101USD0,\n"
	for name, c := range map[string]struct{ body, want string }{
		"credit or reversal":  {usd + ":61:260301CR5,NMSC", "Line 4: the mark CR is neither a mark of SWIFT nor the last letter of USD"},
		"dot":                 {string(mtWith(":61:260301C1.000,50NMSC")), "Line 5: the amount 1.000,50 of the entry :61: is not an amount with one decimal comma"},
		"surplus decimals":    {string(mtWith(":61:260301C1,005NMSC")), "Line 5: the amount 1,005 of the entry :61: has more than the 2 decimals of EUR."},
		"no mark":             {string(mtWith(":61:2603011,00NMSC")), "Line 5: the entry :61: cannot be read."},
		"no currency":         {":20:X\n:25:1\n:61:260301C1,00NMSC\n", "Line 3: the currency of the entry is not known"},
		"balance":             {":20:X\n:25:1\n:60F:C2601EUR0,\n", "Line 3: the balance :60F: cannot be read."},
		"amount of a balance": {":20:X\n:25:1\n:60F:C260228JPY0,5\n", "Line 3: the amount 0,5 of the balance :60F: has more than the 0 decimals of JPY."},
		"total":               {string(mtWith(":90D:EUR")), "Line 5: the total :90D: cannot be read."},
		"another message":     {"{1:F01A}{2:I103BN}{4:\n:20:X\n:32A:260301EUR1,\n-}", "Line 2 begins an MT103 message, which is no statement"},
		"too many":            {string(mtWith(strings.Repeat(":61:260301C1,00NMSC\n", MaxLines+1))), "The file has more than 20,000 lines"},
		"no message":          {"nothing", "The file has no SWIFT message"},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := readMT([]byte(c.body))
			if err == nil || !strings.HasPrefix(err.Error(), c.want) || model.KindOf(err) != model.Invalid {
				t.Errorf("got %v, want %q", err, c.want)
			}
		})
	}
}

func TestMTLetterOfTheCurrencyIsNoReversal(t *testing.T) {
	file, err := readMT(mtWith(":61:260301CR5,NMSC", ":61:260301DR2,NMSC", ":61:260301RCR1,NMSC"))
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, l := range file.Statements[0].Lines {
		got = append(got, fmt.Sprint(l.Amount, l.Back))
	}
	if want := []string{"500 false", "-200 false", "-100 true"}; !slices.Equal(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
}

func TestIsMT(t *testing.T) {
	for body, want := range map[string]bool{
		":20:X\n:25:1\n:28C:1\n":               true,
		"\ufeff:20:X\r\n:25:1\r\n":             true,
		"ABNANL2A\n940\nABNANL2A\n:20:X\n:25:": true,
		"{1:F01}{2:I940}{4:\n:20:X\n:25:1\n-}": true,
		"a;b\n:20:;x\n":                        false,
		"01,X,Y,260101,1200,1,,,2/\n":          false,
		"":                                     false,
		":20:X\n:32A:260301EUR1,\n":            false,
	} {
		if got := isMT([]byte(body)); got != want {
			t.Errorf("isMT(%q) = %v", body, got)
		}
	}
}

// A file that is made to be slow is read, or refused, within the test's time, and
// what is told of it stays short.
func TestMTIsBounded(t *testing.T) {
	for name, body := range map[string]string{
		"accounts":   strings.Repeat(":25:\n", MaxSize/5),
		"references": strings.Repeat(":20:\n", MaxSize/5),
		"marks":      string(mtWith(":61:260301C5,NMSC", ":86:166?00"+strings.Repeat("?", MaxSize/2))),
		"lines":      string(mtWith(":61:260301C5,NMSC", ":86:"+strings.Repeat("REF-1\n", MaxSize/7))),
		"days":       string(mtWith(strings.Repeat(":61:260230C5,NMSC\n", MaxLines))),
	} {
		if file, _ := readMT([]byte(body)); len(file.Notes) > maxNotes+1 || len(file.Statements) > MaxLines {
			t.Errorf("%s: %d notes, %d statements", name, len(file.Notes), len(file.Statements))
		}
	}
}

func FuzzMT(f *testing.F) {
	for _, name := range []string{"mt940-subfields.sta", "mt940-envelope-pages.sta", "mt942-framed.sta"} {
		f.Add(testFile(f, name))
	}
	f.Fuzz(func(t *testing.T, body []byte) {
		isMT(body)
		file, err := readMT(body)
		checkRead(t, file, err)
	})
}

// checkRead holds what is true of every file that could be read, and of every error.
func checkRead(t *testing.T, file File, err error) {
	if err != nil {
		if model.KindOf(err) != model.Invalid {
			t.Fatalf("the error %v is not of kind Invalid", err)
		}
		return
	}
	number := 0
	for _, s := range file.Statements {
		s.Check()
		for _, l := range s.Lines {
			if number++; l.Number != number || l.Amount > model.MaxAmount || l.Amount < -model.MaxAmount {
				t.Fatalf("line %d: %+v", number, l)
			}
			if len(l.Refs) > maxRefs || strings.ContainsAny(l.Text+l.Other+l.BankRef, "\r\n") {
				t.Fatalf("unbounded line %+v", l)
			}
			for _, r := range l.Refs {
				if saysNone(r.Value) {
					t.Fatalf("%v is no reference", r)
				}
			}
		}
	}
}

func TestWrongCheckDigitsAreTold(t *testing.T) {
	for name, body := range map[string]string{
		"MT940": ":20:X\n:25:DE88370400440532013000\n:60F:C260101EUR0,\n:62F:C260101EUR0,\n:20:Y\n:25:DE88370400440532013000\n:60F:C260101EUR0,\n",
		"BAI2":  "01,A/\n02,B,A,1,261130,,EUR,/\n03,DE88370400440532013000,,/\n49,0,2/\n03,DE88370400440532013000,,/\n49,0,2/\n98,0,2,6/\n99,0,1,8/\n",
	} {
		file, err := Parse([]byte(body), nil)
		if err != nil || file.Format != name || !slices.Equal(file.Notes, []string{ibanNote("DE88370400440532013000")}) {
			t.Errorf("%s: %+v, %v", name, file, err)
		}
	}
}
