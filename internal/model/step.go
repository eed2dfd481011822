package model

import (
	"cmp"
	"slices"
)

// Class says what protects a step from happening twice.
type Class string

// The effect classes. An external step is keyed or unkeyed by its provider's contract.
const (
	Pure    Class = "pure"    // computes; nothing to protect
	Local   Class = "local"   // one transaction with its own confirmation
	Keyed   Class = "keyed"   // external; the provider recognises the step key
	Unkeyed Class = "unkeyed" // external; only reconciliation protects it
	Message Class = "message" // mail; never sent again while unknown
)

// Effect reports whether the class reaches outside the database.
func (c Class) Effect() bool { return c == Keyed || c == Unkeyed || c == Message }

// StepState is what is known about one step.
type StepState string

// The states of a step.
const (
	Pending        StepState = "pending"
	InProgress     StepState = "in_progress"
	Confirmed      StepState = "confirmed"
	FailedSafely   StepState = "failed_safely"
	OutcomeUnknown StepState = "outcome_unknown"
	NotNeeded      StepState = "not_needed"
)

// Done reports whether the step asks for nothing more.
func (s StepState) Done() bool {
	return s == Confirmed || s == NotNeeded
}

// Failure says what may follow a safe failure.
type Failure string

// The failures of a step that is failed_safely.
const (
	NoFailure Failure = ""
	Retryable Failure = "retryable" // the engine tries again by itself
	Curable   Failure = "curable"   // a person cures the cause, then retries
	Permanent Failure = "permanent" // repeating cannot change it
	// FailedObject: the provider's object ended in failure. Only a person may
	// open the next generation, since the old key belongs to that object.
	FailedObject Failure = "failed_object"
)

// Step is one piece of an intent. State, Settling, Failure, Reason and the
// schedule are written through transitions only; attempts and evidence say why.
type Step struct {
	IntentID   string `db:"intent_id"`
	Account    string `db:"account"` // the intent's, by which what settles is found
	Name       string `db:"name"`
	Position   int    `db:"position"`
	Class      Class  `db:"class"`
	Operation  string `db:"operation"`   // e.g. "payout.create"; "" for pure and local
	Provider   string `db:"provider"`    // configured name; "" for pure and local
	ContractID string `db:"contract_id"` // "" for pure and local
	Generation int    `db:"generation"`  // from 1
	WireKey    string `db:"wire_key"`    // of the current generation; "" without provider

	State     StepState `db:"state"`
	Settling  bool      `db:"settling"`   // accepted, not final
	SettlesBy Time      `db:"settles_by"` // past it the outcome is unknown
	Failure   Failure   `db:"failure"`
	Code      string    `db:"code"`   // the provider's or our own word for why
	Reason    string    `db:"reason"` // a sentence

	Amount      int64  `db:"amount"` // minor units at stake; 0 without money
	Currency    string `db:"currency"`
	ExternalRef string `db:"external_ref"` // the provider's object, once known
	Moved       int64  `db:"moved"`        // what really moved, once confirmed
	Returned    int64  `db:"returned"`     // what came back by itself
	Open        int64  `db:"open_amount"`  // minor units of it that are uncertain: its own part of the intent's Uncertain

	Tries       int  `db:"tries"`       // engine's sends in the present budget
	Checks      int  `db:"checks"`      // queries since it became uncertain
	NextTryAt   Time `db:"next_try_at"` // 0: none scheduled
	NextCheckAt Time `db:"next_check_at"`
	// PersonOnly: the engine sends nothing for it without a person's retry.
	PersonOnly bool `db:"person_only"`

	// Ordered is the person's act that the engine is to carry out: a retry or a
	// reconcile, by the id of its preview; OrderDigest is the plan's body digest.
	Ordered     Order  `db:"ordered"`
	OrderID     string `db:"order_id"`
	OrderBy     string `db:"order_by"`
	OrderAt     Time   `db:"order_at"`
	OrderDigest []byte `db:"order_digest"`

	// PeopleNeeded is how many approvers a rule asks for (approval steps only),
	// Rule its name.
	PeopleNeeded int    `db:"people_needed"`
	Rule         string `db:"rule"`

	UncertainSince Time `db:"uncertain_since"` // when its outcome became unknown, later than it was sent; 0 where it is not
	ChangedAt      Time `db:"changed_at"`

	Contract    Contract     `db:"-"` // as bound at acceptance; zero without provider
	Attempts    []Attempt    `db:"-"` // by number
	Evidence    []Evidence   `db:"-"` // by time
	Generations []Generation `db:"-"` // frozen requests, by generation

	// Left counts what an outline leaves out; zero where the record is whole.
	Left Left `db:"-"`
}

