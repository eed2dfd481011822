package web

import (
	"net/http"
	"slices"

	"countersign/internal/actions"
	"countersign/internal/authz"
	"countersign/internal/model"
	"countersign/internal/store"
	"countersign/web/templates"
)

// actionPage is the form of one action on one intent, and what was typed so far.
type actionPage struct {
	action  string
	c       *model.Case
	step    *model.Step // nil where the action is about the whole intent
	verdict actions.Verdict
	typed   actionFields
	errors  templates.FieldErrors
	// hopeless: nothing that is filled in can be recorded under the chosen result.
	hopeless bool
}

// actionFields are the form's fields as typed.
type actionFields struct {
	Step        string   `form:"step"`
	Result      string   `form:"result"`
	ExternalRef string   `form:"external_ref"`
	Amount      string   `form:"amount"`
	Currency    string   `form:"currency"`
	Date        string   `form:"date"`
	URL         string   `form:"document_url"`
	SHA256      string   `form:"document_sha256"`
	Upload      string   `form:"upload"` // of a file sent with the form before
	Acknowledge []string `form:"acknowledge"`
}

// openAction finds the intent, the step and the verdict that the address names.
func (v *visit) openAction(step string) (p actionPage, err error) {
	p.action = v.c.Param("action")
	if !slices.Contains(model.ActionNames, p.action) {
		return p, notFound("There is no such action.")
	}
	var people []model.Person
	err = v.read(func(tx *store.Tx) error {
		if p.c, err = v.caseOf(tx, v.c.Param("id")); err != nil {
			return err
		}
		people, err = tx.People(p.c.Account)
		return err
	})
	if err != nil {
		return p, err
	}
	if step != "" {
		if p.step = p.c.Step(step); p.step == nil {
			return p, notFound("This intent has no step %s.", step)
		}
	}
	verdicts := actions.Verdicts(p.c, v.actor, people, v.Timing, v.Tiers, v.now())
	p.verdict, err = p.pick(verdicts)
	return p, err
}

// pick finds the verdict that the page is about. Without a step it is the first
// allowed one, so that a link without one still leads to the right form.
func (p *actionPage) pick(verdicts []actions.Verdict) (picked actions.Verdict, err error) {
	found := false
	for _, v := range verdicts {
		if v.Action != p.action || p.step != nil && v.Step != nil && *v.Step != p.step.Name {
			continue
		}
		if !found || v.Allowed && !picked.Allowed {
			picked, found = v, true
		}
	}
	if !found {
		return picked, model.Errorf(model.Conflict, "action-refused", "There is nothing about %s that %s could be about.", p.step.Name, words(p.action)).
			With("rule", p.action+".nothing")
	}
	if p.step == nil && formStep(picked) != "" {
		p.step = p.c.Step(formStep(picked))
	}
	return picked, nil
}

// name is the step as the form sends it.
func (p actionPage) name() string {
	if p.step == nil {
		return ""
	}
	return p.step.Name
}

// actionForm shows the form, or why the action is refused. It stores nothing.
func (v *visit) actionForm() error {
	p, err := v.openAction(v.c.QueryParam("step"))
	if err != nil {
		return err
	}
	if p.step != nil {
		p.typed.Currency = p.step.Currency
	}
	status := http.StatusOK
	if byRights(p.verdict) {
		status = http.StatusForbidden
	}
	return v.show(status, templates.Action(v.actionView(p)))
}

func (v *visit) actionView(p actionPage) templates.ActionView {
	heading := title(p.action)
	switch {
	case p.name() != "":
		heading += ": " + p.name()
	case p.action == model.Abandon:
		heading += " this " + p.c.Kind
	}
	view := templates.ActionView{Page: v.titled(title(p.action)), Crumb: crumb(p.c), Label: title(p.action), Title: heading,
		Post: "/intents/" + p.c.ID + "/actions/" + p.action, Cancel: "/intents/" + p.c.ID, Step: p.name(), Intro: say(intros[p.action]),
		Facts: v.actionFacts(p), Errors: p.errors, Button: buttons[p.action]}
	view.Faults = "Some things are to be mended. Nothing was stored."
	if p.hopeless {
		view.Faults = "This result cannot be recorded as things are. Nothing was stored."
	}
	if !p.verdict.Allowed {
		view.Refused = &templates.Note{Kind: "no", Title: say("Refused: ", p.verdict.Because),
			Text: []templates.Text{say("Nothing was sent, no step changed. Rule ", templates.Code(p.verdict.Rule))}}
		return view
	}
	view.StepUp = v.passwordAhead(actionPath(p.c.ID, p.action, p.name()), authz.ForAction(p.action))
	switch p.action {
	case model.MarkExternalResult:
		view.Mark = v.markForm(p)
	case model.Abandon:
		view.Abandon = abandonForm(p)
	}
	return view
}

