package moments

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"time"

	"countersign/internal/actions"
	"countersign/internal/bankfile"
	"countersign/internal/model"
	"countersign/internal/store"
)

// statement is what the bank's books show of money, as camt.053: what went out, what
// came in, and what was undone as a line of its own that brings it back.
func (w *world) statement() []byte {
	w.t.Helper()
	var lines strings.Builder
	for i, e := range w.books() {
		if e.Currency == "" {
			continue
		}
		mark, back := "DBIT", "CRDT"
		if strings.HasSuffix(e.Operation, "_reversals") {
			mark, back = back, mark
		}
		line := func(mark, ref string, at time.Time, reversal bool) {
			amount := model.Money{Amount: e.Amount, Currency: e.Currency}
			fmt.Fprintf(&lines, `<Ntry><Amt Ccy="%s">%s</Amt><CdtDbtInd>%s</CdtDbtInd><RvslInd>%t</RvslInd><Sts><Cd>BOOK</Cd></Sts><BookgDt><Dt>%s</Dt></BookgDt><AcctSvcrRef>%s</AcctSvcrRef>
<NtryDtls><TxDtls><Refs><EndToEndId>%s</EndToEndId></Refs></TxDtls></NtryDtls></Ntry>`, e.Currency, amount.Decimal(), mark, reversal, at.UTC().Format(time.DateOnly), ref, e.Reference)
		}
		line(mark, fmt.Sprintf("BANK-%05d", i), e.At, false)
		if e.UndoneAt != nil {
			line(back, fmt.Sprintf("BACK-%05d", i), *e.UndoneAt, true)
		}
	}
	return []byte(`<?xml version="1.0"?><Document xmlns="urn:iso:std:iso:20022:tech:xsd:camt.053.001.08"><BkToCstmrStmt><Stmt><Id>S</Id><Acct><Id><Othr><Id>A</Id></Othr></Id></Acct>` +
		lines.String() + `</Stmt></BkToCstmrStmt></Document>`)
}

// bankFile has the operator record all that a file proves; where it takes another
// person, that one signs or does not. It gives what the lines stood for before.
func (w *world) bankFile(body []byte, signed bool) (matches []bankfile.Match) {
	w.t.Helper()
	ctx, by := context.Background(), w.people.operator
	file := must(w.act.TakeBankFile(ctx, by, account, "statement.xml", body))(w.t)
	reading := must(w.act.ReadBankFile(ctx, by, file.ID))(w.t)
	var lines []int
	for _, m := range reading.Matches {
		if m.Finding == bankfile.Proves && len(lines) < actions.MaxBulk {
			lines = append(lines, m.Number)
		}
	}
	if len(lines) == 0 {
		return reading.Matches
	}
	list := must(w.act.PreviewBankFile(ctx, by, file.ID, lines))(w.t)
	if list.Planned == 0 {
		return reading.Matches
	}
	confirmed := must(w.act.ConfirmBulk(ctx, by, list.ID, actions.Confirmation{Reason: why, Digest: list.Digest}))(w.t)
	if confirmed.State == model.BulkOpen && signed {
		must(w.act.ApproveBulk(ctx, w.people.approver, list.ID, actions.Confirmation{Reason: why, Digest: list.Digest}))(w.t)
	}
	if err := w.act.WorkBulks(ctx, nil); err != nil {
		w.t.Fatal(err)
	}
	return reading.Matches
}

// sent is how often anything was sent, and how often a person's word says that
// something did not happen.
func (w *world) sent() (attempts, denials int) {
	w.t.Helper()
	err := w.db.View(context.Background(), func(tx *store.Tx) error {
		if _, err := tx.Get(&attempts, "SELECT count(*) FROM attempts"); err != nil {
			return err
		}
		_, err := tx.Get(&denials, "SELECT count(*) FROM evidence WHERE source IN ('operator', 'bank_file') AND says = 'did_not_happen'")
		return err
	})
	if err != nil {
		w.t.Fatal(err)
	}
	return attempts, denials
}

// harmless: a bank's file never says that something did not happen, and nothing is
// sent for it.
func (w *world) harmless(do func()) {
	w.t.Helper()
	attempts, denials := w.sent()
	do()
	if a, d := w.sent(); a != attempts || d != denials {
		w.t.Errorf("a bank's file made %d sends and %d words that it did not happen", a-attempts, d-denials)
	}
}

