package bankfile

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"countersign/internal/model"
)

func TestBAI2(t *testing.T) {
	file, err := readBAI2(testFile(t, "bai2-two-accounts.txt"))
	if err != nil || len(file.Statements) != 2 {
		t.Fatalf("%+v, %v", file, err)
	}
	if want := []string{"Line 3: neither the account nor its group names a currency, which in BAI2 means USD."}; !slices.Equal(file.Notes, want) {
		t.Errorf("notes %q", file.Notes)
	}
	usd, jpy := file.Statements[0], file.Statements[1]
	if usd.Check() != "" || len(usd.Declared)+len(jpy.Declared) > 0 {
		t.Errorf("%s %q %q", usd.Check(), usd.Declared, jpy.Declared)
	}
	if *usd.Opening != (Balance{model.Money{Amount: 150000, Currency: "USD"}, "2026-11-27"}) || usd.Closing.Amount != 131500 || jpy.Opening != nil || jpy.Closing.Amount != 500 {
		t.Errorf("balances %v %v %v %v", usd.Opening, usd.Closing, jpy.Opening, jpy.Closing)
	}
	sameLines(t, slices.Concat(usd.Lines, jpy.Lines), []Line{
		{Number: 1, Entry: 1, Booked: true, Amount: -12000, Currency: "USD", BookedOn: "2026-11-27", BankRef: "BK-1",
			Refs: []Ref{{"customer reference", "cust/ref-7"}, {"EREF", "e2e 000 77"}},
			Text: "CHECK, with a comma, PAID EREF: e2e 000 77 SECOND LINE, INV-9"},
		{Number: 2, Entry: 2, Booked: true, Amount: -9000, Currency: "USD", BookedOn: "2026-11-27", ValuedOn: "2026-11-26", BankRef: "BK-2",
			Back: true, Text: "PAYMENT RETURNED"},
		{Number: 3, Entry: 3, Booked: true, Amount: 2500, Currency: "USD", BookedOn: "2026-11-27", BankRef: "BK-3"},
		{Number: 4, Entry: 4, Booked: true, Amount: 500, Currency: "JPY", BookedOn: "2026-11-27", BankRef: "BK-4",
			Refs: addRef(nil, "customer reference", "CU-4"), Text: "LOCKBOX"},
	})
}

// bai is a file with one group of the given modifier and one account in EUR.
func bai(modifier string, records ...string) []byte {
	head := "01,A,B,261130,0700,1,,,2/\n02,B,A,1,261130,,EUR," + modifier + "/\n03,1,,/\n"
	return []byte(head + strings.Join(records, "\n") + "\n")
}

func TestBAI2ThatDoesNotFit(t *testing.T) {
	body := "01,A,B,261130,0700,1,,,2/\n02,B,A,1,261130,,EUR,/\n03,1,,100,600,2,,400,1,,/\n16,108,500,,,,/\n49,500,4/\n98,500,2,5/\n99,1,1,7/\n"
	file, err := readBAI2([]byte(body))
	if err != nil {
		t.Fatal(err)
	}
	want := []string{
		"The account states a control total of 500 and 4 records (record 49), it has 1101 and 3.",
		"The account states 2 credits of 6.00 EUR in all (type 100), its lines are 1 of 5.00 EUR.",
		"The account states the debits of 0.01 EUR in all (type 400), its lines are 0 of 0.00 EUR.",
		"The group states a control total of 500, 2 accounts and 5 records (record 98), it has 500, 1 and 5.",
		"The file states a control total of 1, 1 groups and 7 records (record 99), it has 500, 1 and 7.",
	}
	if got := file.Statements[0].Declared; !slices.Equal(got, want) {
		t.Errorf("got %q\nwant %q", got, want)
	}
}

