package web

import (
	"fmt"
	"net/url"
	"slices"
	"strings"

	"countersign/internal/actions"
	"countersign/internal/model"
	"countersign/web/templates"
)

// bulkLists fills in the items of the page and where the others are.
func (v *visit) bulkLists(p bulkPage, view *templates.BulkView) {
	for _, item := range p.rows {
		view.Rows = append(view.Rows, v.bulkItem(p, item))
	}
	for _, item := range p.excluded {
		view.Excluded = append(view.Excluded, v.excludedItem(p, item))
	}
	at := func(from, out int) string {
		q := url.Values{}
		if from > 0 {
			q.Set("from", fmt.Sprint(from+1))
		}
		if out > 0 {
			q.Set("out", fmt.Sprint(out+1))
		}
		if len(q) == 0 {
			return "/bulk/" + p.ID
		}
		return "/bulk/" + p.ID + "?" + q.Encode()
	}
	if len(p.rows) < p.Planned {
		view.Shown = fmt.Sprintf("Items %d–%d of %s", p.planned+1, p.planned+len(p.rows), grouped(int64(p.Planned)))
	}
	if p.planned > 0 {
		view.Prev = at(max(p.planned-plansPerPage, 0), p.out)
	}
	if p.planned+len(p.rows) < p.Planned {
		view.Next = at(p.planned+len(p.rows), p.out)
	}
	if p.out > 0 {
		view.OutPrev = at(p.planned, max(p.out-excludedPerPage, 0))
	}
	if p.out+len(p.excluded) < len(p.Items)-p.Planned {
		view.OutNext = at(p.planned, p.out+len(p.excluded))
	}
}

func (v *visit) bulkItem(p bulkPage, item model.BulkItem) templates.BulkRow {
	i, plan := p.intents[item.IntentID], p.plans[item.PreviewID].Plan
	row := templates.BulkRow{Position: item.Position, Href: "/intents/" + item.IntentID, Who: i.Who(), What: kindTitle(i.Kind), ID: item.IntentID,
		Money: money(item.Amount, item.Currency), Act: say("give it up; nothing more is sent"), Rule: item.Rule, Moved: slices.Contains(p.Moved, item.Position)}
	if p.UsedAt == 0 || p.State == model.BulkOpen {
		row.Alike = alikeRow(p.beside[item.IntentID])
	}
	if i.Period != "" {
		row.What += " " + i.Period
	}
	if len(plan.Calls) > 0 {
		v.itemCall(&row, p.Action, plan.Calls[0])
	}
	stated := statedIn(p.plans[item.PreviewID].Input)
	if len(stated.Acknowledge) > 0 {
		row.Line = say("acknowledged: ", stepNames(stated.Acknowledge), ", which stays as it is")
	}
	if p.Action == model.MarkExternalResult {
		p.itemMark(&row, item, plan, stated)
	}
	row.Plan = append(row.Plan, v.itemRest(plan)...)
	row.Plan = append(row.Plan, templates.Fact{Label: "Allowed because", Text: v.proseOf(i, item.Because)}, templates.Fact{Label: "Plan code", Text: say(templates.Code(actions.PlanCode(p.plans[item.PreviewID].Digest)))})
	v.itemResult(p, &row, i, item)
	return row
}

// itemMark words the mark of an item: which line of the bank's file says what of
// which step.
func (p bulkPage) itemMark(row *templates.BulkRow, item model.BulkItem, plan model.Plan, in statedInput) {
	row.Act = say("record ", item.Step, " as happened")
	row.Line = say("recorded under ", templates.Foreign(in.ExternalRef), ", booked ", in.Date)
	for _, c := range plan.Changes {
		row.Plan = append(row.Plan, templates.Fact{Label: "Step key", Text: say(templates.Key(c.Subject))})
	}
	row.Plan = append(row.Plan, templates.Fact{Label: "Reference", Text: say(templates.Foreign(in.ExternalRef))},
		templates.Fact{Label: "Document", Text: say(templates.Link("/uploads/"+in.Document.Upload, p.file.Name))})
	if m := money(in.Amount, in.Currency); m != nil {
		row.Plan = append(row.Plan, templates.Fact{Label: "Amount", Text: say(*m)})
	}
}

