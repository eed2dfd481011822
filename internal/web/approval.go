package web

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"

	"countersign/internal/actions"
	"countersign/internal/authz"
	"countersign/internal/model"
	"countersign/internal/store"
	"countersign/internal/web/problem"
	"countersign/web/templates"
)

// approvalPage is one request with what it is about, and what was typed.
type approvalPage struct {
	actions.Approval
	planner
	alike []store.AlikeIntent // some of those that look alike
	count store.Counted       // how many do
	// foreseen are the requests that the engine makes once a whole intent is approved.
	foreseen []model.PlannedCall
	form     confirmFields
	errors   templates.FieldErrors
}

func (v *visit) openApproval() (p approvalPage, err error) {
	p.Approval, err = v.Runner.ApprovalWith(v.r.Context(), v.actor, v.c.Param("id"), func(tx *store.Tx, row model.Approval) error {
		p.action, p.input, p.about = row.Action, row.Input, row.Step
		return tx.Together(
			func() (err error) {
				if p.c, err = v.caseOf(tx, row.IntentID); err != nil {
					return err
				}
				p.foreseen, err = v.Runner.Foresee(tx, p.c, row)
				return err
			},
			func() error { return p.findUpload(tx, row.Account) },
			func() (err error) { p.count, p.alike, err = tx.Alike(row.IntentID, listedAlike); return err })
	})
	if err != nil {
		return p, err
	}
	p.timing, p.clock, p.digest = v.Timing, v.page.Clock, p.Digest
	if err := json.Unmarshal(p.Approval.Plan, &p.plan); err != nil {
		return p, fmt.Errorf("read the plan of %s: %w", p.ID, err)
	}
	if p.Action == model.ApproveIntent {
		p.plan.Calls, p.plan.Then = p.foreseen, nil // they are the calls
	}
	return p, nil
}

// typed reports whether the plan's code is typed in: as for any plan, and where an
// intent is let go beside one that looks like it.
func (p approvalPage) typed() bool {
	return p.Action == model.ApproveIntent && p.paysTwice() || p.planner.typed()
}

// approval shows one request, its plan and the decisions.
func (v *visit) approval() error {
	p, err := v.openApproval()
	if err != nil {
		return err
	}
	return v.show(http.StatusOK, templates.Approval(v.approvalView(p)))
}

func (v *visit) approvalView(p approvalPage) templates.ApprovalView {
	request := requestOf(p.Stored, p.c.Creator)
	open := p.Stored.State == model.ApprovalOpen
	may := authz.MayApprove(v.actor, request)
	label := upper(actNames[p.Action])
	view := templates.ApprovalView{Page: v.titled(label), ID: p.ID, Label: label, Title: asksFor(p.Action, p.plan, p.input, p.c.Intent), Outcome: templates.Outcome(p.State),
		Intent: templates.Button{Href: "/intents/" + p.Intent, Label: title(p.c.Kind)}, IntentID: p.Intent, Plan: v.approvalPlan(p),
		About: p.signedFor(), AboutTitle: "The intent that it is about", PlanTitle: "What would be done, in this order",
		People: v.approvalPeople(p), Decisions: v.decisionRows(p), LookAlikes: p.lookAlikes(), Errors: p.errors,
		MayApprove: open && may.Allowed, MayReject: open && authz.MayReject(v.actor, request).Allowed, MayWithdraw: open && authz.MayWithdraw(v.actor, request).Allowed,
		Decider: "Your decision, " + v.person.Name, ApproveLabel: "Approve: " + p.signs(), RejectLabel: "Reject", WithdrawLabel: "Withdraw the request",
		Reason: templates.ReasonField{Value: p.form.Reason, Hint: reasonHint}, TypedCode: p.typed(), Typed: p.form.PlanCode}
	if view.MayApprove || view.MayReject {
		view.StepUp = v.passwordAhead("/approvals/"+p.ID, authz.Decide)
	}
	if view.MayApprove && view.TypedCode {
		view.Warning = p.warning()
	}
	view.Why, view.WhyRule = v.whyAsked(p.Stored, p.c.Intent)
	if p.Action == model.ApproveIntent {
		view.AboutTitle, view.PlanTitle = "What is approved", "What the engine does then, in this order"
	}
	if !open {
		view.PlanTitle = "What was asked for, in this order"
	}
	if open {
		view.Expires, view.Changed = v.at(p.ExpiresAt), say(templates.Bold("nothing"))
		if !may.Allowed {
			view.NotYou = &templates.Note{Kind: "no", Title: say("You cannot approve this."), Text: []templates.Text{say(may.Because)}}
		}
		return view
	}
	view.Closed = &templates.Note{Kind: p.closedKind(), Title: p.closedTitle(), Text: p.closedBecause()}
	return view
}

// closedTitle says how a request ended, when, and by whose word where it was not
// carried out; who signed what was, stands below it.
func (p approvalPage) closedTitle() templates.Text {
	if p.Stored.State == model.ApprovalExecuted || p.Stored.State == model.ApprovalApproved {
		return say(title(p.State), " ", p.at(p.Stored.ClosedAt), ".")
	}
	return say(p.endedBy(p.Stored), ".")
}

