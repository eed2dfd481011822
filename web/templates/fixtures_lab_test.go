package templates_test

import (
	"time"

	"countersign/internal/model"
	. "countersign/web/templates"
)

func guide() GuideView {
	return GuideView{
		Page: demoPage("Guide", "/guide"), Intro: []Text{Say("Every story below was made by the real engine against the sandbox provider.")}, Lab: true,
		Walks: []WalkView{{Title: "An operator with a rep on the phone", As: hostile, Steps: []Text{Say("Search. ", Link("/?q=a", "Search"), "."), Say("Open it.")}}},
		Groups: []StoryGroup{{Title: "Not known", Text: "Nobody can say yet.", Stories: []StoryRow{
			{Title: "The connection is cut after acceptance", Href: "/intents/" + intentID, Text: Say("The payout was accepted, and the answer never arrived."), State: "needs_review", Try: Say("reconcile"), As: greek, Again: "/lab?fault=429"},
			{Href: "/intents/" + intentID, Title: "A query finds another amount", Text: Say("A conflict."), Try: Say("mark")},
		}}, {Title: "Waiting", Text: "For a person.", Stories: []StoryRow{{Title: longWord, Href: "/intents/" + intentID, Text: Say(Name(hostile)), Try: Say("look"), State: "awaiting_approval"}}}},
		Hidden: Say("Stories of the account ", Code("globex"), " are shown to its people only."),
		People: []SamplePerson{{Name: arabic, Email: "mohammed@example.com", Role: "operator", Account: "globex", May: "act on what is stuck"}, {Name: hostile, Email: "x@example.com", Role: "auditor", Account: "acme", May: "read"}},
	}
}

func guideEmpty() GuideView { return GuideView{Page: demoPage("Guide", "/guide")} }

func faultLab() LabView {
	return LabView{
		Page: demoPage("Fault lab", "/lab"), Errors: FieldErrors{{Field: "fault", Message: "Choose a fault"}, {Field: "effect", Message: "Choose which call"}, {Field: "times", Message: "Give a whole number"}, {Field: "seconds", Message: "Give seconds"}, {Field: "amount", Message: "Give a decimal"}, {Field: "payee", Message: "Payee is missing"}, {Field: "reference", Message: "Reference is no word"}},
		Done: &Note{Kind: "mind", Title: Say("Nothing was posted.")},
		Form: &LabForm{Once: "q1w2e3r4t5z6u7i8", Times: "1", Seconds: "2.5", Blind: true, Amount: "12.500", Payee: hostile, Reference: "lab-1",
			Effects: []Choice{{Value: "payout", Label: "The payout", Current: true}, {Value: "message", Label: "The advice"}}, Currencies: []Choice{{Value: "KWD", Label: "KWD", Current: true}}, Accounts: []Choice{{Value: "acme", Label: "acme"}, {Value: "globex", Label: "globex"}},
			Groups: []LabGroup{{Title: "The answer does not come back", Faults: []LabFault{{Name: "drop_after_accept", Title: "Cut after acceptance", Breaks: "The provider acts.", See: "Unknown.", Safe: "It has a key.", For: "For a payout only.", Lasts: "Lasts 2 s.", Chosen: true}, {Name: "429", Title: "Too many requests"}}}}},
		Recent: []LabIntent{{Href: "/intents/" + intentID, Kind: "payout", Payee: hostile, Money: model.Money{Amount: 12_500, Currency: "KWD"}, State: "needs_review", Reason: "Unknown, and the engine's tries are spent.", Made: ago(time.Minute), By: "priya@example.com"},
			{Href: "/intents/" + intentID, Kind: "dispute", Money: model.Money{Amount: 100, Currency: "JPY"}, State: "completed", Made: ago(time.Hour), By: "priya@example.com"}},
		Armed: []LabArmed{{ID: "7", Title: "Cut after acceptance", StepKey: stepKey, Intent: intentID, Href: "/intents/" + intentID, Bites: "0", Times: "1", May: true, All: "2"},
			{ID: "9", Title: "Look-ups fail", Beside: "By “Look-ups fail too”.", StepKey: stepKey, Intent: intentID, Href: "/intents/" + intentID, Bites: "0", Times: "1", May: true}, {ID: "8", Title: "Takes no connections", Bites: "1", Times: "1", Spent: true}},
	}
}

func faultLabRefused() LabView {
	return LabView{Page: demoPage("Fault lab", "/lab"), MayNot: &Note{Kind: "no", Title: Say("You may not post an intent from here."), Text: []Text{Say("Operators may.")}}, ArmedNote: Say("The provider takes no connection at this moment.")}
}
