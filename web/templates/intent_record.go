package templates

import "countersign/internal/model"

// StepRow is a step of the table of steps.
type StepRow struct {
	Key       string
	WireKey   string // "" where it is the step key itself or was never sent
	Class     string // "external, keyed · northbank"
	State     State
	StateNote Text   // under the state: "by a mark with a document"
	Attempts  string // "6 of 6"
	Reference string
	Amount    *model.Money
	Next      Text // next try, next check, "after create-payout"; nil: a dash
}

// AttemptRow is one attempt.
type AttemptRow struct {
	ID          string // anchor: "attempt-create-payout-6"
	Step        string
	Number      int
	Generation  int
	Trigger     string // "by the engine"
	Worker      string
	Started     Time
	Finished    Time   // zero while open
	Result      string // a word of the model: unknown, confirmed …; "" while open
	State       State  // whose shape the result takes: outcome_unknown for unknown
	Reason      Text
	Status      string // "502", "" for none
	Connections string // "1"
	Bytes       string // "612"
	RequestID   string
	WireKey     string
	Replayed    bool
	Late        bool
}

// EvidenceRow is one observation.
type EvidenceRow struct {
	Step     string
	At       Time
	Source   Text // "Query, engine"
	Says     string
	Observed Text
	Money    *model.Money
	Ref      string
	WireKey  string
	Document *Document
}

// LinkRow is a linked intent or look-alike.
type LinkRow struct {
	Href  string
	Title Text
	ID    string
	Why   Text
	Sub   Text
	State State
	Money *model.Money
}