// itemCall words the one request of an item.
func (v *visit) itemCall(row *templates.BulkRow, action string, call model.PlannedCall) {
	row.Act, row.Body = say("ask about ", call.Step, ": ", templates.Code(call.Method)), call.Body
	if action == model.RetryUnfinished {
		row.Act = say("send ", call.Step, " once more: ", templates.Code(call.Method))
		if call.Method == "" {
			row.Act = say("do ", call.Step, " once more, inside")
		}
	}
	row.Line = say("never sent before")
	if call.Generation > 1 {
		row.Line = say(fmt.Sprintf("opens generation %d: never sent under its key", call.Generation))
	}
	if call.SentBefore > 0 {
		row.Line = say("sent ", times(call.SentBefore), " under this key, last ", templates.Clocktime(v.at(call.LastSentAt)))
	}
	if call.SafeUntil != 0 && action == model.RetryUnfinished {
		row.Line = say(row.Line, " · safe until ", templates.Clocktime(v.at(call.SafeUntil)), ", ", templates.Left(v.at(call.SafeUntil)))
	}
	add := func(label string, text templates.Text, known bool) {
		if known {
			row.Plan = append(row.Plan, templates.Fact{Label: label, Text: text})
		}
	}
	add("Call", say(templates.Code(call.Method+" "+call.URL)), call.Method != "")
	add("Step key", say(templates.Key(call.StepKey), ", generation ", fmt.Sprint(call.Generation)), true)
	add("Wire key", say(templates.Key(call.WireKey)), call.WireKey != "")
	add("A repeat", say(call.OnRepeat), call.OnRepeat != "")
	add("SHA-256", say(templates.Key(call.BodySHA256)), call.BodySHA256 != "")
}

// stepNames names the steps of keys.
func stepNames(keys []string) string {
	var steps []string
	for _, key := range keys {
		if _, step, _, err := model.SplitStepKey(key); err == nil {
			steps = append(steps, step)
		}
	}
	return strings.Join(steps, ", ")
}

// itemRest says what the plan leaves, and what follows.
func (v *visit) itemRest(plan model.Plan) (facts []templates.Fact) {
	for _, c := range plan.Changes {
		facts = append(facts, templates.Fact{Label: "Changes", Text: say(words(c.From), " becomes ", words(c.To), ". ", v.proseOf(model.Intent{}, c.Because))})
	}
	list := func(label string, steps []model.PlannedStep) {
		text := say()
		for n, s := range steps {
			if n > 0 {
				text = say(text, ", ")
			}
			text = say(text, s.Step, " (", stateWords(s.State), ")")
		}
		if len(steps) > 0 {
			facts = append(facts, templates.Fact{Label: label, Text: text})
		}
	}
	list("Not touched", plan.Untouched)
	list("Then, by the engine", plan.Then)
	return facts
}

func (v *visit) excludedItem(p bulkPage, item model.BulkItem) templates.BulkExcluded {
	row := templates.BulkExcluded{ID: item.IntentID, Rule: item.Rule, Because: say(item.Because)}
	if i, ok := p.intents[item.IntentID]; ok {
		row.Href, row.Who, row.Because = "/intents/"+item.IntentID, i.Who(), v.proseOf(i, item.Because)
	}
	return row
}

// proseOf shows a stored sentence about an intent as this viewer reads it.
func (v *visit) proseOf(i model.Intent, sentence string) templates.Text {
	return narrator{c: &model.Case{Intent: i}, timing: v.Timing, clock: v.page.Clock}.prose(sentence)
}
