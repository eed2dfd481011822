package bankfile

import (
	"strings"
	"testing"
)

// lines reads a file and gives its lines.
func lines(t *testing.T, body string, m *Mapping) (all []Line) {
	t.Helper()
	f, err := Parse([]byte(body), m)
	if err != nil {
		t.Fatal(err)
	}
	for _, s := range f.Statements {
		all = append(all, s.Lines...)
	}
	return all
}

// An identity follows what the bank says of a line, and nothing else.
func TestIdentityOfContents(t *testing.T) {
	const one = ":20:A\n:25:NL91ABNA0417164300\n:28C:1\n:60F:C261126EUR100,\n:61:2611271127D10,NTRFKEY-000001//NONREF\n:61:2611271127D10,NTRFKEY-000001//NONREF\n:61:2611271127D11,NTRFKEY-000001//NONREF\n:62F:C261127EUR69,\n-\n"
	first, second := lines(t, one, nil), lines(t, strings.Replace(one, ":20:A", ":20:B", 1), nil)
	for i := range first {
		if first[i].Identity() != second[i].Identity() {
			t.Errorf("line %d has another identity in a file that differs elsewhere", i+1)
		}
	}
	if first[0].Contents() != first[1].Contents() || first[0].Identity() == first[1].Identity() {
		t.Error("two lines that say the same are not told apart by their occurrence alone")
	}
	if first[0].Contents() == first[2].Contents() {
		t.Error("another amount has the same contents")
	}
	if other := lines(t, strings.Replace(one, "NL91ABNA0417164300", "NL02ABNA0123456789", 1), nil); other[0].Contents() == first[0].Contents() {
		t.Error("the line of another account has the same contents")
	}
}

// A row is the same row whichever of its columns are mapped.
func TestIdentityOfRows(t *testing.T) {
	const file = "Datum;Valuta;Betrag;Name;Ref\n27.11.2026;26.11.2026;-10,00;Müller;KEY-000001\n"
	m := Mapping{Separator: ";", Encoding: "utf-8", Header: true, Dates: "DD.MM.YYYY", Decimal: ",", BookedOn: "Datum", Amount: "Betrag", Currency: "EUR", Refs: []string{"Ref"}}
	other := m
	other.BookedOn, other.Turned, other.Other, other.Encoding = "Valuta", true, "Name", "windows-1252"
	if a, b := lines(t, file, &m)[0], lines(t, file, &other)[0]; a.Identity() != b.Identity() {
		t.Errorf("%s and %s under another mapping", a.Identity(), b.Identity())
	}
	if a, b := lines(t, file, &m)[0], lines(t, strings.Replace(file, "-10,00", "10,00", 1), &m)[0]; a.Contents() == b.Contents() {
		t.Error("another row has the same contents")
	}
}