// crumb leads back to an intent.
func crumb(c *model.Case) templates.Text {
	if c.Kind == model.KindCompensation {
		return say(templates.LinkText("/intents/"+c.ID, "Undo of ", c.ParentStep, ", ", templates.Name(c.Who())), " ")
	}
	if c.Who() == "" {
		return say(templates.Link("/intents/"+c.ID, title(c.Kind)), " ")
	}
	return say(templates.LinkText("/intents/"+c.ID, title(c.Kind), " to ", templates.Name(c.Who())), " ")
}

// intros say what an action does, before anything is previewed.
var intros = map[string]string{
	model.RetryUnfinished:    "The step is tried exactly once more. A preview shows the request, its key and its bytes; nothing is sent before you confirm it there.",
	model.Reconcile:          "The provider is asked what it knows. Nothing is sent that could move money.",
	model.MarkExternalResult: "You record what a document outside proves. Nothing is sent to the provider. A preview follows; nothing changes before you confirm it there.",
	model.Compensate:         "What happened is undone by an intent of its own, the last step first. It always takes two people; from the request on, this intent runs nothing more.",
	model.Abandon:            "Nothing more is sent under this intent, ever. What has happened stays as it is, and what is uncertain stays open.",
}

var buttons = map[string]string{model.RetryUnfinished: "Preview the retry", model.Reconcile: "Preview the query", model.MarkExternalResult: "Preview the mark",
	model.Compensate: "Preview the compensation", model.Abandon: "Preview the abandonment"}

func (v *visit) actionFacts(p actionPage) []templates.Fact {
	n := narrator{c: p.c, timing: v.Timing, clock: v.page.Clock}
	facts := []templates.Fact{{Label: "Intent", Text: say(title(p.c.Kind), " ", templates.Key(p.c.ID)), Sub: n.prose(upper(p.c.Reason))}}
	s := p.step
	if s == nil {
		s = p.c.Unfinished()
	}
	if s != nil {
		facts = append(facts, templates.Fact{Label: "Step", Text: say(templates.Key(s.Key())), Sub: say(stateTitle(s.State), ". ", n.prose(upper(s.Reason)))})
		if s.HasMoney() {
			facts = append(facts, templates.Fact{Label: "Money", Text: say(model.Money{Amount: s.Amount, Currency: s.Currency})})
		}
		facts = append(facts, n.known(s)...)
	}
	if !p.verdict.Allowed {
		return facts // the refusal says why, with its rule
	}
	return append(facts, templates.Fact{Label: "Allowed because", Text: n.prose(p.verdict.Because), Sub: say(templates.Code(p.verdict.Rule))})
}

// known are the facts that an act on a step is weighed by: what was seen, how
// often it was sent, and what asking came to.
func (n narrator) known(s *model.Step) (facts []templates.Fact) {
	if k := n.c.OpenConflict(); k != nil && k.Step == s.Name {
		seen := n.figures(k)
		switch {
		case s.Returned > 0 && s.Currency != "":
			seen = say(templates.Strong(model.Money{Amount: s.Returned, Currency: s.Currency}), " came back, of ", model.Money{Amount: s.Moved, Currency: s.Currency}, " that ", s.Provider, " had ", doneWord(s))
		case seen == nil:
			seen = n.prose(k.Reason)
		}
		facts = append(facts, templates.Fact{Label: "Seen", Text: seen})
	}
	if s.Class.Effect() {
		facts = append(facts, templates.Fact{Label: "Sent", Text: n.sent(s)}, templates.Fact{Label: "Checked", Text: n.checked(s)})
	}
	return facts
}

// stays says what an abandonment leaves of an effect.
func stays(s *model.Step) string {
	if s.Uncertain() {
		return "may have happened; it stays on the open list."
	}
	return "happened, and stays as it is."
}

func abandonForm(p actionPage) *templates.AbandonForm {
	form := &templates.AbandonForm{}
	for _, key := range actions.ToAcknowledge(p.c) {
		_, name, _, err := model.SplitStepKey(key)
		s := p.c.Step(name)
		if err != nil || s == nil {
			continue
		}
		form.Effects = append(form.Effects, templates.Acknowledge{StepKey: key, State: stepState(s), Money: money(s.Amount, s.Currency), Text: say(" ", stays(s)),
			Checked: slices.Contains(p.typed.Acknowledge, key)})
	}
	return form
}
