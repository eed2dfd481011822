package templates_test

import (
	"fmt"
	"time"

	"countersign/internal/model"
	. "countersign/web/templates"
)

func filter() QueueFilter {
	return QueueFilter{
		Query: "", Sort: "uncertain",
		Zone: "Europe/Paris", Wide: true, Dues: []Choice{{Value: "past", Label: "Past"}}, Providers: []Choice{{Value: "bank", Label: "bank"}},
		Kinds:      []Choice{{Value: "payout", Label: "Payout"}, {Value: "statement", Label: "Statement"}, {Value: "dispute", Label: "Dispute"}},
		States:     []Choice{{Value: "needs_review", Label: "Needs review", Current: true}, {Value: "outcome_unknown", Label: "Outcome unknown"}},
		Accounts:   []Choice{{Value: "acme", Label: "acme"}},
		Currencies: []Choice{{Value: "EUR", Label: "EUR"}, {Value: "JPY", Label: "JPY"}},
		Owners:     []Choice{{Value: "me", Label: "Me"}, {Value: "none", Label: "Nobody"}},
		Active:     true,
	}
}

func queue() QueueView {
	return QueueView{
		Page: demoPage("Queue", "/"), Heading: "Queue",
		Summary: Say("14 intents of acme need an operator, 2 are yours"),
		Sums: Sums{
			Heading: "Uncertain now", Href: "/uncertain", Figure: "7 effects",
			Note: Say("oldest 2 d 15 h, since ", ago(63*time.Hour)),
			Columns: []SumColumn{
				{Money: eur(5240000), Note: Say("2 effects · oldest 2 d 15 h")},
				{Money: *some(1185540, "USD"), Note: Say("2 effects · oldest 1 d 11 h")},
				{Money: *some(3100500, "KWD"), Note: Say("1 effect · 17 h 36 min")},
				{Money: *some(1250000, "JPY"), Note: Say("1 effect · 3 h 12 min")},
				{Money: *some(1234567891, "CLF"), Note: Say("1 effect · 2 h")},
			},
		},
		Filter: filter(), Matched: "14 match, rows 1–10",
		Orders: []Choice{{Label: "oldest uncertainty", Current: true}, {Href: "/?sort=amount", Label: "amount"}, {Href: "/?sort=new", Label: "newest"}},
		Views:  []Choice{{Href: "/?owner=me", Label: "Mine"}, {Href: "/?owner=none", Label: "Unowned"}},
		Saved:  []Choice{{Href: "/views/view-1", Label: hostile, Current: true}}, Back: "/?kind=payout", Waiting: Say("12 more wait for ", Link("/approvals", "approvers")),
		Needs: &Needs{Title: "What needs you", Lines: []Line{{State: "needs_review", Text: Say(Link("/?owner=me", "2 that you took are past their deadline"))}}},
		Save:  &SaveView{Back: "/views", Query: "kind=payout", Accounts: []Choice{{Value: "acme", Label: "acme"}, {Value: "globex", Label: "globex"}}, Errors: FieldErrors{{Field: "name", Message: "The name is empty"}}},
		Rows:  queueRows(), Selecting: &Selecting{ID: "selection-1", Here: "/", Selected: "12 selected on 2 pages", Actions: []Choice{{Value: "reconcile", Label: "Reconcile"}}}, Prev: "/?cursor=a", Next: "/?cursor=b",
	}
}

func queueRows() []QueueRow {
	row := func(who, what string, money *model.Money, state State, stuck string, since time.Duration, owner string) QueueRow {
		return QueueRow{
			Href: "/intents/" + intentID, Who: who, What: what, ID: intentID, Money: money, State: state,
			Stuck: Say(stuck), Since: ago(since), Proposed: Say("Send again, same key"),
			Why: Say("safe until ", Clocktime(later(4*time.Hour)), ", ", Left(later(4*time.Hour))), Owner: owner,
		}
	}
	rows := []QueueRow{
		row("Marguerite Delacroix", "Dispute dp_31", some(420000, "EUR"), "outcome_unknown", "submit-response · needs review", 63*time.Hour, "Tomáš Dvořák"),
		row("Дмитро Коваленко", "Payout", some(987540, "USD"), "outcome_unknown", "create-payout · needs review", 35*time.Hour, ""),
		row(arabic, "Payout", some(3100500, "KWD"), "outcome_unknown", "create-payout · needs review", 18*time.Hour, "Priya Raman"),
		row("山本 健太", "Payout", some(1250000, "JPY"), "outcome_unknown", "create-payout · needs review", 3*time.Hour, ""),
		row(greek, "Payout", some(4820000, "EUR"), "outcome_unknown", "create-payout · needs review", 104*time.Minute, ""),
		row(forty, "Payout", some(12345678, "CLF"), "settling", "create-payout · processing", 10*time.Minute, forty),
		row("김민서", "Payout", some(1530000, "USD"), "failed_safely", "create-payout · needs review", 22*time.Hour, ""),
		row("Őrsi Zsófia", "Payout", some(-264000, "EUR"), "needs_review", "create-payout · returned by the bank", 80*time.Minute, ""),
		row(hostile, hostile, some(9007199254740991, "JPY"), "awaiting_approval", hostile, 80*time.Minute, hostile),
	}
	for i := range rows {
		rows[i].ID = fmt.Sprintf("%s%d", intentID[:len(intentID)-2], i+10)
	}
	rows[1].Alike, rows[1].Noted = Say(Link("/intents/x", "1 other"), " has the same payee"), Say(Name(arabic), ": ", Name(hostile))
	rows[1].Take, rows[4].Stake = true, Say("uncertain")
	rows[2].Mine, rows[2].Until = true, Say("until ", Clocktime(later(time.Hour)))
	return append(rows, QueueRow{
		Href: "/intents/" + intentID, Who: "Nguyễn Thị Hạnh", What: "Statement 2026-10", ID: intentID, State: "completed",
	})
}

