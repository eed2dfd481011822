package web

import (
	"fmt"
	"strings"

	"countersign/internal/audit"
	"countersign/internal/model"
	"countersign/web/templates"
)

// shownAttempts and shownEvidence are how many rows the page has at first.
const (
	shownAttempts = 15
	shownEvidence = 15
)

// record fills in the steps, and the attempts and evidence that the page shows.
func (n narrator) record(v *templates.IntentView, shown recordPages) {
	before, late := "", map[string]map[int]bool{}
	for _, s := range n.c.Steps {
		v.Steps = append(v.Steps, n.stepRow(s, before))
		if s.State != model.NotNeeded {
			before = s.Name
		}
		late[s.Name] = lateAnswers(s)
	}
	for _, a := range shown.attempts.rows {
		row := n.attemptRow(n.c.Step(a.Step), a)
		row.Late = late[a.Step][a.Number]
		v.Attempts = append(v.Attempts, row)
		v.MoreAttempts = shown.attempts.more(n.c.ID, "attempts", row.ID)
	}
	for _, e := range shown.evidence.rows {
		v.Evidence = append(v.Evidence, n.evidenceRow(n.c.Step(e.Step), e))
		v.MoreEvidence = shown.evidence.more(n.c.ID, "evidence", e.ID)
	}
}

// lateAnswers are the attempts of a step whose answer came after they were given
// up.
func lateAnswers(s *model.Step) map[int]bool {
	late := map[int]bool{}
	for i := range s.Evidence {
		if e := &s.Evidence[i]; e.Source == model.FromLate {
			late[e.Attempt] = true
		}
	}
	return late
}

func (n narrator) stepRow(s *model.Step, before string) templates.StepRow {
	row := templates.StepRow{Key: s.Key(), Class: classWords(s), State: stepState(s), Attempts: n.attemptCount(s), Reference: s.ExternalRef,
		Next: n.nextTry(s, before)}
	row.Amount, row.AmountNote = amountOf(s)
	if s.WireKey != "" && s.WireKey != row.Key {
		row.WireKey = s.WireKey
	}
	if s.Reason != "" {
		row.StateNote = n.prose(s.Reason)
	}
	if s.Ordered != model.NoOrder {
		row.StateNote = say(string(s.Ordered), " ordered by ", templates.Name(s.OrderBy))
	}
	return row
}

// amountOf is what a step moved, with what was asked for where that is another sum;
// of a step that moved nothing yet it is what is asked for.
func amountOf(s *model.Step) (*model.Money, templates.Text) {
	if s.State != model.Confirmed || s.Moved == 0 || s.Moved == s.Amount {
		return money(s.Amount, s.Currency), nil
	}
	return money(s.Moved, s.Currency), say(difference(s), " than the ", model.Money{Amount: s.Amount, Currency: s.Currency}, " asked for")
}

// difference is by how much more or less a step moved than was asked for.
func difference(s *model.Step) templates.Text {
	more, word := s.Moved-s.Amount, " more"
	if more < 0 {
		more, word = -more, " less"
	}
	return say(templates.Strong(model.Money{Amount: more, Currency: s.Currency}), word)
}

func classWords(s *model.Step) string {
	class := string(s.Class)
	if s.Class == model.Keyed || s.Class == model.Unkeyed {
		class = "external, " + class
	}
	if s.Provider != "" {
		class += " · " + s.Provider
	}
	return class
}

func (n narrator) attemptCount(s *model.Step) string {
	if s.Class.Effect() && s.Tries > 0 {
		return fmt.Sprintf("%s, %d of %d by the engine", grouped(int64(s.Tried())), s.Tries, n.timing.Tries)
	}
	return grouped(int64(s.Tried()))
}

// resultState is the state whose shape an attempt's result takes.
func resultState(r model.Result) templates.State {
	switch r {
	case model.ResultDone, model.ResultConfirmed:
		return "confirmed"
	case model.ResultAccepted:
		return "settling"
	case model.ResultUnknown:
		return "outcome_unknown"
	case "":
		return ""
	}
	return "failed_safely"
}

var triggers = map[model.Trigger]string{model.ByEngine: "by the engine", model.ByRetry: "again, by the engine",
	model.ByOperator: "by a person", model.ByRecovery: "after a lost worker"}

