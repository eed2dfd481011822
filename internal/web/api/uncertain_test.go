package api

import (
	"fmt"
	"testing"

	"countersign/internal/model"
	"countersign/internal/store"
)

// TestUncertainCells: what only the pages tell apart is one sum here, in the order of
// provider, currency and age.
func TestUncertainCells(t *testing.T) {
	part := func(provider, currency, kind string, age, effects int, amount int64, oldest model.Time) store.UncertainPart {
		return store.UncertainPart{Provider: provider, Currency: currency, Kind: kind, Age: age, Effects: effects, Amount: amount, Oldest: oldest}
	}
	parts := []store.UncertainPart{part("bank", "EUR", "dispute", 1, 1, 10, 90), part("bank", "EUR", "payout", 0, 2, 20, 99), part("bank", "EUR", "payout", 1, 3, 30, 80),
		part("mail", "", "payout", 3, 4, 0, 5), part("bank", "CLF", "payout", 3, 5, 50, 4)}
	got := ""
	for _, c := range uncertainCells(parts) {
		got += fmt.Sprint(c.Provider, c.Currency, c.Age, ":", c.Effects, "/", c.Amount, "@", int64(c.Oldest), " ")
	}
	if want := "bankCLF3:5/50@4 bankEUR0:2/20@99 bankEUR1:4/40@80 mail3:4/0@5 "; got != want {
		t.Errorf("%s\nwant %s", got, want)
	}
}