func emptyQueue() QueueView {
	v := queue()
	v.Rows, v.Sums = nil, Sums{Heading: "Uncertain now", Href: "/uncertain", Figure: "Nothing", Note: Say("read a moment ago"), Calm: true,
		Columns: []SumColumn{{Money: eur(0), Note: Say("no effect")}, {Money: *some(0, "JPY"), Note: Say("no effect")}}}
	v.Empty = &EmptyView{
		Title: "No intent of acme needs an operator", Text: Say("No filter is set and nothing is hidden from your role."),
		Facts: []Fact{{Label: "Waiting for approvers", Text: Say(Link("/approvals", "1 request"), ", expires ", later(20*time.Hour))}},
	}
	return v
}

// openedView is the queue under a saved view that its maker may change.
func openedView() QueueView {
	v := queue()
	v.Heading, v.Save, v.Needs = hostile, nil, nil
	v.Open = &SavedView{Of: Say("View of ", Name(arabic), ", acme"), Filter: "/?kind=payout", Change: &SaveView{Back: "/views/view-1", Name: hostile, Shared: true}}
	return v
}

func faultyQueue() QueueView {
	v := queue()
	v.Filter.Errors = FieldErrors{{Field: "min", Message: "The amount is no decimal number"}, {Field: "before", Message: "The date does not exist"}}
	v.Filter.Query = hostile
	return v
}

func uncertainPage() UncertainPageView {
	return UncertainPageView{
		Page: page("Uncertain", "/uncertain"), Heading: "Uncertain, all accounts", Sums: queue().Sums,
		Since: Say("Since yesterday 2 became confirmed, 5 came. Nothing leaves this list by age."),
		Ages:  []string{"Under 1 h", "1 to 6 h", "6 to 24 h", "Over a day"},
		Rows: []UncertainRow{
			{
				Href: "/?currency=EUR", Provider: "bank", Currency: "EUR", Oldest: ago(104 * time.Minute),
				Cells: []UncertainCell{{}, {Count: 1, Money: some(4820000, "EUR")}, {}, {}}, Together: UncertainCell{Count: 1, Money: some(4820000, "EUR")},
			},
			{
				Href: "/", Provider: "bank", Oldest: ago(6 * time.Hour),
				Cells: []UncertainCell{{}, {}, {Count: 2, Noun: "message"}, {}}, Together: UncertainCell{Count: 2, Noun: "message"},
			},
		},
		Disputed: Say("Of these sums ", eur(420000), " is the disputed amount of 1 response."), File: "/uncertain/file?format=csv",
		Charts: []AgeChart{{Title: "Euro", Total: "52,400.00 EUR", Label: "Euro by age", Bars: []AgeBar{{Age: "Under 1 h"}, {Age: "1 to 6 h", Text: "48,200.00", Part: 1000}, {Age: "6 to 24 h", Text: "4,200.00", Part: 87}}}},
		Kinds:  []UncertainKind{{Href: "/?kind=payout", Kind: "Payout", Currency: "EUR", Together: UncertainCell{Count: 1, Money: some(4820000, "EUR")}}, {Href: "/?kind=statement", Kind: "Statement", Together: UncertainCell{Count: 2}}},
		Effects: []EffectRow{{Href: "/intents/" + intentID, Who: hostile, What: "Payout · create-payout", ID: intentID, Provider: "bank", Money: some(12345678, "CLF"), Since: ago(time.Hour), Proposed: Say("Reconcile"), Owner: arabic},
			{Href: "/intents/" + intentID, Who: arabic, What: "Statement · send-statement", ID: intentID, Provider: "bank", Since: ago(time.Hour)}},
		More:     &More{Before: Say("The longest uncertain."), Href: "/?state=outcome_unknown", Label: "All of them"},
		Settling: []SettlingRow{{Provider: "bank", Count: 7, Money: some(1844210, "EUR"), FirstDue: later(26 * time.Hour)}},
		Crowded:  Say("More than 10,000 effects of one account settle; the sums are of those that must settle first."),
		Plain:    "Uncertain as of 2026-11-30 09:42:18 +00:00: 7 effects\nEUR 52,400.00 (2)  USD 11,855.40 (2)",
	}
}
