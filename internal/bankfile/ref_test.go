package bankfile

import (
	"fmt"
	"slices"
	"strings"
	"testing"
)

func TestWhatSaysThatThereIsNoReferenceIsLeftOut(t *testing.T) {
	for _, none := range []string{"", "   ", "NONREF", "nonref", "NOTPROVIDED", "Not Provided", "NOT-AVAILABLE", "n/a", "N.A.", "0", "0000000000", "---", "NOREF", strings.Repeat("x", 300)} {
		if refs := addRef(nil, "EREF", none); refs != nil {
			t.Errorf("%q became the reference %v", none, refs)
		}
	}
	refs := addRef(nil, "EREF", "  NONREF 7 \n x")
	if len(refs) != 1 || refs[0].Value != "NONREF 7 x" {
		t.Errorf("got %v, want the reference in one line", refs)
	}
	if again := addRef(refs, "EREF", "NONREF 7 x"); len(again) != 1 {
		t.Errorf("the same reference stands twice: %v", again)
	}
}

func TestWordsThatMayBeReferences(t *testing.T) {
	refs := addWords(nil, "Invoice (INV-2031), thanks; pay:march/anna and 12345 "+strings.Repeat("9", 300))
	var values []string
	for _, r := range refs {
		values = append(values, r.Value)
	}
	if want := []string{"INV-2031", "pay:march/anna"}; !slices.Equal(values, want) {
		t.Errorf("got %q, want %q", values, want)
	}
	var many strings.Builder
	for i := range 200 {
		many.WriteString(" REF-" + strings.Repeat("1", i))
	}
	if refs := addWords(nil, many.String()); len(refs) != maxWords+1 {
		t.Errorf("%d words of one line, want one beyond the %d that are kept", len(refs), maxWords)
	}
}

// Words beyond those that are looked at are left out, which is told.
func TestWordsOfAFileAreBounded(t *testing.T) {
	var text, all strings.Builder
	for i := range maxWords + 8 {
		fmt.Fprintf(&text, " word-%d", i)
	}
	n := maxFileWords/maxWords + 10
	for range n {
		all.WriteString("2026-11-30;-1;KEY-1;" + text.String() + "\n")
	}
	m := with(func(m *Mapping) { m.Refs, m.Text = []string{"3"}, "4" })
	f, err := Parse([]byte(all.String()), &m)
	if err != nil {
		t.Fatal(err)
	}
	total := 0
	for _, l := range f.Statements[0].Lines {
		if len(l.Refs) > 1+maxWords || l.Refs[0].Value != "KEY-1" {
			t.Fatalf("line %d has %d references", l.Number, len(l.Refs))
		}
		total += len(l.Refs) - 1
	}
	if total != maxFileWords {
		t.Errorf("%d words, want %d", total, maxFileWords)
	}
	if !strings.Contains(f.Notes[0], "entry 1 has more than 32 words") || len(f.Notes) != maxNotes+1 {
		t.Errorf("%d notes, the first: %s", len(f.Notes), f.Notes[0])
	}
}

func TestOneLine(t *testing.T) {
	for in, want := range map[string]string{
		"a\r\n  b\tc":            "a b c",
		"a\u202eb\x00c":          "abc",
		"  \u00a0x ":             "x",
		"a\xffb":                 "ab",
		strings.Repeat("ä", 501): strings.Repeat("ä", 500) + "…",
	} {
		if got := oneLine(in); got != want {
			t.Errorf("oneLine(%q) = %q, want %q", in, got, want)
		}
	}
}

func TestAmountOf(t *testing.T) {
	const notPlain = "is not a plain decimal number such as 1250.50"
	for _, c := range []struct {
		text, currency string
		want           int64
		fault          string
	}{
		{"1250.50", "EUR", 125050, ""},
		{"-1.7", "EUR", -170, ""},
		{"+3.40", "EUR", 340, ""},
		{"0.", "CHF", 0, ""},
		{".5", "CHF", 50, ""},
		{"-.5", "CHF", -50, ""},
		{"1250.5000", "EUR", 125050, ""},
		{"2700.00", "JPY", 2700, ""},
		{"1.005", "EUR", 0, "has more than the 2 decimals of EUR"},
		{"1.0050", "EUR", 0, "has more than the 2 decimals of EUR"},
		{"1,5", "EUR", 0, notPlain},
		{"1.2.3", "EUR", 0, notPlain},
		{"--1", "EUR", 0, notPlain},
		{"+-1", "EUR", 0, notPlain},
		{".", "EUR", 0, notPlain},
		{"", "EUR", 0, notPlain},
		{"-", "EUR", 0, notPlain},
		{"1", "", 0, "cannot be read: its currency is not an ISO 4217 code in force"},
		{"99999999999999999", "EUR", 0, "is larger than 90,071,992,547,409.91 EUR, the most that is taken"},
	} {
		got, err := amountOf(c.text, c.currency)
		switch {
		case c.fault == "" && (err != nil || got.Amount != c.want || got.Currency != c.currency):
			t.Errorf("%s %s: got %v, %v; want %d", c.text, c.currency, got, err, c.want)
		case c.fault != "" && (err == nil || reason(err) != c.fault):
			t.Errorf("%s %s: got %v, %v; want an error that says %q", c.text, c.currency, got, err, c.fault)
		}
	}
}
