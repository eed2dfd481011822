package bankfile

import (
	"fmt"
	"reflect"
	"strings"
	"testing"

	"golang.org/x/text/encoding/charmap"
)

func TestGuess(t *testing.T) {
	german := german
	for _, c := range []struct {
		name, body string
		want       Mapping
	}{
		{"German, with lines before and a sum behind", string(testFile(t, "csv-german-newest-first.csv")), german},
		{"two columns of amounts", string(testFile(t, "csv-two-amount-columns.csv")), Mapping{Separator: ",", Encoding: "utf-8", Header: true, Dates: "YYYY-MM-DD",
			Decimal: ".", Grouping: ",", BookedOn: "Date", Debit: "Money out", Credit: "Money in", Balance: "Balance", Refs: []string{"6", "7"}, Text: "Description"}},
		{"Dutch, with a direction", "Datum,Naam / Omschrijving,Rekening,Tegenrekening,Af Bij,Bedrag (EUR),Mededelingen\n20261130,Ada,NL91ABNA0417164300,NL20INGB0001234567,Af,\"1250,50\",pay-1\n20261129,Igor,NL91ABNA0417164300,,Bij,\"7,00\",pay-2\n",
			Mapping{Separator: ",", Encoding: "utf-8", Header: true, Dates: "YYYYMMDD", Decimal: ",", BookedOn: "Datum", Amount: "Bedrag (EUR)", Direction: "Af Bij", In: "Bij", Out: "Af",
				AccountColumn: "Rekening", Other: "Naam / Omschrijving", OtherAccount: "Tegenrekening", Text: "Mededelingen"}},
		{"Polish, tabs", "Data księgowania\tData waluty\tTytuł\tKwota\tWaluta\tSaldo\n30-11-2026\t30-11-2026\tfaktura\t-1 250,50\tPLN\t10,00\n",
			Mapping{Separator: "\t", Encoding: "utf-8", Header: true, Dates: "DD-MM-YYYY", Decimal: ",", Grouping: " ", BookedOn: "Data księgowania", ValuedOn: "Data waluty",
				Amount: "Kwota", CurrencyColumn: "Waluta", Balance: "Saldo", Text: "Tytuł"}},
		{"Swedish, where valuta is the currency", "Bokföringsdag;Belopp;Valuta;Referens\n2026-11-30;-5,00;SEK;abc-1\n",
			Mapping{Separator: ";", Encoding: "utf-8", Header: true, Dates: "YYYY-MM-DD", Decimal: ",", BookedOn: "Bokföringsdag", Amount: "Belopp", CurrencyColumn: "Valuta", Refs: []string{"Referens"}}},
		{"days that fit two orders", "Date,Amount\n01/02/2026,5.00\n03/04/2026,6.00\n",
			Mapping{Separator: ",", Encoding: "utf-8", Header: true, Decimal: ".", BookedOn: "Date", Amount: "Amount"}},
		{"days that fit one", "Date,Amount\n01/02/2026,5.00\n03/14/2026,6.00\n",
			Mapping{Separator: ",", Encoding: "utf-8", Header: true, Dates: "MM/DD/YYYY", Decimal: ".", BookedOn: "Date", Amount: "Amount"}},
		{"amounts that fit two decimal signs", "Date;Amount\n2026-11-30;1.250\n2026-11-30;-2.000\n",
			Mapping{Separator: ";", Encoding: "utf-8", Header: true, Dates: "YYYY-MM-DD", BookedOn: "Date", Amount: "Amount"}},
		{"no header", "30.11.2026;-5,00;EUR;abc\n29.11.2026;7,00;EUR;def\n",
			Mapping{Separator: ";", Encoding: "utf-8", Dates: "DD.MM.YYYY", Decimal: ",", BookedOn: "1", Amount: "2", CurrencyColumn: "3"}},
		{"amounts that are not the account's", "Buchungsdatum;Originalbetrag;Originalwährung;Buchungsbetrag;Betrag (Fremdwährung);Fremdwährung\n20.02.26;-5,00;USD;-4,00;-5,00;USD\n",
			Mapping{Separator: ";", Encoding: "utf-8", Header: true, Dates: "DD.MM.YY", Decimal: ",", BookedOn: "Buchungsdatum", Amount: "Buchungsbetrag"}},
		{"Hungarian", "Könyvelés dátuma,Értéknap,Összeg,Devizanem,Közlemény\n2026.11.30.,2026.11.29.,-350,HUF,abc\n",
			Mapping{Separator: ",", Encoding: "utf-8", Header: true, Dates: "YYYY.MM.DD", Decimal: ".", BookedOn: "Könyvelés dátuma", ValuedOn: "Értéknap", Amount: "Összeg", CurrencyColumn: "Devizanem", Text: "Közlemény"}},
		{"nothing", "hello", Mapping{Separator: ",", Encoding: "utf-8", Header: true, Decimal: "."}},
	} {
		t.Run(c.name, func(t *testing.T) {
			if got, _ := Guess([]byte(c.body)); !reflect.DeepEqual(got, c.want) {
				t.Errorf("\n got %+v\nwant %+v", got, c.want)
			}
		})
	}
}

