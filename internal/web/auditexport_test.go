package web

import "testing"

// TestTheExportPageSaysWhatAnExportCannotShow: an account's entries stand between
// those of others, so only the whole log shows that none was left out.
func TestTheExportPageSaysWhatAnExportCannotShow(t *testing.T) {
	w := newWorld(t)
	audrey := w.browse("Audrey")
	audrey.wants(audrey.get("/audit/export"), 200, "so that a cut end is seen", "cannot show is that none of the accounts’ entries was left out",
		"An export of the whole log can", "console audit export", "an entry in every account’s log")
}
