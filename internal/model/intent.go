package model

// The kinds of intent.
const (
	KindPayout       = "payout"
	KindStatement    = "statement"
	KindDispute      = "dispute"
	KindCompensation = "compensation" // made by the product only
)

// IntentState is what a person is told about a whole intent. It is never set:
// Case.State derives it.
type IntentState string

// The states of an intent.
const (
	Received         IntentState = "received"
	Processing       IntentState = "processing"
	AwaitingApproval IntentState = "awaiting_approval"
	NeedsReview      IntentState = "needs_review"
	RetryableFailure IntentState = "retryable_failure"
	TerminalFailure  IntentState = "terminal_failure"
	Completed        IntentState = "completed"
	Compensating     IntentState = "compensating"
	Compensated      IntentState = "compensated"
	Abandoned        IntentState = "abandoned"
)

// IntentStates lists every state, in the order in which pages offer them.
var IntentStates = []IntentState{NeedsReview, AwaitingApproval, RetryableFailure, Processing, Received,
	Compensating, Compensated, Abandoned, TerminalFailure, Completed}

// Final reports whether nothing more is going to happen by itself or by an
// ordinary action; a late contradiction can still reopen it.
func (s IntentState) Final() bool {
	return s == Completed || s == TerminalFailure || s == Abandoned || s == Compensated
}

// Intent is one requested outcome. Its identity is (Account, Kind, Key), for
// ever; the fields below Params are derived and stored for lists.
type Intent struct {
	ID          string `db:"id"`
	Account     string `db:"account"`
	Kind        string `db:"kind"`
	Key         string `db:"key"`
	Fingerprint []byte `db:"fingerprint"` // SHA-256 of the meaningful params, RFC 8785 form
	Params      []byte `db:"params"`      // as accepted, RFC 8785 form

	Amount    int64  `db:"amount"`   // minor units
	Currency  string `db:"currency"` // "" where no money is meant
	Payee     string `db:"payee"`    // display name
	PayeeRef  string `db:"payee_ref"`
	Period    string `db:"period"`
	LookAlike string `db:"look_alike"` // digest of kind, payee, amount, currency and period
	DueBy     Time   `db:"due_by"`     // a dispute is not answered after it; 0 is none

	State  IntentState `db:"state"`
	Reason string      `db:"reason"` // the sentence that goes with the state
	Stuck  string      `db:"stuck"`  // name of the first unfinished step, "" when none

	Confirmed int64 `db:"confirmed"` // exposure: money confirmed less what came back
	Uncertain int64 `db:"uncertain"` // exposure: money unknown, settling or in flight

	Version int64 `db:"version"` // moves with what a plan's digest covers
	Fence   int64 `db:"fence"`   // grows with every lease and every changing action

	LeaseWorker string `db:"lease_worker"`
	LeaseBoot   string `db:"lease_boot"`
	LeaseUntil  Time   `db:"lease_until"`
	WakeAt      Time   `db:"wake_at"` // when the engine has something to do; 0 is never

	CreatedAt Time   `db:"created_at"`
	UpdatedAt Time   `db:"updated_at"`
	CreatedBy string `db:"created_by"` // e.g. "key payroll-batch" or a person's email
	Creator   string `db:"creator"`    // id of the person who answers for it, e.g. the key's issuer

	UncertainSince Time   `db:"uncertain_since"`
	StuckSince     Time   `db:"stuck_since"`
	ReviewDue      Time   `db:"review_due"` // 0 when not under review
	Owner          string `db:"owner"`      // person id; "" is the account's operators
	OwnerName      string `db:"owner_name"`

	Parent     string `db:"parent"`      // the intent that a compensation undoes
	ParentStep string `db:"parent_step"` // and its step, by name

	SortOpen int64 `db:"sort_open"` // the queue's order; 0 is not in the queue
}

// Who names whom the intent concerns: the payee's name or, where nothing of it can be
// seen, the payee's reference.
func (i *Intent) Who() string {
	if i.Payee != "" && Visible(i.Payee) == 0 {
		return i.PayeeRef
	}
	return i.Payee
}

// Exposure is the money confirmed (less what came back) plus the money that is
// uncertain, in minor units. Every limit and total counts it so.
func (i *Intent) Exposure() int64 { return i.Confirmed + i.Uncertain }

// Money gives the intent's amount; ok is false where it has no currency.
func (i *Intent) Money() (Money, bool) {
	return Money{Amount: i.Amount, Currency: i.Currency}, i.Currency != ""
}

// Case is one intent with everything that is known about it: the unit on which
// every rule is evaluated. The store loads it whole, under the intent's lock
// when something is going to be changed.
type Case struct {
	Intent
	Steps         []*Step
	Contacts      []string // where its money and messages go; of a new case alone
	Conflicts     []Contradiction
	Abandonment   *Abandonment
	Compensations []Compensation // of this intent's steps, newest last
	// Undone names, by the operation of a step here, the intent whose confirmed
	// undo took it back.
	Undone   map[string]string
	Requests []Approval // open and past approval requests about it
	// DeadBoots says since when a process start is known to be dead.
	DeadBoots map[string]Time
	Held      bool  // a restore hold is on
	Hold      *Hold // the newest restore hold, also after it was lifted, or nil
	// ParentReturned is set on a compensation when the money it would bring
	// back came back by itself: an unsent undo must then not be sent.
	ParentReturned bool

	// Changes are the state changes since the case was loaded, in order.
	Changes []Change
}

// Step finds a step by name, or nil.
func (c *Case) Step(name string) *Step {
	for _, s := range c.Steps {
		if s.Name == name {
			return s
		}
	}
	return nil
}

// Unfinished is the first step that is neither confirmed nor made moot, or nil.
// Work goes on there and nowhere else.
func (c *Case) Unfinished() *Step {
	for _, s := range c.Steps {
		if !s.State.Done() {
			return s
		}
	}
	return nil
}

// OpenConflict is the oldest open conflict, or nil.
func (c *Case) OpenConflict() *Contradiction {
	for i := range c.Conflicts {
		if c.Conflicts[i].ClosedAt == 0 {
			return &c.Conflicts[i]
		}
	}
	return nil
}

// OpenAttempt is the attempt that is under way, with its step; there is never
// more than one.
func (c *Case) OpenAttempt() (*Step, *Attempt) {
	for _, s := range c.Steps {
		if a := s.OpenAttempt(); a != nil {
			return s, a
		}
	}
	return nil, nil
}

// LeaseLive reports whether a worker other than self holds the intent at now.
func (c *Case) LeaseLive(now Time, self string) bool {
	return c.LeaseUntil > now && c.LeaseWorker != "" && c.LeaseWorker != self
}

// Contradiction says that two pieces of evidence cannot both be true, or that money
// came back. While one is open nothing is sent; only a person's mark closes it.
type Contradiction struct {
	ID         string `db:"id"`
	IntentID   string `db:"intent_id"`
	Step       string `db:"step"`
	EvidenceID string `db:"evidence_id"`
	Reason     string `db:"reason"`
	OpenedAt   Time   `db:"opened_at"`
	ClosedAt   Time   `db:"closed_at"`
	ClosedBy   string `db:"closed_by"` // evidence id of the mark
}

// Abandonment says that a person gave an intent up: nothing is sent any more.
type Abandonment struct {
	IntentID string `db:"intent_id"`
	At       Time   `db:"at"`
	By       string `db:"by_name"`
	Reason   string `db:"reason"`
}
