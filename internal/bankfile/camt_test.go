package bankfile

import (
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"countersign/internal/model"
)

// readTestdata reads a file of testdata, which must be readable.
func readTestdata(t *testing.T, name string) File {
	t.Helper()
	body, err := os.ReadFile(filepath.Join("testdata", name))
	if err != nil {
		t.Fatal(err)
	}
	f, err := Parse(body, nil)
	if err != nil {
		t.Fatalf("%s: %v", name, err)
	}
	return f
}

// wantLines compares lines one by one.
func wantLines(t *testing.T, got, want []Line) {
	t.Helper()
	for i := range min(len(got), len(want)) {
		got := slices.Clone(got)
		got[i].origin = origin{}
		if !reflect.DeepEqual(got[i], want[i]) {
			t.Errorf("line %d:\ngot  %+v\nwant %+v", i+1, got[i], want[i])
		}
	}
	if len(got) != len(want) {
		t.Errorf("got %d lines, want %d", len(got), len(want))
	}
}

// An entry becomes a line for each payment only where the bank says what each
// moved on the account, and that is the entry.
func TestCamtGathersPayments(t *testing.T) {
	f := readTestdata(t, "camt053-gathered.xml")
	if f.Format != "camt.053.001.04" || len(f.Statements) != 1 || len(f.Notes) != 0 {
		t.Fatalf("got %+v", f)
	}
	s := f.Statements[0]
	day, eur := "2026-03-01", "EUR"
	off := "The statement is off. The statement declares 6 entries and holds 5. Look at the line itself, and mark the payment by hand."
	wantLines(t, s.Lines, []Line{
		{Number: 1, Entry: 1, Booked: true, Amount: -20000, Currency: eur, BookedOn: day, ValuedOn: "2026-03-02", BankRef: "BANK-A1",
			Refs:  []Ref{{"EndToEndId", "PAY-000001"}, {"UETR", "8a562c67-ca16-48ba-b074-65581be6f001"}, {"AcctSvcrRef", "BANK-A1"}},
			Other: "Ada Rep", OtherAccount: "GB29NWBK60161331926819", Doubt: off},
		{Number: 2, Entry: 1, Booked: true, Amount: -10025, Currency: eur, BookedOn: day, ValuedOn: "2026-03-02", BankRef: "BANK-A",
			Refs: []Ref{{"EndToEndId", "PAY-000002"}}, Other: "Grace Rep", Doubt: off},
		{Number: 3, Entry: 1, Booked: true, Amount: 5000, Currency: eur, BookedOn: day, ValuedOn: "2026-03-02", BankRef: "BANK-A",
			Refs: []Ref{{"EndToEndId", "PAY-000003"}}, Doubt: off},
		{Number: 4, Entry: 2, Booked: true, Amount: -30000, Currency: eur, BookedOn: day,
			Refs:  []Ref{{"EndToEndId", "PAY-000004"}, {"EndToEndId", "PAY-000005"}, {"PmtInfId", "OUR-BATCH-2"}},
			Text:  "The bank gathers 2 payments here and does not say the amount of each.",
			Doubt: "The bank gathers 2 payments here and does not say the amount of each. The amount of the entry is not that of one of them."},
		{Number: 5, Entry: 3, Booked: true, Amount: -10000, Currency: eur, BookedOn: day,
			Text:  "The bank gathers 2 payments here, and their amounts do not add up to the entry.",
			Doubt: "The bank gathers 2 payments here, and their amounts do not add up to the entry. The amount of the entry is not that of one of them."},
		{Number: 6, Entry: 4, Booked: true, Amount: -9500, Currency: eur, BookedOn: day, BankRef: "BANK-D",
			Refs:  []Ref{{"InstrId", "PAY-000006"}, {"AcctSvcrRef", "BANK-D1"}, {"text", "INV-20310"}, {"AcctSvcrRef", "BANK-D"}},
			Text:  "The bank gathers 2 payments here and shows 1 of them. March fee, see INV-20310. (instructed: 100.00 USD) (charges: 2.00 EUR)",
			Doubt: "The bank gathers 2 payments here and shows 1 of them. The amount of the entry is not that of one of them."},
		{Number: 7, Entry: 5, Booked: true, Amount: -500, Currency: eur, BookedOn: day, Refs: []Ref{{"text", "PAY-000007"}},
			Text:  "The bank gathers 7 payments here and names none of them. Fees PAY-000007",
			Doubt: "The bank gathers 7 payments here and names none of them. The amount of the entry is not that of one of them."},
	})
	if want := (Balance{model.Money{Amount: 100000, Currency: eur}, "2026-02-28"}); s.Opening == nil || *s.Opening != want {
		t.Errorf("opening balance %+v, want %+v", s.Opening, want)
	}
	if s.Closing == nil || s.Closing.Amount != 24975 || s.Check() != "" {
		t.Errorf("closing balance %+v, check %q", s.Closing, s.Check())
	}
	if want := []string{"The statement declares 6 entries and holds 5.",
		"The statement declares 770.25 as the sum of its debits, which is 750.25 EUR."}; !slices.Equal(s.Declared, want) {
		t.Errorf("declared %q, want %q", s.Declared, want)
	}
}