// triggerWords say what an attempt was made by: a person by name.
func triggerWords(a model.Attempt) templates.Text {
	if a.OrderedBy != "" {
		return say("by ", templates.Name(a.OrderedBy))
	}
	return say(triggers[a.Trigger])
}

func (n narrator) attemptRow(s *model.Step, a model.Attempt) templates.AttemptRow {
	row := templates.AttemptRow{ID: attemptName(a), Step: s.Name, Number: a.Number, Generation: a.Generation,
		Trigger: triggerWords(a), Worker: a.Worker, Started: n.at(a.StartedAt), Finished: n.at(a.FinishedAt), Result: string(a.Result),
		State: resultState(a.Result), RequestID: a.RequestID, WireKey: a.WireKey, Replayed: a.Replayed}
	if a.Reason != "" {
		row.Reason = n.prose(a.Reason)
	}
	if a.Status != 0 {
		row.Status = fmt.Sprint(a.Status)
	}
	if s.Class.Effect() && a.FinishedAt != 0 {
		row.Connections, row.Bytes = counted(a.Connections, "connection"), counted(int(a.BytesOut), "byte")+" out"
	}
	return row
}

func (n narrator) evidenceRow(s *model.Step, e model.Evidence) templates.EvidenceRow {
	row := templates.EvidenceRow{Step: s.Name, At: n.at(e.At), Source: sourceWords(e), Says: words(string(e.Says)), Observed: say(n.prose(e.Detail), " "), ID: e.ID,
		Money: money(e.Amount, e.Currency), Ref: e.Ref}
	if e.WireKey != s.WireKey {
		row.WireKey = e.WireKey
	}
	if e.Dated != 0 {
		row.Observed = say(row.Observed, "Document of ", n.dated(e.Dated), ". ")
	}
	switch id, uploaded := strings.CutPrefix(e.Document, "upload:"); {
	case n.files[id] != "":
		row.Document = &templates.Document{Href: bankFilePath(n.files[id]), Label: "The bank’s file", Page: true, Sub: say("SHA-256 ", templates.Key(e.DocSHA256))}
	case uploaded:
		row.Document = &templates.Document{Href: "/uploads/" + id, Label: "The document", Sub: say("SHA-256 ", templates.Key(e.DocSHA256))}
	case e.Document != "":
		row.Observed = say(row.Observed, "Document ", templates.Code(e.Document), ", SHA-256 ", templates.Key(e.DocSHA256), " ")
	}
	return row
}

// auditRows lists entries.
func (v *visit) auditRows(items []audit.Item) []templates.AuditRow {
	rows := make([]templates.AuditRow, len(items))
	for i, item := range items {
		rows[i] = v.auditRow(item)
	}
	return rows
}

func (v *visit) auditRow(item audit.Item) templates.AuditRow {
	row := templates.AuditRow{Index: -1, Href: "/audit/" + item.ID, At: v.at(item.At), Who: item.Actor.Name, Role: strings.Join(item.Actor.Roles, ", "),
		Event: item.Event, Intent: item.Intent, Outcome: outcomeOf(item)}
	if item.Index != nil {
		row.Index, row.Href = *item.Index, fmt.Sprintf("/audit/%d", *item.Index)
	}
	if item.Intent != "" {
		row.IntentHref = "/intents/" + item.Intent
	}
	if item.Reason != "" {
		row.Why = say(templates.Name(item.Reason))
	}
	if detail := detailOf(item); detail["approved_by"] != "" {
		row.Why = say(row.Why, ", signed by ", templates.Name(detail["approved_by"]), " with ", templates.Link("/bulk/"+detail["bulk"], "its list"))
	}
	if item.Changed != "" {
		row.Why = say(templates.Bold("Changed since it was written; its words prove nothing."), " ", row.Why)
	}
	return row
}

// outcomeOf is how an entry's event ended, by its last word.
func outcomeOf(item audit.Item) templates.Outcome {
	last := item.Event[strings.LastIndex(item.Event, ".")+1:]
	switch last {
	case "executed", "requested", "refused", "denied", "approved", "rejected", "withdrawn", "dismissed", "expired":
		return templates.Outcome(last)
	case "failed":
		return "refused"
	}
	return "done"
}
