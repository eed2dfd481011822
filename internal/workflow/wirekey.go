package workflow

import (
	"countersign/internal/model"
	"countersign/internal/provider"
)

// WireKey is the step key of the step's present generation in the form that its
// provider takes: always made in the same way, and never the same for two steps.
func WireKey(s *model.Step) string {
	if s.Provider == "" {
		return ""
	}
	return wireKeyOf(s.Contract, s.Class, s.Key())
}

// wireKeyOf is the form of a step key under a contract. That of a message is its
// Message-ID, whatever the contract.
func wireKeyOf(c model.Contract, class model.Class, stepKey string) string {
	if class == model.Message {
		return provider.MessageID(stepKey)
	}
	return c.KeyRule.WireKey(stepKey)
}
