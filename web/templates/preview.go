package templates

// PreviewView is a plan to be confirmed (POST /previews/{id}/confirm, fields
// reason, digest, plan_code).
type PreviewView struct {
	Page      Page
	Crumb     Text
	Label     string // "Retry unfinished"
	Title     Text   // "Preview: send create-payout once more, 48,200.00 EUR"
	Expires   Time
	Plan      PlanView
	Post      string
	Cancel    string
	Leave     string // "Leave without sending"
	Button    string // names the act and the amount
	Warning   *Note  // cannot be undone, opens the way to a second payment; or nil
	Reason    ReasonField
	TypedCode bool // the plan code is typed in
	Typed     string
	Errors    FieldErrors // Field: reason, plan_code
	Closed    *Note       // expired or already confirmed: shown in place of the form
	Fresh     *Button     // makes a fresh preview, where Closed
}

// StaleView says that the intent moved between preview and confirm, and that
// nothing was done.
type StaleView struct {
	Page        Page
	Crumb       Text
	Label       string
	Title       string // "Not done: the payout moved while you were deciding"
	Text        []Text // who moved it, audit number of the refusal
	Changes     []Change
	Same        Text // what is the same as before, or nil
	Fresh       []Fact
	FreshHref   string // "" where no fresh preview could be made
	FreshReason Text   // why not
	Cancel      string
}

// ResultView says what a confirmed plan came to.
type ResultView struct {
	Page    Page
	Crumb   Text
	Title   string
	State   State
	Was     State  // or ""
	Meta    []Text // audit number, plan code
	Note    Note
	About   string // heading of the facts: "Attempt 7"
	Facts   []Fact
	Next    []Line
	Back    Button
	Others  []Button // links beside Back
	Pending bool     // the engine has not answered yet: offer to look again
}