// The bank took one payout and cut the connection, did not take another, and sent a
// third back: its statement proves the first alone, and nothing is sent for the others.
func TestBankFileProvesWhatTheBooksShow(t *testing.T) {
	w := newWorld(t)
	w.fault("500_before", 1000, looks(), 0)
	w.fault("drop_after_accept", 100, posts("/payouts"), 0)
	taken := w.payout("p-1")
	w.run(2 * time.Hour)
	w.noFaults()
	w.fault("500_before", 1000, looks(), 0)
	w.fault("drop_before_accept", 100, posts("/payouts"), 0)
	lost := w.payout("p-2")
	w.run(2 * time.Hour)
	w.expect(taken, model.NeedsReview, "create-payout", model.OutcomeUnknown)
	w.expect(lost, model.NeedsReview, "create-payout", model.OutcomeUnknown)
	body := w.statement()
	w.harmless(func() {
		if m := w.bankFile(body, true); len(m) != 1 || m[0].Finding != bankfile.Proves || m[0].Step.IntentID != taken {
			t.Errorf("%+v", m)
		}
	})
	w.expect(lost, model.NeedsReview, "create-payout", model.OutcomeUnknown)
	w.survive(t)
	w.harmless(func() {
		if m := w.bankFile(body, true); m[0].Finding != bankfile.Known {
			t.Errorf("the same file again: %+v", m)
		}
	})
	w.noFaults()
	w.run(24 * time.Hour)
	w.expect(taken, model.Completed, "create-payout", model.Confirmed)
	if n := w.effects("payouts"); n > 2 {
		t.Errorf("the books show %d payouts", n)
	}
	w.survive(t)
}

// What was paid and returned is never sent again because a file shows it.
func TestBankFileOfReturnedMoneySendsNothing(t *testing.T) {
	w := newWorld(t)
	w.fault("settle_then_return", 1, posts("/payouts"), 10_000)
	id := w.payout("p-1")
	w.run(time.Hour)
	w.expect(id, model.NeedsReview, "create-payout", model.Confirmed)
	w.harmless(func() {
		for _, m := range w.bankFile(w.statement(), true) {
			if m.Finding != bankfile.Known {
				t.Errorf("%+v", m)
			}
		}
		w.run(24 * time.Hour)
	})
	if c := w.load(id); c.OpenConflict() == nil || c.Step("create-payout").Returned != 95050 {
		t.Errorf("a file closed what a person must look at\n%s", describe(c))
	}
	w.survive(t)
}

// The bank shows as paid what its provider had refused: recorded, that stops the
// retry that would pay it again, and hides nothing.
func TestBankFileThatContradictsStopsTheRetry(t *testing.T) {
	w := newWorld(t)
	w.fault("drop_before_accept", 1, posts("/payouts"), 0)
	paid := w.payout("p-1")
	w.run(2 * time.Hour)
	w.fault("reject_curable", 1, posts("/payouts"), 0)
	id := w.payout("p-2")
	w.run(time.Hour)
	w.expect(paid, model.Completed, "create-payout", model.Confirmed)
	w.expect(id, model.NeedsReview, "create-payout", model.FailedSafely)
	body := []byte(strings.ReplaceAll(string(w.statement()), paid+":create-payout", id+":create-payout"))
	w.harmless(func() {
		m := w.bankFile(body, true)
		if len(m) != 1 || m[0].Finding != bankfile.Ended {
			t.Fatalf("%+v", m)
		}
		file := must(w.act.TakeBankFile(context.Background(), w.people.operator, account, "statement.xml", body))(t)
		for range 2 {
			must(w.act.RecordContradiction(context.Background(), w.people.operator, file.ID, 1, actions.BankContradiction{Reason: why}))(t)
		}
		if _, err := w.act.Preview(context.Background(), w.people.operator, actions.PreviewRequest{Intent: id, Action: model.RetryUnfinished}); err == nil {
			t.Error("it may be sent again")
		}
		w.noFaults()
		w.run(48 * time.Hour)
	})
	c := w.load(id)
	w.expect(id, model.NeedsReview, "create-payout", model.FailedSafely)
	if len(c.Conflicts) != 1 || c.OpenConflict() == nil || c.Uncertain != c.Step("create-payout").Amount {
		t.Errorf("what the bank shows is not uncertain\n%s", describe(c))
	}
	w.survive(t)
}

// recordStatement takes the bank's statement as it stands now, and records what it
// proves; where another person is needed, that one signs or does not.
func (h *history) recordStatement(signed bool) {
	h.t.Helper()
	h.does("recordStatement(%t)", signed)
	h.harmless(func() { h.bankFile(h.world.statement(), signed) })
}
