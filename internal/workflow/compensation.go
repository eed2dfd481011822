package workflow

import (
	"encoding/json"
	"fmt"
	"strings"

	"countersign/internal/model"
)

// The steps of a compensation.
const (
	ReversePayout  = "reverse-payout"
	ReverseLedger  = "reverse-ledger"
	SendCorrection = "send-correction"
	VoidStatement  = "void-statement"
	ReverseCredit  = "reverse-credit"
)

// Reversal are the params of a compensation: all that its steps need, so that
// it can be carried out without its parent. Only the engine makes them.
type Reversal struct {
	Intent string     `json:"intent"` // the parent
	Step   string     `json:"step"`   // the parent's step from which on it undoes, by key
	Undo   []Reversed `json:"undo"`   // in the order in which it undoes
}

// Reversed is one step of the parent and what undoing it takes.
type Reversed struct {
	Name        string     `json:"name"` // the step of the compensation
	Step        string     `json:"step"` // the undone step, by key
	Operation   string     `json:"operation"`
	Object      string     `json:"object,omitempty"` // the provider's object that is reversed
	Amount      int64      `json:"amount,omitempty"` // minor units
	Currency    string     `json:"currency,omitempty"`
	Destination string     `json:"destination,omitempty"`
	Transfers   []Transfer `json:"transfers,omitempty"` // to post, already swapped
	To          string     `json:"to,omitempty"`
	Subject     string     `json:"subject,omitempty"` // of the message that is corrected
}

// Undos lists what a compensation from a step on undoes: that step and every
// later one that is confirmed, or settling where the contract can undo that,
// and has an undo; the last first. Money is undone by what is still out: moved
// less what came back by itself; nothing is left to undo where all came back.
func Undos(parent *model.Case, from string) (undos []Undo) {
	for _, s := range parent.ToUndo(parent.Step(from)) {
		if u, ok := undoOf(s); ok {
			undos = append(undos, u)
		}
	}
	return undos
}

// undoOf is the step that undoes a step, if there is one.
func undoOf(s *model.Step) (Undo, bool) {
	switch s.Operation {
	case model.PayoutCreate:
		return undoMoney(s, ReversePayout)
	case model.CreditCreate:
		return undoMoney(s, ReverseCredit)
	case model.MessageSend:
		return Undo{Of: s, Step: model.Step{Name: SendCorrection, Class: model.Message, Operation: model.MessageSend}}, true
	case model.LedgerPost:
		return Undo{Of: s, Step: model.Step{Name: ReverseLedger, Class: model.Local, Operation: model.LedgerReverse,
			Amount: posted(s, s.Amount), Currency: s.Currency}}, true
	case model.DocumentIssue:
		return Undo{Of: s, Step: model.Step{Name: VoidStatement, Class: model.Local, Operation: model.DocumentVoid}}, true
	}
	return Undo{}, false
}

// undoMoney undoes a movement of money at the provider that made it.
func undoMoney(s *model.Step, name string) (Undo, bool) {
	remaining := s.Outstanding()
	u := Undo{Of: s, Step: model.Step{Name: name, Class: model.Keyed, Operation: s.Contract.Undo, Provider: s.Provider,
		Amount: remaining, Currency: s.Currency}}
	return u, s.Contract.Undo != "" && remaining > 0
}

// Compensation drafts the intent that undoes a step of its parent and every
// later one that can be undone. Errors are of kind Conflict: nothing to undo, or
// the provider's object is not known.
func Compensation(parent *model.Case, from string) (Draft, error) {
	undos := Undos(parent, from)
	if len(undos) == 0 {
		return Draft{}, model.Errorf(model.Conflict, "action-refused", "from %s on, nothing stands that can be undone", from)
	}
	r := Reversal{Intent: parent.ID, Step: parent.Step(from).Key()}
	d := Draft{Payee: parent.Payee, PayeeRef: parent.PayeeRef, Period: parent.Period}
	for _, u := range undos {
		entry, err := reversed(parent, u)
		if err != nil {
			return Draft{}, err
		}
		r.Undo, d.Contacts = append(r.Undo, entry), append(append(d.Contacts, entry.Destination), strings.Split(entry.To, ", ")...)
		d.Steps = append(d.Steps, u.Step)
	}
	d.Steps = steps(d.Steps...)
	if d.Amount = r.amount(); d.Amount > 0 {
		d.Currency = parent.Currency
	}
	return d, d.seal(r)
}

// reversed collects what the undo needs, from the parent's own order and work.
func reversed(parent *model.Case, u Undo) (Reversed, error) {
	k, ok := Lookup(parent.Kind)
	if !ok {
		return Reversed{}, model.Errorf(model.Internal, "", "intent %s is of the unknown kind %s", parent.ID, parent.Kind)
	}
	r := Reversed{Name: u.Step.Name, Step: u.Of.Key(), Operation: u.Step.Operation, Amount: u.Step.Amount, Currency: u.Step.Currency}
	if !u.Of.Class.Effect() {
		return r, r.fromWork(k, parent, u.Of)
	}
	o, err := k.Order(parent, u.Of)
	if err != nil {
		return Reversed{}, err
	}
	if o.Message != nil {
		r.To, r.Subject = o.Message.To, o.Message.Subject
		return r, nil
	}
	if u.Of.ExternalRef == "" {
		return Reversed{}, model.Errorf(model.Conflict, "action-refused", "the provider's object of %s is not known", u.Of.Name)
	}
	r.Object, r.Destination = u.Of.ExternalRef, o.Destination
	return r, nil
}

// fromWork swaps the transfers that a local step posted.
func (r *Reversed) fromWork(k Kind, parent *model.Case, s *model.Step) error {
	w, err := k.Work(parent, s)
	for _, t := range w.Transfers {
		t.Debit, t.Credit = t.Credit, t.Debit
		r.Transfers = append(r.Transfers, t)
	}
	return err
}

// amount is the money that is brought back, or else what is taken off the books.
func (r *Reversal) amount() int64 {
	var money, books int64
	for _, u := range r.Undo {
		if u.Object != "" {
			money += u.Amount
		} else {
			books += u.Amount
		}
	}
	if money > 0 {
		return money
	}
	return books
}

// seal writes the params into the draft, with their fingerprint.
func (d *Draft) seal(r Reversal) error {
	raw, err := json.Marshal(r)
	if err != nil {
		return fmt.Errorf("encode the params of a compensation: %w", err)
	}
	if d.Params, err = model.Canonical(raw); err != nil {
		return err
	}
	d.Fingerprint, err = model.Fingerprint(d.Params)
	return err
}
