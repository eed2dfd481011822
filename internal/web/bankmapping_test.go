package web

import (
	"bytes"
	"fmt"
	"reflect"
	"strings"
	"testing"

	"countersign/internal/bankfile"
	"countersign/internal/model"
	"countersign/internal/store"
)

// columnsForm names the columns of the CSV that the tests send.
func columnsForm(changes ...string) []string {
	form := []string{"separator", "semicolon", "encoding", "utf-8", "header", "yes", "dates", "DD.MM.YYYY", "decimal", ",", "grouping", "none", "booked_on", "Datum", "amount", "Betrag",
		"currency", "EUR", "bank_account", "DE89370400440532013000", "refs", "Zweck", "other", "Name"}
	for i := 0; i+1 < len(changes); i += 2 {
		for at := 0; at+1 < len(form); at += 2 {
			if form[at] == changes[i] {
				form[at+1] = changes[i+1]
			}
		}
	}
	return form
}

func TestACSVWaitsForItsColumns(t *testing.T) {
	w := newWorld(t)
	id := w.unknown("acme", "run-1", 90_050)
	olga := w.browse("Olga")
	path, p := olga.uploads("umsätze.csv", "Datum;Betrag;Zweck;Name\n27.11.2026;-900,50;"+id+":create-payout;Ελένη\n27.11.2026;-3,40;Gebühr;\n")
	olga.wants(p, 200, "Waits for its columns to be named", "How its columns are to be read", "The first rows, as the file has them", "-900,50", "Gebühr")
	for _, guessed := range []string{`<option value="semicolon" selected`, `<option value="DD.MM.YYYY" selected`, `<option value="Datum" selected`, `<option value="Betrag" selected`} {
		if !strings.Contains(p.body, guessed) {
			t.Errorf("the proposal has no %s", guessed)
		}
	}
	olga.wants(olga.get(reconcilePath), 200, "waits for its columns to be named")

	p = olga.post(path+"/mapping", columnsForm("dates", "MM/DD/YYYY", "currency", "EURO", "bank_account", "kept as typed", "booked_on", "")...)
	olga.wants(p, 422, "Not read. The mapping was not stored and nothing was changed.", "The booking day", "The currency")
	if !strings.Contains(p.body, `value="kept as typed"`) || !strings.Contains(p.body, `value="EURO"`) || !strings.Contains(p.body, `<option value="MM/DD/YYYY" selected`) {
		t.Errorf("what was typed is lost:\n%s", p.text())
	}
	olga.wants(olga.post(path+"/mapping", columnsForm("dates", "MM/DD/YYYY")...), 422, "Not read.", "2")
	p = olga.post(path+"/mapping", append(columnsForm("separator", "comma"), "do", "look")...)
	olga.wants(p, 200, "1 Datum;Betrag;Zweck;Name")

	p = olga.post(path+"/mapping", columnsForm()...)
	if p.status != 303 || p.header.Get("Location") != path {
		t.Fatalf("naming the columns: %d %s", p.status, p.text())
	}
	olga.wants(olga.get(path), 200, "It proves 1 uncertain step", "900.50 EUR", "Zweck", "Change how its columns are read", "1 line names no step of ours.")
	olga.wants(olga.get(path+"?mapping=change"), 200, "Leave it as it is")

	list := olga.post(path+"/preview", "shown", "1", "line", "1").header.Get("Location")
	olga.post(list+"/confirm", "reason", because, "digest", found(t, digestField, olga.get(list)))
	w.must(w.run.WorkBulks(w.Context(), nil))
	w.stands(id, "create-payout", model.Confirmed)
	olga.wants(olga.get(path+"?mapping=change"), 200, "How the columns are read cannot be changed any more.", "-900,50")
	olga.wants(olga.post(path+"/mapping", columnsForm("refs", "Name")...), 409, "Nothing was changed.")

	path, p = olga.uploads("next.csv", "Datum;Betrag;Zweck;Name\n28.11.2026;-1,00;x;y\n")
	if !strings.Contains(p.body, `value="DE89370400440532013000"`) {
		t.Errorf("the next file does not begin with the mapping of the last:\n%s", p.text())
	}
	audrey := w.browse("Audrey")
	audrey.wants(audrey.get(path), 200, "You may read this and not name the columns.", "-1,00")
}

