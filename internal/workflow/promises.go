package workflow

import (
	"fmt"
	"time"

	"countersign/internal/model"
	"countersign/internal/provider"
)

// Effect is one step that a provider carries out, of any kind.
type Effect struct {
	Kind      string
	Step      string
	Operation string
	Class     model.Class // Keyed for an external step, until bound
	// Review: what becomes unknown may wait for a person. Only then may a
	// provider carry it out that has neither key nor look-up.
	Review bool
}

// Effects lists every step that can be bound to a provider, those of
// compensations included.
func Effects() []Effect {
	external := func(kind, step, operation string) Effect {
		return Effect{Kind: kind, Step: step, Operation: operation, Class: model.Keyed, Review: true}
	}
	message := func(kind, step string) Effect {
		return Effect{Kind: kind, Step: step, Operation: model.MessageSend, Class: model.Message, Review: true}
	}
	return []Effect{
		external(model.KindPayout, CreatePayout, model.PayoutCreate),
		message(model.KindPayout, SendRemittance),
		message(model.KindStatement, SendStatement),
		external(model.KindDispute, SubmitResponse, model.DisputeRespond),
		external(model.KindDispute, CreditBalance, model.CreditCreate),
		message(model.KindDispute, NotifyParties),
		external(model.KindCompensation, ReversePayout, model.PayoutReverse),
		external(model.KindCompensation, ReverseCredit, model.CreditReverse),
		message(model.KindCompensation, SendCorrection),
	}
}

// lastGeneration is the highest that a step key can name.
const lastGeneration = 999_999_999

// keys are step keys of the effect as they can come: every intent id is as long
// as this one, and a generation has one to nine digits.
func (e Effect) keys() []string {
	id := model.IntentID("", "", e.Kind, "")
	return []string{model.StepKey(id, e.Step, 1), model.StepKey(id, e.Step, 2), model.StepKey(id, e.Step, 10), model.StepKey(id, e.Step, lastGeneration)}
}

// CheckContracts holds every contract of the configured providers against all
// steps that may be bound to it. The error is of kind Invalid and has all faults
// at once.
func CheckContracts(reg *provider.Registry) error { return checkContracts(reg, Effects()) }

func checkContracts(reg *provider.Registry, effects []Effect) error {
	var faults []model.Field
	for _, name := range reg.Names() {
		adapter, _ := reg.Adapter(name)
		for _, operation := range provider.Operations() {
			if c, ok := adapter.Contract(operation); ok {
				at := "provider." + name + ": " + operation + "."
				for _, f := range contractFaults(c, adapter, effects) {
					faults = append(faults, model.Field{Location: at + f.Location, Message: f.Message})
				}
			}
		}
	}
	if len(faults) == 0 {
		return nil
	}
	return model.Errorf(model.Invalid, "invalid-params", "a contract is wrong, so nothing was started").WithFields(faults...)
}

// contractFaults are those of a contract by itself, beside its provider's other
// ones, and of the steps that may be bound to it.
func contractFaults(c model.Contract, adapter provider.Adapter, effects []Effect) []model.Field {
	faults := c.Faults()
	if _, serves := adapter.Contract(c.Undo); c.Undo != "" && !serves {
		faults = append(faults, model.Field{Location: "undo", Message: "names " + c.Undo + ", which the provider does not serve"})
	}
	sound := c.KeyRule.Validate() == nil // else told already
	for _, e := range effects {
		if e.Operation != c.Operation {
			continue
		}
		if !c.Keyed() && !c.Queryable() && !e.Review {
			faults = append(faults, model.Field{Location: "lookup", Message: fmt.Sprintf("is none, as is the key, and the step %s of a %s may not wait for a person", e.Step, e.Kind)})
		}
		if c.Keyed() && sound {
			faults = append(faults, refusedKeys(c, e)...)
		}
	}
	return faults
}

// refusedKeys are the step keys that no wire key can stand for.
func refusedKeys(c model.Contract, e Effect) []model.Field {
	var faults []model.Field
	for _, key := range e.keys() {
		if wire := wireKeyOf(c, e.Class, key); !c.KeyRule.Allows(wire) {
			faults = append(faults, model.Field{Location: "key", Message: fmt.Sprintf("does not take %s, the key of the step %s of a %s", wire, e.Step, e.Kind)})
		}
	}
	return faults
}

// Follows says what follows from a contract for the steps that may be bound to
// it, call being our own limit on one call: for the page of providers and for
// console doctor.
func Follows(c model.Contract, call time.Duration) []string {
	list := c.Follows(call)
	if words := keyWords(c); words != "" {
		list = append([]string{words}, list...)
	}
	return list
}

// keyWords says in which form the step keys travel.
func keyWords(c model.Contract) string {
	var first, later, all int
	for _, e := range Effects() {
		if e.Operation != c.Operation || !c.Keyed() || e.Class == model.Message {
			continue
		}
		all++
		keys := e.keys()
		if c.KeyRule.Allows(keys[0]) {
			first++
		}
		if c.KeyRule.Allows(keys[len(keys)-1]) {
			later++
		}
	}
	switch {
	case all == 0:
		return ""
	case later == all:
		return "Step keys are sent as they are."
	case first == all:
		return "Step keys are sent as they are; those of later generations as a digest where they are too long or hold what the provider does not take."
	}
	return "Step keys are sent as a digest, as the provider does not take them as they are; both forms are shown."
}
