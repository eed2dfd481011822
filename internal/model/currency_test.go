package model

import (
	"encoding/csv"
	"os"
	"slices"
	"strconv"
	"testing"

	"github.com/bojanz/currency"
)

// publishedCodes are the ISO 4217 codes in force with their decimals, "-" for none.
func publishedCodes(t *testing.T) map[string]string {
	t.Helper()
	file, err := os.Open("testdata/iso4217-minor-units.csv")
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	rows, err := csv.NewReader(file).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	codes := map[string]string{}
	for _, row := range rows[1:] {
		codes[row[0]] = row[2]
	}
	return codes
}

func TestCurrenciesAreThePublishedOnes(t *testing.T) {
	published := publishedCodes(t)
	if len(published) != 178 {
		t.Fatalf("%d published codes, want 178", len(published))
	}
	for code, decimals := range published {
		digits, ok := Exponent(code)
		if got := strconv.Itoa(digits); ok && got != decimals {
			t.Errorf("%s: %s decimals, want %s", code, got, decimals)
		}
		if ok == (decimals == "-") || ok == isWithoutMinorUnit(code) {
			t.Errorf("%s: payable %v, but published with %q decimals", code, ok, decimals)
		}
	}
	if got := len(currencies) + len(withoutMinorUnit); got != len(published) {
		t.Errorf("%d codes, want %d", got, len(published))
	}
}

// A second source, CLDR, agrees. It has dropped the lev, which the published
// list of 2025 still has.
func TestExponentsAgreeWithCLDR(t *testing.T) {
	for _, c := range Currencies() {
		digits, ok := currency.GetDigits(c.Code)
		if ok && int(digits) != c.Digits || !ok && c.Code != "BGN" {
			t.Errorf("%s: %d decimals, CLDR has %d (%v)", c.Code, c.Digits, digits, ok)
		}
	}
}

func TestCurrencies(t *testing.T) {
	list := Currencies()
	if !slices.IsSortedFunc(list, func(a, b Currency) int { return slices.Compare([]byte(a.Code), []byte(b.Code)) }) {
		t.Error("not in the order of their codes")
	}
	for _, c := range list {
		entry := currencies[c.Code]
		if c.Name == "" || entry.many == "" || (entry.minorOne == "") != (entry.minorMany == "") {
			t.Errorf("%s: a name is missing", c.Code)
		}
	}
}

func TestCurrencyName(t *testing.T) {
	for code, want := range map[string]string{"USD": "US dollar", "EUR": "euro", "CLF": "Chilean unit of account (UF)", "XAU": "XAU", "": ""} {
		if got := CurrencyName(code); got != want {
			t.Errorf("%q: got %q, want %q", code, got, want)
		}
	}
}
