package templates_test

import (
	"time"

	"countersign/internal/model"
	. "countersign/web/templates"
)

// bulk is a list as its own person sees it before confirming.
func bulk() BulkView {
	return BulkView{
		Page: demoPage("Preview: try 3 intents once more", "/bulk/bulk-1"), ID: "bulk-1", Label: "Retry unfinished, many", Title: Say("Preview: try 3 intents once more"),
		Expires: later(9 * time.Minute), Sums: Sums{Heading: "Acted on", Figure: "3 intents", Note: Say("1 intent may have happened already"), Columns: []SumColumn{
			{Money: eur(4820000), Note: Say("2 intents; ", eur(4820000), " may have been paid already")}, {Money: *some(1250000, "JPY"), Note: Say("1 intent")}}},
		Rows: bulkRows(), Shown: "Items 1–3 of 23", Next: "/bulk/bulk-1?from=4", Prev: "/bulk/bulk-1", OutPrev: "/bulk/bulk-1", OutNext: "/bulk/bulk-1?out=51",
		Excluded: []BulkExcluded{{Href: "/intents/" + intentID, Who: arabic, ID: intentID, Because: Say("Reconcile first."), Rule: "send.reconcile-first"},
			{ID: "intent-nobody", Because: Say("There is no such intent, or it is not yours to see."), Rule: "not-found"}},
		Moved:     &Note{Kind: "mind", Title: Say("1 intent has moved since it was planned."), Text: []Text{Say("It will not be done.")}},
		Alike:     &Note{Kind: "mind", Title: Say("Some intents of this list look alike."), Text: []Text{Say(Link("/intents/x", "item 1"), " and ", Link("/intents/y", "item 3"), " have the same payee, amount and period.")}},
		Untouched: Say("Every other intent."), Approvers: Say("Nobody else."), Code: "3F22 FD28", Digest: digest, Post: "/bulk/bulk-1", Leave: Button{Href: "/", Label: "Leave, nothing is done"},
		Confirm: "Try 3 intents once more, 48,200.00 EUR", Warning: &Note{Kind: "mind", Title: Say("Some of these may have happened already.")},
		Reason: ReasonField{Hint: "At least 8 characters."}, TypedCode: true, Errors: FieldErrors{{Field: "plan_code", Message: "This is not the code of this list"}},
		Anew: &Anew{Of: "bulk-1", Label: "Make a fresh list", Title: "The same intents anew", Text: Say("What has moved is planned anew."), Effects: []Acknowledge{
			{StepKey: intentID + ":create-payout", State: "outcome_unknown", Money: some(1980, "USD"), Text: Say(" may have happened")}}},
	}
}

func bulkRows() []BulkRow {
	row := func(at int, who string, money *model.Money, result Outcome) BulkRow {
		return BulkRow{Position: at, Href: "/intents/" + intentID, Who: who, What: "Payout 2026-10", ID: intentID, Money: money, Act: Say("send create-payout once more: ", Code("POST")),
			Line: Say("sent once under this key"), Rule: "retry.same-key", Plan: []Fact{{Label: "Step key", Text: Say(Key(intentID + ":create-payout"))}}, Body: `{"amount":4820000}`,
			Result: result, Said: Say("It moved."), Record: Say("attempt 2 · ", Link("/audit/1", "audit entry"))}
	}
	rows := []BulkRow{row(1, greek, some(4820000, "EUR"), "executed"), row(2, hostile, nil, "stale"), row(3, "山本 健太", some(1250000, "JPY"), "waiting")}
	rows[0].State, rows[0].Of, rows[0].Said = "outcome_unknown", "create-payout", Say("Tried once more: unknown. Connection reset. The outcome is still unknown.")
	rows[1].Moved, rows[1].Alike = true, Say(Link("/intents/x", "1 other"), " has the same payee, amount and period")
	return rows
}

// bulkAsked is the same list as another person signs it.
func bulkAsked() BulkView {
	v := bulk()
	v.Confirm, v.Anew, v.Errors, v.Outcome, v.Why = "", nil, nil, "open", hostile
	v.Meta = []Text{Say("Confirmed by ", Name(arabic))}
	v.People = []Fact{{Label: "Asked by", Text: Say(Name(arabic))}}
	v.Decisions = []DecisionRow{{By: greek, Says: "rejected", At: ago(time.Hour), Reason: hostile}}
	v.Approve, v.Reject, v.Withdraw, v.Decider = "Approve: try 3 intents once more", "Reject the whole list", "Withdraw the request", "Your decision, "+greek
	return v
}

// bulkRunning is the same list while its items are carried out.
func bulkRunning() BulkView {
	v := bulk()
	v.Confirm, v.Anew, v.Errors, v.Moved, v.Warning, v.Expires = "", nil, nil, nil, nil, Time{}
	v.Results, v.NotYou = true, &Note{Kind: "no", Title: Say("You cannot approve this.")}
	v.Progress = &BulkProgress{Done: 2, All: 3, Text: Say("2 of 3 reached"), Counts: []Line{{Text: Say("1 still unknown")}, {Text: Say("1 not done: moved since")}}, GoOn: true}
	return v
}

// selection is what was ticked over two pages.
func selection() SelectionView {
	v := SelectionView{Page: demoPage("What is selected", "/selections/selection-1"), ID: "selection-1", List: "/?kind=payout&selection=selection-1", Here: "/selections/selection-1?from=51",
		Selected: "53 intents, ticked on 2 pages", Gone: 1, Several: true, Shown: "Intents 51–53 of 53", Prev: "/selections/selection-1", Next: "/selections/selection-1?from=101",
		Sums: Sums{Heading: "Selected", Figure: "53 intents", Calm: true, Note: Say("nothing is done to them yet; 1 without money"), Columns: []SumColumn{
			{Money: eur(4820000), Note: Say("51 intents")}, {Money: *some(1250000, "JPY"), Note: Say("1 intent")}}},
		Actions: []Choice{{Value: "reconcile", Label: "Reconcile"}, {Value: "abandon", Label: "Abandon"}}}
	for _, r := range queueRows() {
		v.Rows = append(v.Rows, SelectedRow{Href: r.Href, Who: r.Who, What: r.What, ID: r.ID, Account: "acme", Money: r.Money, State: r.State, Stuck: "create-payout", Since: r.Since})
	}
	return v
}
