package web

import (
	"fmt"
	"slices"

	"countersign/internal/model"
	"countersign/internal/store"
	"countersign/web/templates"
)

// listedAlike is how many look-alikes a request lists before the intent's page
// has to tell the rest.
const listedAlike = 5

// actNames are the acts that people sign, as they are called.
var actNames = map[string]string{model.ApproveIntent: "approval", model.RetryUnfinished: "retry unfinished", model.Reconcile: "reconcile",
	model.MarkExternalResult: "mark external result", model.Compensate: "compensate", model.Abandon: "abandon"}

// approvalPlan is the plan with who must sign, and by which rule.
func (v *visit) approvalPlan(p approvalPage) templates.PlanView {
	plan := p.view()
	plan.Approvers = say(p.signedSoFar(p.Stored), ". Signatures are of other people than who asked and who made the intent, or issued the key that did. To own it, which is to work on it, does not count.")
	if p.Action == model.ApproveIntent {
		plan.NoCalls = say("Approving confirms the approval step; no request follows.")
		plan.ThenNote = say("Each only once what comes before it is confirmed. A message says what really moved, so its text may change until then.")
	}
	if s := p.c.ApprovalStep(); s != nil && p.Action == model.ApproveIntent {
		plan.Rule = s.Rule
	}
	if p.Stored.State != model.ApprovalOpen {
		past(&plan)
	}
	return plan
}

// past takes out of a plan that is over what is of one moment: the states were
// those of asking, and the exposure beside them would be that of now.
func past(plan *templates.PlanView) {
	plan.Past = true
	plan.Money = slices.DeleteFunc(plan.Money, func(f templates.Fact) bool { return f.Label == exposureLabel })
	for i := range plan.Calls {
		plan.Calls[i].State = ""
	}
	for i := range plan.Then {
		plan.Then[i].State = ""
	}
}

// warning says what the act may lead to, to who asks for it and to who signs it.
func (p planner) warning() *templates.Note {
	note := templates.Note{Kind: "mind", Title: say("This cannot be taken back.")}
	switch p.action {
	case model.RetryUnfinished:
		note.Title = say("It may have happened already.")
		note.Text = []templates.Text{say("The repeat goes out under the same key with the same bytes. What keeps it from happening twice is that the provider still recognises the key.")}
	case model.MarkExternalResult:
		note.Text = []templates.Text{say("Recording that it did not happen opens the way to sending it again. If it did happen after all, that would be a second payment.")}
	}
	return &note
}

// signedSoFar says how many signatures a request needs, and who has signed it when.
func (n narrator) signedSoFar(r model.Approval) templates.Text {
	given := len(r.Decisions)
	if given == 0 || r.State != model.ApprovalOpen {
		return say(counted(r.Needed, "signature"), " needed")
	}
	text := say(fmt.Sprintf("%d of %d signed (", given, r.Needed))
	for i, d := range r.Decisions {
		if i > 0 {
			text = say(text, "; ")
		}
		text = say(text, templates.Name(d.Name), ", ", n.clockAt(d.At))
	}
	return say(text, fmt.Sprintf("); %d more needed", r.Needed-given))
}

// signedFor are the facts of the intent that is decided about, its money in
// words too. Who asked and who signed stands elsewhere on the page.
func (p approvalPage) signedFor() (facts []templates.Fact) {
	for i, f := range p.intended() {
		if f.Label == approvedLabel || f.Label == approvalLabel || f.Label == "Asked by" {
			continue
		}
		if m, ok := p.c.Money(); i == 0 && ok && len(f.Sub) == 0 {
			f.Sub = say(upper(m.Words()))
		}
		facts = append(facts, f)
	}
	if s := p.c.Step(p.Stored.Step); s != nil && s.Class.Effect() && p.Stored.State == model.ApprovalOpen && p.Action != model.Compensate {
		facts = append(facts, p.known(s)...)
	}
	return facts
}

// signs is what a signature does, with the money that it is about.
func (p approvalPage) signs() string {
	kind, sum := p.c.Kind, ""
	if m, ok := p.c.Money(); ok {
		sum = ", " + m.String()
	}
	switch p.Action {
	case model.ApproveIntent:
		return kind + sum
	case model.MarkExternalResult:
		return "record " + p.Stored.Step + " as " + p.statedAs()
	case model.Compensate:
		if m, ok := p.undoneMoney(); ok {
			sum = ", " + m.String() + " back"
		}
		if !takesBack(p.plan) {
			return "undo our records of this " + kind + ", no money back"
		}
		return "undo this " + kind + sum
	case model.Abandon:
		return "abandon this " + kind
	}
	return words(p.Action)
}

// lookAlikes names the intents that resemble this one and says which were paid
// and when, so that a second payment is seen before it is signed.
func (p approvalPage) lookAlikes() *templates.Note {
	note := lookAlikes(p.count)
	if note == nil {
		return nil
	}
	note.Title, note.Text = say(alikeTitle(p.count.N, count(p.count))), nil
	for _, i := range p.alike {
		note.Text = append(note.Text, p.alikeLine(i))
	}
	if p.count.N > len(p.alike) {
		note.Text = append(note.Text, say(templates.Link("/intents/"+p.c.ID, "The intent’s page"), " tells of the others."))
	}
	if p.Action == model.ApproveIntent && p.Stored.State == model.ApprovalOpen && p.paysTwice() {
		note.Text = append(note.Text, say("Approve only if this one is meant beside what is listed here: it may be a second payment. So its plan code is typed in to approve it."))
	}
	return note
}

// alikeLine tells of one intent that looks alike what became of its money.
func (p approvalPage) alikeLine(i store.AlikeIntent) templates.Text {
	text := say(templates.LinkText("/intents/"+i.ID, title(i.Kind), " to ", templates.Name(i.Who())), ", ")
	if m, ok := i.Money(); ok {
		text = say(text, m, ", ")
	}
	text = say(text, stateWords(intentState(&i.Intent)), ", asked for ", p.at(i.CreatedAt))
	switch paid := i.PaidAt != 0 && i.Kind == model.KindPayout; {
	case paid && i.Confirmed == 0:
		return say(text, "; paid ", p.at(i.PaidAt), ", and it came back")
	case paid:
		return say(text, "; ", templates.Bold("paid"), " ", p.at(i.PaidAt))
	}
	return text
}

// paysTwice reports whether one that looks alike was paid, may have been, or can
// still be, so that approving may let a second payment go. Of those that are not
// listed it is taken for granted.
func (p approvalPage) paysTwice() bool {
	return p.count.N > len(p.alike) || slices.ContainsFunc(p.alike, func(i store.AlikeIntent) bool {
		return !i.State.Final() || i.Confirmed+i.Uncertain > 0
	})
}

func alikeTitle(n int, written string) string {
	if n == 1 {
		return "1 other has the same payee, amount and period:"
	}
	return written + " others have the same payee, amount and period:"
}

// whyAsked is the requester's own words, or the rule because of which the engine
// asks.
func (v *visit) whyAsked(a model.Approval, i model.Intent) (why string, rule templates.Text) {
	if a.Action != model.ApproveIntent {
		return a.Reason, nil
	}
	return "", say(v.Tiers.Because(i.Amount, i.Currency))
}
