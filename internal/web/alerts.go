package web

import (
	"net/http"
	"net/url"
	"slices"

	"countersign/internal/alert"
	"countersign/internal/authz"
	"countersign/internal/model"
	"countersign/internal/store"
	"countersign/web/templates"
)

const alertsPerPage = 25

// alertQuery is the address of a list of alerts.
type alertQuery struct {
	all    bool
	kind   string
	cursor string
}

func (q alertQuery) address(changes ...string) string {
	values := url.Values{}
	if q.all {
		values.Set("show", "all")
	}
	if q.kind != "" {
		values.Set("kind", q.kind)
	}
	for i := 0; i+1 < len(changes); i += 2 {
		values.Set(changes[i], changes[i+1])
	}
	if len(values) == 0 {
		return "/admin/alerts"
	}
	return "/admin/alerts?" + values.Encode()
}

func (v *visit) alertQuery() alertQuery {
	values := v.r.URL.Query()
	q := alertQuery{all: values.Get("show") == "all", cursor: values.Get("cursor")}
	if kind := alert.Kind(values.Get("kind")); slices.Contains(alert.Kinds, kind) {
		q.kind = string(kind)
	}
	return q
}

// alertsData is what the page of alerts reads.
type alertsData struct {
	alerts     []store.Alert
	more       bool
	deliveries map[string][]store.Delivery
}

func (d *alertsData) read(tx *store.Tx, f store.AlertFilter) (err error) {
	f.Limit = alertsPerPage + 1
	if d.alerts, err = tx.Alerts(f); err != nil {
		return err
	}
	if d.more = len(d.alerts) > alertsPerPage; d.more {
		d.alerts = d.alerts[:alertsPerPage]
	}
	ids := make([]string, len(d.alerts))
	for i, a := range d.alerts {
		ids[i] = a.ID
	}
	d.deliveries, err = tx.Deliveries(ids)
	return err
}

// alerts lists what people were told of, in the accounts whose log the viewer
// may take away, and what is wrong with the installation.
func (v *visit) alerts() error {
	accounts := v.permitted(authz.ExportAudit)
	if len(accounts) == 0 {
		return model.Errorf(model.Denied, "denied", "This page lists what the alert channels were told, for auditors and administrators. What needs you stands in the queue.")
	}
	q := v.alertQuery()
	f := store.AlertFilter{Accounts: append(accounts, ""), Standing: !q.all, Kind: q.kind}
	if q.cursor != "" {
		p, err := decodeCursor(v.DB.Installation, q.address(), q.cursor)
		if err != nil {
			return err
		}
		f.Before, f.BeforeID = model.Time(p.Key), p.ID
	}
	var d alertsData
	if err := v.read(func(tx *store.Tx) error { return d.read(tx, f) }); err != nil {
		return err
	}
	return v.show(http.StatusOK, templates.Alerts(v.alertsView(q, d)))
}

func (v *visit) alertsView(q alertQuery, d alertsData) templates.AlertsView {
	view := templates.AlertsView{Page: v.titled("Alerts"), Told: v.toldBy(), Matched: shownAlerts(d), Scopes: []templates.Choice{
		{Href: alertQuery{kind: q.kind}.address(), Label: "standing", Current: !q.all},
		{Href: alertQuery{kind: q.kind, all: true}.address(), Label: "all, ended ones too", Current: q.all}}}
	view.Kinds = append(view.Kinds, templates.Choice{Href: alertQuery{all: q.all}.address(), Label: "any", Current: q.kind == ""})
	for _, kind := range alert.Kinds {
		view.Kinds = append(view.Kinds, templates.Choice{Href: alertQuery{all: q.all, kind: string(kind)}.address(), Label: kind.Title(), Current: q.kind == string(kind)})
	}
	for _, a := range d.alerts {
		view.Rows = append(view.Rows, v.alertRow(a, d.deliveries[a.ID]))
	}
	if len(view.Rows) == 0 {
		view.Empty = emptyAlerts(q)
	}
	if q.cursor != "" {
		view.Prev = q.address()
	}
	if d.more {
		last := d.alerts[len(d.alerts)-1]
		view.Next = q.address("cursor", encodeCursor(v.DB.Installation, q.address(), store.Position{Key: int64(last.RaisedAt), ID: last.ID}))
	}
	return view
}

