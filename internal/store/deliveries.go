package store

import (
	"cmp"
	"slices"
	"strings"

	"countersign/internal/model"
)

// Delivery is how far the telling of one alert by one channel has come.
type Delivery struct {
	AlertID     string     `db:"alert_id"`
	Channel     string     `db:"channel"` // webhook or mail
	Tries       int        `db:"tries"`
	NextAt      model.Time `db:"next_at"` // 0 once it is delivered or given up
	DeliveredAt model.Time `db:"delivered_at"`
	GivenUpAt   model.Time `db:"given_up_at"`
	LastError   string     `db:"last_error"`
}

const deliveryColumns = "alert_id, channel, tries, next_at, delivered_at, given_up_at, last_error"

// DueDelivery is an alert that is to be told now, with what else its text says.
type DueDelivery struct {
	Alert
	Tries      int    `db:"tries"` // before this one
	Owner      string `db:"owner_name"`
	IntentKind string `db:"intent_kind"`
}

const (
	dueDeliveriesQuery = `SELECT a.*, d.tries, COALESCE(i.owner_name, '') AS owner_name, COALESCE(i.kind, '') AS intent_kind
		FROM alert_deliveries d JOIN alerts a ON a.id = d.alert_id LEFT JOIN intents i ON i.id = a.intent_id
		WHERE d.channel = ? AND d.next_at > 0 AND d.next_at <= ? ORDER BY d.next_at, d.alert_id LIMIT ?`
	alertsDueQuery = `SELECT
		COALESCE((SELECT min(remind_at) FROM alerts WHERE remind_at > 0), 0) AS lapsed,
		COALESCE((SELECT min(raised_at) FROM alerts WHERE planned_at = 0), 0) AS unplanned,
		COALESCE((SELECT min(next_at) FROM alert_deliveries WHERE channel = 'webhook' AND next_at > 0), 0) AS webhook,
		COALESCE((SELECT min(next_at) FROM alert_deliveries WHERE channel = 'mail' AND next_at > 0), 0) AS mail`
)

// PlanDeliveries makes the deliveries of up to limit new alerts, one for each
// channel, due at once. An alert that has ended meanwhile gets none. It tells
// how many alerts it has dealt with.
func (t *Tx) PlanDeliveries(channels []string, limit int) (int, error) {
	var fresh []Alert
	if err := t.Select(&fresh, unplannedQuery, limit); err != nil || len(fresh) == 0 {
		return 0, err
	}
	var rows []Delivery
	ids := make([]any, len(fresh))
	for i, a := range fresh {
		ids[i] = a.ID
		for _, channel := range channels {
			if a.EndedAt == 0 {
				rows = append(rows, Delivery{AlertID: a.ID, Channel: channel, NextAt: t.now})
			}
		}
	}
	if err := t.Insert("alert_deliveries", deliveryColumns, rows); err != nil {
		return 0, err
	}
	_, err := t.Exec("UPDATE alerts SET planned_at = ? WHERE id IN ("+marks(len(ids))+")", append([]any{t.now}, ids...)...)
	return len(fresh), err
}

// DueDeliveries are the alerts that a channel is to tell now, the longest due first.
func (t *Tx) DueDeliveries(channel string, limit int) ([]DueDelivery, error) {
	var list []DueDelivery
	err := t.Select(&list, dueDeliveriesQuery, channel, t.now, limit)
	return list, err
}

// AlertsDue reports whether anything about alerts is to be done now: a deadline
// that has passed, a new alert to plan where planning is set, or a delivery.
func (t *Tx) AlertsDue(planning bool) (bool, error) {
	var row struct {
		Lapsed    model.Time `db:"lapsed"`
		Unplanned model.Time `db:"unplanned"`
		Webhook   model.Time `db:"webhook"`
		Mail      model.Time `db:"mail"`
	}
	_, err := t.Get(&row, alertsDueQuery)
	due := func(at model.Time) bool { return at > 0 && at <= t.now }
	return due(row.Lapsed) || planning && (row.Unplanned > 0 || due(row.Webhook) || due(row.Mail)), err
}

