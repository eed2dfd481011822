package web

import (
	"countersign/internal/model"
	"countersign/web/templates"
)

// staleView says what moved while the person was deciding.
func (v *visit) staleView(p previewPage, e *model.Error) templates.StaleView {
	view := templates.StaleView{Page: v.titled("Not done: the preview is stale"), Crumb: crumb(p.c), Label: title(p.Action),
		Title: "Not done: the " + p.c.Kind + " moved while you were deciding", Cancel: "/intents/" + p.c.ID, Changes: p.moved(),
		Text: []templates.Text{say("Your preview described a state that is gone.")}}
	sentences, _ := e.Extra["changes"].([]string)
	for _, sentence := range sentences {
		if len(view.Changes) == 0 {
			view.Changes = append(view.Changes, templates.Change{What: "The plan", Was: "as previewed", Now: "otherwise", Because: say(sentence)})
		}
		view.Text = append(view.Text, say(sentence))
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
	view.Fresh = []templates.Fact{{Label: "Now", Text: say(title(string(p.c.State)), ". ", upper(p.c.Reason))}}
	return view
}

// moved lists the steps whose state is another than in the plan.
func (p previewPage) moved() (changes []templates.Change) {
	compare := func(step string, was model.StepState) {
		if s := p.c.Step(step); s != nil && s.State != was {
			changes = append(changes, templates.Change{What: step, Was: words(string(was)), Now: words(string(s.State)), Because: say(upper(s.Reason))})
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
