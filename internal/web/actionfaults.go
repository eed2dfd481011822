package web

import (
	"errors"
	"slices"

	"countersign/internal/model"
	"countersign/web/templates"
)

// fieldOf is the form's field for a member of the input, or for a rule that one
// typed value runs into.
var fieldOf = map[string]string{
	"/input/result": "result", "/input/external_ref": "external_ref", "/input/amount": "amount", "/input/currency": "currency", "/input/date": "date",
	"/input/document": "document", "/input/document/url": "document_url", "/input/document/sha256": "document_sha256", "/input/document/upload": "document",
	"mark.no-evidence": "document", "mark.ref-taken": "external_ref", "mark.document-too-old": "date", "mark.reconcile-says-it": "result",
	"mark.already-back": "result", "mark.object-stands": "result", "mark.may-still-send": "result", "mark.too-early": "result", "abandon.acknowledge": "acknowledge",
}

// subjects begin the sentence about a fault of a field.
var subjects = map[string]string{"result": "The result", "external_ref": "The reference", "amount": "The amount", "currency": "The currency",
	"date": "The date", "document": "The document", "document_url": "The link", "document_sha256": "The SHA-256 of what is linked", "acknowledge": "The acknowledgement"}

// faults puts what an error says beside the fields that it is about, and reports
// whether the form has any fault now. What the form found itself stays as said.
func (p *actionPage) faults(err error) bool {
	var e *model.Error
	if errors.As(err, &e) {
		for _, f := range e.Fields {
			p.fault(fieldOf[f.Location], f.Message)
		}
		rule, _ := e.Extra["rule"].(string)
		p.add(fieldOf[rule], e.Message)
	}
	slices.SortStableFunc(p.errors, func(a, b templates.FieldError) int {
		return slices.Index(fieldOrder, a.Field) - slices.Index(fieldOrder, b.Field)
	})
	return len(p.errors) > 0
}

// fieldOrder is that of the form.
var fieldOrder = []string{"acknowledge", "result", "external_ref", "amount", "currency", "date", "document", "document_url", "document_sha256"}

// fault words a fault of the input for a form, which offers choices and pickers
// where the input has words.
func (p *actionPage) fault(field, message string) {
	switch {
	case field == "result" && p.typed.Result == "":
		p.add(field, "The result is missing: choose what the document shows")
	case field == "date" && p.typed.Date == "":
		p.add(field, "The date is missing: give the day of the document")
	default:
		p.add(field, subjects[field]+" "+message)
	}
}

// add says one thing about one field; the first stands.
func (p *actionPage) add(field, sentence string) {
	if field != "" && p.errors.For(field) == "" {
		p.errors = append(p.errors, templates.FieldError{Field: field, Message: sentence})
	}
}

// faultWords is what an error says of its subject: "is …", "has …".
func faultWords(err error) string {
	var e *model.Error
	switch {
	case !errors.As(err, &e):
		return "cannot be taken"
	case len(e.Fields) > 0:
		return e.Fields[0].Message
	case e.Code == "too-large":
		return "is larger than the 5 MiB that are taken"
	}
	return e.Message
}
