package templates

import "countersign/internal/model"

// IntentView is one intent: the five questions, then the record.
type IntentView struct {
	Page    Page
	Crumb   string // "Payout"
	Verb    string // "Payout of", "Statement for"
	Money   *model.Money
	Joiner  string // "to"; between money and name
	Party   string // payee, rep …
	ID      string
	State   State
	Reason  Text // why it is in this state, or nil
	Version int64
	Owner   Owner

	Intended  IntendedView
	Confirmed ConfirmedView
	Uncertain UncertainView
	Next      NextView
	Actions   []ActionRow
	Refused   Text // a restore hold or read-only role that covers all actions, or nil

	Steps    []StepRow
	Attempts []AttemptRow
	Evidence []EvidenceRow
	Links    []LinkRow
	Audit    []AuditRow

	MoreAttempts *More // "Older attempts", or nil
	MoreEvidence *More
	MoreAudit    *More
	LinksNote    Text // "No parent, no compensation."
}

// More is a link that stands alone, with the words before it.
type More struct {
	Before Text
	Href   string
	Label  string
}

// Owner is who has taken an intent, and what the viewer may do about it (POST
// /intents/{id}/owner, do=take or do=release).
type Owner struct {
	Name       string // "" for nobody, "you"
	Until      Text   // or nil
	MayTake    bool
	MayRelease bool
	TakeLabel  string // "Take it", "Take it over"
}

// IntendedView answers question 1.
type IntendedView struct {
	Facts       []Fact
	LookAlikes  *Note  // others with the same payee, amount and period; or nil
	Params      string // canonical JSON as accepted
	Fingerprint string
	Documents   []Document
}

// Document is a file that belongs to the intent and is served as an attachment.
type Document struct {
	Href, Label string
	Sub         Text // size, digest
}

// ConfirmedView answers question 2.
type ConfirmedView struct {
	Summary Text
	Effects []Effect
}

// Effect is a confirmed step with its evidence.
type Effect struct {
	Step     string
	Text     Text // what happened, when, which reference
	Evidence Text
}

// UncertainView answers question 3. Nothing uncertain: Lead is nil, Text says so.
type UncertainView struct {
	Lead  Text // "48,200.00 EUR may or may not have been paid."
	Text  []Text
	Items []UncertainItem
}

// UncertainItem is one unknown or settling effect.
type UncertainItem struct {
	Title Text // shown where there are several; or nil
	State State
	Facts []Fact
	Gauge *Gauge
}

// Gauge draws a key's window. All four are microseconds UTC with
// First <= Safe <= End.
type Gauge struct {
	First, Now, Safe, End int64
	Label                 string // the whole, as a sentence
	Left, Right           Text   // under the two ends
}

// NextView answers question 4.
type NextView struct {
	Lead    Text // nil where nothing happens next
	Text    []Text
	Action  *Button // the proposed action, or nil
	Facts   []Fact
	Waiting bool // a person or the engine is due: the accent rule is shown
}

// Button is a link that looks like one, and names its act.
type Button struct{ Href, Label string }

// ActionRow is one action with its verdict for the viewer, on one step.
type ActionRow struct {
	Label   string // "Mark external result"
	Step    string // step name, or "" where the action is about the whole intent
	Allowed bool
	Denied  bool // the state allows it, the viewer's rights do not
	Because Text
	Rule    string
	People  Text    // "Nobody", "1 of Ingrid Solheim, Kwabena Mensah"; nil: a dash
	Open    *Button // Label "Preview" or "Fill in"; nil where there is nothing to open
}
