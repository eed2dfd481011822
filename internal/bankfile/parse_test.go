package bankfile

import (
	"errors"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"countersign/internal/model"
)

// Every refusal is a sentence for an operator: what is wrong, where, what to do.
func TestRefusals(t *testing.T) {
	const credit = "<CdtDbtInd>CRDT</CdtDbtInd>"
	deep := strings.Repeat("<a>", 100) + strings.Repeat("</a>", 100)
	tests := []struct{ name, body, want string }{
		{"empty", " \r\n", "The file is empty. Get it from the bank again."},
		{"too large", strings.Repeat(" ", MaxSize+1), "The file is larger than 5 MiB, the most that is taken. Ask the bank for a shorter period."},
		{"UTF-16 with a mark", "\xff\xfe<\x00?\x00", "The file is written in UTF-16, which is not taken. Save it as UTF-8 and upload it again."},
		{"UTF-16 without", "\x00<\x00?", "The file is written in UTF-16, which is not taken. Save it as UTF-8 and upload it again."},
		{"UTF-16 declared", `<?xml version="1.0" encoding="UTF-16"?><a/>`, "The file says that it is written in UTF-16, which is not taken. Save it as UTF-8 and upload it again."},
		{"a PDF", "%PDF-1.7\n1,2,3", errNoBankFile.Error()},
		{"an archive", "PK\x03\x04\x00\x00;1;2", errNoBankFile.Error()},
		{"a letter", "Dear Sir,\nplease pay 100, and soon.", errNoBankFile.Error()},
		{"a long letter", strings.Repeat("In March, we paid 5, 6, and 7 EUR.\nThat was on 2026-03-01, as you know.\nWe are waiting; please answer soon.\n", 9), errNoBankFile.Error()},
		{"JSON", `{"a":1,"b":2,"c":3}`, errNoBankFile.Error()},
		{"another XML", "<html><body/></html>", errNoBankFile.Error()},
		{"a status report", `<Document xmlns="http://example.bank/pain.002"><CstmrPmtStsRpt/></Document>`,
			"This is a payment status report (pain.002), not a statement: it says what the bank made of an order and nothing about money that moved. Upload the statement (camt.053) of the day instead."},
		{"an order", `<Document xmlns="urn:iso:std:iso:20022:tech:xsd:pain.001.001.09"><CstmrCdtTrfInitn/></Document>`,
			"This is an order to the bank (pain.001), not a statement. Upload a statement (camt.053) of the bank instead."},
		{"another namespace", `<Document xmlns="urn:example:camt.053"><BkToCstmrStmt/></Document>`,
			`The file has the form of camt.053, but its namespace is "urn:example:camt.053". Versions camt.053.001.02 to .13 of ISO 20022 are read: ask the bank for one of these.`},
		{"the namespace of another message", `<Document xmlns="urn:iso:std:iso:20022:tech:xsd:camt.053.001.08"><BkToCstmrAcctRpt/></Document>`,
			`The file has the form of camt.052, but its namespace is "urn:iso:std:iso:20022:tech:xsd:camt.053.001.08". Versions camt.052.001.02 to .13 of ISO 20022 are read: ask the bank for one of these.`},
		{"no statement", `<Document xmlns="urn:iso:std:iso:20022:tech:xsd:camt.053.001.08"><BkToCstmrStmt/></Document>`,
			"The file is a camt.053.001.08 without any statement. Get it from the bank again."},
		{"two messages", "<e>" + message("") + message("") + "</e>", "The file holds 2 messages. Upload each of them as a file of its own."},
		{"a document type", "<!DOCTYPE d [<!ENTITY x \"y\">]>" + message("&x;"), "The file declares a document type (DTD), which no file of a bank needs and which is not taken."},
		{"an entity", message("&x;"), "The XML is broken at line 2: invalid character entity &x;. Get the file from the bank again."},
		{"cut off", strings.TrimSuffix(message(""), "</Stmt></BkToCstmrStmt></Document>"), "The XML is broken at line 2: unexpected EOF. Get the file from the bank again."},
		{"not UTF-8", message("\xe4"), "The XML is broken at line 2: invalid UTF-8. Get the file from the bank again."},
		{"too deep", message(deep), "The elements of the file stand more than 64 deep in each other: it is no file of a bank."},
		{"too many entries", message(strings.Repeat("<Ntry/>", MaxLines+1)), "The file has more than 20,000 entries, the most that is taken. Ask the bank for a shorter period."},
		{"too fine an amount", message("\r" + entry("1.00", "EUR", credit) + "\r\n" + entry("1.005", "EUR", credit)),
			`In entry 2 (line 4 of the file), the amount "1.005" with the currency "EUR" has more than the 2 decimals of EUR. Ask the bank for a correct file.`},
		{"no currency", message(entry("1", "", credit)),
			`In entry 1 (line 2 of the file), the amount "1" with the currency "" cannot be read: its currency is not an ISO 4217 code in force. Ask the bank for a correct file.`},
		{"a sign twice", message(entry("-1", "EUR", credit)),
			"In entry 1 (line 2 of the file), the amount -1 has a sign beside its CdtDbtInd. Ask the bank for a correct file."},
		{"no direction", message(entry("1", "EUR", "")),
			`In entry 1 (line 2 of the file), CdtDbtInd is "", which is neither CRDT nor DBIT. Ask the bank for a correct file.`},
		{"no such day", message(entry("1", "EUR", credit+"<BookgDt><Dt>2026-02-30</Dt></BookgDt>")),
			`In entry 1 (line 2 of the file), "2026-02-30" is not a date such as 2026-03-31. Ask the bank for a correct file.`},
		{"a bad balance", message(`<Bal><Tp><CdOrPrtry><Cd>CLBD</Cd></CdOrPrtry></Tp><Amt Ccy="EUR">x</Amt></Bal>`),
			`In the balance CLBD, the amount "x" with the currency "EUR" is not a plain decimal number such as 1250.50. Ask the bank for a correct file.`},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			_, err := Parse([]byte(tt.body), nil)
			if err == nil || err.Error() != tt.want || !errors.Is(err, model.Invalid) {
				t.Errorf("got  %v\nwant %s", err, tt.want)
			}
		})
	}
}

