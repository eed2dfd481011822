package workflow

import (
	"countersign/internal/model"
	"countersign/internal/provider"
)

// WireKey is the step key of the step's present generation in the form that its
// provider takes: always made in the same way, and never the same for two steps.
func WireKey(s *model.Step) string {
	switch {
	case s.Provider == "":
		return ""
	case s.Class == model.Message:
		return provider.MessageID(s.Key())
	}
	return s.Contract.KeyRule.WireKey(s.Key())
}
