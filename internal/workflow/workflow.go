// Package workflow knows the kinds of intent: one file per kind with its
// params, its steps, the request of each effect, the local work and the undo.
// Everything here is pure; the engine carries out what it says.
package workflow

import (
	"encoding/json"

	"countersign/internal/model"
	"countersign/internal/provider"
)

// Draft is what a kind makes of accepted params: the intent's facts and its
// steps, all but identity and time.
type Draft struct {
	Params      []byte // RFC 8785 form of what was accepted, notes included
	Fingerprint [32]byte
	Amount      int64 // minor units; 0 without money
	Currency    string
	Payee       string // display name
	PayeeRef    string
	Contacts    []string // accounts at the provider and addresses that money and messages go to
	Period      string
	LookAlike   string // same payee, amount and period; "" has none
	DueBy       model.Time
	Steps       []model.Step // Name, Class (Keyed for an external step, until bound), Operation, Amount, Currency, State
}

// Kind is one sort of intent. Its methods are pure and safe for concurrent use.
type Kind interface {
	// Name is the word in the API: "payout", …
	Name() string
	// Accept checks params strictly and drafts the intent. Errors are of kind
	// Invalid and name the members at fault, never their values. Beside an error
	// the draft has params and fingerprint alone, and those where the text can have
	// them: what is refused today may repeat what was accepted by earlier rules.
	Accept(params json.RawMessage) (Draft, error)
	// Order is what an external or message step asks of its provider.
	Order(c *model.Case, s *model.Step) (provider.Order, error)
	// Work is what a pure or local step does, given all that is known before it.
	// Of a step that is confirmed already it gives what was done then.
	Work(c *model.Case, s *model.Step) (Work, error)
	// Moot reports whether what is known by now leaves the step nothing to do,
	// with the sentence that says why. It is asked before anything is sent.
	Moot(c *model.Case, s *model.Step) (reason string, moot bool)
}

// Work is the result of a pure or local step: what to write in the very
// transaction that confirms it. A Refused result is a definite one.
type Work struct {
	Detail    string       // a sentence: what was found or done
	Refused   model.Result // ResultPermanent or ResultCurable; "" is done
	Code      string       // why it was refused
	NotNeeded bool         // a decision made the step moot
	Transfers []Transfer
	Document  *Document
	Void      string // step key of the document that is voided
}

// Outcome is the work as the result of its attempt. The amount is what it posts
// to the ledger; the evidence keeps it, so that the very same can be reversed.
func (w Work) Outcome() model.Outcome {
	out := model.Outcome{Result: model.ResultDone, Code: w.Code, Detail: w.Detail, Final: true}
	if w.Refused != "" {
		out.Result = w.Refused
	}
	for _, t := range w.Transfers {
		out.Amount += t.Amount
		out.Currency = t.Currency
	}
	return out
}

// Transfer moves an amount from one ledger account to another.
type Transfer struct {
	Debit    string `json:"debit"`
	Credit   string `json:"credit"`
	Amount   int64  `json:"amount"` // minor units, positive
	Currency string `json:"currency"`
}

// Document is a statement as issued. Standing is unique per account, rep and period.
type Document struct {
	Rep, Period, Name, MediaType string
	Body                         []byte
}

// Undo names the step of a compensation that undoes a step of its parent.
type Undo struct {
	Of   *model.Step
	Step model.Step // Name, Class, Operation, Amount, Currency
}
