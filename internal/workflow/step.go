package workflow

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"

	"countersign/internal/model"
	"countersign/internal/provider"
)

// steps puts steps in their order, each in its first generation and pending
// unless it was drafted as moot.
func steps(list ...model.Step) []model.Step {
	for i := range list {
		list[i].Position, list[i].Generation = i+1, 1
		if list[i].State == "" {
			list[i].State = model.Pending
		}
	}
	return list
}

// message drafts a message step; without an address it is moot from the start.
func message(name, to string) model.Step {
	s := model.Step{Name: name, Class: model.Message, Operation: model.MessageSend}
	if to == "" {
		s.State, s.Reason = model.NotNeeded, "There is no address to write to."
	}
	return s
}

// order begins the order of a step: what it asks for and under which key.
func order(s *model.Step) provider.Order {
	return provider.Order{Operation: s.Operation, StepKey: s.Key(), WireKey: s.WireKey}
}

// LookAlike is the digest that intents with the same payee, amount and period
// share: lower-case hex of SHA-256.
func LookAlike(kind, payeeRef string, amount int64, currency, period string) string {
	text, err := json.Marshal([]any{kind, payeeRef, amount, currency, period})
	if err != nil {
		panic(fmt.Sprintf("look-alike: %v", err)) // texts and a number always marshal
	}
	sum := sha256.Sum256(text)
	return hex.EncodeToString(sum[:])
}

// lookAlike fills in the digest from the draft's own facts.
func (d *Draft) lookAlike(kind string) {
	d.LookAlike = LookAlike(kind, d.PayeeRef, d.Amount, d.Currency, d.Period)
}

// approved says how an approval step was passed; that it was is for the engine
// to know.
func approved(s *model.Step) Work {
	if s.PeopleNeeded == 0 {
		return Work{Detail: fmt.Sprintf("Approved by rule %s.", orNone(s.Rule))}
	}
	return Work{Detail: fmt.Sprintf("Approved by people, %d needed, under rule %s.", s.PeopleNeeded, orNone(s.Rule))}
}

func orNone(rule string) string {
	if rule == "" {
		return "(unnamed)"
	}
	return rule
}

// happened is the newest evidence that the step happened, or nil.
func happened(s *model.Step) *model.Evidence {
	if s == nil {
		return nil
	}
	for i := len(s.Evidence) - 1; i >= 0; i-- {
		if s.Evidence[i].Says == model.Happened {
			return &s.Evidence[i]
		}
	}
	return nil
}

// posted is the amount that a ledger step posted, or is about to.
func posted(s *model.Step, otherwise int64) int64 {
	if e := happened(s); e != nil && e.Amount > 0 {
		return e.Amount
	}
	return otherwise
}

func unknownStep(kind string, s *model.Step) error {
	return model.Errorf(model.Internal, "", "%s has nothing to do for the step %s", kind, s.Name)
}
