package model

import (
	"errors"
	"math"
	"testing"

	"pgregory.net/rapid"
)

func TestNewMoney(t *testing.T) {
	tests := []struct {
		name, currency string
		amount         int64
		refused        string // the location at fault
	}{
		{"dollars", "USD", 125050, ""},
		{"the largest", "JPY", MaxAmount, ""},
		{"the smallest", "JPY", -MaxAmount, ""},
		{"too large", "USD", MaxAmount + 1, "/amount"},
		{"too small", "USD", math.MinInt64, "/amount"},
		{"gold has no minor unit", "XAU", 1, "/currency"},
		{"test code", "XTS", 1, "/currency"},
		{"no such code", "ABC", 1, "/currency"},
		{"withdrawn", "DEM", 1, "/currency"},
		{"lower case", "usd", 1, "/currency"},
		{"empty", "", 1, "/currency"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			money, err := NewMoney(tt.amount, tt.currency)
			wantField(t, err, "invalid-params", tt.refused)
			if tt.refused == "" && money != (Money{tt.amount, tt.currency}) {
				t.Errorf("got %+v", money)
			}
		})
	}
}

// wantField checks that err is of kind Invalid with the code and names just the
// location, or that there is none when no location is given.
func wantField(t *testing.T, err error, code, location string) {
	t.Helper()
	if location == "" {
		if err != nil {
			t.Fatalf("refused: %v", err)
		}
		return
	}
	var refusal *Error
	if !errors.As(err, &refusal) {
		t.Fatalf("got %v, want a refusal at %s", err, location)
	}
	if refusal.Kind != Invalid || refusal.Code != code {
		t.Errorf("got %v %q, want invalid %q", refusal.Kind, refusal.Code, code)
	}
	if len(refusal.Fields) != 1 || refusal.Fields[0].Location != location {
		t.Errorf("got fields %+v, want %s", refusal.Fields, location)
	}
}

func TestMoneyText(t *testing.T) {
	tests := []struct {
		money             Money
		text, dec, inWord string
	}{
		{Money{125050, "USD"}, "1,250.50 USD", "1250.50", "one thousand two hundred fifty US dollars and fifty cents"},
		{Money{1240000, "USD"}, "12,400.00 USD", "12400.00", "twelve thousand four hundred US dollars, no cents"},
		{Money{4820000, "EUR"}, "48,200.00 EUR", "48200.00", "forty-eight thousand two hundred euros, no cents"},
		{Money{101, "USD"}, "1.01 USD", "1.01", "one US dollar and one cent"},
		{Money{-5, "USD"}, "−0.05 USD", "-0.05", "minus zero US dollars and five cents"},
		{Money{0, "USD"}, "0.00 USD", "0.00", "zero US dollars, no cents"},
		{Money{99, "GBP"}, "0.99 GBP", "0.99", "zero British pounds and ninety-nine pence"},
		{Money{1250, "JPY"}, "1,250 JPY", "1250", "one thousand two hundred fifty Japanese yen"},
		{Money{-1, "JPY"}, "−1 JPY", "-1", "minus one Japanese yen"},
		{Money{1234567, "KWD"}, "1,234.567 KWD", "1234.567", "one thousand two hundred thirty-four Kuwaiti dinars and five hundred sixty-seven fils"},
		{Money{12345678, "CLF"}, "1,234.5678 CLF", "1234.5678", "one thousand two hundred thirty-four Chilean units of account (UF) and five thousand six hundred seventy-eight minor units"},
		{Money{100000001000000, "KRW"}, "100,000,001,000,000 KRW", "100000001000000", "one hundred trillion one million South Korean won"},
		{Money{MaxAmount, "USD"}, "90,071,992,547,409.91 USD", "90071992547409.91", "ninety trillion seventy-one billion nine hundred ninety-two million five hundred forty-seven thousand four hundred nine US dollars and ninety-one cents"},
		{Money{math.MinInt64, "JPY"}, "−9,223,372,036,854,775,808 JPY", "-9223372036854775808", "minus nine quintillion two hundred twenty-three quadrillion three hundred seventy-two trillion thirty-six billion eight hundred fifty-four million seven hundred seventy-five thousand eight hundred eight Japanese yen"},
		{Money{1250, "ABC"}, "1,250 ABC", "1250", "one thousand two hundred fifty minor units of ABC"},
	}
	for _, tt := range tests {
		t.Run(tt.text, func(t *testing.T) {
			if got := tt.money.String(); got != tt.text {
				t.Errorf("String: got %q", got)
			}
			if got := tt.money.Decimal(); got != tt.dec {
				t.Errorf("Decimal: got %q, want %q", got, tt.dec)
			}
			if got := tt.money.Words(); got != tt.inWord {
				t.Errorf("Words: got %q, want %q", got, tt.inWord)
			}
		})
	}
}