// A reversal says its own direction: its sign is not turned. The file is of one
// byte a letter, with a prefix on every element.
func TestCamtReturns(t *testing.T) {
	f := readTestdata(t, "camt054-returns.xml")
	want := []string{
		"The bank marks the statement NOTICE-1 as a duplicate: its lines may be known from another file.",
		"The check digits of the account DE88370400440532013000 are wrong: compare it with the account that you mean.",
	}
	if f.Format != "camt.054.001.08" || !slices.Equal(f.Notes, want) || f.Statements[0].Kind != Notice {
		t.Errorf("got %+v", f)
	}
	wantLines(t, f.Statements[0].Lines, []Line{
		{Number: 1, Entry: 1, Booked: true, Amount: 7550, Currency: "EUR", BookedOn: "2026-03-05", Back: true, Code: "AC04", BankRef: "TX-8",
			Refs: []Ref{{"InstrId", "PAY-000008"}, {"TxId", "TX-8"}}, Other: "Jörg Müller", OtherAccount: "4711", Text: "account closed"},
		{Number: 2, Entry: 2, Booked: true, Amount: 1000, Currency: "EUR", Back: true},
		{Number: 3, Entry: 3, Amount: -1100, Currency: "EUR"},
		{Number: 4, Entry: 4, Booked: true, Amount: 1200, Currency: "EUR", Back: true, BankRef: "BANK-E",
			Refs: []Ref{{"AcctSvcrRef", "BANK-E1"}, {"PmtInfId", "OUR-BATCH-9"}, {"AcctSvcrRef", "BANK-E"}}, Other: "A Bank"},
	})
}

// Pending lines move no balance, and interim balances stand in for booked ones.
func TestCamtInterim(t *testing.T) {
	f := readTestdata(t, "camt052-interim.xml")
	if len(f.Statements) != 2 {
		t.Fatalf("got %+v", f)
	}
	first, second := f.Statements[0], f.Statements[1]
	off := "The statement is off. " + first.Check() + " Look at the line itself, and mark the payment by hand."
	wantLines(t, first.Lines, []Line{
		{Number: 1, Entry: 1, Booked: true, Amount: 1500, Currency: "JPY", BankRef: "B1", Refs: []Ref{{"AcctSvcrRef", "B1"}}, Doubt: off},
		{Number: 2, Entry: 2, Amount: -77, Currency: "JPY", Doubt: off},
	})
	wantLines(t, second.Lines, []Line{{Number: 3, Entry: 3, Booked: true, Amount: -9, Currency: "JPY"}})
	if first.Kind != Interim || first.Account != "1234 5678" || first.Currency != "JPY" || second.Currency != "" {
		t.Errorf("got %+v and %+v", first, second)
	}
	want := "It does not add up: the opening balance and the booked lines give 500 JPY, the closing balance is 400 JPY, off by −100 JPY."
	if got := first.Check(); got != want {
		t.Errorf("check %q, want %q", got, want)
	}
}

// message is a camt.053 with what stands in its one statement.
func message(statement string) string {
	return `<Document xmlns="urn:iso:std:iso:20022:tech:xsd:camt.053.001.08">` + "\n<BkToCstmrStmt><Stmt><Id>S</Id>" + statement + "</Stmt></BkToCstmrStmt></Document>"
}

// entry is an entry of an amount in a currency.
func entry(amount, currency, rest string) string {
	return fmt.Sprintf(`<Ntry><Amt Ccy="%s">%s</Amt>%s</Ntry>`, currency, amount, rest)
}