// A mapping that was stored and does not read its file any more leads to its form.
func TestColumnsThatReadNoMoreAreNamedAnew(t *testing.T) {
	w := newWorld(t)
	olga := w.browse("Olga")
	path, _ := olga.uploads("old.csv", "Datum;Betrag;Zweck;Name\n27.11.2026;-3,40;Miete;Haus\n")
	olga.post(path+"/mapping", columnsForm()...)
	w.update(func(tx *store.Tx) error {
		var mapping []byte
		_, err := tx.Get(&mapping, "SELECT mapping FROM bank_files")
		w.must(err)
		_, err = tx.Exec("UPDATE bank_files SET mapping = ?", bytes.Replace(mapping, []byte("DD.MM.YYYY"), []byte("YYYY-MM-DD"), 1))
		return err
	})
	olga.wants(olga.get(path), 200, "do not read it any more", "Nothing was lost, and nothing is matched.", "How its columns are to be read", "-3,40")
	if p := olga.post(path+"/mapping", columnsForm()...); p.status != 303 {
		t.Fatalf("naming them anew: %d %s", p.status, p.text())
	}
	olga.wants(olga.get(path), 200, "1 line names no step of ours.")
}

func TestColumnsAreNamedByHeaderOrNumber(t *testing.T) {
	rows := bankfile.Preview{Header: []string{"Date", "Amount", "", "Amount", "2024"}, Columns: 5}
	want := []string{"Date", "2", "3", "4", "5"}
	for i, c := range columnsOf(rows) {
		if c.Value != want[i] {
			t.Errorf("column %d is %q, want %q", i+1, c.Value, want[i])
		}
	}
	options := optionsFor(columnsOf(rows), "1", "none")
	if !options[1].Current {
		t.Errorf("a mapping by number finds no column: %+v", options)
	}
	if options = optionsFor(columnsOf(rows), "Gone", "none"); !options[len(options)-1].Current || options[len(options)-1].Value != "Gone" {
		t.Errorf("a column that the file does not have is lost: %+v", options)
	}
}

func TestMappingFormIsTheMapping(t *testing.T) {
	typed := mappingFields{Separator: "tab", Encoding: "utf-8", SkipLines: "3", SkipRows: "", Header: "yes", Dates: "DD.MM.YYYY", Decimal: ",", Grouping: "apostrophe", BookedOn: "Datum",
		Amount: "Betrag", Direction: "S/H", In: "H", Out: "S", Turned: "yes", Currency: "EUR", AccountColumn: "Konto", Refs: []string{"Zweck", "7"}}
	m, faults := typed.mapping()
	if len(faults) > 0 || m.Separator != "\t" || m.Grouping != "'" || m.SkipLines != 3 || !m.Turned {
		t.Fatalf("%+v, %v", m, faults)
	}
	again, _ := fieldsOf(m).mapping()
	if !reflect.DeepEqual(again, m) {
		t.Errorf("the form gives back %+v, want %+v", again, m)
	}
	if _, faults = (mappingFields{SkipRows: "some"}).mapping(); faults.For("skip_rows") == "" {
		t.Error("words are taken for a number")
	}
}

// A column that seems to say which rows are booked is decided before anything is read.
func TestACSVWhoseStatusIsDecided(t *testing.T) {
	w := newWorld(t)
	olga := w.browse("Olga")
	path, p := olga.uploads("umsätze.csv", "Datum;Betrag;Zweck;Name;Info\n27.11.2026;-900,50;abc;X;Umsatz vorgemerkt\n26.11.2026;-1,00;abc;X;Umsatz gebucht\n")
	olga.wants(p, 200, "Which rows are booked")
	if !strings.Contains(p.body, `<option value="Info" selected`) || !strings.Contains(p.body, `value="Umsatz gebucht"`) {
		t.Errorf("the status is not proposed:\n%s", p.text())
	}
	olga.wants(olga.post(path+"/mapping", columnsForm()...), 422, "The status is to be decided", "column 5")
	if p = olga.post(path+"/mapping", append(columnsForm(), "status", "Info", "booked_words", "Umsatz gebucht, Booked")...); p.status != 303 {
		t.Errorf("with a decision: %d %s", p.status, p.text())
	}
}