// rows is a CSV file, and mapping says how it is read.
var (
	rows    = "Date;Amount;Text\n01.03.2026;-3,40;PAY-000001\n"
	mapping = Mapping{Separator: ";", Encoding: "windows-1252", Header: true, Dates: "DD.MM.YYYY", Decimal: ",",
		BookedOn: "1", Amount: "2", Currency: "EUR", Refs: []string{"3"}}
)

func TestRowsNeedAMapping(t *testing.T) {
	if _, err := Parse([]byte(rows), nil); !errors.Is(err, ErrNoMapping) || !errors.Is(err, model.Invalid) {
		t.Errorf("without a mapping: %v", err)
	}
	f, err := Parse([]byte(rows), &mapping)
	if err != nil || len(f.Statements) != 1 || len(f.Statements[0].Lines) != 1 || f.Statements[0].Lines[0].Amount != -340 {
		t.Errorf("with a mapping: %+v, %v", f, err)
	}
	if _, err := Parse([]byte("%PDF-1.7\n1;2;3\n"), &mapping); err == nil || err.Error() != errNoBankFile.Error() {
		t.Errorf("no text, with a mapping: %v", err)
	}
}

// A mapping is for CSV alone: it does not make another format of a file.
func TestAMappingChangesNoOtherFormat(t *testing.T) {
	for _, name := range []string{"camt053-gathered.xml", "mt940-subfields.sta", "bai2-two-accounts.txt"} {
		body, err := os.ReadFile(filepath.Join("testdata", name))
		if err != nil {
			t.Fatal(err)
		}
		with, err := Parse(body, &mapping)
		if without := readTestdata(t, name); err != nil || !reflect.DeepEqual(with, without) {
			t.Errorf("%s: %+v, %v", name, with, err)
		}
	}
}

// FuzzParse reads anything twice: nothing panics, both readings are the same, and
// what is read keeps the promises of the types.
func FuzzParse(f *testing.F) {
	paths, err := filepath.Glob("testdata/*.*")
	if err != nil || len(paths) == 0 {
		f.Fatal(paths, err)
	}
	for _, path := range paths {
		body, err := os.ReadFile(path)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(body)
	}
	f.Add([]byte(rows))
	f.Fuzz(func(t *testing.T, body []byte) {
		for _, m := range []*Mapping{nil, &mapping} {
			file, err := Parse(body, m)
			again, err2 := Parse(body, m)
			if !reflect.DeepEqual(file, again) || !reflect.DeepEqual(err, err2) {
				t.Fatalf("read twice: %+v, %v and %+v, %v", file, err, again, err2)
			}
			if err != nil && !errors.Is(err, model.Invalid) {
				t.Errorf("the error is not of kind Invalid: %v", err)
			}
			keepsPromises(t, file)
		}
	})
}

// keepsPromises checks what the types say of every file.
func keepsPromises(t *testing.T, f File) {
	t.Helper()
	number := 0
	for _, s := range f.Statements {
		s.Check()
		for _, b := range []*Balance{s.Opening, s.Closing} {
			if b != nil {
				inRange(t, b.Amount, b.Currency)
			}
		}
		for _, line := range s.Lines {
			if number++; line.Number != number || len(line.Refs) > maxRefs {
				t.Errorf("line %d in the file is %+v", number, line)
			}
			inRange(t, line.Amount, line.Currency)
			for _, r := range line.Refs {
				if saysNone(r.Value) || r.Value != oneLine(r.Value) {
					t.Errorf("line %d has the reference %+v", number, r)
				}
			}
		}
	}
	if number > MaxLines {
		t.Errorf("%d lines", number)
	}
}

// inRange checks an amount that was read.
func inRange(t *testing.T, amount int64, currency string) {
	t.Helper()
	if _, err := model.NewMoney(amount, currency); err != nil {
		t.Errorf("%d %s: %v", amount, currency, err)
	}
}

// A row of very many columns is refused before anybody names them, and by a mapping
// that cuts it so.
func TestColumnsAreBounded(t *testing.T) {
	row := func(n int) []byte {
		return []byte(strings.Repeat("01.03.2026;-3,40"+strings.Repeat(";x", n-2)+"\n", 3))
	}
	if _, err := Parse(row(MaxColumns), nil); !errors.Is(err, ErrNoMapping) {
		t.Errorf("as many as are taken: %v", err)
	}
	plain := mapping
	plain.Header = false
	for _, m := range []*Mapping{nil, &plain} {
		if _, err := Parse(row(MaxColumns+1), m); err == nil || !strings.Contains(err.Error(), "Line 1 has 201 columns, and a file may have 200.") {
			t.Errorf("one more: %v", err)
		}
	}
}
