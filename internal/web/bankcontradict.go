package web

import (
	"net/http"
	"net/url"
	"strconv"

	"countersign/internal/actions"
	"countersign/internal/authz"
	"countersign/internal/bankfile"
	"countersign/internal/model"
	"countersign/internal/web/problem"
	"countersign/web/templates"
)

// contradictionTyped is what came with a contradiction's form and was not taken.
type contradictionTyped struct {
	line   int
	reason string
	errors templates.FieldErrors
}

// reasonOf is the field for the reason of one line: a page has a form for several.
func reasonOf(line int) string { return "reason-" + strconv.Itoa(line) }

// contradictionForm is the form of a line that contradicts its step, for whoever
// may record that; at is where the page of such lines begins. nil is none.
func (v *visit) contradictionForm(p bankPage, m bankfile.Match, at int) *templates.Contradicting {
	if !p.may.Allowed || !p.Contradicts(&m) {
		return nil
	}
	address := url.URL{Path: bankFilePath(p.ID) + "/contradiction", RawQuery: url.Values{partPerson: {strconv.Itoa(at + 1)}}.Encode()}
	form := &templates.Contradicting{Page: v.page, Post: address.String(), Line: m.Number, Step: m.Step.Key, Field: reasonOf(m.Number),
		StepUp: v.passwordAhead(bankFilePath(p.ID), authz.MarkExternalResult)}
	if p.typed.line == m.Number {
		form.Typed, form.Errors = p.typed.reason, p.typed.errors
	}
	return form
}

// recordContradiction records that a line contradicts its step, and leads to the
// step's intent; where it is not taken, the file's page says why.
func (v *visit) recordContradiction() error {
	var form struct {
		Line int    `form:"line"`
		Step string `form:"step"`
	}
	if err := v.bind(&form); err != nil {
		return err
	}
	reason := v.c.FormValue(reasonOf(form.Line))
	intent, refusal := v.Runner.RecordContradiction(v.r.Context(), v.actor, v.c.Param("id"), form.Line, actions.BankContradiction{Step: form.Step, Reason: reason})
	if refusal == nil {
		return v.to("/intents/" + intent)
	}
	return v.notRecorded(refusal, contradictionTyped{line: form.Line, reason: reason})
}

// notRecorded shows the file's page anew, with what stands in the way.
func (v *visit) notRecorded(refusal error, typed contradictionTyped) error {
	for _, f := range reasonFaults(refusal) {
		typed.errors = append(typed.errors, templates.FieldError{Field: reasonOf(typed.line), Message: f.Message})
	}
	why := problem.Of(refusal)
	var flash *templates.Note
	switch {
	case len(typed.errors) > 0:
	case why.Name == authz.CodeStepUp:
		flash = stepUpNote(refusal, "Nothing was recorded.", bankFilePath(v.c.Param("id")))
	case why.Status == http.StatusConflict && model.KindOf(refusal) == model.Conflict:
		flash = &templates.Note{Kind: "mind", Title: say("Nothing was recorded."), Text: []templates.Text{say(why.Detail)}}
	default:
		return refusal
	}
	p, err := v.openBankFile()
	if err != nil {
		return err
	}
	p.typed = typed
	return v.showBankFile(why.Status, p, flash)
}
