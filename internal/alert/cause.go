package alert

import (
	"fmt"
	"strings"
	"unicode"

	"countersign/internal/model"
	"countersign/internal/store"
)

// Kind is a sort of cause.
type Kind string

// The kinds of cause.
const (
	Review            Kind = "review"             // an intent waits for a decision
	Conflict          Kind = "conflict"           // two pieces of evidence cannot both be true
	ReviewOverdue     Kind = "review_overdue"     // the decision's deadline has passed
	SettlementOverdue Kind = "settlement_overdue" // a provider has not said in time how an effect ended
	Orphan            Kind = "orphan"             // a provider holds what no intent of ours explains
	Hold              Kind = "hold"               // a restore hold is on: nothing is sent
	AuditTrouble      Kind = "audit"              // the audit log is not complete
	ClockOff          Kind = "clock"              // the clock cannot be trusted
)

// Kinds lists every kind, the gravest first, as pages order them.
var Kinds = []Kind{Hold, AuditTrouble, ClockOff, Conflict, Orphan, ReviewOverdue, SettlementOverdue, Review}

// eventTypes are the kinds as programs read them, in webhooks.
var eventTypes = map[Kind]string{
	Review: "intent.needs_review", Conflict: "intent.conflict", ReviewOverdue: "intent.review_overdue",
	SettlementOverdue: "intent.settlement_overdue", Orphan: "provider.orphan", Hold: "installation.hold",
	AuditTrouble: "audit.trouble", ClockOff: "clock.off",
}

// titles are the kinds as people read them.
var titles = map[Kind]string{
	Review: "needs review", Conflict: "conflict", ReviewOverdue: "review overdue", SettlementOverdue: "settlement overdue",
	Orphan: "orphan at a provider", Hold: "restore hold", AuditTrouble: "audit log trouble", ClockOff: "clock off",
}

// EventType is the kind's name in webhooks, such as "intent.needs_review".
func (k Kind) EventType() string { return eventTypes[k] }

// Title is the kind in words, such as "needs review".
func (k Kind) Title() string { return titles[k] }

// Cause is a reason to tell somebody.
type Cause struct {
	Key      string // names the cause for ever: the same key is never raised twice
	Kind     Kind
	Account  string // "" is the whole installation
	Intent   string // "" where it is about none
	Step     string
	Text     string     // one sentence; control characters are taken out of it
	Amount   int64      // minor units
	Currency string     // "" where no money is meant
	Deadline model.Time // after which it is overdue; 0 is none
}

// Raise tells of a cause in the transaction that makes it: the alert is there
// exactly if that commits. A cause that was raised before, by whomever, is not
// raised again and is no error. It may be called by many processes at once.
func Raise(tx *store.Tx, c Cause) error {
	if c.Key == "" || c.Kind.EventType() == "" {
		return fmt.Errorf("alert: cause %q of kind %q cannot be raised", c.Key, c.Kind)
	}
	_, err := tx.InsertAlert(store.Alert{Cause: c.Key, Kind: string(c.Kind), Account: c.Account, IntentID: c.Intent, Step: c.Step,
		Text: oneLine(c.Text), Amount: c.Amount, Currency: c.Currency, Deadline: c.Deadline, RemindAt: c.Deadline})
	return err
}

// End records that a cause stands no more, and why, in the transaction that
// takes it away. One that does not stand is no error.
func End(tx *store.Tx, key, why string) error {
	_, err := tx.EndAlert(key, oneLine(why))
	return err
}

// maxText bounds a cause's sentence, in characters.
const maxText = 600

// oneLine takes out of a text what could forge a line of a log or a mail.
func oneLine(text string) string {
	clean := strings.Map(func(r rune) rune {
		if model.Disruptive(r) || r == unicode.ReplacementChar {
			return ' '
		}
		return r
	}, text)
	clean = strings.Join(strings.Fields(clean), " ")
	if runes := []rune(clean); len(runes) > maxText {
		clean = string(runes[:maxText-1]) + "…"
	}
	return clean
}

// Of decides which causes stand on an intent's own rows, by its stored state:
// each open conflict, and else the decision that only a person can take.
func Of(c *model.Case, t model.Timing, now model.Time) (causes []Cause) {
	about := Cause{Account: c.Account, Intent: c.ID, Amount: c.Amount, Currency: c.Currency, Deadline: c.ReviewDue}
	for _, k := range c.Conflicts {
		if k.ClosedAt == 0 {
			cause := about
			cause.Key, cause.Kind, cause.Step, cause.Text = "conflict:"+k.ID, Conflict, k.Step, k.Reason
			causes = append(causes, cause)
		}
	}
	if len(causes) > 0 || c.State != model.NeedsReview {
		return causes
	}
	rule := ""
	if r := c.Review(t, now); r != nil {
		rule = r.Rule
	}
	about.Key = fmt.Sprintf("review:%s:%d:%s", c.ID, c.StuckSince, rule)
	about.Kind, about.Step, about.Text = Review, c.Stuck, c.Reason
	return []Cause{about}
}

// settlesBy is the cause of a change by which a settling step's time ran out.
const settlesBy = "settles_by"

// overdue gives the causes of the steps whose settling has just run out of time.
func overdue(c *model.Case) (causes []Cause) {
	for _, change := range c.Changes {
		if s := c.Step(change.Step); s != nil && change.Cause == settlesBy && s.State == model.OutcomeUnknown {
			causes = append(causes, Cause{Key: fmt.Sprintf("settlement:%s:%d", change.StepKey, s.UncertainSince), Kind: SettlementOverdue,
				Account: c.Account, Intent: c.ID, Step: s.Name, Text: change.Reason, Amount: s.Amount, Currency: s.Currency})
		}
	}
	return causes
}

// Follow brings the alerts about an intent in line with it, in the transaction
// that stores it: new causes are raised, and those that stand no more end. The
// case is derived and still has its changes; before is the state it had.
func Follow(tx *store.Tx, c *model.Case, before model.IntentState, t model.Timing) error {
	causes := append(Of(c, t, tx.Now()), overdue(c)...)
	if len(causes) == 0 && before != model.NeedsReview && !lessUnknown(c) {
		return nil // the way of nearly every intent: no statement is spent on it
	}
	standing, err := tx.StandingAlerts(c.ID)
	if err != nil {
		return err
	}
	for _, a := range standing {
		if stands(a, c, causes) {
			continue
		}
		if err := End(tx, a.Cause, "The intent is "+string(c.State)+" now."); err != nil {
			return err
		}
	}
	for _, cause := range causes {
		if err := Raise(tx, cause); err != nil {
			return err
		}
	}
	return nil
}

// lessUnknown reports whether a step's uncertainty has just ended.
func lessUnknown(c *model.Case) bool {
	for _, change := range c.Changes {
		if change.From == model.OutcomeUnknown {
			return true
		}
	}
	return false
}

// stands reports whether an alert that was raised earlier still has its cause.
func stands(a store.Alert, c *model.Case, causes []Cause) bool {
	switch Kind(a.Kind) {
	case ReviewOverdue:
		return c.State == model.NeedsReview
	case SettlementOverdue:
		s := c.Step(a.Step)
		return s != nil && s.State == model.OutcomeUnknown
	case Review, Conflict:
		for _, cause := range causes {
			if cause.Key == a.Cause {
				return true
			}
		}
		return false
	}
	return true // an orphan and the like end where they are resolved
}
