package bankfile

import (
	"fmt"
	"slices"
	"testing"

	"countersign/internal/model"
)

func TestWhatAFileCovers(t *testing.T) {
	balance := func(currency, on string) *Balance { return &Balance{model.Money{Currency: currency}, on} }
	for _, test := range []struct {
		file       File
		from, to   string
		currencies []string
	}{
		{File{}, "", "", nil},
		{File{Statements: []Statement{{Currency: "EUR"}}}, "", "", []string{"EUR"}},
		{File{Statements: []Statement{{Opening: balance("EUR", "2026-11-26"), Closing: balance("EUR", "2026-11-30")}}}, "2026-11-26", "2026-11-30", []string{"EUR"}},
		{File{Statements: []Statement{{Closing: balance("EUR", ""), Lines: []Line{{BookedOn: "2026-11-27", Currency: "USD"}, {}}}, {Currency: "CHF", Lines: []Line{{BookedOn: "2026-11-25", Currency: "EUR"}}}}},
			"2026-11-25", "2026-11-27", []string{"EUR", "USD", "CHF"}},
	} {
		from, to := test.file.Days()
		if got := test.file.Currencies(); from != test.from || to != test.to || !slices.Equal(got, test.currencies) {
			t.Errorf("%s: %q to %q in %v", fmt.Sprint(test.file), from, to, got)
		}
	}
}
