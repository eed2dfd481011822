package web

import (
	"encoding/json"
	"errors"
	"net/http"
	"strings"

	"countersign/internal/actions"
	"countersign/internal/authz"
	"countersign/internal/model"
	"countersign/internal/web/problem"
	"countersign/web/templates"
)

// makePreview takes the form: it becomes a stored preview, or comes back with
// what is to be mended and everything that was typed.
func (v *visit) makePreview() error {
	var typed actionFields
	if err := v.bind(&typed); err != nil {
		return err
	}
	p, err := v.openAction(typed.Step)
	if err != nil {
		return err
	}
	p.typed = typed
	input, err := v.input(&p)
	if err != nil {
		return err
	}
	step := p.name()
	if p.action == model.RetryUnfinished || p.action == model.Abandon {
		step = typed.Step
	}
	preview, err := v.Runner.Preview(v.r.Context(), v.actor, actions.PreviewRequest{Intent: p.c.ID, Action: p.action, Step: step, Input: input})
	if err == nil {
		return v.to("/previews/" + preview.ID)
	}
	status := problem.Of(err).Status
	if len(p.errors) > 0 {
		status = http.StatusUnprocessableEntity
	}
	if p.faults(err) {
		return v.show(status, templates.Action(v.actionView(p)))
	}
	if problem.Of(err).Name == authz.CodeStepUp {
		view := v.actionView(p)
		view.Page.Flash = stepUpNote(err, "Nothing was stored.", actionPath(p.c.ID, p.action, p.name()))
		return v.show(http.StatusForbidden, templates.Action(view))
	}
	return err
}

// input is what the person states, as the action takes it. Faults of the form
// are left in p.errors; what is at fault is then stated so that the action
// refuses it, with everything else that is at fault.
func (v *visit) input(p *actionPage) (json.RawMessage, error) {
	switch p.action {
	case model.MarkExternalResult:
		if p.step == nil || !p.verdict.Allowed {
			return nil, nil
		}
		if why := v.noNothing(p); why != "" && p.typed.Result != markHappened && p.typed.Result != "" {
			p.hopeless = true // no file is stored for what cannot be recorded
			p.add("result", why)
		} else if err := v.takeFile(p); err != nil {
			return nil, err
		}
		return json.Marshal(statement(p))
	case model.Abandon:
		return json.Marshal(map[string]any{"acknowledge": append([]string{}, p.typed.Acknowledge...)})
	}
	return nil, nil
}

// noNothing says why nothing that is filled in can record that the step did not
// happen, "" where something can.
func (v *visit) noNothing(p *actionPage) string {
	return actions.WhyNotNothing(p.c, p.step, v.now())
}

// statement is the input of a mark. The day of the document goes as it was written.
func statement(p *actionPage) map[string]any {
	t := &p.typed
	in := map[string]any{"result": t.Result, "external_ref": strings.TrimSpace(t.ExternalRef), "date": t.Date}
	if t.Result != markNothing && p.step.HasMoney() {
		in["currency"] = strings.ToUpper(strings.TrimSpace(t.Currency))
		p.state(in, strings.TrimSpace(t.Amount))
	}
	switch {
	case t.Upload != "":
		in["document"] = map[string]string{"upload": t.Upload}
	case t.URL != "":
		in["document"] = map[string]string{"url": strings.TrimSpace(t.URL), "sha256": strings.ToLower(strings.TrimSpace(t.SHA256))}
	}
	return in
}

// state adds the typed sum in minor units; one that cannot be read becomes a sum
// that no action takes.
func (p *actionPage) state(in map[string]any, typed string) {
	if typed == "" {
		return
	}
	m, err := model.ParseDecimal(typed, p.step.Currency)
	if err != nil {
		p.add("amount", subjects["amount"]+" "+faultWords(err))
		m.Amount = -1
	}
	in["amount"] = m.Amount
}

// takeFile stores a file that came with the form, so that it is not lost when
// something else is to be mended.
func (v *visit) takeFile(p *actionPage) error {
	f := v.file
	if f == nil {
		return nil
	}
	if len(f.body) == 0 {
		p.errors = append(p.errors, templates.FieldError{Field: "document", Message: "The file is empty: it has 0 bytes, and proves nothing"})
		return nil
	}
	u, err := v.Runner.Upload(v.r.Context(), v.actor, p.c.Account, f.name, f.body)
	if errors.Is(err, model.Invalid) {
		p.errors = append(p.errors, templates.FieldError{Field: "document", Message: "The file " + faultWords(err)})
		return nil
	}
	p.typed.Upload = u.ID
	return err
}

// markForm shows what was typed.
func (v *visit) markForm(p actionPage) *templates.MarkForm {
	t := p.typed
	m := &templates.MarkForm{Result: t.Result, HappenedHint: say("It took place, once. Above the first tier, or for another amount, one more person must approve."),
		DidNotHint:  say("Nothing took place. It opens the way to sending again, so for money one more person must approve."),
		ExternalRef: t.ExternalRef, Amount: t.Amount, NoAmount: p.step == nil || !p.step.HasMoney(),
		Currency: t.Currency, Date: t.Date, DateHint: "The day that the document bears", URL: t.URL, SHA256: t.SHA256, Uploads: true, UploadID: t.Upload}
	m.AmountHint = amountHint(p)
	if p.step != nil && p.step.Returned == 0 {
		if why := v.noNothing(&p); why != "" {
			m.NoDidNot = narrator{c: p.c, timing: v.Timing, clock: v.page.Clock}.prose(why)
		}
	}
	switch {
	case p.step == nil:
	case p.step.Returned > 0:
		m.CameBack, m.HappenedHint = true, say("What was paid came back by itself, in whole or in part. The payment stays recorded as it was; nothing is sent again.")
	case p.c.Contradicted(p.step):
		m.HappenedHint = say("It took place, once. What is known contradicts itself, so one more person must approve.")
	}
	if t.Upload != "" {
		m.UploadNote = say("Your file is kept: ", templates.Key(t.Upload), ". Send another one to replace it.")
	}
	return m
}

// amountHint says what an empty amount stands for.
func amountHint(p actionPage) string {
	s := p.step
	switch {
	case s == nil || !s.HasMoney():
		return ""
	case s.Returned > 0:
		return "What came back, as in the document; empty: " + model.Money{Amount: s.Returned, Currency: s.Currency}.String()
	case p.c.Contradicted(s):
		return "As in the document; it must be given, since what is known contradicts itself"
	}
	return "As in the document; empty: as asked for, " + model.Money{Amount: s.Amount, Currency: s.Currency}.String()
}
