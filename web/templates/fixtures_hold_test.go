package templates_test

import (
	"time"

	. "countersign/web/templates"
)

func held() HoldView {
	return HoldView{
		Page: page("Restore hold", "/admin/hold"), Summary: Say("On since 09:14"),
		Facts: []Fact{{Label: "Why", Text: Say("The database is a copy that ", Code("console backup"), " made.")},
			{Label: "As it was at", Text: Say("yesterday"), Sub: Say("what happened after that is not in this database")}},
		Questions: []Condition{{Label: "What may have happened is unknown", Done: true, Text: Say("Every effect.")},
			{Label: "Every older process is ended", Text: Say("An administrator declares it.")}},
		Boots: []BootRow{{ID: "boot-01jdx0000000", Host: hostile, Process: "12", Started: ago(30 * time.Hour), Seen: ago(4 * time.Hour)}},
		Ended: &HoldForm{Path: "/admin/hold/ended", Title: "Declare that they are ended", Button: "They are all ended", Text: Say("Also others."), Reason: ReasonField{Hint: "At least 8 characters."}},
		Lift:  &HoldForm{Path: "/admin/hold/lift", Title: "Lift the hold", Button: "Lift the hold", Text: Say("Two of them."), Stop: Say("Not yet.")},
	}
}

// heldFault is the page after a reason that says too little.
func heldFault() HoldView {
	v := held()
	v.Boots, v.Ended = nil, nil
	v.Lifters = []LifterRow{{Name: hostile, Reason: hostile, At: ago(time.Minute)}}
	v.Lift.Stop, v.Lift.Reason.Value = nil, "ok"
	v.Errors = FieldErrors{{Field: "reason", Message: "The reason is shorter than 8 characters"}}
	return v
}

func neverHeld() HoldView {
	return HoldView{Page: page("Restore hold", "/admin/hold"), Summary: Say("None is on"), Quiet: Say("This database was never restored.")}
}
