package templates

import "countersign/internal/model"

// PlanView is what an action would do, the same for its preview and for its
// approval.
type PlanView struct {
	Calls         []CallView
	NoCalls       Text     // said where nothing is sent: a mark, an abandonment
	Changes       []Change // of our own records
	Records       []Fact   // what is recorded: result, reference, document
	Untouched     []Line
	UntouchedNote Text
	Then          []Line // by the engine
	ThenNote      Text
	Approvers     Text // who must approve
	Rule          string
	Money         []Fact // paid, came back, to reverse; or nil
	Code          string // "3F22 FD28"
	Digest        string
}

// CallView is one call that would be sent.
type CallView struct {
	Step       string
	To         string // "northbank"
	Undoes     string // the step that it undoes, or ""
	State      State
	Method     string
	URL        string
	Money      *model.Money
	Party      Text // "to Ελένη, acct_9q4t"
	StepKey    string
	WireKey    Text // the header or field, and the key as sent
	Generation Text
	Class      string
	Body       string // rebuilt from the frozen bytes
	BodyNote   Text   // "171 bytes, frozen …"
	BodySHA256 string
	SentBefore Text
	OnRepeat   Text
	Contract   Text
	SafeUntil  *Time
	Gauge      *Gauge
}
