package bankfile

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"countersign/internal/model"
)

// german is the mapping of csv-german-newest-first.csv.
var german = Mapping{Separator: ";", Encoding: "windows-1252", SkipLines: 3, SkipRows: 1, Header: true, Dates: "DD.MM.YYYY", Decimal: ",", Grouping: ".",
	BookedOn: "Buchungstag", ValuedOn: "Wertstellung", Amount: "Betrag", CurrencyColumn: "Währung", AccountColumn: "Konto", Balance: "Saldo",
	Other: "Auftraggeber/Empfänger", Text: "Verwendungszweck"}

func TestCSVWithNewestRowsFirst(t *testing.T) {
	file, err := Parse(testFile(t, "csv-german-newest-first.csv"), &german)
	if err != nil || len(file.Statements) != 2 || file.Format != "CSV" || len(file.Notes) != 0 {
		t.Fatalf("%+v, %v", file, err)
	}
	eur, usd := file.Statements[0], file.Statements[1]
	if eur.Account != "DE89370400440532013000" || eur.Currency != "EUR" || usd.Currency != "USD" || eur.Check()+usd.Check() != "" {
		t.Errorf("%+v %+v %s%s", eur, usd, eur.Check(), usd.Check())
	}
	if eur.Opening.Amount != 150000 || eur.Closing.Amount != 225050 || eur.Closing.On != "2026-11-27" {
		t.Errorf("balances %v %v", eur.Opening, eur.Closing)
	}
	sameLines(t, slices.Concat(eur.Lines, usd.Lines), []Line{
		{Number: 1, Entry: 1, Booked: true, Amount: 125050, Currency: "EUR", BookedOn: "2026-11-27", ValuedOn: "2026-11-30",
			Refs: []Ref{{"text", "INV-2031"}}, Other: "Müller & Söhne", Text: `Rückzahlung INV-2031, "Teil 2"`},
		{Number: 2, Entry: 2, Booked: true, Amount: -50000, Currency: "EUR", BookedOn: "2026-11-26", ValuedOn: "2026-11-26",
			Refs: []Ref{{"text", "pay-0199f0aa/ada"}}, Other: "Ada Lovelace", Text: "pay-0199f0aa/ada"},
		{Number: 3, Entry: 3, Booked: true, Amount: 50, Currency: "USD", BookedOn: "2026-11-25", Text: "Zinsen"},
	})
}

func TestCSVWithDebitsAndCredits(t *testing.T) {
	m := Mapping{Separator: ",", Encoding: "utf-8", Header: true, Dates: "YYYY-MM-DD", Decimal: ".", Grouping: ",", Currency: "GBP", Account: "12-34-56 78901234",
		BookedOn: "Date", Debit: "Money out", Credit: "Money in", Balance: "Balance", BankRef: "6", Refs: []string{"7", "6"}, Text: "Description"}
	file, err := Parse(testFile(t, "csv-two-amount-columns.csv"), &m)
	if err != nil || len(file.Statements) != 1 {
		t.Fatalf("%+v, %v", file, err)
	}
	s := file.Statements[0]
	if s.Account != m.Account || s.Check() != "" || s.Opening.Amount != 1000000 || s.Closing.Amount != 881550 {
		t.Errorf("%+v %s", s, s.Check())
	}
	sameLines(t, s.Lines, []Line{
		{Number: 1, Entry: 1, Booked: true, Amount: -120000, Currency: "GBP", BookedOn: "2026-11-25", BankRef: "payout-igor-1",
			Refs: []Ref{{"column 6", "payout-igor-1"}}, Text: "Payout, Igor"},
		{Number: 2, Entry: 2, Booked: true, Amount: 1550, Currency: "GBP", BookedOn: "2026-11-26", Refs: []Ref{{"column 7", "x-200300"}}, Text: "Card"},
		{Number: 3, Entry: 3, Booked: true, Currency: "GBP", BookedOn: "2026-11-27", Text: "Fee"},
	})
}

// plainMapping is for rows of day and amount, by number.
var plainMapping = Mapping{Separator: ";", Encoding: "utf-8", Dates: "YYYY-MM-DD", Decimal: ",", BookedOn: "1", Amount: "2", Currency: "EUR"}

// with is the plain mapping, changed.
func with(change func(*Mapping)) Mapping {
	m := plainMapping
	change(&m)
	return m
}

