package audit_test

import (
	"bytes"
	"encoding/hex"
	"errors"
	"strings"
	"testing"

	"countersign/internal/audit"
	"countersign/internal/model"
	"countersign/internal/store"
)

// past is a log with entries of acme and globex in turn, and the files that
// people kept of it.
type past struct {
	db                  *store.DB
	log                 *audit.Log
	whole, acme, globex []byte
	checkpoint          []byte
}

func newPast(t *testing.T) past {
	t.Helper()
	db, l := open(t)
	p := past{db: db, log: l}
	p.grow(t, 6)
	p.whole, p.acme, p.globex = export(t, l, everything), export(t, l, audit.Of("acme")), export(t, l, audit.Of("globex"))
	var line bytes.Buffer
	if err := l.WriteCheckpoint(t.Context(), &line); err != nil {
		t.Fatal(err)
	}
	p.checkpoint = line.Bytes()
	return p
}

func (p past) grow(t *testing.T, n int) {
	t.Helper()
	for range n {
		record(t, p.db, p.log, "acme", 1)
		record(t, p.db, p.log, "globex", 1)
		sequence(t, p.log)
	}
}

// rewritten is the past with other entries, longer, under the same installation.
// epochs are what its forger lets it say of restores.
func (p past) rewritten(t *testing.T, epochs ...audit.Epoch) past {
	t.Helper()
	db, l := open(t)
	other := past{db: db, log: l}
	other.grow(t, 7)
	for _, e := range epochs {
		var root audit.Checkpoint
		view(t, db, func(tx *store.Tx) (err error) { root, err = l.Present(tx); return err })
		e.KeptSize, e.KeptRoot = root.Size, hex.EncodeToString(root.Root)
		update(t, db, func(tx *store.Tx) error { return l.OpenEpoch(tx, e, audit.Actor{Type: "engine", ID: "engine"}) })
		sequence(t, l)
	}
	other.grow(t, 3)
	update(t, db, func(tx *store.Tx) error {
		_, err := tx.Exec("UPDATE installation SET id = ?", p.db.Installation)
		return err
	})
	db.Installation = p.db.Installation
	other.whole, other.acme, other.globex = export(t, l, everything), export(t, l, audit.Of("acme")), export(t, l, audit.Of("globex"))
	return other
}

// Two files of one log that was rewritten between them contradict each other,
// whatever each holds of it.
func TestFilesOfARewrittenLogContradictEachOther(t *testing.T) {
	p := newPast(t)
	other := p.rewritten(t)
	for name, pair := range map[string][2][]byte{
		"account after, whole before":      {other.acme, p.whole},
		"whole after, account before":      {other.whole, p.acme},
		"account after, account before":    {other.acme, p.acme},
		"two accounts":                     {other.acme, p.globex},
		"account after, checkpoint before": {other.acme, p.checkpoint},
	} {
		for _, order := range [][2]int{{0, 1}, {1, 0}} {
			_, err := audit.Verify(file("one", pair[order[0]]), file("other", pair[order[1]]))
			var fault *audit.Fault
			if !errors.As(err, &fault) {
				t.Errorf("%s: %v", name, err)
			} else if !strings.Contains(err.Error(), "one") || !strings.Contains(err.Error(), "other") {
				t.Errorf("%s does not name both files: %v", name, err)
			} else if !strings.HasPrefix(name, "account after, checkpoint") && fault.Index != 0 && name != "two accounts" {
				t.Errorf("%s does not name the entry: %v", name, err)
			}
		}
	}
}

// A log that was not touched agrees with all that was kept of it.
func TestFilesOfAGrowingLogAgree(t *testing.T) {
	for more := range 9 {
		p := newPast(t)
		p.grow(t, more)
		for _, after := range [][]byte{export(t, p.log, everything), export(t, p.log, audit.Of("acme")), export(t, p.log, audit.Of("globex"))} {
			for _, before := range [][]byte{p.whole, p.acme, p.globex, p.checkpoint} {
				report, err := audit.Verify(file("after", after), file("before", before))
				if err != nil || !report.Tied() {
					t.Errorf("%d more: %+v, %v", more, report, err)
				}
			}
		}
	}
}

// A restore that only the rewritten log tells of excuses no entry before it.
func TestNoRestoreExcusesWhatStandsBeforeIt(t *testing.T) {
	p := newPast(t)
	report, err := audit.Verify(file("acme", p.acme))
	if err != nil {
		t.Fatal(err)
	}
	for _, cause := range []model.HoldCause{model.HoldDiffers, "older"} {
		other := p.rewritten(t, audit.Epoch{Hold: "hold-1", Cause: string(cause), OldSize: report.Files[0].Size, OldRoot: report.Files[0].Root})
		for name, kept := range map[string][]byte{"account": p.acme, "whole": p.whole} {
			var fault *audit.Fault
			if _, err := audit.Verify(file("new", other.whole), file("old", kept)); !errors.As(err, &fault) || fault.Index != 0 {
				t.Errorf("%s, %s: %v", cause, name, err)
			}
		}
	}
}

// What nothing ties together is not said to agree.
func TestFilesThatShareNothingAreSaidToBeApart(t *testing.T) {
	db, l := open(t)
	record(t, db, l, "acme", 3)
	sequence(t, l)
	var first bytes.Buffer
	if err := l.WriteCheckpoint(t.Context(), &first); err != nil {
		t.Fatal(err)
	}
	record(t, db, l, "acme", 3)
	sequence(t, l)
	var second bytes.Buffer
	if err := l.WriteCheckpoint(t.Context(), &second); err != nil {
		t.Fatal(err)
	}
	report, err := audit.Verify(file("first", first.Bytes()), file("second", second.Bytes()))
	if err != nil || report.Tied() || report.Files[0].Compared || len(report.Files[0].Apart) != 1 {
		t.Errorf("%+v, %v", report, err)
	}
	report, err = audit.Verify(file("first", first.Bytes()), file("second", second.Bytes()), file("whole", export(t, l, everything)))
	if err != nil || !report.Tied() || !report.Files[0].Compared {
		t.Errorf("beside the whole log: %+v, %v", report, err)
	}
}

// The last line of an export, kept alone, is a checkpoint.
func TestTheLastLineOfAnExportIsACheckpoint(t *testing.T) {
	p := newPast(t)
	p.grow(t, 2)
	other := p.rewritten(t)
	for name, content := range map[string][]byte{"whole": p.whole, "acme": p.acme} {
		text := bytes.TrimSuffix(content, []byte("\n"))
		line := append(bytes.Clone(text[bytes.LastIndexByte(text, '\n')+1:]), '\n')
		report, err := audit.Verify(file("later", export(t, p.log, everything)), file("line", line))
		if err != nil || !report.Files[1].Compared || report.Files[1].LastOf == 0 {
			t.Errorf("%s: %+v, %v", name, report, err)
		}
		if _, err := audit.Verify(file("line", line), file("rewritten", other.whole)); err == nil {
			t.Errorf("the last line of %s agrees with a rewritten log", name)
		}
	}
}
