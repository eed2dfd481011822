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
	if r != nil {
		if now := r.AsOf(v.now()); now.State != model.ApprovalOpen {
			view.Outcome = templates.Outcome(now.State)
			p.became(now, view)
			return
		}
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
	switch r.State {
	case model.ApprovalExecuted:
		view.Title, view.Note.Kind = "Approved and carried out", "ok"
	case model.ApprovalApproved:
		view.Title, view.Note.Kind = "Approved: not carried out yet", "go"
	default:
		view.Title, view.Note.Kind = title(string(r.State))+": nothing was done", "no"
	}
	view.Note.Title = say(p.endedBy(r), "; ", templates.Link("/approvals/"+r.ID, "the request"), ".")
	if r.ClosedBecause != "" {
		view.Note.Text = []templates.Text{p.prose(r.ClosedBecause)}
	}
}

// endedBy names whose word ended a request, or when it ended without one, and
// apart from that who had signed before.
func (p previewPage) endedBy(r model.Approval) templates.Text {
	who, signed := say(title(string(r.State)), " ", p.at(r.ClosedAt)), r
	switch last := len(r.Decisions) - 1; {
	case last < 0:
	case r.State == model.ApprovalExecuted, r.State == model.ApprovalApproved:
		return say("Signed by ", p.signatures(r), p.carriedOutBy(r))
	case r.Decisions[last].Says != "approve":
		ended := r
		ended.Decisions, signed.Decisions = r.Decisions[last:], r.Decisions[:last]
		who = say(title(string(r.State)), " by ", p.signatures(ended))
	}
	if len(signed.Decisions) > 0 {
		who = say(who, ", after a signature by ", p.signatures(signed))
	}
	return who
}

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