func TestCamtBalances(t *testing.T) {
	bal := func(code string, amount int) string {
		return fmt.Sprintf(`<Bal><Tp><CdOrPrtry><Cd>%s</Cd></CdOrPrtry></Tp><Amt Ccy="EUR">%d</Amt><CdtDbtInd>CRDT</CdtDbtInd></Bal>`, code, amount)
	}
	tests := []struct {
		name, balances   string
		opening, closing int64 // -1: none
	}{
		{"available ones are none", bal("OPAV", 1) + bal("CLAV", 2) + bal("ITAV", 3) + bal("FWAV", 4), -1, -1},
		{"opening comes before the day before", bal("PRCD", 1) + bal("OPBD", 2) + bal("CLBD", 3), 200, 300},
		{"several days", bal("OPBD", 1) + bal("CLBD", 2) + bal("OPBD", 2) + bal("CLBD", 4), 100, 400},
		{"first page", bal("OPBD", 1) + bal("ITBD", 2), 100, 200},
		{"last page", bal("ITBD", 2) + bal("CLBD", 3), 200, 300},
		{"one moment is no span", bal("ITBD", 2), -1, 200},
		{"a span", bal("ITBD", 2) + bal("ITBD", 3) + bal("ITBD", 4), 200, 400},
		{"an opening alone", bal("OPBD", 2), 200, -1},
	}
	units := func(b *Balance) int64 {
		if b == nil {
			return -1
		}
		return b.Amount
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			f, err := Parse([]byte(message(tt.balances)), nil)
			if err != nil {
				t.Fatal(err)
			}
			if s := f.Statements[0]; units(s.Opening) != tt.opening || units(s.Closing) != tt.closing {
				t.Errorf("got %v to %v", s.Opening, s.Closing)
			}
		})
	}
}

func TestCamtVersions(t *testing.T) {
	roots := map[string][2]string{"052": {"BkToCstmrAcctRpt", "Rpt"}, "053": {"BkToCstmrStmt", "Stmt"}, "054": {"BkToCstmrDbtCdtNtfctn", "Ntfctn"}}
	for number, root := range roots {
		for version := 0; version <= 15; version++ {
			name := fmt.Sprintf("camt.%s.001.%02d", number, version)
			body := fmt.Sprintf(`<Document xmlns="urn:iso:std:iso:20022:tech:xsd:%s"><%s><%s/></%s></Document>`, name, root[0], root[1], root[0])
			f, err := Parse([]byte(body), nil)
			if taken := version >= 2 && version <= 13; taken != (err == nil) || taken && f.Format != name {
				t.Errorf("%s: %+v, %v", name, f, err)
			}
		}
	}
}

// Whatever stands around a message, such as the envelope of a network, is left out.
func TestCamtInAnEnvelope(t *testing.T) {
	body := "\ufeff  <?xml version=\"1.0\"?><Envelope><Header/>" + message(entry("1", "EUR", "<CdtDbtInd>CRDT</CdtDbtInd>")) + "</Envelope>"
	f, err := Parse([]byte(body), nil)
	if err != nil || len(f.Statements[0].Lines) != 1 {
		t.Errorf("got %+v, %v", f, err)
	}
}

// What a file declares is how it is read; each writes the same letter.
func TestXMLEncodings(t *testing.T) {
	for declared, letter := range map[string]string{"utf8": "\xe2\x82\xac", "UTF-8": "\xe2\x82\xac", "windows-1252": "\x80"} {
		body := `<?xml version="1.0" encoding="` + declared + `"?>` + message(entry("1", "EUR", "<CdtDbtInd>CRDT</CdtDbtInd><AddtlNtryInf>"+letter+"</AddtlNtryInf>"))
		f, err := Parse([]byte(body), nil)
		if err != nil || f.Statements[0].Lines[0].Text != "€" {
			t.Errorf("%s: %+v, %v", declared, f, err)
		}
	}
}

// An entry of very many payments stays within bounds.
func TestCamtManyReferences(t *testing.T) {
	var details strings.Builder
	for i := range MaxLines {
		fmt.Fprintf(&details, "<TxDtls><Refs><TxId>%d</TxId></Refs></TxDtls>", i)
	}
	f, err := Parse([]byte(message(entry("1", "EUR", "<CdtDbtInd>CRDT</CdtDbtInd><NtryDtls>"+details.String()+"</NtryDtls>"))), nil)
	if err != nil || len(f.Statements[0].Lines) != 1 || len(f.Statements[0].Lines[0].Refs) > maxRefs {
		t.Errorf("got %v", err)
	}
}
