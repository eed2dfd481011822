package templates_test

import (
	"time"

	. "countersign/web/templates"
)

func alerts() AlertsView {
	row := func(kind Sign, text string) AlertRow {
		return AlertRow{ID: "alert-01jd", Kind: kind, Href: "/intents/" + intentID, Intent: intentID, Account: "acme", Why: Say(text), Step: "create-payout",
			Money: some(125050, "USD"), Raised: ago(26 * time.Hour), Deadline: later(2 * time.Hour), Deliveries: []DeliveryLine{
				{Sign: "delivered", Text: Say("webhook, 1 try"), Sub: Say(ago(26 * time.Hour))},
				{Sign: "retrying", Text: Say("mail: failed, 3 tries; again ", Ago(later(time.Minute))), Sub: Say(hostile)}}}
	}
	ended := row("conflict", "The provider shows two objects for one key.")
	ended.Ended, ended.EndedBy, ended.Money, ended.Deliveries = ago(time.Hour), "The intent is completed now.", nil, []DeliveryLine{{Sign: "given_up", Text: Say("mail: ", Bold("given up"), " after 31 tries"), Sub: Say("connection refused")}}
	installation := AlertRow{ID: "alert-01je", Kind: "audit", Intent: "no intent", Why: Say("3 audit entries wait for their number."), Raised: ago(time.Minute)}
	return AlertsView{Page: page("Alerts", "/admin/alerts"), Matched: "5 alerts, and older ones", Told: Say("Told by webhook and mail, once for each cause."),
		Scopes: []Choice{{Href: "/admin/alerts", Label: "standing", Current: true}, {Href: "/admin/alerts?show=all", Label: "all, ended ones too"}},
		Kinds:  []Choice{{Href: "/admin/alerts", Label: "any", Current: true}, {Href: "/admin/alerts?kind=review", Label: "needs review"}},
		Rows:   []AlertRow{row("review", "Refused until a person cures the cause: insufficient funds"), row("review_overdue", hostile), row("settlement_overdue", "The provider took it."), ended, installation},
		Prev:   "/admin/alerts", Next: "/admin/alerts?cursor=x"}
}

func noAlerts() AlertsView {
	v := alerts()
	v.Rows, v.Prev, v.Next, v.Matched = nil, "", "", "0 alerts"
	v.Empty = &EmptyView{Title: "Nothing stands", Text: Say("No intent of your accounts waits for a decision.")}
	return v
}
