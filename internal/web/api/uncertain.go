package api

import (
	"cmp"
	"context"
	"net/http"
	"slices"
	"strings"

	"countersign/internal/authz"
	"countersign/internal/store"
)

func (a *api) uncertainRoutes() {
	route(a, operation("list-uncertain", http.MethodGet, "/uncertain", "The open uncertainty: effects of which nobody knows whether they "+
		"happened, by provider, currency and age. Currencies are never added up."), a.listUncertain)
}

// Uncertain is the open uncertainty at one provider, in one currency, of one age.
type Uncertain struct {
	Provider string  `json:"provider"`
	Currency *string `json:"currency" doc:"Null where no money is at stake."`
	Age      string  `json:"age" enum:"under_1h,under_6h,under_24h,over_24h"`
	Effects  int     `json:"effects"`
	Amount   *int64  `json:"amount" doc:"Minor units."`
	Oldest   *string `json:"oldest" format:"date-time"`
}

// ages name store.UncertainAges, and what is older.
var ages = [len(store.UncertainAges) + 1]string{"under_1h", "under_6h", "under_24h", "over_24h"}

type uncertainInput struct {
	Account string `query:"account"`
}

func (a *api) listUncertain(ctx context.Context, in *uncertainInput) (*listAnswer[Uncertain], error) {
	accounts, err := accountsWith(actorOf(ctx), in.Account, authz.ReadIntents)
	if err != nil {
		return nil, err
	}
	out := &listAnswer[Uncertain]{List[Uncertain]{Items: []Uncertain{}}}
	err = a.read(ctx, func(tx *store.Tx) error {
		parts, _, err := tx.UncertainParts(accounts, tx.Now())
		cells := uncertainCells(parts)
		for _, cell := range cells {
			out.Body.Items = append(out.Body.Items, Uncertain{Provider: cell.Provider, Currency: text(cell.Currency), Age: ages[cell.Age],
				Effects: cell.Effects, Amount: amountIn(cell.Amount, cell.Currency), Oldest: moment(cell.Oldest)})
		}
		out.Body.Count = len(cells)
		return err
	})
	return out, err
}

// uncertainCells sums parts by provider, currency and age, in this order.
func uncertainCells(parts []store.UncertainPart) (cells []store.UncertainPart) {
	for _, p := range parts {
		at, found := slices.BinarySearchFunc(cells, p, func(a, b store.UncertainPart) int {
			return cmp.Or(strings.Compare(a.Provider, b.Provider), strings.Compare(a.Currency, b.Currency), cmp.Compare(a.Age, b.Age))
		})
		if !found {
			cells = slices.Insert(cells, at, p)
			continue
		}
		c := &cells[at]
		c.Effects, c.Amount, c.Oldest = c.Effects+p.Effects, c.Amount+p.Amount, min(c.Oldest, p.Oldest)
	}
	return cells
}