func TestCSVAmounts(t *testing.T) {
	grouped := with(func(m *Mapping) { m.Grouping = "." })
	apart := with(func(m *Mapping) { m.Grouping, m.Decimal = " ", "." })
	const refused = -1 << 40
	for _, c := range []struct {
		m    Mapping
		text string
		want int64
	}{
		{plainMapping, "1250,50", 125050}, {plainMapping, "-3,4", -340}, {plainMapping, "3,40-", -340}, {plainMapping, "+7", 700},
		{plainMapping, "(1,00)", -100}, {plainMapping, "\u22121,00", -100}, {plainMapping, ",5", 50}, {plainMapping, "5,", 500}, {plainMapping, "1,5000", refused}, {plainMapping, "1,250", refused}, {plainMapping, "1,000", refused},
		{plainMapping, "1.250,50", refused}, {plainMapping, "1.25", refused}, {plainMapping, "1,005", refused}, {plainMapping, "", refused},
		{plainMapping, "--1", refused}, {plainMapping, "-1-", refused}, {plainMapping, "1 250,50", refused}, {plainMapping, "1_250", refused},
		{plainMapping, "1,2,3", refused}, {plainMapping, "EUR 5", refused}, {plainMapping, ",", refused}, {plainMapping, "-", refused}, {plainMapping, "1e3", refused},
		{grouped, "1.250,50", 125050}, {grouped, "1.234.567,8", 123456780}, {grouped, "1250,5", 125050}, {grouped, "1.25", refused}, {grouped, "12.50,00", refused},
		{grouped, "1.250.50", refused}, {grouped, "1,250.50", refused}, {grouped, ".250,00", refused}, {grouped, "1..250", refused},
		{apart, "1\u00a0250.5", 125050}, {apart, "1\u202f250.50", 125050}, {apart, "- 5.00", -500},
		{with(func(m *Mapping) { m.Turned = true }), "5", -500},
		{with(func(m *Mapping) { m.Currency = "JPY" }), "2700,00", refused}, {with(func(m *Mapping) { m.Currency = "JPY" }), "2700", 2700}, {with(func(m *Mapping) { m.Currency = "KWD" }), "1,250", 1250}, {with(func(m *Mapping) { m.Currency = "JPY" }), "2700,5", refused},
	} {
		file, err := readCSV([]byte("2026-11-30;"+c.text+"\n"), c.m)
		switch {
		case c.want == refused:
			if err == nil || model.KindOf(err) != model.Invalid || !strings.HasPrefix(err.Error(), `Line 1, "column 2": "`) {
				t.Errorf("%q by %q %q: got %+v, %v; want a refusal that names the line and the column", c.text, c.m.Grouping, c.m.Decimal, file, err)
			}
		case err != nil || file.Statements[0].Lines[0].Amount != c.want:
			t.Errorf("%q by %q %q: got %+v, %v; want %d", c.text, c.m.Grouping, c.m.Decimal, file, err, c.want)
		}
	}
}

func TestCSVDirections(t *testing.T) {
	ing := with(func(m *Mapping) { m.Direction, m.In, m.Out = "3", "Bij", "Af" })
	two := with(func(m *Mapping) { m.Amount, m.Debit, m.Credit = "", "2", "3" })
	for _, c := range []struct {
		name, rows, want string
		m                Mapping
	}{
		{"in and out", "2026-11-30;5,00;Bij\n2026-11-30;7,00; AF \n", "[500 -700]", ing},
		{"another word", "2026-11-30;5,00;\n", `Line 1, "column 3": "" is neither "Bij" nor "Af".`, ing},
		{"signed beside its direction", "2026-11-30;-5,00;Af\n", `Line 1, "column 2": the amount has a sign`, ing},
		{"debits with a minus", "2026-11-30;-5,00;\n2026-11-30;0,00;6\n2026-11-30;-1;0\n", "[-500 600 -100]", two},
		{"debits without", "2026-11-30;5,00;0,00\n", "[-500]", two},
		{"debits of both kinds", "2026-11-30;5,00;\n2026-11-30;-5,00;\n", `Line 2, "column 2": some amounts`, two},
		{"both", "2026-11-30;5,00;1,00\n", `Line 1, "column 2": both`, two},
		{"neither", "2026-11-30;;\n", `Line 1, "column 2": neither`, two},
		{"credit with a minus", "2026-11-30;;-1\n", `Line 1, "column 3": the amount has a minus`, two},
	} {
		t.Run(c.name, func(t *testing.T) {
			file, err := readCSV([]byte(c.rows), c.m)
			got := fmt.Sprint(err)
			if err == nil {
				var amounts []int64
				for _, l := range file.Statements[0].Lines {
					amounts = append(amounts, l.Amount)
				}
				got = fmt.Sprint(amounts)
			}
			if !strings.HasPrefix(got, c.want) {
				t.Errorf("got %s, want %s", got, c.want)
			}
		})
	}
}