// closedBecause says why a request is closed, and leads to the intent that ran
// on it.
func (p approvalPage) closedBecause() (text []templates.Text) {
	if p.Stored.ClosedBecause != "" {
		text = append(text, p.prose(p.Stored.ClosedBecause))
	}
	for _, k := range p.c.Compensations {
		if k.ApprovalID == p.ID && k.ChildID != "" {
			text = append(text, say("It is carried out by ", templates.LinkText("/intents/"+k.ChildID, "the compensation"), " ", templates.Key(k.ChildID), ", ", words(string(k.State)), "."))
		}
	}
	if s := p.signedStep(); s != nil {
		text = append(text, p.stands(s))
	}
	return text
}

// signedStep is the step on which an executed request acted, or let the engine
// act; nil where it acts on none of the intent's own.
func (p approvalPage) signedStep() *model.Step {
	switch {
	case p.Stored.State != model.ApprovalExecuted:
		return nil
	case p.Action == model.ApproveIntent:
		return p.moneyStep()
	case p.Action == model.Compensate, p.Action == model.Abandon:
		return nil
	}
	return p.c.Step(p.about)
}

// stands says what came of a step, never more than is known: that a request was
// executed says only that its plan was let go.
func (n narrator) stands(s *model.Step) templates.Text {
	text := say("What came of it: ", templates.Bold(s.Name), ", ", words(string(stepState(s))), ".")
	switch {
	case s.State == model.OutcomeUnknown:
		return say(text, " ", n.mayBe(s))
	case s.State == model.Pending:
		return say(text, " Nothing of it was sent yet.")
	case s.Reason != "":
		return say(text, " ", n.prose(n.sentence(s.Reason)))
	}
	return text
}

// closedKind is the look of how it ended: nothing looks fine whose outcome is unknown.
func (p approvalPage) closedKind() string {
	switch s := p.signedStep(); {
	case s != nil && s.State == model.OutcomeUnknown:
		return "q"
	case p.Stored.State == model.ApprovalExecuted, p.Stored.State == model.ApprovalApproved:
		return "ok"
	}
	return "no"
}

func (v *visit) approvalPeople(p approvalPage) []templates.Fact {
	facts := []templates.Fact{{Label: "Asked by", Text: say(templates.Name(p.RequestedBy), ", ", v.at(p.Stored.CreatedAt))},
		{Label: "Intent from", Text: say(templates.Name(p.c.CreatedBy))}}
	who := nameList(p.MayApprove)
	if len(p.MayApprove) == 0 {
		who = say("nobody at present")
	}
	switch signed := p.signedSoFar(p.Stored); {
	case p.Stored.State != model.ApprovalOpen:
		return append(facts, templates.Fact{Label: "Needed", Text: signed})
	case len(p.Decisions) > 0:
		return append(facts, templates.Fact{Label: "Signed", Text: say(signed, ", of: ", who)})
	default:
		return append(facts, templates.Fact{Label: "Needed", Text: signed}, templates.Fact{Label: "May approve", Text: who})
	}
}

var decisionWords = map[string]templates.Outcome{"approve": "approved", "reject": "rejected", "withdraw": "withdrawn"}

func (v *visit) decisionRows(p approvalPage) (rows []templates.DecisionRow) {
	for _, d := range p.Decisions {
		rows = append(rows, templates.DecisionRow{By: d.By, Says: decisionWords[d.Says], At: v.at(d.At), Reason: d.Reason})
	}
	return rows
}

// decision is one of the runner's three answers to a request.
type decision func(ctx context.Context, actor authz.Actor, id string, in actions.Confirmation) (actions.Receipt, error)

func (v *visit) approve() error  { return v.decideOn(v.Runner.Approve, true) }
func (v *visit) reject() error   { return v.decideOn(v.Runner.Reject, false) }
func (v *visit) withdraw() error { return v.decideOn(v.Runner.Withdraw, false) }

// decideOn takes a decision with its reason; what was typed is kept.
func (v *visit) decideOn(decide decision, signs bool) error {
	p, err := v.openApproval()
	if err != nil {
		return err
	}
	if err := v.bind(&p.form); err != nil {
		return err
	}
	may := authz.MayApprove(v.actor, requestOf(p.Stored, p.c.Creator)).Allowed
	if signs && may && p.Stored.State == model.ApprovalOpen && p.typed() && !sameCode(p.form.PlanCode, actions.PlanCode(p.Digest)) {
		p.errors = p.form.faults("plan")
		return v.show(http.StatusUnprocessableEntity, templates.Approval(v.approvalView(p)))
	}
	receipt, err := decide(v.r.Context(), v.actor, p.ID, actions.Confirmation{Reason: p.form.Reason, Digest: p.form.Digest})
	if err != nil {
		return v.notDecided(p, err)
	}
	v.wake()
	v.awaitResult(p.Stored.PreviewID, receipt)
	return v.to("/approvals/" + p.ID)
}

// notDecided shows a refusal beside the form where it is about the form.
func (v *visit) notDecided(p approvalPage, err error) error {
	var e *model.Error
	if !errors.As(err, &e) {
		return err
	}
	switch {
	case e.Code == "invalid-params":
		p.errors = reasonFaults(err)
		return v.show(problem.Of(err).Status, templates.Approval(v.approvalView(p)))
	case e.Code == authz.CodeStepUp:
		view := v.approvalView(p)
		view.Page.Flash = stepUpNote(err, "Nothing was decided.", "/approvals/"+p.ID)
		return v.show(http.StatusForbidden, templates.Approval(view))
	}
	return err
}
