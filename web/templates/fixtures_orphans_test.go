package templates_test

import (
	"time"

	. "countersign/web/templates"
)

func orphans() OrphansView {
	row := func(title, status string, found time.Duration) OrphanRow {
		return OrphanRow{Href: "/orphans/orphan-01jd", Title: title, Provider: "bank", Operation: "payout.create", Object: "po_01jd8x2m", Reference: intentID + ":create-payout",
			Money: some(95050, "USD"), Status: status, Made: ago(found + time.Hour), Found: ago(found), How: "by the sweep", MayBe: Say("This database has no such intent.")}
	}
	settled := row("Step without its object", "", 50*time.Hour)
	settled.Settled, settled.Settler, settled.Reference, settled.Money, settled.Made = ago(time.Hour), arabic, "", nil, Time{}
	strange := row("Object without an intent", hostile, time.Hour)
	strange.Object, strange.Reference = hostile, hostile
	return OrphansView{Page: page("Orphans", "/orphans"), Say: Say("What stands on one side only."), Matched: "3 orphans",
		States: []Choice{{Href: "/orphans", Label: "open", Current: true}, {Href: "/orphans?state=settled", Label: "settled"}},
		Kinds:  []Choice{{Href: "/orphans", Label: "any", Current: true}, {Href: "/orphans?kind=missing_object", Label: "step without its object"}},
		Rows:   []OrphanRow{row("Object without an intent", "paid", 26*time.Hour), strange, settled}, Hidden: Say("2 more at providers that serve other accounts too."),
		Prev: "/orphans", Next: "/orphans?cursor=b"}
}

func noOrphans() OrphansView {
	v := orphans()
	v.Rows, v.Matched, v.Prev, v.Next, v.Hidden = nil, "0 orphans", "", "", nil
	v.Empty = &EmptyView{Title: "Nothing stands alone", Text: Say("Every object belongs to an intent.")}
	return v
}

func orphan() OrphanView {
	return OrphanView{Page: page("Object without an intent", "/orphans/orphan-01jd"), ID: "orphan-01jd", Title: "Object without an intent", Open: true, May: true,
		Facts: []Fact{{Label: "Provider", Text: Say("bank, payout.create")}, {Label: "Object", Text: Say(Key("po_01jd8x2m"))}, {Label: "Amount", Text: Say(*some(95050, "USD"))}},
		MayBe: []Text{Say("Its reference is no step key of this product.")}, Do: []Text{Say("Look it up at the provider."), Say("Then settle it.")},
		Reason: ReasonField{Value: "short", Hint: "At least 8 characters."}, Intent: hostile,
		Errors: FieldErrors{{Field: "reason", Message: "The reason is shorter than 8 characters"}, {Field: "intent", Message: "The intent is no intent of your accounts"}},
		StepUp: &Note{Kind: "mind", Title: Say("Confirm that it is you."), Text: []Text{Say("Nothing was settled.")}}}
}

func settledOrphan() OrphanView {
	v := orphan()
	v.Open, v.May, v.Errors, v.StepUp = false, false, nil, nil
	v.Settled = &Note{Kind: "ok", Title: Say("Settled by ", Name(arabic)), Text: []Text{Say("“", Name(hostile), "”")}}
	v.NotYou = &Note{Kind: "q", Title: Say("You may read this and not settle it."), Text: []Text{Say("Only operators and administrators of acme may settle an orphan.")}}
	return v
}
