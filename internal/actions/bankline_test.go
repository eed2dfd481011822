package actions

import (
	"bytes"
	"slices"
	"strings"
	"testing"

	"countersign/internal/bankfile"
	"countersign/internal/model"
	"countersign/internal/store"
)

// record confirms the marks of the chosen lines of a file.
func (w *world) record(b BankFile, lines ...int) {
	w.t.Helper()
	list := w.previewLines(b.ID, lines...)
	w.confirmBulk(w.ada, list)
	w.carryOut(list.ID)
}

// What was sent under the first key had ended without effect: a bank that shows it
// says nothing of what was sent under the second one.
func TestAnEarlierKeyProvesNothing(t *testing.T) {
	w := newWorld(t)
	id := w.payout("again", 500)
	w.pass(id, "approve-payout")
	w.send(id, failedO)
	first := w.load(id).Step(pay)
	w.engine(id, func(c *model.Case, tx *store.Tx) {
		s := c.Unfinished()
		s.Generation, s.WireKey, s.ExternalRef = 2, s.WireKey+"#2", ""
		w.attempt(c, s, tx, unknown)
	})
	for _, ref := range []string{first.Key(), first.WireKey} {
		b := w.take(camt(entry{ref: ref, bankRef: "BANKREF-" + ref, amount: -500}))
		m := w.reading(w.ada, b.ID).Matches[0]
		if m.Finding != bankfile.Doubtful || !strings.Contains(m.Because, "generation 1 of the step") {
			t.Errorf("%s: %s: %s", ref, m.Finding, m.Because)
		}
		if list := w.previewLines(b.ID, 1); list.Planned != 0 || list.Items[0].Rule != "bankfile.doubtful" {
			t.Errorf("%s: %+v", ref, list.Items)
		}
	}
	if m := w.reading(w.ada, w.take(camt(w.paying(id))).ID).Matches[0]; m.Finding != bankfile.Proves {
		t.Errorf("the present key: %s: %s", m.Finding, m.Because)
	}
}

// A second debit that comes in another file days later is what a person must see.
func TestASecondDebitInAnotherFile(t *testing.T) {
	w := newWorld(t)
	id := w.several(1, unknown)[0]
	monday, tuesday := w.paying(id), w.paying(id)
	monday.bankRef, tuesday.bankRef = "MONDAY-0001", "TUESDAY-0002"
	w.record(w.take(camt(monday)), 1)
	r := w.reading(w.ada, w.take(camt(tuesday)).ID)
	if m := r.Matches[0]; m.Finding != bankfile.Several || !strings.Contains(m.Because, "MONDAY-0001 of 2026-11-29, 5.00 USD, already, and this is another line: it may have been paid twice") {
		t.Errorf("%s: %s", m.Finding, m.Because)
	}
	r = w.reading(w.ada, w.take(camt(monday, entry{ref: "x", amount: 1})).ID)
	if m := r.Matches[0]; m.Finding != bankfile.Known {
		t.Errorf("the same line in another file: %s: %s", m.Finding, m.Because)
	}
}

// A reference that a person typed may be the provider's: no bank line is told from
// another by it.
func TestAMarkByHandNamesNoBankLine(t *testing.T) {
	w := newWorld(t)
	id := w.several(1, unknown)[0]
	b := w.take(camt(w.paying(id)))
	w.confirm(w.ada, w.preview(w.ada, id, model.MarkExternalResult, pay,
		`{"result":"happened","external_ref":"po_of_the_provider","date":"2026-11-29","document":{"url":"https://bank.example/1"}}`))
	if m := w.reading(w.ada, b.ID).Matches[0]; m.Finding != bankfile.Known {
		t.Errorf("%s: %s", m.Finding, m.Because)
	}
}

// One row confirms one step, ever: also when it comes in another file, and its
// columns are named otherwise there.
func TestARowConfirmsOneStepUnderAnyMapping(t *testing.T) {
	w := newWorld(t)
	ids := w.several(2, unknown)
	x, y := w.load(ids[0]).Step(pay), w.load(ids[1]).Step(pay)
	w.engine(ids[1], func(c *model.Case, _ *store.Tx) { c.Step(pay).Amount = x.Amount })
	body := []byte("Date;Amount;A;B;No\n2026-11-29;-5.00;" + x.Key() + ";" + y.Key() + ";BANK-NUMBER-1\n")
	for i, refs := range []string{"A", "B"} {
		b := w.take(append(bytes.Clone(body), bytes.Repeat([]byte("\n"), i)...))
		m := bankfile.Mapping{Separator: ";", Encoding: "utf-8", Header: true, Dates: "YYYY-MM-DD", Decimal: ".", BookedOn: "Date", Amount: "Amount", Currency: "USD", Refs: []string{refs}}
		if i == 0 {
			m.BankRef = "No"
		}
		if _, err := w.run.MapBankFile(t.Context(), w.ada, b.ID, m); err != nil {
			t.Fatal(err)
		}
		if i == 0 {
			w.record(b, 1)
			continue
		}
		if m := w.reading(w.ada, b.ID).Matches[0]; m.Finding != bankfile.Several {
			t.Errorf("%s: %s", m.Finding, m.Because)
		}
	}
	if s := w.load(ids[1]).Step(pay); s.State != model.OutcomeUnknown || w.load(ids[0]).Step(pay).State != model.Confirmed {
		t.Errorf("the other step is %s", s.State)
	}
}

// Where the bank gives no reference, a line is known again by what it says.
func TestALineWithoutReferenceIsKnownAgain(t *testing.T) {
	w := newWorld(t)
	id := w.several(1, unknown)[0]
	paid := w.paying(id)
	paid.bankRef = ""
	w.record(w.take(camt(paid)), 1)
	again, other := w.take(camt(entry{ref: "x", amount: 1}, paid)), paid
	other.day = "2026-11-30"
	second := w.take(camt(entry{ref: "y", amount: 1}, other))
	if got := append(findings(w.reading(w.ada, again.ID)), findings(w.reading(w.ada, second.ID))...); !slices.Equal(got, []bankfile.Finding{bankfile.Nobody, bankfile.Known, bankfile.Nobody, bankfile.Several}) {
		t.Errorf("findings %v", got)
	}
}

// A line that names what had ended here says what the engine does next about it.
func TestALineOfWhatHadEndedSaysWhatComes(t *testing.T) {
	w := newWorld(t)
	failed, waits := w.payout("failed", 500), w.payout("waits", 600)
	w.pass(failed, "approve-payout")
	w.send(failed, notSent)
	w.pass(waits, "verify-payee")
	r := w.reading(w.ada, w.take(camt(w.paying(failed), w.paying(waits))).ID)
	for i, says := range []string{"It will be sent at " + w.load(failed).Step(pay).NextTryAt.String() + " by itself", "It is sent when its turn comes"} {
		if m := r.Matches[i]; m.Finding != bankfile.Ended || !strings.Contains(m.Because, says) {
			t.Errorf("%s: %s", m.Finding, m.Because)
		}
	}
}