// Left counts the older attempts and evidence of a step that an outline leaves
// out. Looks are those among the evidence that came from asking the provider.
type Left struct{ Attempts, Evidence, Looks int }

// Tried is how many attempts the step has had, in an outline too.
func (s *Step) Tried() int { return len(s.Attempts) + s.Left.Attempts }

// Looks is how often the provider was asked about the step, in an outline too.
func (s *Step) Looks() int {
	count := s.Left.Looks
	for i := range s.Evidence {
		if s.Evidence[i].Source == FromQuery {
			count++
		}
	}
	return count
}

// SentAt is when the first of the sends began whose outcome may be in doubt; 0
// where there is none.
func (s *Step) SentAt() Time {
	for _, a := range s.Attempts {
		if a.FinishedAt == 0 || a.Lost || a.Result == ResultUnknown || a.Result == ResultAccepted {
			return a.StartedAt
		}
	}
	return 0
}

// Attempt is the attempt with a number, or nil where there is none here.
func (s *Step) Attempt(number int) *Attempt {
	i, found := slices.BinarySearchFunc(s.Attempts, number, func(a Attempt, n int) int { return cmp.Compare(a.Number, n) })
	if !found {
		return nil
	}
	return &s.Attempts[i]
}

// Order is what a person asked the engine to do with a step.
type Order string

// The orders.
const (
	NoOrder        Order = ""
	OrderRetry     Order = "retry"
	OrderReconcile Order = "reconcile"
)

// Key is the step's durable key in its present generation.
func (s *Step) Key() string { return StepKey(s.IntentID, s.Name, s.Generation) }

// HasMoney reports whether money hangs on the step.
func (s *Step) HasMoney() bool { return s.Amount != 0 && s.Currency != "" }

// OpenAttempt is the attempt without a finish, or nil.
func (s *Step) OpenAttempt() *Attempt {
	if n := len(s.Attempts); n > 0 && s.Attempts[n-1].FinishedAt == 0 {
		return &s.Attempts[n-1]
	}
	return nil
}

// Uncertain reports whether the world may have changed without our knowing:
// unknown, settling, or an effect in flight.
func (s *Step) Uncertain() bool {
	return s.State == OutcomeUnknown || s.State == InProgress && s.Class.Effect()
}

// InDoubt reports whether nobody knows what happened: the outcome is unknown, or a
// contradiction shows money beside what is confirmed, or of a step that is said to
// have moved none, which may have moved all the same.
func (s *Step) InDoubt() bool {
	return s.State == OutcomeUnknown || s.State != InProgress && s.Open > 0
}

// Expected is the amount that the step's object should have, in minor units: what
// is recorded as moved, else what was asked for.
func (s *Step) Expected() int64 {
	if s.State == Confirmed && s.Moved != 0 {
		return s.Moved
	}
	return s.Amount
}

// Frozen is the request of the present generation, or nil before it is reserved.
func (s *Step) Frozen() *Generation {
	for i := range s.Generations {
		if s.Generations[i].Number == s.Generation {
			return &s.Generations[i]
		}
	}
	return nil
}

