package bankfile

import (
	"testing"

	"countersign/internal/model"
)

func TestCheck(t *testing.T) {
	eur := func(amount int64) *Balance { return &Balance{Money: model.Money{Amount: amount, Currency: "EUR"}} }
	line := func(amount int64, currency string, booked bool) Line {
		return Line{Number: 7, Amount: amount, Currency: currency, Booked: booked}
	}
	tests := []struct {
		name string
		of   Statement
		want string
	}{
		{"no balances", Statement{Lines: []Line{line(5, "EUR", true)}}, ""},
		{"no closing balance", Statement{Opening: eur(5)}, ""},
		{"fits", Statement{Opening: eur(1000), Closing: eur(750), Lines: []Line{line(-250, "EUR", true)}}, ""},
		{"pending moves nothing", Statement{Opening: eur(1000), Closing: eur(1000), Lines: []Line{line(-250, "EUR", false)}}, ""},
		{"too much", Statement{Opening: eur(-197043187), Closing: eur(-197013179)},
			"It does not add up: the opening balance and the booked lines give −1,970,431.87 EUR, the closing balance is −1,970,131.79 EUR, off by +300.08 EUR."},
		{"too little", Statement{Opening: eur(0), Closing: eur(0), Lines: []Line{line(20, "EUR", true)}},
			"It does not add up: the opening balance and the booked lines give 0.20 EUR, the closing balance is 0.00 EUR, off by −0.20 EUR."},
		{"two currencies", Statement{Opening: eur(1), Closing: &Balance{Money: model.Money{Amount: 1, Currency: "SEK"}}},
			"It cannot be added up: the opening balance is in EUR and the closing balance in SEK."},
		{"a line in another currency", Statement{Opening: eur(1), Closing: eur(1), Lines: []Line{line(1, "SEK", true)}},
			"It cannot be added up: the balances are in EUR and line 7 is in SEK."},
		{"beyond all amounts", Statement{Opening: eur(model.MaxAmount), Closing: eur(1), Lines: []Line{line(model.MaxAmount, "EUR", true)}},
			"It cannot be added up: the sum is too large."},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if got := tt.of.Check(); got != tt.want {
				t.Errorf("got  %q\nwant %q", got, tt.want)
			}
		})
	}
}
