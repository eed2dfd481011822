package model

// Plan says exactly what an action would do. It is shown as a preview, sealed
// by a digest, and planned again before it is carried out. All members are
// always there, so that readers need not guess what an absent one means.
type Plan struct {
	Calls     []PlannedCall   `json:"calls"`     // what is sent or asked now, by this action
	Untouched []PlannedStep   `json:"untouched"` // what this action leaves as it is
	Then      []PlannedStep   `json:"then"`      // what the engine goes on with afterwards
	Changes   []PlannedChange `json:"changes"`   // what becomes another state by the action itself
}

// NewPlan is a plan in which nothing is done: its lists are empty, not null.
func NewPlan() Plan {
	return Plan{Calls: []PlannedCall{}, Untouched: []PlannedStep{}, Then: []PlannedStep{}, Changes: []PlannedChange{}}
}

// PlannedCall is one request, as it would go out.
type PlannedCall struct {
	Step       string    `json:"step"`
	StepKey    string    `json:"step_key"`
	WireKey    string    `json:"wire_key"`             // "" where no key goes out: a question, work of our own
	KeyHeader  string    `json:"key_header,omitempty"` // the header that carries it; "" where the body does
	Generation int       `json:"generation"`
	Class      Class     `json:"class"`
	State      StepState `json:"state"`  // of the step, when it was planned
	Method     string    `json:"method"` // "" for work inside our own database
	URL        string    `json:"url"`
	Body       string    `json:"body"`
	BodySHA256 string    `json:"body_sha256"`  // hex
	SentBefore int       `json:"sent_before"`  // attempts in this generation
	LastSentAt Time      `json:"last_sent_at"` // start of the newest of them
	OnRepeat   string    `json:"on_repeat"`    // what the provider does with a repeat
	SafeUntil  Time      `json:"safe_until"`   // until when it surely does that; none without a promise
}

// PlannedStep names a step that is not acted on now.
type PlannedStep struct {
	Step    string    `json:"step"`
	StepKey string    `json:"step_key"`
	Class   Class     `json:"class"`
	State   StepState `json:"state"`
}

// Planned names the step in a plan.
func (s *Step) Planned() PlannedStep {
	return PlannedStep{Step: s.Name, StepKey: s.Key(), Class: s.Class, State: s.State}
}

// PlannedChange is one change of state that the action makes by itself.
type PlannedChange struct {
	Subject string `json:"subject"` // a step key, or the intent's id
	From    string `json:"from"`
	To      string `json:"to"`
	Because string `json:"because"`
}
