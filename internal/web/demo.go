package web

import (
	"context"
	"time"
)

// Demo is what pages of the demo say about it, and what they may have its
// provider do wrong.
type Demo struct {
	Intro  []string // paragraphs of the guide
	Walks  []Walk
	Groups []StoryGroup
	People []SamplePerson
	Lab    *Lab // nil: there is no fault lab
	// Statement is a bank's file of the demo's own payouts, to be tried on the page
	// Reconcile; nil: there is none.
	Statement *SampleStatement
}

// SampleStatement is a bank's file, and what one should see in it.
type SampleStatement struct {
	Body    []byte // XML
	Account string // whose people see it
	As      string // name of the person to try it as
	Expect  []string
}

// Walk is a way through the demo for one of its people.
type Walk struct {
	Title string
	As    string // name of the person
	Steps []WalkStep
}

// WalkStep is one line of a walk; Href and Label link the page it is about.
type WalkStep struct{ Text, Href, Label string }

// StoryGroup are stories of one sort.
type StoryGroup struct {
	Title, Text string
	Stories     []Story
}

// Story is one labelled intent of the demo.
type Story struct {
	Title   string
	Intent  string // id
	Account string // whose people see it
	Text    string // what happened
	Try     string // what to do with it
	As      string // name of the person to sign in as
	Fault   string // the fault of the lab that makes another one; "" is none
	Twin    string // id of an intent that belongs to the story too; "" is none
	Href    string // with Label, a page that Try is about; "" is none
	Label   string
}

// SamplePerson is somebody to sign in as.
type SamplePerson struct{ Name, Email, Role, Account, May string }

// Lab is what the demo's provider can be told to do wrong. Its functions may be
// called concurrently; the web package itself calls no provider.
type Lab struct {
	Groups  []LabGroup
	Effects []LabEffect
	// Arm makes the provider have a fault with one step, unless it has been told
	// so already, and gives the ids of what was armed now. Errors are of kind Busy
	// where the provider does not answer.
	Arm func(context.Context, LabOrder) (ids []int64, err error)
	// Armed lists what is armed, newest first.
	Armed func(context.Context) ([]LabArmed, error)
	// Disarm takes faults back; one that is not there any more is no error.
	Disarm func(ctx context.Context, ids ...int64) error
}

// LabGroup are faults of one sort.
type LabGroup struct {
	Title  string
	Faults []LabFault
}

// LabFault is one thing that can go wrong at the provider.
type LabFault struct {
	Name    string        // as the provider knows it
	Title   string        // in a few words
	Breaks  string        // what breaks
	See     string        // what one should see
	Safe    string        // why that is safe
	Effects []string      // names of the effects that it means something to
	Lasts   time.Duration // unless told otherwise; 0: it has no length
	// Most is the longest that keeps what the provider promises; 0: any length does.
	// Beyond it even a look-up that proves absence would be wrong.
	Most time.Duration
}

// LabEffect is a call to the provider that a fault can meet.
type LabEffect struct {
	Name  string // payout, credit, dispute or message
	Title string
	Kind  string // of the intent that is posted for it
	Step  string // name of the step that makes it
}

// LabOrder is one fault for one step of an intent that is about to be posted.
type LabOrder struct {
	Intent string // id
	Effect LabEffect
	Fault  LabFault
	Times  int           // how many calls it meets
	Lasts  time.Duration // 0: as the fault's own
	Blind  bool          // look-ups of the step fail too, until disarmed
}

// LabArmed is one fault that the provider has been told of.
type LabArmed struct {
	ID        int64
	Fault     string
	Operation string // as the provider names it; "" is any
	StepKey   string // whose calls it meets; "" is everybody's
	Times     int64
	Bites     int64 // how often it has bitten
	Lasts     time.Duration
	Beside    string // why it is armed beside the fault that was chosen; "" is that fault
}

// fault finds a fault by its name.
func (l *Lab) fault(name string) (LabFault, bool) {
	for _, g := range l.Groups {
		for _, f := range g.Faults {
			if f.Name == name {
				return f, true
			}
		}
	}
	return LabFault{}, false
}

// effect finds an effect by its name.
func (l *Lab) effect(name string) (LabEffect, bool) {
	for _, e := range l.Effects {
		if e.Name == name {
			return e, true
		}
	}
	return LabEffect{}, false
}
