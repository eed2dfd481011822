package web

import (
	"strings"

	"countersign/internal/actions"
	"countersign/internal/authz"
	"countersign/internal/model"
	"countersign/web/templates"
)

func (v *visit) bulkView(p bulkPage) templates.BulkView {
	view := templates.BulkView{Page: v.titled(upper(p.act())), ID: p.ID, Label: title(p.Action) + ", many", Title: say(upper(p.act())), Post: "/bulk/" + p.ID,
		Code: actions.PlanCode(p.Digest), Digest: p.Digest, Why: p.Reason, Untouched: say("Every other intent, whatever it matches now or later. No second list is drawn up."),
		Reason: templates.ReasonField{Value: p.form.Reason, Hint: reasonHint}, TypedCode: p.typed(), Typed: p.form.PlanCode, Errors: p.errors,
		Leave: templates.Button{Href: "/", Label: "Leave, nothing is done"}, Approvers: v.bulkApprovers(p)}
	p.fromFile(&view)
	state := p.Standing(p.Now)
	view.Sums = p.sums()
	view.Results = p.carriedOut()
	view.Decisions = v.bulkDecisions(p)
	v.bulkLists(p, &view)
	switch {
	case state == model.BulkPreviewed:
		v.bulkPreview(p, &view)
	case state == model.BulkOpen:
		v.bulkRequest(p, &view)
	case view.Results:
		view.Progress = p.progress()
	default:
		view.Closed = &templates.Note{Kind: "no", Title: say(v.listEnded(p, state), ". Nothing of this list was done."), Text: []templates.Text{say(p.ClosedBecause)}}
	}
	if p.UsedAt != 0 {
		view.Meta = append(view.Meta, say("Confirmed by ", templates.Name(p.ActorName), " ", v.at(p.UsedAt)), say("Audit entry ", templates.Link("/audit/"+p.Entry, "of the list")))
	}
	if p.Requested() {
		view.Outcome = templates.Outcome(actions.RequestState(p.Bulk, p.Now))
		view.People = v.bulkPeople(p)
	}
	return view
}

// listEnded says how a list ended that was not carried out, when and by whom.
func (v *visit) listEnded(p bulkPage, state model.BulkState) templates.Text {
	text := say(title(string(state)))
	if d := lastWord(p.Decisions); d != nil {
		return say(text, " by ", templates.Name(d.Name), " ", v.at(d.At))
	}
	if p.ClosedAt != 0 {
		text = say(text, " ", v.at(p.ClosedAt))
	}
	return text
}

// act is what the list does, in words: "ask about 12 intents".
func (p bulkPage) act() string {
	n := p.Planned
	if !p.carriedOut() {
		n = p.counted()
	}
	many := counted(n, "intent")
	switch p.Action {
	case model.MarkExternalResult:
		return recordWords(n)
	case model.RetryUnfinished:
		return "try " + many + " once more"
	case model.Reconcile:
		return "ask about " + many
	}
	return "give " + many + " up"
}

// bulkPreview is the page of a list that nobody has confirmed yet.
func (v *visit) bulkPreview(p bulkPage, view *templates.BulkView) {
	view.Title, view.Page.Title = say("Preview: "+p.act()), "Preview: "+p.act()
	view.Expires = v.at(p.ExpiresAt)
	if p.BankFile == "" {
		view.Anew = v.anew(p)
	}
	view.Apart = p.apartNote()
	switch {
	case p.Planned == 0:
		view.Title, view.Page.Title = say("Nothing can be done: every intent is left out"), "Nothing can be done"
		view.Closed = &templates.Note{Kind: "no", Title: say("Nothing was done and nothing is planned."), Text: []templates.Text{say("Each intent stands below with the rule that leaves it out.")}}
	case v.now() > p.ExpiresAt:
		view.Closed = &templates.Note{Kind: "no", Title: say("This preview has expired. Nothing was done."), Text: []templates.Text{say("Previews live for ", span(v.Timing.Preview), ", since the world moves on.")}}
	case p.counted() == 0:
		view.Closed = p.movedNote("Nothing was done, and nothing of this list would be. " + p.freshly())
	default:
		view.Confirm = upper(p.act()) + p.amounts()
		if p.People > 1 {
			view.Confirm = "Ask for approval: " + p.act()
		}
		view.Warning = p.bulkWarning()
		view.Alike = p.alikeNote()
		view.Moved = p.movedNote("They will not be done, and the others will. " + p.freshly())
	}
}

// amounts names the money of the list.
func (p bulkPage) amounts() string { return amountWords(p.SumsOf(p.counts)) }

// amountWords names money behind a comma, where it is of few currencies.
func amountWords(sums []model.BulkSum) string {
	var list []string
	for _, s := range sums {
		list = append(list, model.Money{Amount: s.Amount, Currency: s.Currency}.String())
	}
	if len(list) == 0 || len(list) > 3 {
		return ""
	}
	return ", " + strings.Join(list, " and ")
}

