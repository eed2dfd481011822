package templates

import "countersign/internal/model"

// ApprovalsView is the inbox of requests.
type ApprovalsView struct {
	Page       Page
	Summary    Text
	States     []Choice // filter by state, as links
	Caption    string
	Rows       []ApprovalRow
	Matched    string
	Prev, Next string
	Empty      *EmptyView
	Failed     *FailedView
}

// ApprovalRow is one request.
type ApprovalRow struct {
	Href    string
	Title   Text
	Sub     Text
	Note    Text // look-alikes, or nil
	Money   *model.Money
	By      string
	At      Time
	Why     string // the requester's reason
	Outcome Outcome
	How     Text // open: what changed; ended: how and by whom
	Ends    Time // when it expires or ended
	Yours   bool // the viewer may decide it
}

// ApprovalView is one request, its plan and the decisions (POST
// /approvals/{id}/approve, reject and withdraw, fields reason, digest).
type ApprovalView struct {
	Page       Page
	ID         string
	Label      string // "Compensate"
	Title      Text
	Outcome    Outcome
	Expires    Time // zero when ended
	Intent     Button
	IntentID   string
	Changed    Text // "nothing"
	Plan       PlanView
	Why        string
	People     []Fact
	Decisions  []DecisionRow
	Dismissed  []Change // what differed, where it was dismissed
	Earlier    []Note   // earlier requests for the same
	LookAlikes *Note

	MayApprove                               bool
	MayReject                                bool
	MayWithdraw                              bool
	NotYou                                   *Note  // why the viewer cannot approve: own request, own intent, no right, limit
	Decider                                  string // "Your decision, Ingrid Solheim"
	ApproveLabel, RejectLabel, WithdrawLabel string
	Reason                                   ReasonField
	TypedCode                                bool
	Typed                                    string
	Errors                                   FieldErrors // Field: reason, plan_code
	Closed                                   *Note       // how it ended
}

// DecisionRow is one decision.
type DecisionRow struct {
	By     string
	Says   Outcome
	At     Time
	Reason string
	Audit  *Button
}
