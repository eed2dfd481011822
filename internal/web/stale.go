package web

import (
	"net/http"

	"countersign/internal/actions"
	"countersign/internal/model"
	"countersign/web/templates"
)

// staleView says what moved while the person was deciding.
func (v *visit) staleView(p previewPage, e *model.Error) templates.StaleView {
	view := templates.StaleView{Page: v.titled("Not done: the preview is stale"), Crumb: crumb(p.c), Label: title(p.Action),
		Title: "Not done: the " + p.c.Kind + " moved while you were deciding", Cancel: "/intents/" + p.c.ID, Changes: p.moved(),
		Text: []templates.Text{say("Your preview described a state that is gone.")}, Typed: v.typed()}
	sentences, _ := e.Extra["changes"].([]string)
	for _, sentence := range sentences {
		view.Sentences = append(view.Sentences, p.prose(sentence))
	}
	fresh, ok := e.Extra["preview"].(string)
	if !ok {
		view.FreshReason = say(e.Message)
		if because, ok := e.Extra["because"].(string); ok {
			view.FreshReason = say(because)
		}
		return view
	}
	view.FreshHref = "/previews/" + fresh
	v.keep(view.FreshHref) // the reason is still the person's
	view.Fresh = []templates.Fact{{Label: "Now", Text: say(stateTitle(p.c.State), ". ", p.prose(upper(p.c.Reason)))}}
	return view
}

// whatMoved tells of a preview that could still be confirmed what has changed
// since. A worker that only looks is no change: that is over in a moment.
func (v *visit) whatMoved(p *previewPage) (err error) {
	_, sending := p.c.OpenAttempt()
	if p.UsedAt != 0 || v.now() > p.ExpiresAt || sending == nil && p.c.LeaseLive(v.now(), "") {
		return nil
	}
	p.changes, err = v.Runner.Moved(v.r.Context(), v.actor, p.Preview, p.c)
	return err
}

// movedNote says at once that the plan is not what would be done now.
func (p previewPage) movedNote() *templates.Note {
	note := &templates.Note{Kind: "no", Title: say("The " + p.c.Kind + " moved since this preview: it cannot be confirmed any more. Nothing was done.")}
	for _, sentence := range p.changes {
		note.Text = append(note.Text, p.prose(sentence))
	}
	return note
}

// otherCode refuses a plan code that is not this plan's; that the plan is out of
// date goes before.
func (v *visit) otherCode(p previewPage) error {
	if err := v.whatMoved(&p); err != nil {
		return err
	}
	if len(p.changes) > 0 {
		view := v.previewView(p)
		v.carryOver(p, &view)
		return v.show(http.StatusConflict, templates.Preview(view))
	}
	p.errors = p.form.faults("plan")
	return v.show(http.StatusUnprocessableEntity, templates.Preview(v.previewView(p)))
}

// carryOver shows the reason that was typed on a preview that is closed, and takes it
// into a fresh one where that can be made; what was confirmed needs none.
func (v *visit) carryOver(p previewPage, view *templates.PreviewView) {
	if view.Closed == nil {
		return
	}
	if p.UsedAt == 0 {
		v.freshen(p, view)
	}
	if p.form.Reason != "" {
		view.Closed.Text = append(view.Closed.Text, say("You typed: ", templates.Name(p.form.Reason)))
	}
}

// freshen makes a fresh preview of the same act, where it can be made, which the
// reason goes into.
func (v *visit) freshen(p previewPage, view *templates.PreviewView) {
	fresh, err := v.Runner.Preview(v.r.Context(), v.actor, actions.PreviewRequest{Intent: p.c.ID, Action: p.Action, Step: valueOf(p.Step), Input: p.Input})
	if err == nil {
		view.Fresh = &templates.Button{Href: "/previews/" + fresh.ID, Label: "Read the fresh preview"}
		v.keep(view.Fresh.Href)
	}
}

// moved lists the steps whose state is another than in the plan.
func (p previewPage) moved() (changes []templates.Change) {
	compare := func(step string, was model.StepState) {
		if s := p.c.Step(step); s != nil && s.State != was {
			changes = append(changes, templates.Change{What: step, Was: stateWords(was), Now: stateWords(s.State), Because: p.prose(upper(s.Reason))})
		}
	}
	for _, call := range p.Plan.Calls {
		compare(call.Step, call.State)
	}
	for _, change := range p.Plan.Changes {
		if _, step, _, err := model.SplitStepKey(change.Subject); err == nil {
			compare(step, model.StepState(change.From))
		}
	}
	for _, list := range [][]model.PlannedStep{p.Plan.Untouched, p.Plan.Then} {
		for _, s := range list {
			compare(s.Step, s.State)
		}
	}
	return changes
}