func TestCSVDays(t *testing.T) {
	for text, format := range map[string]string{
		"30/11/2026": "DD/MM/YYYY", "30.11.2026": "DD.MM.YYYY", "2026-11-30": "YYYY-MM-DD", "11/30/2026": "MM/DD/YYYY", "20261130": "YYYYMMDD",
		"30.11.26": "D.M.YY", "30 Nov 2026": "D MMM YYYY", "2026-11-30T23:59:59Z": "YYYY-MM-DD", "30.11.2026 08:15": "DD.MM.YYYY", "30-NOV-2026": "DD-MMM-YYYY",
	} {
		layout, ok := dateLayout(format)
		if day, read := parseDay(text, layout); !ok || !read || day.Format(dayForm) != "2026-11-30" {
			t.Errorf("%s as %s: got %v, %v, %v", text, format, day, read, ok)
		}
	}
	for _, c := range [][2]string{{"31.02.2026", "DD.MM.YYYY"}, {"30/11/2026", "MM/DD/YYYY"}, {"30.11.26", "DD.MM.YYYY"}, {"0026-11-30", "YYYY-MM-DD"}, {"", "DD.MM.YYYY"}} {
		layout, _ := dateLayout(c[1])
		if day, ok := parseDay(c[0], layout); ok {
			t.Errorf("%s as %s: got %v", c[0], c[1], day)
		}
	}
	for _, format := range DateFormats {
		if _, ok := dateLayout(format); !ok {
			t.Errorf("%s is offered and refused", format)
		}
	}
}

// Cells are filled with blanks before quotes, too, and blank cells between tabs are
// cells.
func TestCSVBlanks(t *testing.T) {
	tabs := with(func(m *Mapping) { m.Separator, m.Amount = "\t", "3" })
	for body, m := range map[string]Mapping{"2026-11-30;  \"5,00\"\n": plainMapping, "2026-11-30 ; 5,00  ;\n": plainMapping, "2026-11-30\t\t5,00\n": tabs} {
		file, err := readCSV([]byte(body), m)
		if err != nil || file.Statements[0].Lines[0].Amount != 500 {
			t.Errorf("%q: %+v, %v", body, file, err)
		}
	}
}

func TestCSVErrorsNameTheLine(t *testing.T) {
	header := with(func(m *Mapping) { m.Header, m.BookedOn, m.Amount = true, "Day", "Sum" })
	for _, c := range []struct {
		name, body, want string
		m                Mapping
	}{
		{"day", "2026-11-30;1\n30.11.2026;1\n", `Line 2, "column 1": "30.11.2026" is not a day written as YYYY-MM-DD.`, plainMapping},
		{"short row", "2026-11-30\n", `Line 1, "column 2": "" is not an amount as the mapping has it, such as 1250,50.`, plainMapping},
		{"quote inside", "2026-11-30;1\n2026-11-30;a\"b\"\n", "Line 2: in the row that begins here a double quote is missing", plainMapping},
		{"quote open", "2026-11-30;1\n2026-11-30;\"1\n;2\n", "Line 2: in the row that begins here a double quote is missing", plainMapping},
		{"quote behind left-out lines", "x\ny\nDay;Sum\n2026-11-30;\"1\n", "Line 4: in the row that begins here", with(func(m *Mapping) { *m = header; m.SkipLines = 2 })},
		{"after left-out lines", "x\n\"y\nDay;Sum\n2026-11-30;a\n", `Line 4, "Sum": "a" is not an amount`, with(func(m *Mapping) { *m = header; m.SkipLines = 2 })},
		{"after a row of two lines", "Day;Sum;Text\n2026-11-30;1;\"a\nb\"\n2026-11-30;x;\n", `Line 4, "Sum": "x" is not an amount`, header},
		{"header", "Tag;Sum\n2026-11-30;1\n", "The mapping of the columns cannot be used; /booked_on: is not in the header of this file", header},
		{"header twice", "Day;Sum;Sum\n2026-11-30;1;2\n", "The mapping of the columns cannot be used; /amount: stands more than once in the header: choose it by its number", header},
		{"number too large", "Day;Sum\n2026-11-30;1\n", "The mapping of the columns cannot be used; /text: is larger than the number of columns in the header", with(func(m *Mapping) { *m = header; m.Text = "3" })},
		{"currency", "2026-11-30;1;XXX\n", `Line 1, "column 3": "XXX" is not the code of a currency`, with(func(m *Mapping) { m.Currency, m.CurrencyColumn = "", "3" })},
		{"balance", "2026-11-30;1;x\n", `Line 1, "column 3": "x" is not an amount`, with(func(m *Mapping) { m.Balance = "3" })},
		{"not utf-8", "2026-11-30;1\n2026-11-30;2;\xe4\n", "Line 2 is not in UTF-8", plainMapping},
		{"not windows-1252", "2026-11-30;1\n2026-11-30;2;\x81\n", "Line 2 has a character that windows-1252 does not have", with(func(m *Mapping) { m.Encoding = "windows-1252" })},
		{"no row", "Day;Sum\n", "The file has no row that is read.", header},
		{"too many", strings.Repeat("2026-11-30;1\n", MaxLines+1), "The file has more than 20,000 lines", plainMapping},
	} {
		t.Run(c.name, func(t *testing.T) {
			_, err := readCSV([]byte(c.body), c.m)
			if err == nil || !strings.HasPrefix(err.Error(), c.want) || model.KindOf(err) != model.Invalid {
				t.Errorf("got %v, want %q", err, c.want)
			}
		})
	}
}

