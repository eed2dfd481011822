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
func (n narrator) endedBy(r model.Approval) templates.Text {
	who, signed := say(title(string(r.State)), " ", n.at(r.ClosedAt)), r
	if d := lastWord(r.Decisions); d != nil {
		who = say(title(string(r.State)), " by ", templates.Name(d.Name), " ", n.at(d.At))
		signed.Decisions = r.Decisions[:len(r.Decisions)-1]
	}
	switch {
	case len(signed.Decisions) == 0:
		return who
	case r.State == model.ApprovalExecuted, r.State == model.ApprovalApproved:
		return say("Signed by ", n.signatures(r), n.carriedOutBy(r))
	}
	return say(who, ", after a signature by ", n.signatures(signed))
}

// lastWord is the decision that ended a request without its being carried out, by
// who rejected or withdrew it; nil where none did.
func lastWord(decisions []model.ApprovalDecision) *model.ApprovalDecision {
	if last := len(decisions) - 1; last >= 0 && decisions[last].Says != "approve" {
		return &decisions[last]
	}
	return nil
}

// carriedOutBy links to the intent that runs on an executed request; nil where
// the request was carried out on the intent itself.
func (n narrator) carriedOutBy(r model.Approval) templates.Text {
	for _, k := range n.c.Compensations {
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
