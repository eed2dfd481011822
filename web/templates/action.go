package templates

import "countersign/internal/model"

// ActionView is the form that leads to a preview (POST
// /intents/{id}/actions/{action}). Field names: step, result, external_ref,
// amount, currency, date, document_url, document_sha256, document (file),
// acknowledge (repeated), reason.
type ActionView struct {
	Page    Page
	Crumb   Text   // link to the intent
	Label   string // "Mark external result"
	Title   string
	Post    string // the form's address
	Cancel  string // back to the intent
	Step    string // name, sent as hidden field; "" for none
	Intro   Text
	Facts   []Fact
	Refused *Note // the state or the viewer's rights refuse it: no form

	Mark    *MarkForm    // for mark_external_result
	Abandon *AbandonForm // for abandon
	Reason  *ReasonField // asked for here only where the preview keeps it; or nil
	Errors  FieldErrors  // Field is the name of the form field
	Button  string       // "Preview the mark"
}

// MarkForm is what the operator fills in, as typed.
type MarkForm struct {
	Result                   string // happened, did_not_happen, ""
	HappenedHint, DidNotHint Text
	NoHappened, NoDidNot     Text // why a result cannot be chosen; nil where it can
	ExternalRef              string
	Amount                   string
	AmountHint               string // "Two decimals, as in 9875.40"
	NoAmount                 bool   // the step moves no money
	Currency                 string
	Date                     string // 2026-11-30
	DateHint                 string
	URL                      string
	SHA256                   string
	Uploads                  bool   // files may be sent
	UploadID                 string // of a file already sent with the form, kept; or ""
	UploadNote               Text   // its name and digest
}

// AbandonForm lists the effects to be acknowledged, each by its step key.
type AbandonForm struct {
	Effects []Acknowledge
}

// Acknowledge is one effect that stays as it is.
type Acknowledge struct {
	StepKey string
	State   State
	Money   *model.Money
	Text    Text
	Checked bool
}

// ReasonField is a reason as typed, with its hint.
type ReasonField struct {
	Value string
	Hint  string
}
