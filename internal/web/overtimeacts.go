package web

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"countersign/internal/audit"
	"countersign/internal/model"
	"countersign/internal/web/timeline"
	"countersign/web/templates"
)

// act is what a person did about an intent: asked, signed, marked, ordered.
type act struct {
	at     model.Time
	step   string // "" is the whole intent
	verb   string // "approved by"
	who    string
	reason string
}

// acts lists what people did, from the requests, the evidence and what only the
// log tells.
func (n narrator) acts(logged []audit.Item) (list []act) {
	for _, r := range n.c.Requests {
		list = append(list, n.requestActs(r)...)
	}
	for _, s := range n.c.Steps {
		for _, e := range s.Evidence {
			if e.Source == model.FromOperator {
				list = append(list, act{e.At, s.Name, "marked “" + words(string(e.Says)) + "” by", e.By, e.Detail})
			}
		}
	}
	for _, a := range n.listed {
		list = append(list, listedAct(a))
	}
	for _, e := range logged {
		list = append(list, loggedAct(e))
	}
	slices.SortStableFunc(list, func(a, b act) int { return cmp.Compare(a.at, b.at) })
	return list
}

// requestActs are the asking and each decision.
func (n narrator) requestActs(r model.Approval) (list []act) {
	step := r.Step
	if s := n.c.ApprovalStep(); r.Action == model.ApproveIntent && s != nil {
		step = s.Name
	}
	if r.RequestedBy != "" {
		list = append(list, act{r.CreatedAt, step, words(r.Action) + " asked for by", r.RequesterName, r.Reason})
	}
	for _, d := range r.Decisions {
		list = append(list, act{d.At, step, string(decisionWords[d.Says]) + " by", d.Name, d.Reason})
	}
	return list
}

// deskActs are what people do about an intent among themselves.
var deskActs = map[string]string{"owner.taken": "taken by", "owner.released": "released by", "owner.handed_over": "handed over by", "note.written": "note by"}

// loggedAct is an act that only the log tells of: an order to the engine, what
// was refused, and what deskActs names.
func loggedAct(e audit.Item) act {
	if verb, ok := deskActs[e.Event]; ok {
		return act{e.At, "", verb, e.Actor.Name, ""}
	}
	action, how, _ := strings.Cut(strings.TrimPrefix(e.Event, "action."), ".")
	a := act{e.At, "", words(action) + " " + how + " to", e.Actor.Name, e.Reason}
	if _, name, _, err := model.SplitStepKey(e.StepKey); err == nil {
		a.step = name
	}
	if how == "executed" {
		a.verb = words(action) + " by"
	}
	return a
}

// actMarks are the acts about one step, "" for those about the whole intent.
func actMarks(acts []act, step string) (list []timeline.Mark) {
	for _, a := range acts {
		if a.step == step {
			list = append(list, timeline.Mark{At: int64(a.at), Kind: timeline.Person, Says: a.verb + " " + a.who})
		}
	}
	return list
}

// eventRows are the rows of the table beside the drawing, oldest first.
func (n narrator) eventRows(acts []act) (rows []templates.TimelineRow) {
	for _, s := range n.c.Steps {
		for _, a := range s.Attempts {
			rows = append(rows, n.attemptEvent(s, a))
		}
		for _, e := range s.Evidence {
			if e.Source == model.FromResponse || e.Source == model.FromOperator || e.Source == model.FromRule {
				continue // the attempt's own row says it, or an act's, or the step's
			}
			row := templates.TimelineRow{At: n.at(e.At), Step: s.Name, What: sourceWords(e), CameTo: say(words(string(e.Says))), Detail: n.prose(e.Detail)}
			rows = append(rows, row)
		}
		for _, m := range n.promises(s) {
			rows = append(rows, templates.TimelineRow{At: n.clock.At(m.At), Step: s.Name, What: say(upper(m.Says))})
		}
	}
	for _, a := range acts {
		row := templates.TimelineRow{At: n.at(a.at), Step: a.step, What: say(upper(a.verb), " ", templates.Name(a.who))}
		if a.reason != "" {
			row.Detail = say(templates.Name(a.reason))
		}
		rows = append(rows, row)
	}
	slices.SortStableFunc(rows, func(a, b templates.TimelineRow) int { return cmp.Compare(a.At.At, b.At.At) })
	return rows
}

func (n narrator) attemptEvent(s *model.Step, a model.Attempt) templates.TimelineRow {
	row := templates.TimelineRow{At: n.at(a.StartedAt), Step: s.Name, State: resultState(a.Result),
		What: say(fmt.Sprintf("Attempt %d, ", a.Number), triggerWords(a))}
	switch {
	case a.FinishedAt == 0:
		row.CameTo = say("still open")
	case a.FinishedAt.Sub(a.StartedAt).Seconds() >= 1:
		row.What, row.Until = say(row.What, ", "+span(a.FinishedAt.Sub(a.StartedAt))), n.at(a.FinishedAt)
	}
	if a.Reason != "" {
		row.Detail = n.prose(a.Reason)
	}
	return row
}
