package web

import (
	"net/url"
	"strings"

	"countersign/internal/actions"
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

// actionRows shows every verdict with its reason.
func actionRows(c *model.Case, verdicts []actions.Verdict) []templates.ActionRow {
	rows := make([]templates.ActionRow, len(verdicts))
	for i, verdict := range verdicts {
		rows[i] = templates.ActionRow{Label: title(verdict.Action), Step: stepOf(verdict), Allowed: verdict.Allowed, Denied: byRights(verdict),
			Because: say(verdict.Because), Rule: verdict.Rule, People: peopleOf(verdict)}
		if verdict.Allowed {
			rows[i].Open = &templates.Button{Href: actionPath(c.ID, verdict.Action, formStep(verdict)), Label: openLabel(verdict.Action)}
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

func openLabel(action string) string {
	if action == model.MarkExternalResult || action == model.Abandon {
		return "Fill in"
	}
	return "Preview"
}

// peopleOf says who else must agree.
func peopleOf(v actions.Verdict) templates.Text {
	switch {
	case !v.Allowed && !byRights(v):
		return nil
	case v.People < 2:
		return say("Nobody")
	case len(v.Approvers) == 0:
		return say("One more person; nobody has the right at present")
	}
	return say("1 of ", nameList(v.Approvers))
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

// proposedButton leads to the action that the intent's review proposes, where
// the viewer may take it.
func proposedButton(c *model.Case, t model.Timing, now model.Time, verdicts []actions.Verdict) *templates.Button {
	r := c.Review(t, now)
	if r == nil {
		return nil
	}
	n := narrator{c: c}
	for _, v := range verdicts {
		about := n.reviewed()
		if v.Action != r.Propose || !v.Allowed || v.Step != nil && r.Propose != model.Compensate && about != nil && *v.Step != about.Name {
			continue
		}
		return &templates.Button{Href: actionPath(c.ID, v.Action, formStep(v)), Label: openLabel(v.Action) + ": " + words(v.Action)}
	}
	return nil
}
