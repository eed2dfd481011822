package model

import "time"

// Result is what one attempt came back as, in the words of the verdict table.
type Result string

// The results of an attempt.
const (
	ResultDone      Result = "done"      // pure and local steps
	ResultConfirmed Result = "confirmed" // the provider says it happened
	ResultAccepted  Result = "accepted"  // taken; final later
	ResultNotSent   Result = "not_sent"  // provably never left
	ResultThrottled Result = "throttled" // a definite "not now"
	ResultPermanent Result = "rejected_permanent"
	ResultCurable   Result = "rejected_curable"
	ResultFailed    Result = "failed_after_accepted" // the object itself is final and failed
	ResultUnknown   Result = "unknown"
	ResultNothing   Result = "did_not_happen" // a lost attempt of a pure or local step
)

// Outcome is everything one call came back as. Doubt is always ResultUnknown.
type Outcome struct {
	Result      Result
	Code        string // the provider's word, or ours ("timeout", "reset")
	Detail      string // a sentence for the page
	ExternalRef string
	Amount      int64
	Currency    string
	Status      string // the object's own state word
	Final       bool   // the object can change no more
	Replayed    bool
	RetryAfter  time.Duration
	HTTPStatus  int
	Connections int
	BytesOut    int64
	RequestID   string
	Skew        time.Duration // provider's Date less ours; 0 where it sent none
	ByRule      bool          // a rule decided it, not a provider
}

// Finding is what one look-up came back with.
type Finding string

// The findings.
const (
	FoundHappened Finding = "happened"  // final, and it is what we asked for
	FoundSettling Finding = "settling"  // there, not final
	FoundFailed   Finding = "failed"    // there, final, and it failed or was cancelled
	FoundReturned Finding = "returned"  // it happened, and the money came back
	FoundOther    Finding = "other"     // there, with another amount, currency or destination
	FoundSeveral  Finding = "several"   // more than one object under our reference
	FoundNone     Finding = "not_found" // the provider answered: nothing there
	FoundNothing  Finding = "no_answer" // the look-up itself failed
)

// Several is the status of an observation of more than one object.
const Several = "several"

// Observation is the answer to one look-up, or one webhook's object read.
type Observation struct {
	Finding     Finding
	ExternalRef string
	Refs        []string // of all objects, where there are several
	Amount      int64
	Currency    string
	Status      string
	Detail      string
	Returned    int64 // minor units that came back
	Failed      bool  // all that was found is final and came to nothing, whatever its amount
	RequestID   string
	HTTPStatus  int
	Skew        time.Duration
}