// ReserveDeliveries counts a try of each and plans the next one: should this
// process die during the try, it is made again at that time.
func (t *Tx) ReserveDeliveries(channel string, alerts []string, next model.Time) error {
	if len(alerts) == 0 {
		return nil
	}
	_, err := t.Exec("UPDATE alert_deliveries SET tries = tries + 1, next_at = ? WHERE channel = ? AND next_at > 0 AND alert_id IN ("+
		marks(len(alerts))+")", append([]any{next, channel}, anys(alerts)...)...)
	return err
}

// SettleDeliveries records how a try ended: delivered where failure is "", else
// tried again at next, or given up where next is 0.
func (t *Tx) SettleDeliveries(channel string, alerts []string, failure string, next model.Time) error {
	if len(alerts) == 0 {
		return nil
	}
	delivered, givenUp := model.Time(0), model.Time(0)
	switch {
	case failure == "":
		delivered, next = t.now, 0
	case next == 0:
		givenUp = t.now
	}
	_, err := t.Exec(`UPDATE alert_deliveries SET next_at = ?, delivered_at = ?, given_up_at = ?, last_error = ?
		WHERE channel = ? AND next_at > 0 AND alert_id IN (`+marks(len(alerts))+")",
		append([]any{next, delivered, givenUp, failure, channel}, anys(alerts)...)...)
	return err
}

// Deliveries are the deliveries of the alerts, by alert id.
func (t *Tx) Deliveries(alerts []string) (map[string][]Delivery, error) {
	byAlert := map[string][]Delivery{}
	if len(alerts) == 0 {
		return byAlert, nil
	}
	var rows []Delivery
	err := t.Select(&rows, "SELECT * FROM alert_deliveries WHERE alert_id IN ("+marks(len(alerts))+") ORDER BY alert_id, channel", anys(alerts)...)
	for _, d := range rows {
		byAlert[d.AlertID] = append(byAlert[d.AlertID], d)
	}
	return byAlert, err
}

// AlertFilter says which alerts a list holds.
type AlertFilter struct {
	Accounts []string // of the reader; "" among them is the installation
	Standing bool     // those whose cause stands, else all
	Kind     string   // "" is every kind
	Before   model.Time
	BeforeID string // the place after which the list goes on; newest first
	Limit    int
}

// Alerts lists alerts, the newest first: a few of each account, merged.
func (t *Tx) Alerts(f AlertFilter) (list []Alert, err error) {
	if len(f.Accounts) == 0 {
		return nil, nil
	}
	query, args := f.query()
	err = t.Select(&list, query, args...)
	slices.SortFunc(list, func(a, b Alert) int { return cmp.Or(cmp.Compare(b.RaisedAt, a.RaisedAt), cmp.Compare(b.ID, a.ID)) })
	return list[:min(len(list), f.Limit)], err
}

// CountAlerts counts the alerts of a filter, wherever its list goes on.
func (t *Tx) CountAlerts(f AlertFilter) (Counted, error) {
	if len(f.Accounts) == 0 {
		return Counted{}, nil
	}
	f.Before, f.BeforeID, f.Limit = 0, "", MaxCount+1
	query, args := f.query()
	return t.counted("SELECT count(*) FROM (SELECT 1 FROM ("+query+") AS found LIMIT ?) AS part", append(args, MaxCount+1)...)
}

// query reads each account from its index in order, in one statement.
func (f AlertFilter) query() (query string, args []any) {
	parts := make([]string, len(f.Accounts))
	for i, account := range f.Accounts {
		part := "SELECT * FROM alerts WHERE account = ?"
		args = append(args, account)
		if f.Standing {
			part += " AND ended_at = 0"
		}
		if f.Kind != "" {
			part, args = part+" AND kind = ?", append(args, f.Kind)
		}
		if f.Before != 0 {
			part, args = part+" AND (raised_at, id) < (?, ?)", append(args, f.Before, f.BeforeID)
		}
		parts[i], args = "SELECT * FROM ("+part+" ORDER BY raised_at DESC, id DESC LIMIT ?) AS part", append(args, f.Limit)
	}
	return strings.Join(parts, " UNION ALL "), args
}
