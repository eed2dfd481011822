package web

import (
	"errors"
	"net/http"
	"strings"
	"unicode"

	"golang.org/x/text/unicode/norm"

	"countersign/internal/actions"
	"countersign/internal/authz"
	"countersign/internal/model"
	"countersign/internal/store"
	"countersign/internal/web/problem"
	"countersign/web/templates"
)

// previewPage is a stored preview with what it is about.
type previewPage struct {
	actions.Preview
	planner
	people  []model.Person
	form    confirmFields
	errors  templates.FieldErrors
	changes []string         // what moved since, in sentences; none while it is exact
	receipt *actions.Receipt // nil until it is confirmed
	list    string           // of a bank's file, that it is confirmed with; "" for none
	over    bool             // its time was over when it was confirmed, whatever the page's clock says
}

// confirmFields are the form's fields as typed.
type confirmFields struct {
	Reason   string `form:"reason"`
	Digest   string `form:"digest"`
	PlanCode string `form:"plan_code"`
}

// openPreview reads the viewer's own preview; others' do not exist.
func (v *visit) openPreview() (p previewPage, err error) {
	p.Preview, err = v.Runner.PreviewWith(v.r.Context(), v.actor, v.c.Param("id"), func(tx *store.Tx, row store.Preview) (err error) {
		if p.receipt, err = receiptOf(row); err != nil {
			return err
		}
		p.action, p.input = row.Action, row.Input
		return tx.Together(
			func() (err error) { p.c, err = v.caseOf(tx, row.IntentID); return err },
			func() error { return p.findUpload(tx, row.Account) },
			func() (err error) { p.list, err = tx.OfBankFile(row.IntentID, row.ID); return err },
			func() (err error) { p.people, err = tx.People(row.Account); return err })
	})
	p.about, p.plan, p.digest = valueOf(p.Step), p.Plan, p.Digest
	p.timing, p.clock = v.Timing, v.page.Clock
	return p, err
}

// stepName is the step that the preview is about, "" for the whole intent.
func (p previewPage) stepName() string {
	switch {
	case p.Step != nil:
		return *p.Step
	case len(p.Plan.Calls) > 0 && p.Action != model.Compensate:
		return p.Plan.Calls[0].Step
	}
	return ""
}

func (v *visit) preview() error {
	p, err := v.openPreview()
	if err != nil {
		return err
	}
	if err := v.whatMoved(&p); err != nil {
		return err
	}
	return v.show(http.StatusOK, templates.Preview(v.previewView(p)))
}

func (v *visit) previewView(p previewPage) templates.PreviewView {
	plan := p.view()
	plan.Approvers, plan.Rule = p.approvers(v), p.rule(v)
	view := templates.PreviewView{Page: v.titled("Preview: " + words(p.Action)), Crumb: crumb(p.c), Label: title(p.Action),
		Title: say("Preview: ", p.act()), Expires: v.at(p.ExpiresAt), Plan: plan, Post: "/previews/" + p.ID + "/confirm", Cancel: "/intents/" + p.c.ID,
		Leave: "Leave, nothing is done", Button: p.button(), Reason: templates.ReasonField{Value: p.form.Reason, Hint: reasonHint},
		TypedCode: p.typed(), Typed: p.form.PlanCode, Errors: p.errors}
	view.StepUp = v.passwordAhead("/previews/"+p.ID, authz.ForAction(p.Action))
	if p.keyWindow() != nil {
		view.ExpiresWhy = say(": until then the provider surely recognises the key")
	}
	if view.TypedCode {
		view.Warning = p.warning()
	}
	again := &templates.Button{Href: actionPath(p.c.ID, p.Action, valueOf(p.Step)), Label: "Make a fresh preview"}
	switch {
	case p.UsedAt != 0:
		view.Closed = &templates.Note{Kind: "ok", Title: say("You confirmed this plan ", v.at(p.UsedAt), "."), Text: []templates.Text{say(templates.Link("/previews/"+p.ID+"/result", "See what it came to"))}}
	case p.list != "":
		view.Closed = &templates.Note{Kind: "q", Title: say("This plan is part of a list that was made of a bank’s file, and is confirmed with that list alone."), Text: []templates.Text{say(templates.Link("/bulk/"+p.list, "Look at the list"))}}
	case (p.over || v.now() > p.ExpiresAt) && p.keyWindow() != nil:
		call := p.keyWindow()
		view.Closed = &templates.Note{Kind: "no", Title: say("The time ran out: ", v.at(p.ExpiresAt), " was the last moment to send ", call.Step, " again under its key. Nothing was done."),
			Text: []templates.Text{say("A repeat later could act twice. The provider can still be asked what became of it.")}}
		view.Fresh = &templates.Button{Href: actionPath(p.c.ID, model.Reconcile, call.Step), Label: "Reconcile " + call.Step}
	case p.over || v.now() > p.ExpiresAt:
		view.Closed = &templates.Note{Kind: "no", Title: say("This preview has expired. Nothing was done."), Text: []templates.Text{say("Previews live for ", span(v.Timing.Preview), ", since the world moves on.")}}
		view.Fresh = again
	case len(p.changes) > 0:
		view.Closed, view.Fresh, view.Moved = p.movedNote(), again, p.moved()
	}
	if view.Closed != nil {
		past(&view.Plan)
	}
	return view
}

