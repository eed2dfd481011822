package web

import (
	"countersign/internal/actions"
	"countersign/internal/authz"
	"countersign/internal/model"
	"countersign/web/templates"
)

// manyAsks are the acts of requests about many intents, as their titles begin.
var manyAsks = map[string]string{model.RetryUnfinished: "Try again", model.Reconcile: "Ask about", model.Abandon: "Abandon"}

// requestRows lists requests about one intent and about many in one order.
func (v *visit) requestRows(page actions.RequestPage) (rows []templates.ApprovalRow) {
	for _, r := range page.Items {
		if r.Many != nil {
			rows = append(rows, v.bulkRequestRow(*r.Many, page.Now))
		} else {
			rows = append(rows, v.approvalRow(*r.One, r.One.About))
		}
	}
	return rows
}

// bulkRequestRow is one request about a list of intents.
func (v *visit) bulkRequestRow(b model.Bulk, now model.Time) templates.ApprovalRow {
	title := manyAsks[b.Action] + " " + counted(b.Planned, "intent")
	if b.Action == model.MarkExternalResult {
		title = upper(recordWords(b.Planned))
	}
	row := templates.ApprovalRow{Href: "/bulk/" + b.ID, Title: say(title), Sub: say(templates.Key(b.ID)),
		By: b.ActorName, At: v.at(b.UsedAt), Why: b.Reason, Outcome: templates.Outcome(actions.RequestState(b, now)), Ends: v.at(b.ExpiresAt)}
	for _, s := range b.Sums() {
		row.Sums = append(row.Sums, model.Money{Amount: s.Amount, Currency: s.Currency})
	}
	switch b.Standing(now) {
	case model.BulkOpen:
		row.How = say("one signature for all")
		row.Yours = authz.MayApprove(v.actor, actions.BulkAsked(b)).Allowed
	case model.BulkRunning:
		row.How, row.Ends = say("being carried out"), templates.Time{}
	default:
		row.How = say(b.ClosedBecause)
		if b.ClosedAt != 0 {
			row.Ends = v.at(b.ClosedAt)
		}
	}
	return row
}
