package authz

import "countersign/internal/model"

// Decision is an answer with its reason.
type Decision struct {
	Allowed bool
	Because string // a sentence for people
	Rule    string // the rule's name, e.g. "role-operator"
	Code    string // problem name of a refusal: denied, self-approval, step-up-required, not-found; "" when allowed
}

// Codes of refusals, as the API names its problems.
const (
	CodeDenied       = "denied"
	CodeSelfApproval = "self-approval"
	CodeStepUp       = "step-up-required"
	CodeNotFound     = "not-found"
)

func allow(rule, because string) Decision {
	return Decision{Allowed: true, Because: because, Rule: rule}
}

func deny(rule, code, because string) Decision {
	return Decision{Because: because, Rule: rule, Code: code}
}

// Err is nil when allowed, else an error of kind Denied, or of kind NotFound
// behind an account wall: what one has no right to see does not exist.
func (d Decision) Err() error {
	switch {
	case d.Allowed:
		return nil
	case d.Code == CodeNotFound:
		return model.Errorf(model.NotFound, CodeNotFound, "%s", d.Because)
	}
	return model.Errorf(model.Denied, d.Code, "%s", d.Because).With("rule", d.Rule)
}