// At the bound of columns and with the longest headers and cells the form stays
// light, and names every column.
func TestAWideCSVHasALightForm(t *testing.T) {
	w := newWorld(t)
	olga := w.browse("Olga")
	var head, row []string
	for i := range bankfile.MaxColumns {
		head, row = append(head, fmt.Sprint(i, strings.Repeat(" Spalte", 20))), append(row, strings.Repeat("Wort ", 30))
	}
	head[0], row[0], head[1], row[1] = "Datum", "27.11.2026", "Betrag", "-1,00"
	line := strings.Join(row, ";") + "\n"
	_, p := olga.uploads("wide.csv", strings.Join(head, ";")+"\n"+strings.Repeat(line, 6))
	olga.wants(p, 200, "How its columns are to be read")
	for _, part := range []string{`<option value="200">200  </option>`, `value="Betrag"`, `list="columns"`} {
		if !strings.Contains(p.body, part) {
			t.Errorf("the form has no %s", part)
		}
	}
	if n := len(p.body); n > maxPage {
		t.Errorf("the page weighs %d bytes", n)
	}
}

// Who signs sees how the file was read, and by whose word, before a list of it and
// after; who may name the columns sees the form before, and that it is closed after.
func TestHowACSVWasReadIsShown(t *testing.T) {
	w := newWorld(t)
	id := w.unknown("acme", "run-1", 90_050)
	olga := w.browse("Olga")
	path, _ := olga.uploads("umsätze.csv", "Datum;Betrag;Zweck;Name\n27.11.2026;-900,50;"+id+":create-payout;Ελένη\n27.11.2026;-3,40;Gebühr;\n")
	olga.post(path+"/mapping", columnsForm()...)
	shown := func(names ...string) {
		t.Helper()
		for _, name := range names {
			b := w.browse(name)
			b.wants(b.get(path+"?mapping=show"), 200, "Booking day column 1, Datum", "Amount with its sign column 2, Betrag", "Days DD.MM.YYYY", "Decimal mark comma, as in 1,50", "The sign is turned no",
				"Where our references may stand column 3, Zweck", "Which rows are booked every row: no column says which", "Currency EUR", "Account DE89370400440532013000", "named ", " by Olga")
		}
	}
	shown("Ann", "Audrey")
	list := olga.post(path+"/preview", "shown", "1", "line", "1").header.Get("Location")
	p := olga.get(list)
	olga.wants(p, 200, "See how its columns are read")
	olga.post(list+"/confirm", "reason", because, "digest", found(t, digestField, p))
	shown("Ann", "Audrey", "Olga")
}

// A fault of boxes stands by them, where the summary leads.
func TestAFaultOfTheReferencesStandsByThem(t *testing.T) {
	w := newWorld(t)
	olga := w.browse("Olga")
	path, _ := olga.uploads("umsätze.csv", "Datum;Betrag;Zweck;Name\n27.11.2026;-3,40;Gebühr;x\n")
	p := olga.post(path+"/mapping", columnsForm("refs", "Nirgends")...)
	olga.wants(p, 422, "A column of references is not in the header of this file")
	for _, part := range []string{`href="#f-refs"`, `id="f-refs"`, `id="f-refs-fault"`, `aria-describedby="f-refs-fault"`} {
		if !strings.Contains(p.body, part) {
			t.Errorf("the page has no %s", part)
		}
	}
}

// Only a CSV has columns to be shown.
func TestAFileThatSaysItselfHasNoMapping(t *testing.T) {
	w := newWorld(t)
	olga := w.browse("Olga")
	p := olga.get(bankFilePath(w.bankFile(bankLine{"-7.00", "Card fee"})) + "?mapping=show")
	olga.wants(p, 200, "What it proves")
	if strings.Contains(p.text(), "How its columns are") {
		t.Error("a camt file is shown as one whose columns are named")
	}
}
