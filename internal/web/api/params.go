package api

import "github.com/danielgtaylor/huma/v2"

// What follows documents the params and inputs that other packages read. A test
// holds it against what they accept.

// Notes are the members that any params may carry and that change nothing.
type Notes struct {
	Memo        string `json:"memo" required:"false" maxLength:"500"`
	RequestedAt string `json:"requested_at" required:"false" format:"date-time"`
	TraceID     string `json:"trace_id" required:"false" maxLength:"100"`
}

// payee is who gets the money.
type payee struct {
	Reference   string `json:"reference" maxLength:"100"`
	Name        string `json:"name" required:"false" maxLength:"200" doc:"Needed where a payout is made."`
	Destination string `json:"destination" maxLength:"100" doc:"The account at the provider."`
	Email       string `json:"email" required:"false" format:"email" doc:"Without it no message is sent."`
}

// payoutParams ask for one payment to one payee.
type payoutParams struct {
	Payee    payee  `json:"payee"`
	Amount   int64  `json:"amount" minimum:"1" maximum:"9007199254740991" doc:"Minor units."`
	Currency string `json:"currency" minLength:"3" maxLength:"3" doc:"ISO 4217."`
	Period   string `json:"period" required:"false" maxLength:"100" doc:"In any words. Where it has the form YYYY-MM, YYYY-MM-DD, YYYY-Www or YYYY-Qn, it must be one that the calendar has."`
	Notes
}

// statementParams ask for the statement of one rep and period.
type statementParams struct {
	Rep struct {
		Reference string `json:"reference" maxLength:"100"`
		Name      string `json:"name" maxLength:"200"`
		Email     string `json:"email" required:"false" format:"email"`
	} `json:"rep"`
	Period struct {
		From string `json:"from" format:"date" doc:"Included."`
		To   string `json:"to" format:"date" doc:"Not included."`
		Zone string `json:"zone" doc:"IANA name."`
	} `json:"period"`
	Currency string `json:"currency" minLength:"3" maxLength:"3"`
	Lines    []line `json:"lines" nullable:"false" maxItems:"1000"`
	Notes
}

// line is one entry of a statement.
type line struct {
	Reference   string `json:"reference" maxLength:"100"`
	Description string `json:"description" maxLength:"200"`
	Amount      int64  `json:"amount" doc:"Minor units; negative lessens what is owed."`
}

// disputeParams ask for the answer to one chargeback.
type disputeParams struct {
	Dispute  string `json:"dispute" maxLength:"100"`
	Charge   string `json:"charge" maxLength:"100"`
	Amount   int64  `json:"amount" minimum:"1" maximum:"9007199254740991"`
	Currency string `json:"currency" minLength:"3" maxLength:"3"`
	Reason   string `json:"reason" maxLength:"200"`
	Response string `json:"response" enum:"contest,accept"`
	Credit   struct {
		Payee  payee `json:"payee"`
		Amount int64 `json:"amount" minimum:"1"`
	} `json:"credit" required:"false" doc:"What a payee gets once the dispute was won or accepted."`
	DueBy    string   `json:"due_by" format:"date-time" doc:"Nothing is sent after it."`
	Notify   []string `json:"notify" required:"false" nullable:"false" maxItems:"20"`
	Evidence []piece  `json:"evidence" required:"false" nullable:"false" maxItems:"50" doc:"Contesting needs some."`
	Notes
}

// piece is one piece of evidence in a dispute.
type piece struct {
	Type string `json:"type" maxLength:"100"`
	Text string `json:"text" maxLength:"20000"`
}

// markInput is the input of mark_external_result.
type markInput struct {
	Result      string `json:"result" enum:"happened,did_not_happen"`
	ExternalRef string `json:"external_ref" required:"false" doc:"May be missing for did_not_happen only."`
	Amount      int64  `json:"amount" required:"false" doc:"That really moved, in minor units."`
	Currency    string `json:"currency" required:"false"`
	Date        string `json:"date" doc:"RFC 3339, or the day that the document bears, of whatever zone."`
	Document    struct {
		URL    string `json:"url" required:"false" format:"uri"`
		SHA256 string `json:"sha256" required:"false" doc:"Hex."`
		Upload string `json:"upload" required:"false" doc:"Id of an upload, in place of a URL."`
	} `json:"document"`
}

// abandonInput is the input of abandon.
type abandonInput struct {
	Acknowledge []string `json:"acknowledge" nullable:"false" doc:"The step keys of every confirmed and every uncertain effect."`
}

// TransformSchema documents the params of each kind.
func (newIntent) TransformSchema(r huma.Registry, s *huma.Schema) *huma.Schema {
	return withParams(r, s)
}

// TransformSchema documents the params of each kind.
func (batchItem) TransformSchema(r huma.Registry, s *huma.Schema) *huma.Schema {
	return withParams(r, s)
}

func withParams(r huma.Registry, s *huma.Schema) *huma.Schema {
	s.Properties["params"] = &huma.Schema{Description: "By kind; members that are not known are refused.",
		AnyOf: []*huma.Schema{schemaOf[payoutParams](r), schemaOf[statementParams](r), schemaOf[disputeParams](r)}}
	return s
}

// TransformSchema documents the inputs of the actions that have one.
func (newPreview) TransformSchema(r huma.Registry, s *huma.Schema) *huma.Schema {
	s.Properties["input"] = &huma.Schema{Description: "Of mark_external_result and abandon; null for the others.",
		AnyOf: []*huma.Schema{schemaOf[markInput](r), schemaOf[abandonInput](r), {Type: "null"}}}
	return s
}
