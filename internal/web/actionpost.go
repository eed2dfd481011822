package web

import (
	"encoding/json"
	"errors"
	"io"
	"mime/multipart"
	"net/http"
	"strings"
	"time"

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
	if len(p.errors) > 0 {
		return v.show(http.StatusUnprocessableEntity, templates.Action(v.actionView(p)))
	}
	step := p.name()
	if p.action == model.RetryUnfinished || p.action == model.Abandon {
		step = typed.Step
	}
	preview, err := v.Runner.Preview(v.r.Context(), v.actor, actions.PreviewRequest{Intent: p.c.ID, Action: p.action, Step: step, Input: input})
	if err == nil {
		return v.to("/previews/" + preview.ID)
	}
	if p.fault(err); len(p.errors) > 0 {
		return v.show(problem.Of(err).Status, templates.Action(v.actionView(p)))
	}
	if problem.Of(err).Name == authz.CodeStepUp {
		view := v.actionView(p)
		view.Page.Flash = stepUpNote(err, "Nothing was stored.", actionPath(p.c.ID, p.action, p.name()))
		return v.show(http.StatusForbidden, templates.Action(view))
	}
	return err
}

// input is what the person states, as the action takes it. Faults of the form
// are left in p.errors.
func (v *visit) input(p *actionPage) (json.RawMessage, error) {
	switch p.action {
	case model.MarkExternalResult:
		if p.step == nil || !p.verdict.Allowed {
			return nil, nil
		}
		if err := v.takeFile(p); err != nil {
			return nil, err
		}
		return json.Marshal(v.statement(p))
	case model.Abandon:
		return json.Marshal(map[string]any{"acknowledge": append([]string{}, p.typed.Acknowledge...)})
	}
	return nil, nil
}

// statement is the input of a mark. The day of the document is the viewer's.
func (v *visit) statement(p *actionPage) map[string]any {
	t := &p.typed
	in := map[string]any{"result": t.Result, "external_ref": strings.TrimSpace(t.ExternalRef), "currency": strings.ToUpper(strings.TrimSpace(t.Currency)), "date": t.Date}
	if day, err := time.ParseInLocation(time.DateOnly, t.Date, v.zone()); err == nil {
		in["date"] = day.Format(time.RFC3339)
	}
	if amount := strings.TrimSpace(t.Amount); amount != "" {
		m, err := model.ParseDecimal(amount, p.step.Currency)
		if err != nil {
			p.errors = append(p.errors, templates.FieldError{Field: "amount", Message: faultOf(err)})
		}
		in["amount"] = m.Amount
	}
	if t.Result == "did_not_happen" || !p.step.HasMoney() {
		delete(in, "amount")
		in["currency"] = ""
	}
	switch {
	case t.Upload != "":
		in["document"] = map[string]string{"upload": t.Upload}
	case t.URL != "":
		in["document"] = map[string]string{"url": strings.TrimSpace(t.URL), "sha256": strings.ToLower(strings.TrimSpace(t.SHA256))}
	}
	return in
}

// takeFile stores a file that came with the form, so that it is not lost when
// something else is to be mended.
func (v *visit) takeFile(p *actionPage) error {
	head, err := v.c.FormFile("document")
	if errors.Is(err, http.ErrMissingFile) || errors.Is(err, http.ErrNotMultipart) || err == nil && head.Size == 0 {
		return nil
	}
	if err != nil {
		return err
	}
	body, err := readFile(head)
	if err != nil {
		return err
	}
	u, err := v.Runner.Upload(v.r.Context(), v.actor, p.c.Account, head.Filename, body)
	if errors.Is(err, model.Invalid) {
		p.errors = append(p.errors, templates.FieldError{Field: "document", Message: "The file: " + faultOf(err)})
		return nil
	}
	p.typed.Upload = u.ID
	return err
}

func readFile(head *multipart.FileHeader) ([]byte, error) {
	file, err := head.Open()
	if err != nil {
		return nil, err
	}
	defer file.Close()
	return io.ReadAll(file)
}

// fieldOf is the form's field for a member of the input, or for a rule that one
// typed value runs into.
var fieldOf = map[string]string{
	"/input/result": "result", "/input/external_ref": "external_ref", "/input/amount": "amount", "/input/currency": "currency", "/input/date": "date",
	"/input/document/url": "document_url", "/input/document/sha256": "document_sha256", "/input/document/upload": "document",
	"mark.no-evidence": "document", "mark.ref-taken": "external_ref", "mark.document-too-old": "date", "mark.reconcile-says-it": "result",
	"mark.already-back": "result", "mark.may-still-send": "result", "mark.too-early": "result", "abandon.acknowledge": "acknowledge",
}

// fault puts what an error says beside the fields that it is about; about others
// it says nothing.
func (p *actionPage) fault(err error) {
	var e *model.Error
	if !errors.As(err, &e) {
		return
	}
	for _, f := range e.Fields {
		if field, ok := fieldOf[f.Location]; ok {
			p.errors = append(p.errors, templates.FieldError{Field: field, Message: title(field) + " " + f.Message})
		}
	}
	rule, _ := e.Extra["rule"].(string)
	if field, ok := fieldOf[rule]; ok {
		p.errors = append(p.errors, templates.FieldError{Field: field, Message: e.Message})
	}
}

// markForm shows what was typed.
func (v *visit) markForm(p actionPage) *templates.MarkForm {
	t := p.typed
	m := &templates.MarkForm{Result: t.Result, HappenedHint: say("It took place, once. Above the first tier, or for another amount, one more person must approve."),
		DidNotHint:  say("Nothing took place. It opens the way to sending again, so for money one more person must approve."),
		ExternalRef: t.ExternalRef, Amount: t.Amount, AmountHint: "As in the document; empty: as asked for", NoAmount: p.step == nil || !p.step.HasMoney(),
		Currency: t.Currency, Date: t.Date, DateHint: "Of the document, " + v.page.Clock.ZoneName(), URL: t.URL, SHA256: t.SHA256, Uploads: true, UploadID: t.Upload}
	if t.Upload != "" {
		m.UploadNote = say("Your file is kept: ", templates.Key(t.Upload), ". Send another one to replace it.")
	}
	return m
}

// owned takes an intent or gives it back.
func (v *visit) owned() error {
	id := v.c.Param("id")
	var err error
	switch v.r.PostFormValue("do") {
	case "take":
		err = v.Runner.Take(v.r.Context(), v.actor, id)
	case "release":
		err = v.Runner.Release(v.r.Context(), v.actor, id)
	default:
		err = model.Errorf(model.Invalid, "invalid-params", "An intent is taken or released.")
	}
	if err != nil {
		return err
	}
	return v.to("/intents/" + id)
}
