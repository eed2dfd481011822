package api

import (
	"context"
	"net/http"

	"countersign/internal/alert"
	"countersign/internal/authz"
	"countersign/internal/model"
	"countersign/internal/store"
)

func (a *api) alertRoutes() {
	route(a, operation("list-alerts", http.MethodGet, "/alerts", "What people were told of, newest first, with how far the telling has come: of the "+
		"accounts whose log the caller may export, and of the installation where no account is asked for."), a.listAlerts)
}

// Alert is one cause that people are told of, once.
type Alert struct {
	ID           string     `json:"id"`
	Kind         string     `json:"kind" enum:"hold,audit,clock,conflict,orphan,review_overdue,settlement_overdue,review"`
	Event        string     `json:"event" doc:"The kind as the alert webhook names it, such as intent.needs_review."`
	Account      *string    `json:"account" doc:"Null where it is about the installation."`
	Intent       *string    `json:"intent"`
	Step         *string    `json:"step" doc:"Its name."`
	Text         string     `json:"text"`
	Amount       *int64     `json:"amount" doc:"Minor units."`
	Currency     *string    `json:"currency"`
	RaisedAt     *string    `json:"raised_at" format:"date-time"`
	Deadline     *string    `json:"deadline" format:"date-time" doc:"After which it is overdue."`
	EndedAt      *string    `json:"ended_at" format:"date-time" doc:"Null while its cause stands."`
	EndedBecause *string    `json:"ended_because"`
	Deliveries   []Delivery `json:"deliveries" nullable:"false" doc:"One for each way of telling that was set."`
}

// Delivery is how far the telling of an alert has come by one way.
type Delivery struct {
	Channel     string  `json:"channel" enum:"webhook,mail"`
	Tries       int     `json:"tries"`
	NextAt      *string `json:"next_at" format:"date-time" doc:"Of the next try; null once it is delivered or given up."`
	DeliveredAt *string `json:"delivered_at" format:"date-time"`
	GivenUpAt   *string `json:"given_up_at" format:"date-time"`
	LastError   *string `json:"last_error"`
}

func alertOf(a store.Alert, deliveries []store.Delivery) Alert {
	shape := Alert{ID: a.ID, Kind: a.Kind, Event: alert.Kind(a.Kind).EventType(), Account: text(a.Account), Intent: text(a.IntentID), Step: text(a.Step),
		Text: a.Text, Amount: amountIn(a.Amount, a.Currency), Currency: text(a.Currency), RaisedAt: moment(a.RaisedAt), Deadline: moment(a.Deadline),
		EndedAt: moment(a.EndedAt), EndedBecause: text(a.EndedBy), Deliveries: []Delivery{}}
	for _, d := range deliveries {
		shape.Deliveries = append(shape.Deliveries, Delivery{Channel: d.Channel, Tries: d.Tries, NextAt: moment(d.NextAt),
			DeliveredAt: moment(d.DeliveredAt), GivenUpAt: moment(d.GivenUpAt), LastError: text(d.LastError)})
	}
	return shape
}

type listAlertsInput struct {
	State   string `query:"state" enum:"standing,all" default:"standing" doc:"Standing ones, or those that ended too."`
	Kind    string `query:"kind" enum:"hold,audit,clock,conflict,orphan,review_overdue,settlement_overdue,review"`
	Account string `query:"account" maxLength:"100"`
	Cursor  string `query:"cursor" maxLength:"512"`
	Limit   int    `query:"limit" minimum:"1" maximum:"200" default:"50"`
}

func (a *api) listAlerts(ctx context.Context, in *listAlertsInput) (*listAnswer[Alert], error) {
	accounts, err := accountsWith(actorOf(ctx), in.Account, authz.ExportAudit)
	if err != nil {
		return nil, err
	}
	if in.Account == "" {
		accounts = append(accounts, "") // the installation's
	}
	filter := store.AlertFilter{Accounts: accounts, Standing: in.State == "standing", Kind: in.Kind}
	of := cursorsOf("alerts", filter)
	place, err := from(of, in.Cursor)
	if err != nil {
		return nil, err
	}
	out := &listAnswer[Alert]{List[Alert]{}}
	err = a.read(ctx, func(tx *store.Tx) error {
		n, err := tx.CountAlerts(filter)
		if err != nil {
			return err
		}
		out.Body.Count, out.Body.CountCapped = n.N, n.Capped
		if place != nil {
			filter.Before, filter.BeforeID = model.Time(place.Key), place.ID
		}
		filter.Limit = in.Limit + 1
		rows, err := tx.Alerts(filter)
		if err != nil {
			return err
		}
		shown := rows[:min(len(rows), in.Limit)]
		if len(rows) > in.Limit {
			last := shown[len(shown)-1]
			out.Body.NextCursor = next(of, int64(last.RaisedAt), last.ID, true)
		}
		out.Body.Items, err = alertsOf(tx, shown)
		return err
	})
	return out, err
}

// alertsOf shapes alerts with their deliveries.
func alertsOf(tx *store.Tx, rows []store.Alert) ([]Alert, error) {
	ids := make([]string, len(rows))
	for i, row := range rows {
		ids[i] = row.ID
	}
	deliveries, err := tx.Deliveries(ids)
	list := make([]Alert, len(rows))
	for i, row := range rows {
		list[i] = alertOf(row, deliveries[row.ID])
	}
	return list, err
}
