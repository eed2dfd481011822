package bankfile

import (
	"errors"
	"reflect"
	"strings"
	"testing"

	"countersign/internal/model"
)

// A row is booked where the column of the status says so in one of the words.
func TestCSVStatus(t *testing.T) {
	m := with(func(m *Mapping) { m.Status, m.BookedWords, m.Balance = "3", []string{"gebucht", " Booked "}, "4" })
	f, err := Parse([]byte("2026-11-28;-7;Vorgemerkt;\n2026-11-27;-10;Gebucht;90\n2026-11-27;-5;;\n2026-11-26;-1;booked;100\n"), &m)
	if err != nil {
		t.Fatal(err)
	}
	s := f.Statements[0]
	for i, want := range []bool{false, true, false, true} {
		if s.Lines[i].Booked != want {
			t.Errorf("row %d: booked %t", i+1, s.Lines[i].Booked)
		}
	}
	if s.Opening == nil || s.Opening.Amount != 10100 || s.Closing.Amount != 9000 || s.Check() != "" {
		t.Errorf("from %v to %v: %s", s.Opening, s.Closing, s.Check())
	}
}

// Whether a column that seems to say which rows are booked matters is decided by
// a person, for the whole file.
func TestCSVStatusIsDecided(t *testing.T) {
	for name, body := range map[string]string{
		"by its header": "Tag;Betrag;Buchungsstatus\n2026-11-28;-7;xyz\n",
		"by a cell":     "Tag;Betrag;Info\n" + strings.Repeat("2026-11-28;-7;\n", 300) + "2026-11-28;-7;Umsatz vorgemerkt\n",
	} {
		m := with(func(m *Mapping) { m.Header = true })
		_, err := Parse([]byte(body), &m)
		var fault *model.Error
		if !errors.As(err, &fault) || len(fault.Fields) != 1 || fault.Fields[0].Location != "/status" || !strings.Contains(fault.Fields[0].Message, "column 3") {
			t.Errorf("%s: %v", name, err)
		}
		if m.AnyStatus = true; !lines(t, body, &m)[0].Booked {
			t.Errorf("%s: not booked although no status matters", name)
		}
	}
}

func TestValidateStatus(t *testing.T) {
	for want, change := range map[string]func(*Mapping){
		"/booked_words": func(m *Mapping) { m.Status, m.BookedWords = "3", []string{" "} },
		"/status":       func(m *Mapping) { m.BookedWords = []string{"booked"} },
		"/any_status":   func(m *Mapping) { m.Status, m.BookedWords, m.AnyStatus = "3", []string{"booked"}, true },
	} {
		var fault *model.Error
		if err := with(change).Validate(); !errors.As(err, &fault) || len(fault.Fields) != 1 || fault.Fields[0].Location != want {
			t.Errorf("%s: %v", want, err)
		}
	}
}

func TestGuessStatus(t *testing.T) {
	for _, c := range []struct {
		body, column string
		words        []string
	}{
		{"Buchungsdatum;Betrag;Status\n27.11.2026;-1000,12;Vorgemerkt\n", "Status", []string{"gebucht"}},
		{"Buchungsdatum;Betrag;Status\n27.11.2026;-1000,12;Vorgemerkt\n26.11.2026;-1000,12;Gebucht\n", "Status", []string{"Gebucht"}},
		{"Buchungstag;Betrag;Waehrung;Info\n28.11.26;-1000,12;EUR;Umsatz vorgemerkt\n", "Info", []string{"umsatz gebucht"}},
		{"Started Date,Completed Date,Amount,State\n2026-11-28,2026-11-28,-5.00,COMPLETED\n2026-11-28,,-5.00,PENDING\n", "State", []string{"COMPLETED"}},
		{"Datum;Objem;Stav\n27.11.2026;-5,00;Blokace\n", "Stav", []string{"zaúčtováno"}},
		{"Date;Amount;Status\n27.11.2026;-5,00;7\n", "Status", nil},
		{"Date;Amount;State\n27.11.2026;-5,00;Ohio\n", "", nil},
	} {
		if m, _ := Guess([]byte(c.body)); m.Status != c.column || !reflect.DeepEqual(m.BookedWords, c.words) {
			t.Errorf("%q: column %q, words %q", c.body, m.Status, m.BookedWords)
		}
	}
}
