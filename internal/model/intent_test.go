package model

import "testing"

// A payee of whose name nothing is seen is named by the reference.
func TestWhoIsNamedIsSeen(t *testing.T) {
	for name, want := range map[string]string{"Ada": "Ada", " \u200b\u3164": "rep-118", "   ": "rep-118", "": ""} {
		if got := (&Intent{Payee: name, PayeeRef: "rep-118"}).Who(); got != want {
			t.Errorf("%q is named %q, want %q", name, got, want)
		}
	}
}