func (p bulkPage) bulkWarning() *templates.Note {
	switch {
	case p.Action == model.RetryUnfinished && p.typed():
		return &templates.Note{Kind: "mind", Title: say("Some of these may have happened already."),
			Text: []templates.Text{say("Each repeat goes out under the same key with the same bytes. What keeps it from happening twice is that the provider still recognises the key.")}}
	case p.Action == model.Abandon:
		return &templates.Note{Kind: "mind", Title: say("This cannot be taken back.")}
	}
	return nil
}

// movedNote says how much of the list would not be done any more.
func (p bulkPage) movedNote(then string) *templates.Note {
	if len(p.Moved) == 0 {
		return nil
	}
	verb := " have moved since they were planned."
	if len(p.Moved) == 1 {
		verb = " has moved since it was planned."
	}
	return &templates.Note{Kind: "mind", Title: say(counted(len(p.Moved), "intent"), verb), Text: []templates.Text{say(then)}}
}

// freshly says how what has moved is planned again.
func (p bulkPage) freshly() string {
	if p.BankFile != "" {
		return "The page of the bank’s file says what its lines stand for now."
	}
	return "A fresh list plans them anew."
}

// fromFile leads back to the bank's file that the list was made of.
func (p bulkPage) fromFile(view *templates.BulkView) {
	if p.BankFile == "" {
		return
	}
	path := bankFilePath(p.BankFile)
	view.Label = "Marks by a bank’s file"
	view.Crumb = say(templates.Link(reconcilePath, "Reconcile"), " / ", templates.LinkText(path, templates.Name(p.file.Name)))
	view.Meta = append(view.Meta, say("by ", p.file.Format, " ", templates.LinkText(path, templates.Name(p.file.Name))))
	if p.file.Format == actions.CSV {
		view.Meta = append(view.Meta, say(templates.Link(path+"?mapping=show", "See how its columns are read")))
	}
	view.Leave = templates.Button{Href: path, Label: "Back to the file, nothing is done"}
	view.Untouched = say("Every other step and intent. Nothing is sent to a provider; what follows a step in its intent goes on by itself once the step is confirmed.")
}

// anew offers another list of the same intents to whom this one is.
func (v *visit) anew(p bulkPage) *templates.Anew {
	a := &templates.Anew{Of: p.ID, Label: "Make a fresh list", Title: "The same intents anew", Text: say("What has moved is planned anew; what the rules refuse is left out again.")}
	for _, c := range p.cases {
		for _, e := range abandonForm(actionPage{c: c}).Effects {
			e.Text = say(" to ", templates.Name(c.Who()), e.Text)
			a.Effects = append(a.Effects, e)
		}
	}
	if len(a.Effects) > 0 {
		a.Label, a.Title = "Make a list with what is acknowledged", "To give up what has effects too"
		a.Text = say("An effect that stands or may stand stays as it is when its intent is given up. With any of these in it, the list needs another person.")
	}
	return a
}

// bulkRequest is the page of a list that waits for another person.
func (v *visit) bulkRequest(p bulkPage, view *templates.BulkView) {
	asked := actions.BulkAsked(p.Bulk)
	may := authz.MayApprove(v.actor, asked)
	view.Expires, view.Decider = v.at(p.ExpiresAt), "Your decision, "+v.person.Name
	view.Alike = p.alikeNote()
	view.Moved = p.movedNote("They will not be done, whatever is decided; the others will, once the list is approved.")
	if may.Allowed && p.counted() > 0 {
		view.Approve, view.Warning = "Approve: "+p.act()+p.amounts(), p.bulkWarning()
	} else if !may.Allowed {
		view.NotYou = &templates.Note{Kind: "no", Title: say("You cannot approve this."), Text: []templates.Text{say(may.Because)}}
	}
	if authz.MayReject(v.actor, asked).Allowed {
		view.Reject = "Reject the whole list"
	}
	if authz.MayWithdraw(v.actor, asked).Allowed {
		view.Withdraw = "Withdraw the request"
	}
}

func (v *visit) bulkPeople(p bulkPage) []templates.Fact {
	facts := []templates.Fact{{Label: "Asked by", Text: say(templates.Name(p.ActorName), ", ", v.at(p.UsedAt))}}
	if p.Standing(p.Now) == model.BulkOpen {
		facts = append(facts, templates.Fact{Label: "May approve", Text: orNobody(names(authz.Approvers(p.people, actions.BulkAsked(p.Bulk))))})
	}
	return facts
}

func orNobody(names []string) templates.Text {
	if len(names) == 0 {
		return say("nobody at present")
	}
	return nameList(names)
}

// bulkApprovers says who else must sign.
func (v *visit) bulkApprovers(p bulkPage) templates.Text {
	if p.People < 2 {
		return say("Nobody else.")
	}
	asked := actions.BulkAsked(p.Bulk)
	return say("One more person for the whole list, since at least one intent needs it: ", orNobody(names(authz.Approvers(p.people, asked))),
		". Who asks, who answers for any of the intents, and who approves are different people.")
}

func (v *visit) bulkDecisions(p bulkPage) (rows []templates.DecisionRow) {
	for _, d := range p.Decisions {
		rows = append(rows, templates.DecisionRow{By: d.Name, Says: decisionWords[d.Says], At: v.at(d.At), Reason: d.Reason})
	}
	return rows
}
