package bankfile

import "countersign/internal/model"

// Step is a step of ours that a line may be about: the part of it that Find needs.
type Step struct {
	Key       string // the step's key
	IntentID  string
	Name      string
	State     model.StepState
	Uncertain bool  // its outcome is unknown, it settles, or it is in conflict
	Out       bool  // its money leaves the account
	Amount    int64 // minor units, without a sign: what was asked for, or has moved
	Currency  string
	Payee     string
	Since     model.Time // since when it is uncertain; 0 where it is not
	Refs      []string   // what a line may name it by: its key, its wire keys, its object at the provider
	LineRefs  []string   // references of bank lines that people have recorded for it
}

// Finding says how a line stands to our steps.
type Finding string

// The findings. Only Proves can be recorded from the file; the others are for a
// person to look at, or tell nothing new.
const (
	Proves  Finding = "proves"  // names an uncertain step, with its amount
	Known   Finding = "known"   // names a confirmed step, with its amount
	Differs Finding = "differs" // names a step, with another amount or currency
	Back    Finding = "back"    // money of a step that came back
	Pending Finding = "pending" // names a step, but is not booked
	Several Finding = "several" // names several steps, or several lines name its step
	Ended   Finding = "ended"   // names a step that is neither uncertain nor confirmed
	Nobody  Finding = "nobody"  // names no step of ours
)

// Match is a line with what it stands for.
type Match struct {
	Line
	Finding Finding
	Step    *Step  // nil for Nobody, and for Several where it names several
	By      Ref    // the reference that named it
	Because string // a full sentence
}
