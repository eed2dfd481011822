package web

import (
	"encoding/json"
	"fmt"

	"countersign/internal/model"
	"countersign/web/templates"
)

// asked are the members of params that a page shows in words, of any kind.
type asked struct {
	Payee, Rep      party
	Memo            string
	Dispute, Charge string
	Reason          string
	Response        string
}

type party struct{ Reference, Name, Destination, Email string }

// told reads the params as far as a page says them in words; what is not there
// stays empty, and the params themselves are shown below.
func (n narrator) told() (a asked) {
	_ = json.Unmarshal(n.c.Params, &a)
	return a
}

// intended answers what was intended.
func (n narrator) intended() []templates.Fact {
	a := n.told()
	facts := []templates.Fact{n.wanted(a)}
	if n.c.Period != "" {
		facts = append(facts, templates.Fact{Label: "For", Text: say("Period ", templates.Code(n.c.Period))})
	}
	if a.Memo != "" {
		facts = append(facts, templates.Fact{Label: "Memo", Text: say(templates.Name(a.Memo))})
	}
	if n.c.DueBy != 0 {
		facts = append(facts, templates.Fact{Label: "Due by", Text: say(n.at(n.c.DueBy), ", ", templates.Ago(n.at(n.c.DueBy)))})
	}
	facts = append(facts, n.askedBy(), templates.Fact{Label: "Intent key", Text: say(templates.Key(n.c.Key))})
	if approved := n.approved(); approved != nil {
		facts = append(facts, templates.Fact{Label: n.approvalLabel(), Text: approved})
	}
	return facts
}

// askedBy says who wanted it; of a compensation, with the reason that was given.
func (n narrator) askedBy() templates.Fact {
	if r := n.undoRequest(); r != nil && r.RequesterName != "" {
		return templates.Fact{Label: "Asked by", Text: say(templates.Name(r.RequesterName), ", ", n.at(r.CreatedAt)), Sub: say(templates.Name(r.Reason))}
	}
	return templates.Fact{Label: "Asked by", Text: say(templates.Name(n.c.CreatedBy), ", ", n.at(n.c.CreatedAt))}
}

// undoRequest is the request, at the parent, that a compensation was approved
// by; nil of other intents.
func (n narrator) undoRequest() *model.Approval {
	if n.c.Kind != model.KindCompensation || n.kin == nil {
		return nil
	}
	for _, k := range n.kin.Compensations {
		if k.ChildID == n.c.ID {
			return n.kin.Request(k.ApprovalID)
		}
	}
	return nil
}

// wanted is the one sentence of what is to come about.
func (n narrator) wanted(a asked) templates.Fact {
	m, hasMoney := n.c.Money()
	amount := say("no money")
	if hasMoney {
		amount = say(templates.Strong(m))
	}
	switch n.c.Kind {
	case model.KindStatement:
		return templates.Fact{Label: "Issue", Text: say("A statement of ", amount, " for ", templates.Name(n.c.Who()), ", ", templates.Code(n.c.PayeeRef))}
	case model.KindDispute:
		return templates.Fact{Label: title(a.Response), Text: say("Dispute ", templates.Code(a.Dispute), " about ", amount, ", charge ", templates.Code(a.Charge)), Sub: say(words(a.Reason))}
	case model.KindCompensation:
		if !hasMoney || !n.atProvider() {
			return templates.Fact{Label: "Undo", Text: say(templates.Link("/intents/"+n.c.Parent, n.c.ParentStep), " and what followed it, in our own records; no money moves at a provider"), Sub: say(templates.Key(n.c.Parent))}
		}
		return templates.Fact{Label: "Undo", Text: say(templates.Link("/intents/"+n.c.Parent, n.c.ParentStep), " and what followed it: ", amount, " back from ", templates.Name(n.c.Who())), Sub: say(templates.Key(n.c.Parent))}
	}
	text := say(amount, " to ", templates.Name(n.c.Who()), ", ", templates.Code(n.c.PayeeRef))
	if a.Payee.Destination != "" {
		text = say(text, ", at ", templates.Code(a.Payee.Destination))
	}
	return templates.Fact{Label: "Pay", Text: text}
}

// The labels of the line that says who approved, which other pages leave out by
// them: a request that ended without being signed has nobody who approved.
const (
	approvedLabel = "Approved by"
	approvalLabel = "Approval"
)

// approvalLabel is what the line of approved is called.
func (n narrator) approvalLabel() string {
	if r := n.approvalRequest(); r != nil && unsigned(*r) {
		return approvalLabel
	}
	return approvedLabel
}

// unsigned reports whether a request ended without being approved.
func unsigned(r model.Approval) bool {
	switch r.State {
	case model.ApprovalOpen, model.ApprovalApproved, model.ApprovalExecuted:
		return false
	}
	return true
}

// approvalRequest is the request by which people are asked to let the intent run,
// or were; nil where nobody was.
func (n narrator) approvalRequest() *model.Approval {
	if r := n.undoRequest(); r != nil {
		return r
	}
	if n.c.ApprovalStep() == nil {
		return nil
	}
	for i := range n.c.Requests {
		if n.c.Requests[i].Action == model.ApproveIntent {
			return &n.c.Requests[i]
		}
	}
	return nil
}

// approved says who approved the intent, or that it waits; nil where nobody is asked.
func (n narrator) approved() templates.Text {
	s, r := n.c.ApprovalStep(), n.approvalRequest()
	switch {
	case s != nil && s.State == model.Confirmed && s.PeopleNeeded == 0 && n.undoRequest() == nil:
		return say("Rule ", templates.Code(s.Rule), ", ", n.at(s.ChangedAt))
	case r != nil:
		return n.decided(*r)
	case s == nil:
		return nil
	}
	return say("Nobody yet")
}

// decided says how a request was decided, and by whom.
func (n narrator) decided(r model.Approval) templates.Text {
	link := func(text string) templates.Part { return templates.Link("/approvals/"+r.ID, text) }
	if unsigned(r) {
		return say(n.endedBy(r), "; ", link("the request"))
	}
	if len(r.Decisions) == 0 {
		return say("Nobody yet: the request is ", link(words(string(r.State))))
	}
	text := n.signatures(r)
	switch r.State {
	case model.ApprovalExecuted:
		return say(text, ", ", link("carried out"))
	case model.ApprovalOpen:
		return say(text, fmt.Sprintf(", %d of %d: ", len(r.Decisions), r.Needed), link("the request"), " waits for more")
	case model.ApprovalApproved:
		return say(text, "; ", link("the request"), " is not carried out yet")
	}
	return text
}

// signatures name those who decided on a request, each with the time.
func (n narrator) signatures(r model.Approval) templates.Text {
	text := say()
	for i, d := range r.Decisions {
		if i > 0 {
			text = say(text, ", ")
		}
		text = say(text, templates.Name(d.Name), " ", n.clockAt(d.At))
	}
	return text
}