func TestCSVTakesAsManyLinesAsAreTaken(t *testing.T) {
	m := with(func(m *Mapping) { m.Header, m.SkipRows = true, 1 })
	file, err := readCSV([]byte("a;b\n"+strings.Repeat("2026-11-30;1\n", MaxLines)+"x;y\n\n"), m)
	if err != nil || len(file.Statements[0].Lines) != MaxLines {
		t.Errorf("%v", err)
	}
}

func TestCSVBalancesThatDoNotFollow(t *testing.T) {
	m := with(func(m *Mapping) { m.Balance = "3" })
	for rows, want := range map[string]string{
		"2026-11-01;1;1\n2026-11-02;1;3\n":   "off by +1.00 EUR.",
		"2026-11-02;1;3\n2026-11-01;1;1\n":   "off by +1.00 EUR.",
		"2026-11-01;-1;4\n2026-11-01;-1;5\n": "",
		"2026-11-01;1;1\n2026-11-02;1;\n":    "",
	} {
		file, err := readCSV([]byte(rows), m)
		if err != nil || !strings.HasSuffix(file.Statements[0].Check(), want) || want == "" && file.Statements[0].Check() != "" {
			t.Errorf("%q: %v, %q", rows, err, file.Statements[0].Check())
		}
	}
}

func TestMappingSaysAllItsFaultsAtOnce(t *testing.T) {
	for _, c := range []struct {
		m    Mapping
		want []string
	}{
		{plainMapping, nil},
		{german, nil},
		{Mapping{}, []string{"/amount", "/booked_on", "/currency", "/dates", "/decimal", "/encoding", "/separator"}},
		{with(func(m *Mapping) {
			m.SkipLines, m.SkipRows, m.Dates, m.Grouping, m.Debit, m.Currency, m.Text = -1, 1001, "DD.DD.YYYY", ",", "3", "EURO", "Text"
		}), []string{"/amount", "/currency", "/dates", "/grouping", "/skip_lines", "/skip_rows", "/text"}},
		{with(func(m *Mapping) { m.Amount, m.Debit, m.Turned, m.Direction, m.BookedOn = "", "2", true, "4", "0" }),
			[]string{"/booked_on", "/credit", "/direction", "/turned"}},
		{with(func(m *Mapping) { m.Amount, m.Credit, m.In, m.Grouping = "", "2", "x", "?" }), []string{"/debit", "/direction", "/grouping"}},
		{with(func(m *Mapping) { m.Direction, m.In, m.Out = "3", "x", "X" }), []string{"/in"}},
		{with(func(m *Mapping) { m.Direction, m.In, m.Out, m.Turned = "3", "x", "y", true }), []string{"/turned"}},
		{with(func(m *Mapping) { m.CurrencyColumn, m.Account, m.AccountColumn = "3", "a", "4" }), []string{"/account", "/currency"}},
		{with(func(m *Mapping) { m.Refs = []string{"3", "x"} }), []string{"/refs/1"}},
		{with(func(m *Mapping) { m.Refs = make([]string, maxRefs+1) }), []string{"/refs"}},
	} {
		err := c.m.Validate()
		var fault *model.Error
		got := map[string]bool{}
		if errors.As(err, &fault) {
			for _, f := range fault.Fields {
				got[f.Location] = true
			}
		}
		if names := slices.Sorted(maps.Keys(got)); !slices.Equal(names, c.want) {
			t.Errorf("%+v:\n got %v (%v)\nwant %v", c.m, names, err, c.want)
		}
	}
}

func FuzzCSV(f *testing.F) {
	f.Add(testFile(f, "csv-german-newest-first.csv"))
	f.Add(testFile(f, "csv-two-amount-columns.csv"))
	f.Add([]byte("2026-11-30;1;2\n2026-11-30;-3;-1\n"))
	mappings := []Mapping{german, plainMapping, with(func(m *Mapping) { m.Balance, m.Text, m.Refs = "3", "3", []string{"2", "3"} })}
	f.Fuzz(func(t *testing.T, body []byte) {
		for _, m := range mappings {
			file, err := readCSV(body, m)
			lines := 0
			for _, s := range file.Statements {
				lines += len(s.Lines)
				s.Check()
			}
			if err != nil && model.KindOf(err) != model.Invalid || err == nil && (lines == 0 || lines > MaxLines) {
				t.Fatalf("%d lines, %v", lines, err)
			}
		}
	})
}
