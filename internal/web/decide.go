package web

import (
	"fmt"
	"net/url"
	"strings"

	"countersign/internal/actions"
	"countersign/internal/authz"
	"countersign/internal/model"
	"countersign/web/templates"
)

// actionPath is the address of an action's form.
func actionPath(intent, action, step string) string {
	path := "/intents/" + intent + "/actions/" + action
	if step != "" {
		path += "?step=" + url.QueryEscape(step)
	}
	return path
}

// decider is what is asked to say who may decide about an intent.
type decider struct {
	narrator
	people []model.Person
	tiers  authz.Tiers
	actor  authz.Actor
}

// actionRows shows every verdict with its reason.
func (d decider) actionRows(verdicts []actions.Verdict) []templates.ActionRow {
	c := d.c
	rows := make([]templates.ActionRow, len(verdicts))
	for i, verdict := range verdicts {
		rows[i] = templates.ActionRow{Label: title(verdict.Action), Step: stepOf(verdict), Allowed: verdict.Allowed, Denied: byRights(verdict),
			Because: d.prose(verdict.Because), Rule: verdict.Rule, People: d.peopleOf(verdict)}
		if verdict.Allowed {
			rows[i].Open = opening(c.ID, verdict)
		}
	}
	return rows
}

func stepOf(v actions.Verdict) string {
	if v.Step == nil {
		return ""
	}
	return *v.Step
}

// formStep is the step that the action's form names: retrying and abandoning
// are about the intent, whichever step is next.
func formStep(v actions.Verdict) string {
	if v.Action == model.RetryUnfinished || v.Action == model.Abandon {
		return ""
	}
	return stepOf(v)
}

// byRights reports whether the viewer's rights refuse it and not the state.
func byRights(v actions.Verdict) bool { return strings.HasPrefix(v.Rule, "rights.") }

// opening leads to an action: to its form where something is to be filled in, to
// its preview at once where nothing is.
func opening(intent string, v actions.Verdict) *templates.Button {
	if v.Action == model.MarkExternalResult || v.Action == model.Abandon {
		return &templates.Button{Href: actionPath(intent, v.Action, formStep(v)), Label: "Fill in"}
	}
	return &templates.Button{Href: actionPath(intent, v.Action, ""), Label: "Preview", Ask: true, Step: formStep(v)}
}

// peopleOf says who else decides: those who may where the viewer may not, and
// those of whom one must agree.
func (d decider) peopleOf(v actions.Verdict) templates.Text {
	switch {
	case !v.Allowed && !byRights(v):
		return nil
	case byRights(v):
		return d.others(v)
	case v.Action == model.MarkExternalResult && v.People < 2:
		return d.secondOfMark(v)
	case v.People < 2:
		return say("No second person")
	}
	return d.oneOf(d.approvers(d.actor.Responsible()))
}

// others names who may take an action that the viewer may not, and how many it takes.
func (d decider) others(v actions.Verdict) templates.Text {
	may := names(authz.WhoMay(d.people, d.c.Account, authz.ForAction(v.Action)))
	if len(may) == 0 {
		return say("Nobody has the right at present")
	}
	text := say(nameList(may), " may")
	if v.People > 1 {
		text = say(text, "; then ", d.oneOf(d.approvers("")))
	}
	return text
}

// secondOfMark says which statements of a mark take a second person.
func (d decider) secondOfMark(v actions.Verdict) templates.Text {
	s := d.c.Step(stepOf(v))
	if s == nil || !s.HasMoney() {
		return say("No second person")
	}
	text := say("No second person for ", model.Money{Amount: s.Amount, Currency: s.Currency}, "; for another amount")
	if s.Returned == 0 && !(s.Contract.NotFoundCanBeFinal() && s.Uncertain()) { // a look is to say it there
		text = say(text, " or “did not happen”")
	}
	return say(text, " ", d.oneOf(d.approvers(d.actor.Responsible())))
}

// approvers may sign what the requester asks for.
func (d decider) approvers(requester string) []string {
	return names(authz.Approvers(d.people, authz.Request{Account: d.c.Account, Requester: requester, Creator: d.c.Creator}))
}

func (d decider) oneOf(approvers []string) templates.Text {
	if len(approvers) == 0 {
		return say("one more person; nobody has the right at present")
	}
	return someOf(1, approvers)
}

// someOf names people of whom a number is needed; the number is left out where
// all of them are.
func someOf(needed int, names []string) templates.Text {
	if needed >= len(names) {
		return nameList(names)
	}
	return say(fmt.Sprintf("%d of ", needed), nameList(names))
}

func names(people []model.Person) (list []string) {
	for _, p := range people {
		list = append(list, p.Name)
	}
	return list
}

// signing says who may sign the open request, and by what rule; nil where
// nobody is asked.
func (d decider) signing() templates.Text {
	open := d.c.OpenRequest()
	if open == nil {
		return nil
	}
	may := names(authz.Approvers(d.people, requestOf(*open, d.c.Creator)))
	who := say(templates.Link("/approvals/"+open.ID, upper(d.asksFor(open))), ": ")
	if len(may) == 0 {
		who = say(who, "nobody has the right to sign at present.")
	} else {
		who = say(who, someOf(max(open.Needed-len(open.Decisions), 1), may), " may sign.")
	}
	if m, ok := d.c.Money(); ok && open.Action == model.ApproveIntent {
		return say(who, " ", d.tiers.Because(m.Amount, m.Currency))
	}
	return who
}

// nameList joins names with commas.
func nameList(names []string) templates.Text {
	text := say()
	for i, name := range names {
		if i > 0 {
			text = say(text, ", ")
		}
		text = say(text, templates.Name(name))
	}
	return text
}

// proposedButtons lead to what section 4 proposes, and to what it names second,
// where the viewer may take it.
func (d decider) proposedButtons(verdicts []actions.Verdict) (main, second *templates.Button) {
	if open := d.c.OpenRequest(); open != nil {
		if authz.MayApprove(d.actor, requestOf(*open, d.c.Creator)).Allowed {
			return &templates.Button{Href: "/approvals/" + open.ID, Label: "Read and decide"}, nil
		}
		return nil, nil
	}
	r := d.c.Review(d.timing, d.now())
	if asking := d.worthAsking(); asking != nil {
		main = d.buttonFor(verdicts, model.Reconcile, asking.Name)
		if r == nil || r.Propose != model.RetryUnfinished {
			return main, nil
		}
		return main, d.buttonFor(verdicts, r.Propose, asking.Name)
	}
	if r == nil {
		return nil, nil
	}
	about := ""
	if s := d.reviewed(); s != nil && r.Propose != model.Compensate {
		about = s.Name
	}
	return d.buttonFor(verdicts, r.Propose, about), nil
}

// buttonFor opens an action where the viewer may take it; about is the step that
// it must be about, "" is the first that can be.
func (d decider) buttonFor(verdicts []actions.Verdict, action, about string) *templates.Button {
	for _, v := range verdicts {
		if v.Action == action && v.Allowed && (v.Step == nil || about == "" || *v.Step == about) {
			b := opening(d.c.ID, v)
			b.Label += ": " + words(v.Action)
			return b
		}
	}
	return nil
}