func TestParseDecimal(t *testing.T) {
	tests := []struct {
		text, currency string
		amount         int64
		refused        string
	}{
		{"1250.50", "USD", 125050, ""},
		{"1250.5", "USD", 125050, ""},
		{"1250", "USD", 125000, ""},
		{"-0.05", "USD", -5, ""},
		{"-0.00", "USD", 0, ""},
		{"007", "USD", 700, ""},
		{"1250", "JPY", 1250, ""},
		{"1.234", "KWD", 1234, ""},
		{"1.2345", "CLF", 12345, ""},
		{"90071992547409.91", "USD", MaxAmount, ""},
		{"90071992547409.92", "USD", 0, "/amount"},
		{"99999999999999999999999", "USD", 0, "/amount"},
		{"1250.500", "USD", 0, "/amount"},
		{"1250.0", "JPY", 0, "/amount"},
		{"1,250.50", "USD", 0, "/amount"},
		{"1.250,50", "USD", 0, "/amount"},
		{"1 250", "USD", 0, "/amount"},
		{"1.2.3", "USD", 0, "/amount"},
		{"1_000", "USD", 0, "/amount"},
		{"1250.", "USD", 0, "/amount"},
		{".50", "USD", 0, "/amount"},
		{".", "USD", 0, "/amount"},
		{"", "USD", 0, "/amount"},
		{"-", "USD", 0, "/amount"},
		{"--1", "USD", 0, "/amount"},
		{"+1", "USD", 0, "/amount"},
		{"−1", "USD", 0, "/amount"},
		{"1.-5", "USD", 0, "/amount"},
		{"1e3", "USD", 0, "/amount"},
		{"0x10", "USD", 0, "/amount"},
		{" 1", "USD", 0, "/amount"},
		{"1\n", "USD", 0, "/amount"},
		{"١٢", "USD", 0, "/amount"},
		{"NaN", "USD", 0, "/amount"},
		{"1", "XAU", 0, "/currency"},
	}
	for _, tt := range tests {
		t.Run(tt.text+" "+tt.currency, func(t *testing.T) {
			money, err := ParseDecimal(tt.text, tt.currency)
			wantField(t, err, "invalid-params", tt.refused)
			if money.Amount != tt.amount {
				t.Errorf("got %d, want %d", money.Amount, tt.amount)
			}
		})
	}
}

func TestDecimalReadsBack(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		want := Money{
			Amount:   rapid.Int64Range(-MaxAmount, MaxAmount).Draw(t, "amount"),
			Currency: rapid.SampledFrom(Currencies()).Draw(t, "currency").Code,
		}
		got, err := ParseDecimal(want.Decimal(), want.Currency)
		if err != nil || got != want {
			t.Fatalf("%q reads back as %+v, %v", want.Decimal(), got, err)
		}
	})
}

func TestMajorUnits(t *testing.T) {
	tests := []struct {
		n        int64
		currency string
		want     int64
		refused  string
	}{
		{50000, "USD", 5000000, ""},
		{50000, "JPY", 50000, ""},
		{50000, "KWD", 50000000, ""},
		{-2, "CLF", -20000, ""},
		{MaxAmount / 100, "USD", MaxAmount / 100 * 100, ""},
		{MaxAmount/100 + 1, "USD", 0, "/amount"},
		{math.MinInt64, "USD", 0, "/amount"},
		{math.MaxInt64 / 100, "USD", 0, "/amount"},
		{1, "XDR", 0, "/currency"},
	}
	for _, tt := range tests {
		got, err := MajorUnits(tt.n, tt.currency)
		wantField(t, err, "invalid-params", tt.refused)
		if got != tt.want {
			t.Errorf("%d %s: got %d, want %d", tt.n, tt.currency, got, tt.want)
		}
	}
}
