package api

import (
	"context"
	"net/http"
	"time"

	"countersign/internal/authz"
	"countersign/internal/model"
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

// ages are the classes of age, and how old the first three become.
var (
	ages   = [4]string{"under_1h", "under_6h", "under_24h", "over_24h"}
	limits = [3]time.Duration{time.Hour, 6 * time.Hour, 24 * time.Hour}
)

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
		var since [3]model.Time
		for i, limit := range limits {
			since[i] = tx.Now().Add(-limit)
		}
		cells, err := tx.UncertaintyTable(accounts, since)
		for _, cell := range cells {
			out.Body.Items = append(out.Body.Items, Uncertain{Provider: cell.Provider, Currency: text(cell.Currency), Age: ages[cell.Age],
				Effects: cell.Effects, Amount: amountIn(cell.Amount, cell.Currency), Oldest: moment(cell.Oldest)})
		}
		out.Body.Count = len(cells)
		return err
	})
	return out, err
}
