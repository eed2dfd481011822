package bankfile

import "testing"

func TestIBANNote(t *testing.T) {
	for _, good := range []string{"", "123456789", "DE89370400440532013000", "GB29 NWBK 6016 1331 9268 19", "de89370400440532013000", "50880050/0194787400888"} {
		if note := ibanNote(good); note != "" {
			t.Errorf("%s: %s", good, note)
		}
	}
	want := "The check digits of the account DE88370400440532013000 are wrong: compare it with the account that you mean."
	if note := ibanNote("DE88370400440532013000"); note != want {
		t.Errorf("got %q", note)
	}
}