// keyWindow is the call whose key's window is what ends the preview, or nil.
func (p previewPage) keyWindow() *model.PlannedCall {
	for i := range p.Plan.Calls {
		if c := &p.Plan.Calls[i]; c.State == model.OutcomeUnknown && c.SafeUntil == p.ExpiresAt {
			return c
		}
	}
	return nil
}

const reasonHint = "At least 8 characters. It goes into the audit log under your name."

func valueOf(text *string) string {
	if text == nil {
		return ""
	}
	return *text
}

// act is what confirming does, in words.
func (p previewPage) act() templates.Text {
	step := p.stepName()
	switch p.Action {
	case model.RetryUnfinished:
		text := say("try ", step, " once more")
		if s := p.c.Step(step); s != nil && s.HasMoney() {
			text = say(text, ", ", model.Money{Amount: s.Amount, Currency: s.Currency})
		}
		return text
	case model.Reconcile:
		return say("ask about ", step)
	case model.MarkExternalResult:
		return say("record ", step, " as ", p.statedAs())
	case model.Compensate:
		text := say("undo ", step, " and what followed it")
		if m, ok := p.undoneMoney(); ok {
			text = say(text, ", ", m)
		}
		return text
	}
	return say("give this ", p.c.Kind, " up")
}

// button names the act.
func (p previewPage) button() string {
	step := p.stepName()
	if p.People > 1 {
		return p.asking()
	}
	switch p.Action {
	case model.RetryUnfinished:
		text := "Try " + step + " once more"
		if s := p.c.Step(step); s != nil && s.HasMoney() {
			text += ": " + model.Money{Amount: s.Amount, Currency: s.Currency}.String()
		}
		return text
	case model.Reconcile:
		return "Ask about " + step
	case model.MarkExternalResult:
		return "Record it as " + p.statedAs()
	}
	return "Abandon this " + p.c.Kind
}

// asking names what another person is asked to sign, with its money.
func (p previewPage) asking() string {
	text := "Ask for approval"
	switch m, ok := p.undoneMoney(); {
	case p.Action == model.MarkExternalResult:
		text += ": " + p.statedAs()
	case p.Action == model.Compensate && ok:
		text += ": take " + m.String() + " back"
	}
	return text
}

// approvers says who else must sign.
func (p previewPage) approvers(v *visit) templates.Text {
	if p.People < 2 {
		return say("Nobody else.")
	}
	var names []string
	for _, person := range authz.Approvers(p.people, authz.Request{Account: p.c.Account, Requester: v.actor.Responsible(), Creator: p.c.Creator}) {
		names = append(names, person.Name)
	}
	if len(names) == 0 {
		return say("One more person with the right to approve; there is none at present.")
	}
	return say("One of ", nameList(names), ". Requester, creator and approver are different people.")
}

