package moments

import (
	"bytes"
	"context"
	"errors"
	"io"
	"testing"
	"time"

	"countersign/internal/audit"
)

// exported is the whole log as an export.
func (w *world) exported(name string) audit.File {
	w.t.Helper()
	w.logHolds()
	var text bytes.Buffer
	if err := w.log.Export(context.Background(), &text, audit.Scope{Accounts: audit.Everything(), Format: audit.JSONL}); err != nil {
		w.t.Fatal(err)
	}
	return audit.File{Name: name, Open: func() (io.ReadCloser, error) { return io.NopCloser(bytes.NewReader(text.Bytes())), nil }}
}

// An export of the log that a restore lost is told from one that was changed,
// and only where the epoch's entry names it.
func TestAnExportFromBeforeARestoreIsNotTampered(t *testing.T) {
	w, other := newWorld(t), newWorld(t)
	w.payout("p-1")
	w.run(time.Hour)
	early := w.exported("early")
	from, copied := w.clock.Now(), w.backup()
	w.clock.Add(time.Minute)
	w.payout("p-2")
	w.run(time.Hour)
	lost := w.exported("lost")
	w.restore(copied, from)
	w.run(time.Minute)
	now := w.exported("now")
	report, err := audit.Verify(early, lost, now)
	if err != nil {
		t.Fatal(err)
	}
	for i, want := range []bool{false, true, false} {
		if v := report.Files[i]; v.Lost != want {
			t.Errorf("%s: lost %v, want %v", v.Name, v.Lost, want)
		}
	}
	if e := report.Files[2].Epochs; len(e) != 1 || e[0].OldSize != report.Files[1].Size || e[0].KeptSize != report.Files[0].Size {
		t.Errorf("the epochs are %+v, the files %+v", e, report.Files)
	}
	var fault *audit.Fault
	if _, err := audit.Verify(lost, early); err != nil { // of one log
		t.Error(err)
	}
	if _, err := audit.Verify(now, other.exported("another")); !errors.As(err, &fault) {
		t.Errorf("an export of another installation: %v", err)
	}
}
