package actions

import (
	"bytes"
	"fmt"
	"slices"
	"strings"
	"testing"

	"countersign/internal/bankfile"
	"countersign/internal/model"
	"countersign/internal/store"
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

// A statement without lines covers days and a currency: what of ours it does not
// name is told all the same.
func TestAStatementWithoutLinesCoversItsCurrency(t *testing.T) {
	w := newWorld(t)
	id := w.several(1, unknown)[0]
	const balance = `<Bal><Tp><CdOrPrtry><Cd>%s</Cd></CdOrPrtry></Tp><Amt Ccy="USD">1.00</Amt><CdtDbtInd>CRDT</CdtDbtInd><Dt><Dt>%s</Dt></Dt></Bal></Stmt>`
	body := camt()
	for _, b := range []struct{ code, day string }{{"CLBD", "2026-11-30"}, {"OPBD", "2026-11-28"}} {
		body = bytes.Replace(body, []byte("</Stmt>"), fmt.Appendf(nil, balance, b.code, b.day), 1)
	}
	b := w.take(body)
	r := w.reading(w.ada, b.ID)
	if b.FromDay != "2026-11-28" || b.ToDay != "2026-11-30" || len(r.Unnamed) != 1 || r.Unnamed[0].IntentID != id || !slices.Equal(r.Currencies, []string{"USD"}) || r.MoreCurrencies {
		t.Errorf("%s to %s, %v in %v", b.FromDay, b.ToDay, r.Unnamed, r.Currencies)
	}
	var rows bytes.Buffer
	rows.WriteString("Date;Amount;Currency;Ref\n")
	for _, currency := range []string{"AED", "AUD", "BGN", "BRL", "CAD", "CHF", "CNY", "CZK", "DKK", "EUR", "GBP", "HKD", "HUF", "ILS", "INR", "MXN", "USD"} {
		fmt.Fprintf(&rows, "2026-11-29;1.00;%s;x\n", currency)
	}
	b = w.take(rows.Bytes())
	m := refsIn("Ref")
	m.Currency, m.CurrencyColumn = "", "Currency"
	if _, err := w.run.MapBankFile(t.Context(), w.ada, b.ID, m); err != nil {
		t.Fatal(err)
	}
	if r := w.reading(w.ada, b.ID); len(r.Currencies) != MaxCurrencies || !r.MoreCurrencies || len(r.Unnamed) != 0 {
		t.Errorf("%v, more: %v", r.Currencies, r.MoreCurrencies)
	}
}

// A mapping that was stored and does not read its file any more can be named anew.
func TestAMappingThatReadsNoMore(t *testing.T) {
	w := newWorld(t)
	b := w.take(twoColumns("-5.00", w.load(w.several(1, unknown)[0]).Step(pay).Key(), "x"))
	if _, err := w.run.MapBankFile(t.Context(), w.ada, b.ID, refsIn("A")); err != nil {
		t.Fatal(err)
	}
	old := bytes.Replace(w.reading(w.ada, b.ID).Mapping, []byte("YYYY-MM-DD"), []byte("DD.MM.YYYY"), 1)
	w.update(func(tx *store.Tx) error {
		_, err := tx.Exec("UPDATE bank_files SET mapping = ?", old)
		return err
	})
	r := w.reading(w.ada, b.ID)
	if !r.Waiting || model.KindOf(r.Fault) != model.Invalid || !r.MayMap || len(r.Matches) != 0 || r.Proposal.Dates != "DD.MM.YYYY" || len(r.Rows.Rows) == 0 {
		t.Fatalf("%+v, %v", r, r.Fault)
	}
	_, err := w.run.PreviewBankFile(t.Context(), w.ada, b.ID, []int{1})
	wantCode(t, err, "conflict")
	if _, err := w.run.MapBankFile(t.Context(), w.ada, b.ID, refsIn("A")); err != nil {
		t.Fatal(err)
	}
	if r := w.reading(w.ada, b.ID); r.Waiting || r.Fault != nil || findings(r)[0] != bankfile.Proves {
		t.Errorf("%+v", r.Matches)
	}
}

// A list that was done with no effect does not hold the names of columns.
func TestAListWithoutEffectHoldsNoMapping(t *testing.T) {
	w := newWorld(t)
	id := w.several(1, unknown)[0]
	b := w.take(twoColumns("-5.00", w.load(id).Step(pay).Key(), "x"))
	if _, err := w.run.MapBankFile(t.Context(), w.ada, b.ID, refsIn("A")); err != nil {
		t.Fatal(err)
	}
	list := w.previewLines(b.ID, 1)
	found(pay, model.Observation{Finding: model.FoundHappened, ExternalRef: "po_1", Amount: 500})(w, id)
	w.confirmBulk(w.ada, list)
	if l := w.carryOut(list.ID); l.State != model.BulkDone || !slices.Equal(outcomes(l), []string{"stale"}) {
		t.Fatalf("%s %+v", l.State, l.Items)
	}
	if !w.reading(w.ada, b.ID).MayMap {
		t.Error("it holds the mapping")
	}
	if _, err := w.run.MapBankFile(t.Context(), w.ada, b.ID, refsIn("B")); err != nil {
		t.Error(err)
	}
}
