package workflow

import (
	"encoding/json"
	"fmt"

	"countersign/internal/model"
	"countersign/internal/provider"
)

// compensation is the kind of the intents that Compensation drafts.
type compensation struct{}

func (compensation) Name() string { return model.KindCompensation }

// Accept refuses: a compensation follows from an action on its parent.
func (compensation) Accept(json.RawMessage) (Draft, error) {
	var f faults
	f.add("/kind", "is made by the engine only: compensate a step of an intent")
	return Draft{}, f.err()
}

func (compensation) Order(c *model.Case, s *model.Step) (provider.Order, error) {
	r, u, err := reversal(c, s)
	if err != nil {
		return provider.Order{}, err
	}
	o := order(s)
	switch s.Name {
	case ReversePayout, ReverseCredit:
		o.Object, o.Amount, o.Currency, o.Destination = u.Object, u.Amount, u.Currency, u.Destination
		o.Metadata = map[string]string{"intent": c.ID, "undoes": u.Step}
		return o, nil
	case SendCorrection:
		o.Message, err = correction(c, r, u).message()
		return o, err
	}
	return provider.Order{}, unknownStep(model.KindCompensation, s)
}

func (compensation) Work(c *model.Case, s *model.Step) (Work, error) {
	_, u, err := reversal(c, s)
	if err != nil {
		return Work{}, err
	}
	switch s.Name {
	case ReverseLedger:
		return Work{Detail: fmt.Sprintf("Posted the reverse of %s: %s.", u.Step, model.Money{Amount: u.Amount, Currency: u.Currency}),
			Transfers: u.Transfers}, nil
	case VoidStatement:
		return Work{Detail: fmt.Sprintf("Voided the document of %s.", u.Step), Void: u.Step}, nil
	}
	return Work{}, unknownStep(model.KindCompensation, s)
}

func (compensation) Moot(*model.Case, *model.Step) (string, bool) { return "", false }

// reversal reads the stored params and finds in them what the step undoes.
func reversal(c *model.Case, s *model.Step) (Reversal, Reversed, error) {
	var r Reversal
	if err := stored(c, &r); err != nil {
		return r, Reversed{}, err
	}
	for _, u := range r.Undo {
		if u.Name == s.Name {
			return r, u, nil
		}
	}
	return r, Reversed{}, unknownStep(model.KindCompensation, s)
}

func correction(c *model.Case, r Reversal, u Reversed) notice {
	return notice{Template: "correction", To: u.To, Subject: "Correction: " + u.Subject, Greeting: greeting(""),
		Paragraphs: []string{fmt.Sprintf("Our message \u201c%s\u201d no longer holds: %s is undoing what it told you of.", u.Subject, c.Account)},
		Facts:      []fact{{"Corrects", r.Intent}, {"Reference", c.ID}}}
}
