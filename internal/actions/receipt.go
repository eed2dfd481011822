package actions

// The outcomes of a confirmation.
const (
	Executed         = "executed"
	AwaitingApproval = "awaiting_approval"
	Recorded         = "recorded" // a rejection or withdrawal
)

// Receipt is the answer to a confirmation; a repeat gets the same.
type Receipt struct {
	Outcome      string  `json:"outcome"`
	Intent       string  `json:"intent"`
	Attempt      *int    `json:"attempt"`      // number of the one attempt that was ordered
	Approval     *string `json:"approval"`     // id of the request
	Compensation *string `json:"compensation"` // id of the intent that undoes
	Audit        string  `json:"audit"`        // id of the entry
}

// Confirmation is a person's word on a preview or an approval request.
type Confirmation struct {
	Reason string // at least 8 characters
	Digest string // of the plan that they saw
}

// optional is nil for "".
func optional(text string) *string {
	if text == "" {
		return nil
	}
	return &text
}