// Banks cut summaries anywhere, leave out what is blank at the end of a record,
// write several records in a line before the first entry, and break a text in two.
func TestBAI2AsBanksCutIt(t *testing.T) {
	body := "01,A,B,261130,0700,1,,,2/   02,B,A,1,261130,,EUR,2/\n" +
		"03,1,,010,100,/\n88,190/\n88,500,,,110,700/\n88,4,/ 88,072,30,,,015/\n88,-1200,,/\n" +
		"16,142,200,Z,,,PAID 12/ 16 TIMES   PPD/\n16,451,1500,D,1,0,1500,,,ACH   111\n222  REF-12345/\n" +
		"88,CRNM: Ada Lovelace\n88,CACT: 12-34\n88,DBNM: us/\n49,1830,12/\n98,1830,1,14/\n99,1830,1,16/"
	if !isBAI2([]byte(body)) {
		t.Error("not told as BAI2")
	}
	file, err := readBAI2([]byte(body))
	if err != nil || len(file.Statements) != 1 {
		t.Fatalf("%+v, %v", file, err)
	}
	s := file.Statements[0]
	if s.Check() != "" || len(s.Declared)+len(file.Notes) != 0 || s.Opening.Amount != 100 || s.Closing.Amount != -1200 {
		t.Errorf("%+v %v %v %s %q", s, s.Opening, s.Closing, s.Check(), file.Notes)
	}
	sameLines(t, s.Lines, []Line{
		{Number: 1, Entry: 1, Booked: true, Amount: 200, Currency: "EUR", BookedOn: "2026-11-30", Text: "PAID 12/ 16 TIMES PPD"},
		{Number: 2, Entry: 2, Booked: true, Amount: -1500, Currency: "EUR", BookedOn: "2026-11-30", Refs: addRef(nil, "text", "REF-12345"),
			Other: "Ada Lovelace", OtherAccount: "12-34", Text: "ACH 111 222 REF-12345 CRNM: Ada Lovelace CACT: 12-34 DBNM: us"},
	})
}

// A slash in a text begins no entry, whatever follows it, unless all records of the
// file stand in one line.
func TestBAI2TextThatLooksLikeAnEntry(t *testing.T) {
	const text = "FOR YOU/ 16,495,100012,,FORGED12345,KEY-1,OUTGOING"
	body := "01,A,B,261130,0700,1,,,2/\n02,B,A,1,261130,,EUR,2/\n03,1,EUR/\n16,142,1,,BANK1,,PAYMENT " + text + "\n49,1,3/\n98,1,1,5/\n99,1,1,7/\n"
	if got := lines(t, body, nil); len(got) != 1 || got[0].Text != "PAYMENT "+text || got[0].Doubt != "" {
		t.Errorf("%+v", got)
	}
	body = strings.ReplaceAll(strings.ReplaceAll(body, text, "FOR YOU/"), "\n", " ")
	if got := lines(t, body, nil); len(got) != 1 || got[0].Text != "PAYMENT FOR YOU" || got[0].Doubt != "" {
		t.Errorf("in one line: %+v", got)
	}
	if got := lines(t, strings.Replace(body, "FOR YOU/", text+"/", 1), nil); len(got) != 2 || got[0].Doubt == "" || got[1].Doubt == "" {
		t.Errorf("forged in one line: %+v", got)
	}
}

func TestBAI2Charges(t *testing.T) {
	file, err := readBAI2(bai("2", "16,698,500,,,,/", "16,475,500,,,,/", "49,1000,4/"))
	if err != nil || !file.Statements[0].Lines[0].Charge || file.Statements[0].Lines[1].Charge {
		t.Errorf("%+v, %v", file, err)
	}
}

func TestBAI2ThatIsNotFinal(t *testing.T) {
	file, err := readBAI2(bai("3", "16,108,500,,,,/", "49,500,3/"))
	if err != nil || file.Statements[0].Kind != Interim || file.Statements[0].Lines[0].Booked {
		t.Errorf("%+v, %v", file, err)
	}
	if want := "The file ends before its record 99: a part of it may be missing. Get it from the bank again."; !slices.Contains(file.Notes, want) {
		t.Errorf("notes %q", file.Notes)
	}
}

func TestBAI2Directions(t *testing.T) {
	for kind, want := range map[string]int64{"100": 1, "399": 1, "400": -1, "699": -1, "950": 1, "999": -1} {
		file, err := readBAI2(bai("", "16,"+kind+",5,,,,/"))
		if err != nil || file.Statements[0].Lines[0].Amount != want*5 {
			t.Errorf("%s: %+v, %v", kind, file, err)
		}
	}
}

