package model

import (
	"strings"
	"time"
)

// Stored says which answers a provider keeps under a key and replays.
type Stored string

// The three habits of providers. Where their documents do not say, StoredNothing.
const (
	StoredAll       Stored = "all"       // every executed result, refusals and errors too
	StoredSuccesses Stored = "successes" // only successes
	StoredNothing   Stored = "nothing"
)

// Lookup says how an object can be found again.
type Lookup string

// The ways of looking up.
const (
	LookupNone      Lookup = "none"
	LookupReference Lookup = "reference" // exactly, by the reference we gave
	LookupKey       Lookup = "key"       // exactly, by the key we sent
	LookupCompare   Lookup = "compare"   // listed and compared: never exact, so never final
)

// RetentionClock says from when on a provider counts how long it keeps a key.
type RetentionClock string

// The clocks. An unknown one is "". Windows always count from the first send,
// which is the earlier moment.
const (
	FromFirstSend  RetentionClock = "first_send"
	FromCompletion RetentionClock = "completion"
)

// Contract is what a provider promises about one operation. A step is bound to
// one when its intent is accepted, and stays bound to it. Values that the
// provider does not publish are left zero, which is always the careful reading.
// The id is a digest of all members: one that is added leaves itself out while
// it is zero, so that contracts from before keep theirs.
type Contract struct {
	ID        string `json:"id"`        // content digest, see ContractID
	Provider  string `json:"provider"`  // the configured name, e.g. "bank"
	Type      string `json:"type"`      // the adapter, e.g. "sandbox"
	Operation string `json:"operation"` // e.g. "payout.create"
	Source    string `json:"source"`    // where the promise is written down
	Checked   string `json:"checked"`   // the day that was read, YYYY-MM-DD

	Carrier   string        `json:"carrier"`   // e.g. "header Idempotency-Key"; "" is unkeyed
	KeyRule   WireKeyRule   `json:"key_rule"`  // length, alphabet and form of the wire key
	Scope     string        `json:"scope"`     // within what a key is unique
	Retention time.Duration `json:"retention"` // how long a key is remembered from its first send; 0 is unknown
	// RetentionFrom is when the provider starts counting.
	RetentionFrom RetentionClock `json:"retention_from,omitempty"`
	Stored        Stored         `json:"stored"`
	// ActsAreStored: a request that acted is always stored with its effect,
	// whatever it answered. Only then may an unknown step be sent again.
	ActsAreStored bool   `json:"acts_are_stored"`
	ReplayMarker  string `json:"replay_marker"` // header that marks a replay; "" is none
	OnRepeat      string `json:"on_repeat"`     // a sentence: what a repeat answers
	// OtherParams and InFlight are sentences: what it answers to a key that came
	// with other params, and to one whose first request is still at work.
	OtherParams string `json:"other_params,omitempty"`
	InFlight    string `json:"in_flight,omitempty"`
	// StoredCodes are the refusals known to be kept under the key: seeing one
	// says how every earlier execution under that key ended.
	StoredCodes []string `json:"stored_codes"`
	// ThrottleCodes are the answers that promise "not executed, later perhaps".
	ThrottleCodes []string `json:"throttle_codes"`
	CurableCodes  []string `json:"curable_codes"`

	Lookup      Lookup        `json:"lookup"`
	LookupDelay time.Duration `json:"lookup_delay"` // an object may be invisible for so long
	// SettleDelay bounds how long after the last possible send an effect may
	// still appear. Negative: unknown, then "not found" is never final.
	SettleDelay time.Duration `json:"settle_delay"`
	LongestCall time.Duration `json:"longest_call"` // how long the provider may work on one call

	Settles     bool          `json:"settles"`      // accepted first, final later
	SettleLimit time.Duration `json:"settle_limit"` // longest time to final; past it the outcome is unknown
	// LearnedBy is a sentence: how the final word reaches us.
	LearnedBy string `json:"learned_by,omitempty"`

	Undo       string        `json:"undo"`        // the operation that undoes it; "" is none
	UndoLimit  time.Duration `json:"undo_limit"`  // counted from the confirmation; 0 is without limit
	UndoBefore bool          `json:"undo_before"` // also while it is settling
	// UndoStates are the provider's words for the states that can be undone.
	UndoStates []string `json:"undo_states,omitempty"`
}

// Keyed reports whether the provider takes a key for the operation.
func (c Contract) Keyed() bool { return c.Carrier != "" }

// KeyHeader names the header in which the key travels; "" where it travels
// otherwise, or the provider takes none.
func (c Contract) KeyHeader() string {
	name, header := strings.CutPrefix(c.Carrier, "header ")
	if !header {
		return ""
	}
	return name
}

// Queryable reports whether the operation's objects can be looked up.
func (c Contract) Queryable() bool { return c.Lookup != LookupNone && c.Lookup != "" }

// NotFoundCanBeFinal reports whether there is a moment from which "not found"
// proves that nothing happened.
func (c Contract) NotFoundCanBeFinal() bool {
	return c.Queryable() && c.Lookup != LookupCompare && c.SettleDelay >= 0
}

// sleepAllowance is for a process that sleeps between its check of the window
// and the first byte it sends.
const sleepAllowance = 2 * time.Minute

// ResendFor is how long after the first possible send the same request may be
// sent again while its outcome is unknown, call being our own limit on one call;
// 0 is never.
func (c Contract) ResendFor(call time.Duration) time.Duration {
	if !c.Keyed() || !c.ActsAreStored || c.Retention <= 0 {
		return 0
	}
	return max(c.Retention-c.Margin(call), 0)
}

// Margin is the part at the end of the retention in which nothing is sent any
// more: the largest of five minutes, a tenth of the window, and the time that a
// call under way can still take, deadline being its own limit on our side.
func (c Contract) Margin(deadline time.Duration) time.Duration {
	return max(5*time.Minute, c.Retention/10, deadline+c.LongestCall+max(c.SettleDelay, 0)+sleepAllowance)
}