// Generation holds the frozen bytes of one generation of one step: every send
// of the generation is these bytes, under this key.
type Generation struct {
	IntentID    string `db:"intent_id"`
	Step        string `db:"step"`
	Number      int    `db:"number"`
	WireKey     string `db:"wire_key"`
	Method      string `db:"method"`
	URL         string `db:"url"`
	ContentType string `db:"content_type"`
	Body        []byte `db:"body"`
	BodySHA256  []byte `db:"body_sha256"`
	FrozenAt    Time   `db:"frozen_at"` // and so the first possible send
}

// Trigger says who caused an attempt.
type Trigger string

// The triggers.
const (
	ByEngine   Trigger = "engine"   // the first try
	ByRetry    Trigger = "retry"    // the engine's own next try
	ByOperator Trigger = "operator" // a person's retry
	ByRecovery Trigger = "recovery" // after a worker was lost
)

// Attempt is one try of one step. Once finished it never changes; what is
// learnt later is evidence.
type Attempt struct {
	IntentID    string  `db:"intent_id"`
	Step        string  `db:"step"`
	Number      int     `db:"number"` // 1, 2, … per step
	Generation  int     `db:"generation"`
	WireKey     string  `db:"wire_key"`
	Trigger     Trigger `db:"trigger_by"`
	Worker      string  `db:"worker"`
	Boot        string  `db:"boot"`
	Fence       int64   `db:"fence"`
	StartedAt   Time    `db:"started_at"`
	DeadlineAt  Time    `db:"deadline_at"` // no first byte leaves after it
	FinishedAt  Time    `db:"finished_at"` // 0 while open
	Lost        bool    `db:"lost"`        // closed by recovery: the worker did not say
	Result      Result  `db:"result"`
	Code        string  `db:"code"`
	Reason      string  `db:"reason"`
	RequestID   string  `db:"request_id"`
	Connections int     `db:"connections"`
	BytesOut    int64   `db:"bytes_out"`
	Status      int     `db:"status"`
	Replayed    bool    `db:"replayed"`
	Account     string  `db:"account"` // the intent's, by which calls are counted
	// OrderedBy names the person whose retry it is; "" with other triggers, and in
	// attempts that are older than this field.
	OrderedBy string `db:"ordered_by"`
}

// Source says where a piece of evidence comes from.
type Source string

// The sources.
const (
	FromResponse Source = "response"
	FromQuery    Source = "query"
	FromWebhook  Source = "webhook"
	FromBankFile Source = "bank_file"
	FromOperator Source = "operator"
	FromRule     Source = "rule"
	FromLate     Source = "late" // an old fence's own result
)

// Says is what a piece of evidence tells about a step.
type Says string

// The statements.
const (
	Happened     Says = "happened"
	DidNotHappen Says = "did_not_happen"
	Inconclusive Says = "inconclusive"
	Conflicting  Says = "conflict"
	CameBack     Says = "returned"
)

// Evidence is one observation about a step. It never changes.
type Evidence struct {
	ID        string `db:"id"`
	IntentID  string `db:"intent_id"`
	Step      string `db:"step"`
	Attempt   int    `db:"attempt"` // 0 where it is about no single one
	Source    Source `db:"source"`
	Says      Says   `db:"says"`
	BeganAt   Time   `db:"began_at"` // when the observation began (a query's start)
	At        Time   `db:"at"`
	By        string `db:"by_name"` // worker or person
	Ref       string `db:"ref"`     // the external object
	WireKey   string `db:"wire_key"`
	Amount    int64  `db:"amount"`
	Currency  string `db:"currency"`
	Status    string `db:"status"` // the provider's own word
	Final     bool   `db:"final"`  // the provider's object can change no more
	Detail    string `db:"detail"` // a sentence
	Document  string `db:"document"`
	DocSHA256 string `db:"doc_sha256"`
	Dated     Time   `db:"dated"` // the document's own date
}
