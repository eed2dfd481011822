package bankfile

import (
	"strings"
	"testing"
)

// mt is an MT940 message around entries, from 100 EUR to a closing balance.
func mt(closing string, entries ...string) string {
	return ":20:X\n:25:123\n:28C:1\n:60F:C261126EUR100,\n" + strings.Join(entries, "\n") + "\n:62F:C261127EUR" + closing + "\n-\n"
}

// Any line of a statement that does not add up may be the one that is wrong.
func TestStatementThatIsOff(t *testing.T) {
	const payment = ":61:2611271127D10,NTRFKEY-1//BANK-1"
	if l := lines(t, mt("90,", payment), nil)[0]; l.Doubt != "" {
		t.Errorf("a statement that adds up: %q", l.Doubt)
	}
	if l := lines(t, mt("95,", payment), nil)[0]; !strings.Contains(l.Doubt, "off by +5.00 EUR") || !strings.Contains(l.Doubt, "by hand") {
		t.Errorf("a statement that does not add up: %q", l.Doubt)
	}
	if l := lines(t, strings.Replace(mt("90,", payment), ":62F:C261127EUR90,\n", "", 1), nil)[0]; l.Doubt != "" {
		t.Errorf("a statement without a balance: %q", l.Doubt)
	}
	const total = "<TxsSummry><TtlNtries><NbOfNtries>2</NbOfNtries></TtlNtries></TxsSummry>"
	if l := lines(t, message(total+entry("1.00", "EUR", "<CdtDbtInd>DBIT</CdtDbtInd>")), nil)[0]; !strings.Contains(l.Doubt, "declares 2 entries and holds 1") {
		t.Errorf("a statement that holds less than it says: %q", l.Doubt)
	}
}

// What begins like a field behind a line that is as long as texts are cut may be
// the rest of the text, which others than the bank have written.
func TestMTTextThatLooksLikeAField(t *testing.T) {
	const forged = ":61:2611271127D10,NTRFKEY-1//FORGED\n:61:2611271127C10,NTRFNONREF//FORGED"
	for width, doubted := range map[int]bool{20: false, 59: false, 60: true, 61: true, 65: true} {
		text := ":86:" + strings.Repeat("x", width)
		got := lines(t, mt("101,", ":61:2611271127C1,NTRFNONREF//BANK-1", text, forged), nil)
		if len(got) != 3 || got[0].Doubt != "" || got[1].Doubt != "" != doubted {
			t.Errorf("behind %d signs: %+v", width, got)
		}
	}
	wide := ":86:" + strings.Repeat("x", 61)
	for tag, doubted := range map[string]bool{":20:A": true, ":25:456": true, ":60F:C261126EUR1,": true, ":62F:C261127EUR101,": true, ":99:": false} {
		got := lines(t, mt("101,", ":61:2611271127C1,NTRFKEY-1//BANK-1", wide, tag, ":61:2611271127C0,NTRFKEY-1//BANK-1"), nil)
		if last := got[len(got)-1]; last.Doubt != "" != doubted {
			t.Errorf("behind %s: %q", tag, last.Doubt)
		}
	}
	if got := lines(t, mt("101,", ":61:2611271127C1,NTRFKEY-1//BANK-1", wide), nil); got[0].Doubt != "" {
		t.Errorf("the only closing balance: %q", got[0].Doubt)
	}
	long := ":86:" + strings.Repeat("x", 200)
	if got := lines(t, mt("92,", ":61:2611271127C1,NTRFKEY-1//BANK-1", long, ":61:2611271127C1,NTRFKEY-1//BANK-1", ":86:"+strings.Repeat("x", 61), ":61:2611271127D10,NTRFKEY-1//BANK-1", ":86:y"), nil); got[2].Doubt != "" {
		t.Errorf("in a file whose texts are not cut there: %q", got[2].Doubt)
	}
}

// Only a statement of booked lines has booked lines, and what is expected is none.
func TestMTLinesThatAreNotBooked(t *testing.T) {
	const payment = ":61:2611271127D10,NTRFKEY-1//BANK-1\n"
	for name, body := range map[string]string{
		"a report by its totals":     ":20:X\n:25:1\n:28C:1\n" + payment + ":90D:1EUR10,\n:90C:0EUR0,\n-\n",
		"a report with balances":     ":20:X\n:25:1\n:28C:1\n:60F:C261126EUR100,\n" + payment + ":62F:C261127EUR90,\n:90D:1EUR10,\n-\n",
		"a report by its limit":      ":20:X\n:25:1\n:28C:1\n:34F:EUR0,\n" + payment + "-\n",
		"an expected debit":          mt("100,", strings.Replace(strings.TrimSpace(payment), "D10", "ED10", 1)),
		"an expected credit":         mt("100,", strings.Replace(strings.TrimSpace(payment), "D10", "EC10", 1)),
		"a report in its envelope":   "{1:F01X}{2:O9421200}{4:\n:20:X\n:25:1\n:28C:1\n:34F:EUR0,\n" + payment + "-}\n",
		"a report without a balance": ":20:X\n:25:1\n:28C:1\n:13:2611271200\n:34F:EUR0,\n" + payment + "-\n",
	} {
		if l := lines(t, body, nil)[0]; l.Booked {
			t.Errorf("%s: %+v", name, l)
		}
	}
	if l := lines(t, mt("90,", strings.TrimSpace(payment)), nil)[0]; !l.Booked {
		t.Error("a statement's line is not booked")
	}
}

func TestMTCharges(t *testing.T) {
	if l := lines(t, mt("90,", ":61:2611271127D10,NCHGKEY-1//BANK-1"), nil)[0]; !l.Charge {
		t.Errorf("%+v", l)
	}
}
