package web

import (
	"errors"
	"fmt"
	"net/http"

	"countersign/internal/actions"
	"countersign/internal/authz"
	"countersign/internal/model"
	"countersign/internal/store"
	"countersign/web/templates"
)

// holdPath is the page of the restore hold.
const holdPath = "/admin/hold"

// holdBanner says on every page that nothing is sent, and why.
func (v *visit) holdBanner() {
	h := v.hold
	if !h.On() {
		return
	}
	v.page.Banners = append(v.page.Banners, templates.Banner{Kind: "hold", Text: say("Restore hold: this database was restored, as it was at ",
		v.at(h.RestoredFrom), ". No payment and no message is sent until two administrators lift the hold. ", templates.Link(holdPath, "What remains to be done"))})
}

// holdPage shows the newest hold to whoever is signed in; only administrators
// get the forms.
func (v *visit) holdPage() error { return v.showHold(http.StatusOK, nil) }

// showHold shows the page; change, where given, adds what came of a form.
func (v *visit) showHold(status int, change func(*templates.HoldView)) error {
	var s actions.HoldState
	err := v.read(func(tx *store.Tx) (err error) { s, err = actions.ReadHold(tx); return err })
	if err != nil {
		return err
	}
	view := templates.HoldView{Page: v.titled("Restore hold")}
	view.Page.Refresh = holdPath
	v.describeHold(s, &view)
	if change != nil {
		change(&view)
	}
	return v.show(status, templates.Hold(view))
}

func (v *visit) describeHold(s actions.HoldState, view *templates.HoldView) {
	h := s.Hold
	if h == nil {
		view.Summary = say("None is on")
		view.Quiet = say("This database was never restored from a backup. If it ever is, nothing is sent until two administrators have looked here.")
		return
	}
	view.Summary = say("On since ", v.at(h.Since))
	if !h.On() {
		view.Summary = say(upper(h.LiftedBecause), ", ", v.at(h.LiftedAt))
	}
	view.Facts = v.holdFacts(s)
	view.Questions = v.holdConditions(s)
	for _, l := range s.Lifters {
		view.Lifters = append(view.Lifters, templates.LifterRow{Name: l.Name, Reason: l.Reason, At: v.at(l.At)})
	}
	if h.On() {
		v.holdForms(s, view)
	}
}

// holdFacts say what happened and what is held.
func (v *visit) holdFacts(s actions.HoldState) []templates.Fact {
	h := s.Hold
	why := map[model.HoldCause]templates.Text{
		model.HoldCopy:    say("The database is a copy that ", templates.Code("console backup"), " made."),
		model.HoldOlder:   say("The database is older than the checkpoint of its audit log that is kept outside it."),
		model.HoldDiffers: say("The audit log is another than the checkpoint that is kept outside the database says."),
	}[h.Cause]
	lost := say("Not known: nothing outside the database tells how far its log had come. It has ", grouped(h.KeptSize), " entries.")
	switch {
	case h.Cause == model.HoldDiffers:
		lost = say("The log outside had ", grouped(h.OldSize), " entries; this one, which differs, has ", grouped(h.KeptSize), ".")
	case h.OldSize > h.KeptSize:
		lost = say("Entries ", grouped(h.KeptSize), " to ", grouped(h.OldSize-1), " of the audit log, and whatever came after them.")
	}
	return []templates.Fact{
		{Label: "Why", Text: why},
		{Label: "As it was at", Text: say(v.at(h.RestoredFrom)), Sub: say("what happened after that is not in this database")},
		{Label: "Lost", Text: lost},
		{Label: "Held", Text: say("Every payment, credit, reversal, dispute answer and message. Intents are accepted, and get the ids and keys that they had.")},
		{Label: "Made unknown", Text: say(counted(int(h.Turned), "effect"), " that may have happened after that moment"),
			Sub: say(counted(s.Open, "effect"), " unknown at present: ", templates.Link("/uncertain", "all open uncertainty"))},
	}
}