// rule is the verdict's, as it is now.
func (p previewPage) rule(v *visit) string {
	page := actionPage{action: p.Action, c: p.c, step: p.c.Step(valueOf(p.Step))}
	verdict, err := page.pick(actions.Verdicts(p.c, v.actor, p.people, v.Timing, v.Tiers, v.now()))
	if err != nil {
		return ""
	}
	return verdict.Rule
}

// sameCode compares a plan's code as typed: only its letters and digits matter,
// not their case nor their width.
func sameCode(typed, code string) bool { return plainCode(typed) == plainCode(code) }

func plainCode(text string) string {
	return strings.Map(func(r rune) rune {
		if !unicode.IsLetter(r) && !unicode.IsDigit(r) {
			return -1
		}
		return unicode.ToUpper(r)
	}, norm.NFKC.String(text))
}

// codeFault is what is wrong with a code that is not the one of a plan or a list.
func codeFault(typed, of string) templates.FieldErrors {
	message := "This is not the code of this " + of
	if plainCode(typed) == "" {
		message = "Type the code of this " + of
	}
	return templates.FieldErrors{{Field: "plan_code", Message: message}}
}

// faults are all that is wrong with a reason and a code that were typed side by
// side, in the order of the form; the code is not that of the plan or list.
func (f confirmFields) faults(of string) templates.FieldErrors {
	return append(reasonFaults(actions.CheckReason(f.Reason)), codeFault(f.PlanCode, of)...)
}

// reasonFaults words for a form what an error says of its reason.
func reasonFaults(err error) (list templates.FieldErrors) {
	var e *model.Error
	if !errors.As(err, &e) {
		return nil
	}
	for _, f := range e.Fields {
		if f.Location == "/reason" {
			list = append(list, templates.FieldError{Field: "reason", Message: "The reason " + f.Message})
		}
	}
	return list
}

// confirm carries the plan out, or says why not; what was typed is kept.
func (v *visit) confirm() error {
	p, err := v.openPreview()
	if err != nil {
		return err
	}
	if err := v.bind(&p.form); err != nil {
		return err
	}
	if p.UsedAt == 0 && v.now() <= p.ExpiresAt && p.typed() && !sameCode(p.form.PlanCode, actions.PlanCode(p.Digest)) {
		return v.otherCode(p)
	}
	receipt, err := v.Runner.Confirm(v.r.Context(), v.actor, p.ID, actions.Confirmation{Reason: p.form.Reason, Digest: p.form.Digest})
	if err != nil {
		return v.notConfirmed(p, err)
	}
	v.wake()
	v.awaitResult(p.ID, receipt)
	return v.to("/previews/" + p.ID + "/result")
}

// notConfirmed shows a refusal where it belongs: beside the form, as what
// changed, or as a page of its own.
func (v *visit) notConfirmed(p previewPage, err error) error {
	var e *model.Error
	if !errors.As(err, &e) {
		return err
	}
	switch e.Code {
	case "invalid-params":
		p.errors = reasonFaults(err)
	case "preview-stale":
		return v.show(http.StatusConflict, templates.Stale(v.staleView(p, e)))
	case "preview-consumed":
		return v.usedUp(p.form)
	case "preview-expired":
		p.over = true
		view := v.previewView(p)
		v.carryOver(p, &view)
		return v.show(problem.Of(err).Status, templates.Preview(view))
	case authz.CodeStepUp:
		view := v.previewView(p)
		view.Page.Flash = stepUpNote(err, "Nothing was done.", "/previews/"+p.ID)
		return v.show(http.StatusForbidden, templates.Preview(view))
	default:
		return err
	}
	return v.show(problem.Of(err).Status, templates.Preview(v.previewView(p)))
}

// usedUp says that the plan was confirmed with other contents, and keeps what was
// typed here. It is read again: the other tab may have been that quick.
func (v *visit) usedUp(typed confirmFields) error {
	p, err := v.openPreview()
	if err != nil {
		return err
	}
	p.form = typed
	view := v.previewView(p)
	v.carryOver(p, &view)
	return v.show(http.StatusConflict, templates.Preview(view))
}