func TestBAI2ErrorsNameTheLine(t *testing.T) {
	for _, c := range []struct{ body, want string }{
		{string(bai("", "16,108,5.00,,,,/")), `Line 4: the amount "5.00" of the entry: is not made of digits only.`},
		{string(bai("", "16,108,,,,,/")), "Line 4: the entry of type 108 needs an amount without a sign."},
		{string(bai("", "16,108,-5,,,,/")), "Line 4: the entry of type 108 needs an amount without a sign."},
		{string(bai("", "16,108,99999999999999999,,,,/")), `Line 4: the amount "99999999999999999" of the entry: is larger than`},
		{string(bai("", "16,720,5,,,,/")), `Line 4: the type "720" does not say whether`},
		{string(bai("", "16,108,5,V,269999,,,,/")), "Line 4: when the funds of the entry are there cannot be read."},
		{string(bai("", "16,108,5,D,x,,,,/")), "Line 4: when the funds of the entry are there cannot be read."},
		{string(bai("", "49,x,1/")), `Line 4: the control total "x"`},
		{string(bai("", "49,0,2/", "16,108,5,,,,/")), "Line 5: the entry belongs to no account"},
		{string(bai("", "49,0,2/", "49,0,2/")), "Line 5: the record 49 ends an account that no record 03 began."},
		{string(bai("", "17,1/")), "Line 4: BAI2 has no record 17 at this place."},
		{string(bai("", "hello")), "Line 4: the record cannot be read."},
		{"01,A/\n02,B,A,1,261130,,XYZ,/\n03,1,,/\n", `Line 3: "XYZ" is not the code of a currency`},
		{"01,A/\n02,B,A,1,26,,,/\n", `Line 2: the day "26" of the group cannot be read.`},
		{"01,A/\n02,B,A,4,261130,,,/\n", "Line 2: the group says that it is a test"},
		{"01,A/\n02,B,A,2,261130,,,/\n", "Line 2: the group says that it takes back a report"},
		{"01,A/\n02,B,A,1,261130,,EUR,/\n03,1,,010,x/\n", `Line 3: the amount "x" of type 010: is not made of digits only.`},
		{"01,A/\n02,B,A,1,261130,,EUR,/\n03,1,,010,1,z/\n", `Line 3: the count "z" of type 010 cannot be read.`},
		{"01,A/\n02,B,A,1,261130,,EUR,/\n03,1,,10,1/\n", `Line 3: "10" stands in the account record where a type`},
		{"01,A/\n02,B,A,1,261130,,EUR,/\n", "The file has no account"},
		{string(bai("", strings.Repeat("16,108,5,,,,/\n", MaxLines+1))), "The file has more than 20,000 lines"},
	} {
		t.Run(c.want, func(t *testing.T) {
			_, err := readBAI2([]byte(c.body))
			if err == nil || !strings.HasPrefix(err.Error(), c.want) || model.KindOf(err) != model.Invalid {
				t.Errorf("got %v, want %q", err, c.want)
			}
		})
	}
}

func TestIsBAI2(t *testing.T) {
	for body, want := range map[string]bool{
		"01,A,B,261130,0700,1,,,2/\n02,B,A,1,261130,,,/\n":       true,
		"\n01,A,B,261130,0700,1,80,,2/   \r\n02,B,A,1,261130,,/": true,
		"01,A,B\n03,x\n":            false,
		"01.02.2026;x\n02.02.2026;": false,
		"":                          false,
	} {
		if got := isBAI2([]byte(body)); got != want {
			t.Errorf("isBAI2(%q) = %v", body, got)
		}
	}
}

func FuzzBAI2(f *testing.F) {
	f.Add(testFile(f, "bai2-two-accounts.txt"))
	f.Add(bai("", fmt.Sprintf("16,108,5,D,%d/", 1<<40)))
	f.Fuzz(func(t *testing.T, body []byte) {
		isBAI2(body)
		file, err := readBAI2(body)
		checkRead(t, file, err)
	})
}
