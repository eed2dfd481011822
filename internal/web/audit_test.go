package web

import (
	"strings"
	"testing"

	"countersign/internal/store"
	"countersign/internal/store/storetest"
)

// A span that cannot be read filters nothing: the rows are there, and the fault.
func TestLogWithASpanThatCannotBeRead(t *testing.T) {
	w := newWorld(t)
	w.payout("acme", "pay-1", 5000)
	w.number()
	audrey := w.browse("Audrey")
	for query, says := range map[string]string{"from=2026-02-30": "This is no date", "from=2026-11-28&to=2026-11-27": "The end lies before the beginning"} {
		audrey.wants(audrey.get("/audit?"+query), 200, says, "on this page newest first")
	}
}

// An entry whose bytes were changed in the database is not shown as proven, and
// leaves in no export.
func TestChangedEntryIsNotProven(t *testing.T) {
	w := newWorld(t)
	w.payout("acme", "pay-1", 5000)
	w.number()
	audrey := w.browse("Audrey")
	audrey.wants(audrey.get("/audit/1"), 200, "Proof that this entry is in the log")
	w.update(func(tx *store.Tx) error {
		if err := storetest.DropTriggers(tx, "audit"); err != nil {
			return err
		}
		_, err := tx.Exec("UPDATE audit_entries SET canonical = ? WHERE id = (SELECT entry_id FROM audit_log WHERE idx = 1)", []byte(`{"account":"acme","event":"false.words"}`))
		return err
	})
	page := audrey.get("/audit/1")
	audrey.wants(page, 200, "Not proven: this entry is not what was written", "console doctor")
	if strings.Contains(page.text(), "Proof that this entry is in the log") {
		t.Error("it is called proven")
	}
	audrey.wants(audrey.get("/audit"), 200, "Changed since it was written")
	audrey.wants(audrey.get("/audit/export/file?format=jsonl&zone=UTC"), 409, "Entry 1 of the audit log is not what was written")
}
