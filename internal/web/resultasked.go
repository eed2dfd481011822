package web

import (
	"fmt"

	"countersign/internal/actions"
	"countersign/internal/model"
	"countersign/web/templates"
)

// asked words a plan that somebody else is to sign, and once the request is
// closed, what became of it.
func (v *visit) asked(p previewPage, view *templates.ResultView) {
	id := valueOf(p.receipt.Approval)
	view.State, view.Was, view.About, view.Of = "", "", "What was asked for", ""
	r := p.c.Request(id)
	if r != nil && r.State != model.ApprovalOpen {
		view.Outcome = templates.Outcome(r.State)
		p.became(*r, view)
		return
	}
	view.Title, view.Outcome = "Asked for approval: nothing is done before somebody else signs", templates.Outcome(model.ApprovalOpen)
	view.Code = actions.PlanCode(p.Digest)
	view.Note = templates.Note{Kind: "go", Title: say("The request is sealed by the plan you confirmed."), Text: []templates.Text{say(p.approvers(v), " If the intent moves meanwhile, the request is dismissed.")}}
	if id == "" {
		return
	}
	waits := say(templates.Link("/approvals/"+id, "The request"), " waits for an approver")
	if r != nil && len(r.Decisions) > 0 {
		waits = say(waits, ": ", p.signatures(*r), "; ", given(*r))
	}
	view.Next = []templates.Line{{Text: waits}}
}

// became says how a request that is not open any more ended, and by whom.
func (p previewPage) became(r model.Approval, view *templates.ResultView) {
	request := templates.Link("/approvals/"+r.ID, "the request")
	switch r.State {
	case model.ApprovalExecuted:
		view.Title, view.Note.Kind = "Approved and carried out", "ok"
	case model.ApprovalApproved:
		view.Title, view.Note.Kind = "Approved: not carried out yet", "go"
	default:
		view.Title, view.Note.Kind = title(string(r.State))+": nothing was done", "no"
	}
	who := say(title(string(r.State)), " ", p.at(r.ClosedAt), "; ", request)
	if len(r.Decisions) > 0 {
		who = say(decisionLeads[r.Decisions[len(r.Decisions)-1].Says], " ", p.signatures(r), p.carriedOutBy(r), "; ", request)
	}
	view.Note.Title = say(who, ".")
	if r.ClosedBecause != "" {
		view.Note.Text = []templates.Text{p.prose(r.ClosedBecause)}
	}
}

// decisionLeads stand before the names of those who decided.
var decisionLeads = map[string]string{"approve": "Signed by", "reject": "Rejected by", "withdraw": "Withdrawn by"}

// carriedOutBy links to the intent that runs on an executed request; nil where
// the request was carried out on the intent itself.
func (p previewPage) carriedOutBy(r model.Approval) templates.Text {
	for _, k := range p.c.Compensations {
		if k.ApprovalID == r.ID && k.ChildID != "" {
			return say(", carried out by ", templates.Link("/intents/"+k.ChildID, k.ChildID))
		}
	}
	return nil
}

// given says how many of the signatures that a request needs are there.
func given(r model.Approval) string {
	if len(r.Decisions) == 0 {
		return counted(r.Needed, "signature") + " needed"
	}
	return fmt.Sprintf("%d of %s given", len(r.Decisions), counted(r.Needed, "signature"))
}