// holdConditions say what must be so before the hold can be lifted.
func (v *visit) holdConditions(s actions.HoldState) []templates.Condition {
	h := s.Hold
	turned := templates.Condition{Label: "What may have happened is unknown", Done: h.Phase != model.HoldDoubt, Text: say("Every effect that was neither confirmed nor moot.")}
	if !turned.Done {
		turned.Text = say(counted(int(h.Turned), "effect"), " so far; it goes on by itself.")
	}
	dead := templates.Condition{Label: "Every older process is ended", Done: h.DeadAt != 0, Text: say("An administrator ends them and declares so below.")}
	if dead.Done {
		dead.Text = say(h.DeadBecause, " Known since ", v.at(h.DeadAt), ", by ", h.DeadBy, ".")
	}
	quiet := templates.Condition{Label: "Nothing of theirs is on its way", Text: say("A while after the condition above: as long as a call and the providers’ work on it can take.")}
	if at, known := h.QuietAt(); known {
		quiet.Done = v.now() >= at
		quiet.Text = say("From ", v.at(at), " on.")
	}
	searched := templates.Condition{Label: "The providers are searched", Done: h.SweptAt != 0,
		Text: say("By itself, once the conditions above are met: everything that they made since ", v.at(h.SweepFrom), ".")}
	if searched.Done {
		searched.Text = say("Everything that they made since ", v.at(h.SweepFrom), "; complete ", v.at(h.SweptAt), ".")
	}
	looked := templates.Condition{Label: "What was found is looked at", Done: searched.Done && h.Phase != model.HoldCheck,
		Text: say("A look at every unknown effect is planned; what it finds shows on the intents.")}
	return []templates.Condition{turned, dead, quiet, searched, looked}
}

// holdForms offer what the viewer may do now.
func (v *visit) holdForms(s actions.HoldState, view *templates.HoldView) {
	hint := "At least 8 characters; it goes into the audit log."
	admin := len(v.permitted(authz.LiftHold)) > 0
	notYours := say("Only administrators may decide about this.")
	for _, b := range s.Older {
		view.Boots = append(view.Boots, templates.BootRow{ID: b.ID, Host: b.Host, Process: fmt.Sprint(b.PID), Started: v.at(b.StartedAt), Seen: v.at(b.SeenAt)})
	}
	if s.Hold.DeadAt == 0 {
		view.Ended = &templates.HoldForm{Path: holdPath + "/ended", Title: "Declare that they are ended", Button: "They are all ended",
			Text:   say("Also processes that started after this copy was made, on whatever machine, and that this database does not know. One that goes on would pay beside this console."),
			Reason: templates.ReasonField{Hint: hint}}
	}
	view.Lift = &templates.HoldForm{Path: holdPath + "/lift", Title: "Lift the hold", Button: "Lift the hold",
		Text:   say("Two different administrators must ask for it. Afterwards work goes on by the ordinary rules: what is still unknown is not sent again before it is known that it did not happen."),
		Reason: templates.ReasonField{Hint: hint}}
	if s.Missing != nil {
		view.Lift.Stop = say("Not yet: ", s.Missing.Because)
	}
	for _, l := range s.Lifters {
		if l.Person == v.actor.Responsible() {
			view.Lift.Stop = say("You asked for it; another administrator must do so too.")
		}
	}
	if !admin {
		view.Lift.Stop = notYours
		if view.Ended != nil {
			view.Ended.Stop = notYours
		}
	}
}

// endOlder takes an administrator's word that no older process lives.
func (v *visit) endOlder() error {
	return v.actOnHold(func(reason string) error { return v.Runner.DeclareEnded(v.r.Context(), v.actor, reason) })
}

// liftHold takes an administrator's wish to lift the hold.
func (v *visit) liftHold() error {
	return v.actOnHold(func(reason string) error {
		_, err := v.Runner.LiftHold(v.r.Context(), v.actor, reason)
		return err
	})
}

// actOnHold does an act with a reason, and shows the page again with what is to
// be mended, keeping what was typed.
func (v *visit) actOnHold(act func(reason string) error) error {
	reason := v.r.PostFormValue("reason")
	err := act(reason)
	var known *model.Error
	switch {
	case err == nil:
		v.wake()
		return v.to(holdPath)
	case !errors.As(err, &known):
		return err
	case known.Code == authz.CodeStepUp:
		return v.holdAgain(http.StatusForbidden, reason, func(view *templates.HoldView) {
			view.Page.Flash = stepUpNote(err, "Nothing was done.", holdPath)
		})
	case known.Kind == model.Invalid:
		return v.holdAgain(http.StatusUnprocessableEntity, reason, func(view *templates.HoldView) {
			view.Errors = templates.FieldErrors{{Field: "reason", Message: "The reason " + lower(faultOf(err))}}
		})
	case known.Code == "action-refused":
		return v.holdAgain(http.StatusConflict, reason, func(view *templates.HoldView) {
			view.Page.Flash = &templates.Note{Kind: "no", Title: say("Nothing was done."), Text: []templates.Text{say(known.Message)}}
		})
	}
	return err
}

func (v *visit) holdAgain(status int, reason string, change func(*templates.HoldView)) error {
	return v.showHold(status, func(view *templates.HoldView) {
		for _, form := range []*templates.HoldForm{view.Ended, view.Lift} {
			if form != nil {
				form.Reason.Value = reason
			}
		}
		view.Page.Refresh = ""
		change(view)
	})
}