func shownAlerts(d alertsData) string {
	text := counted(len(d.alerts), "alert")
	if d.more {
		text += ", and older ones"
	}
	return text
}

func emptyAlerts(q alertQuery) *templates.EmptyView {
	if q.all || q.kind != "" {
		return &templates.EmptyView{Title: "No alert matches", Text: say(templates.Link("/admin/alerts", "Show what stands"))}
	}
	return &templates.EmptyView{Title: "Nothing stands", Text: say("No intent of your accounts waits for a decision, and nothing is wrong with the installation. ",
		templates.Link("/admin/alerts?show=all", "Show past alerts"))}
}

// toldBy says which ways of telling are set.
func (v *visit) toldBy() templates.Text {
	if len(v.AlertChannels) == 0 {
		return say("Nobody is told: set ", templates.Code("--alert-webhook"), " or ", templates.Code("--alert-mail"), ". Until then alerts stand only here.")
	}
	text := say("Told by ")
	for i, name := range v.AlertChannels {
		if i > 0 {
			text = append(text, say(" and ")...)
		}
		text = append(text, say(name)...)
	}
	return append(text, say(", once for each cause.")...)
}

// alertRow is one alert with its deliveries.
func (v *visit) alertRow(a store.Alert, deliveries []store.Delivery) templates.AlertRow {
	r := templates.AlertRow{ID: a.ID, Kind: templates.Sign(a.Kind), Intent: "no intent", Account: a.Account, Why: say(a.Text), Step: a.Step,
		Raised: v.at(a.RaisedAt), Deadline: v.at(a.Deadline), Ended: v.at(a.EndedAt), EndedBy: a.EndedBy}
	if a.IntentID != "" {
		r.Href, r.Intent = "/intents/"+a.IntentID, a.IntentID
	}
	if a.Currency != "" {
		r.Money = &model.Money{Amount: a.Amount, Currency: a.Currency}
	}
	for _, d := range deliveries {
		r.Deliveries = append(r.Deliveries, v.deliveryLine(d))
	}
	return r
}

// deliveryLine says how far a delivery has come, in a shape and words.
func (v *visit) deliveryLine(d store.Delivery) templates.DeliveryLine {
	tries := counted(d.Tries, "try")
	switch {
	case d.DeliveredAt != 0:
		return templates.DeliveryLine{Sign: "delivered", Text: say(d.Channel+", ", tries), Sub: say(v.at(d.DeliveredAt))}
	case d.GivenUpAt != 0:
		return templates.DeliveryLine{Sign: "given_up", Text: say(d.Channel+": ", templates.Bold("given up"), " after ", tries), Sub: say(d.LastError)}
	case d.Tries == 0:
		return templates.DeliveryLine{Sign: "waiting", Text: say(d.Channel, ": about to be sent")}
	case d.LastError == "":
		return templates.DeliveryLine{Sign: "sending", Text: say(d.Channel, ": being sent, ", tries)}
	}
	return templates.DeliveryLine{Sign: "retrying", Text: say(d.Channel+": failed, ", tries, "; again ", templates.Ago(v.at(d.NextAt))), Sub: say(d.LastError)}
}

// alarms are the standing alerts of an intent as facts.
func (v *visit) alarms(list []store.Alert) (facts []templates.Fact) {
	for _, a := range list {
		facts = append(facts, templates.Fact{Label: "Alarmed", Text: say(v.at(a.RaisedAt), ": ", alert.Kind(a.Kind).Title())})
	}
	return facts
}