// What a person has to say is little: the proposal of a whole file reads it.
func TestGuessReadsTheFile(t *testing.T) {
	body := testFile(t, "csv-german-newest-first.csv")
	m, _ := Guess(body)
	file, err := Parse(body, &m)
	if err != nil || len(file.Statements) != 2 || len(file.Statements[0].Lines) != 2 {
		t.Errorf("%+v, %v", file, err)
	}
}

func TestGuessEncoding(t *testing.T) {
	const czech = "Datum zaúčtování;Zaúčtovaná částka;Měna účtu;Zpráva\n27.05.2026;-1,00;CZK;žluťoučký kůň šel\n"
	const western = "Buchungstag;Betrag;Währung;Empfänger\n27.05.2026;-1,00;EUR;François Müller\n"
	for _, c := range []struct {
		text, want string
		table      *charmap.Charmap
	}{
		{czech, "windows-1250", charmap.Windows1250},
		{czech, "iso-8859-2", charmap.ISO8859_2},
		{western, "windows-1252", charmap.Windows1252},
		{western, "windows-1252", charmap.ISO8859_1}, // the same for these letters
	} {
		body, err := c.table.NewEncoder().Bytes([]byte(c.text))
		if err != nil {
			t.Fatal(err)
		}
		m, p := Guess(body)
		if m.Encoding != c.want || strings.Join(p.Header, ";") != strings.SplitN(c.text, "\n", 2)[0] {
			t.Errorf("%s: got %s, %q", c.table, m.Encoding, p.Header)
		}
	}
}

func TestSampleIsBounded(t *testing.T) {
	row := strings.Repeat("ä", 500) + strings.Repeat(";x", 200) + "\n"
	m := Mapping{Separator: ";", Encoding: "utf-8", Header: true}
	p := Sample([]byte(strings.Repeat(row, 100)), m)
	if len(p.Header) != PreviewColumns || len(p.Rows) != PreviewRows || len(p.Rows[0]) != PreviewColumns || p.Columns != 201 || len([]rune(p.Rows[0][0])) != PreviewCell {
		t.Errorf("%d headers, %d rows, %d columns", len(p.Header), len(p.Rows), p.Columns)
	}
	for _, m := range []Mapping{{}, {Separator: "x"}, {Separator: ";", SkipLines: -1}, {Separator: ";", SkipLines: 1 << 40}} {
		if p := Sample([]byte(row), m); p.Columns != 0 {
			t.Errorf("%+v gives %d columns", m, p.Columns)
		}
	}
}

func FuzzGuess(f *testing.F) {
	f.Add(testFile(f, "csv-german-newest-first.csv"))
	f.Add(testFile(f, "csv-two-amount-columns.csv"))
	f.Fuzz(func(t *testing.T, body []byte) {
		m, p := Guess(body)
		again, _ := Guess(body)
		if fmt.Sprint(m) != fmt.Sprint(again) {
			t.Fatalf("two proposals for one file: %+v and %+v", m, again)
		}
		if len(p.Rows) > PreviewRows || len(p.Header) > PreviewColumns {
			t.Fatalf("unbounded preview %+v", p)
		}
		_, _ = readCSV(body, m)
	})
}
