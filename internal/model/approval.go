package model

// ApprovalState says where an approval request stands.
type ApprovalState string

// The states of an approval request.
const (
	ApprovalOpen      ApprovalState = "open"
	ApprovalApproved  ApprovalState = "approved" // enough have signed; not carried out yet
	ApprovalRejected  ApprovalState = "rejected"
	ApprovalWithdrawn ApprovalState = "withdrawn"
	ApprovalDismissed ApprovalState = "dismissed" // the intent moved meanwhile
	ApprovalExpired   ApprovalState = "expired"
	ApprovalExecuted  ApprovalState = "executed"
)

// ApproveIntent is the action name of a request to approve a whole intent.
const ApproveIntent = "approve_intent"

// Approval is a request for other people's signatures under one sealed plan.
type Approval struct {
	ID            string        `db:"id"`
	State         ApprovalState `db:"state"`
	Action        string        `db:"action"` // one of the five, or approve_intent
	IntentID      string        `db:"intent_id"`
	Account       string        `db:"account"`
	Step          string        `db:"step"`
	PreviewID     string        `db:"preview_id"` // "" for approve_intent
	Digest        string        `db:"digest"`
	Plan          []byte        `db:"plan"` // JSON, as previewed
	Input         []byte        `db:"input"`
	Reason        string        `db:"reason"`
	RequestedBy   string        `db:"requested_by"` // person id; "" when the engine asked
	RequesterName string        `db:"requester_name"`
	Needed        int           `db:"needed"`
	CreatedAt     Time          `db:"created_at"`
	ExpiresAt     Time          `db:"expires_at"`
	ClosedAt      Time          `db:"closed_at"`
	ClosedBecause string        `db:"closed_because"`
	Version       int64         `db:"version"` // the intent's, when asked

	Decisions []ApprovalDecision `db:"-"`
}

// Undecided is why a request has ended whose time was over.
const Undecided = "Nobody decided in time."

// AsOf is the request as it stands at a moment: an open one whose time is over
// has expired, though nobody has closed it yet.
func (a Approval) AsOf(now Time) Approval {
	if a.State == ApprovalOpen && now >= a.ExpiresAt {
		a.State, a.ClosedAt, a.ClosedBecause = ApprovalExpired, a.ExpiresAt, Undecided
	}
	return a
}

// ApprovalDecision is one person's signed word on a request.
type ApprovalDecision struct {
	ApprovalID string `db:"approval_id"`
	Person     string `db:"person"`
	Name       string `db:"name"`
	Says       string `db:"says"` // approve, reject or withdraw
	Reason     string `db:"reason"`
	At         Time   `db:"at"`
	Receipt    []byte `db:"receipt"` // the first answer, JSON; nil until it is known
}
