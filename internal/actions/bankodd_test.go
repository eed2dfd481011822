package actions

import (
	"slices"
	"strings"
	"testing"

	"countersign/internal/bankfile"
	"countersign/internal/model"
)

// Banks give all payments of a batch one reference, and use it again: a line is the
// recorded one on its own day, of its own amount.
func TestAReferenceUsedAgainHidesNoSecondDebit(t *testing.T) {
	w := newWorld(t)
	id := w.several(1, unknown)[0]
	e := w.paying(id)
	e.bankRef = "BATCH-2026-11"
	b := w.take(camt(e))
	w.record(b, 1)
	if w.load(id).Step(pay).ExternalRef != "BATCH-2026-11" {
		t.Fatal("the line is not recorded by the bank's reference")
	}
	same, later, more := e, e, e
	later.day = "2026-11-30"
	more.amount--
	for _, test := range []struct {
		entry   entry
		finding bankfile.Finding
	}{{same, bankfile.Known}, {later, bankfile.Several}, {more, bankfile.Several}} {
		m := w.reading(w.ada, w.take(camt(entry{ref: "x", amount: test.entry.amount}, test.entry)).ID).Matches
		if len(m) != 2 || m[1].Finding != test.finding {
			t.Errorf("%+v: %s: %s", test.entry, m[1].Finding, m[1].Because)
		}
		if test.finding == bankfile.Several && !strings.Contains(m[1].Because, "by the bank's line BATCH-2026-11 of 2026-11-29, 5.00 USD, already, and this is another line: it may have been paid twice") {
			t.Errorf("because %s", m[1].Because)
		}
	}
}

// Which of two observations is true, no list decides.
func TestAStepInContradictionIsNotRecordedFromAFile(t *testing.T) {
	w := newWorld(t)
	ids := w.several(2, unknown)
	b := w.take(camt(w.paying(ids[0]), w.paying(ids[1])))
	before := w.reading(w.ada, b.ID)
	found(pay, model.Observation{Finding: model.FoundOther, ExternalRef: "po_1", Amount: 700, Detail: "The object has another amount."})(w, ids[0])
	if c := w.load(ids[0]); !c.Contradicted(c.Step(pay)) {
		t.Fatal("nothing contradicts")
	}
	r := w.reading(w.ada, b.ID)
	if m := r.Matches[0]; m.Finding != bankfile.Doubtful || !strings.Contains(m.Because, "Its observations contradict each other: The object has another amount.") {
		t.Errorf("%s: %s", m.Finding, m.Because)
	}
	if list := w.previewLines(b.ID, 1, 2); list.Planned != 1 || list.Items[0].Rule != "bankfile.doubtful" {
		t.Errorf("%+v", list.Items)
	}
	list, err := w.run.previewReading(t.Context(), w.ada, before, []int{1, 2})
	if err != nil || list.Planned != 1 || list.Items[0].Rule != "mark.contradicted" {
		t.Errorf("by a reading from before: %+v, %v", list.Items, err)
	}
	if !slices.Equal(findings(r), []bankfile.Finding{bankfile.Doubtful, bankfile.Proves}) {
		t.Errorf("%v", findings(r))
	}
}
