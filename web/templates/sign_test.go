package templates

import (
	"testing"

	"countersign/internal/alert"
)

// Every kind of alert has a shape and a word, and none looks like an unknown outcome.
func TestEveryKindOfAlertHasASign(t *testing.T) {
	for _, kind := range alert.Kinds {
		if l, ok := signs[Sign(kind)]; !ok || l.word == "" || l.shape == "unknown" {
			t.Errorf("%s looks like %+v", kind, l)
		}
	}
}
