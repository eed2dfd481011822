package actions

import (
	"bytes"
	"fmt"
	"slices"
	"testing"
	"time"

	"countersign/internal/authz"
	"countersign/internal/bankfile"
	"countersign/internal/model"
	"countersign/internal/store"
)

// columns read the rows that sheet makes.
var columns = bankfile.Mapping{Separator: ";", Encoding: "windows-1252", Header: true, Dates: "DD.MM.YYYY", Decimal: ",", BookedOn: "Tag", Amount: "Betrag",
	Currency: "USD", Refs: []string{"Verwendung"}, Other: "Empfänger"}

// sheet is a CSV of bookings whose bytes are no UTF-8.
func sheet(entries ...entry) []byte {
	var b bytes.Buffer
	b.WriteString("Tag;Betrag;Verwendung;Empf\xe4nger\r\n")
	for _, e := range entries {
		sign, amount := "", e.amount
		if amount < 0 {
			sign, amount = "-", -amount
		}
		fmt.Fprintf(&b, "29.11.2026;%s%d,%02d;%s;J\xf6rg\r\n", sign, amount/100, amount%100, e.ref)
	}
	return b.Bytes()
}

func TestACSVWaitsForItsMapping(t *testing.T) {
	w := newWorld(t)
	id := w.several(1, unknown)[0]
	b := w.take(sheet(w.paying(id)))
	r := w.reading(w.aud, b.ID)
	if b.Format != CSV || !r.Waiting || len(r.Matches) != 0 || r.MayMap || len(r.Rows.Rows) != 1 || !w.reading(w.ada, b.ID).MayMap {
		t.Fatalf("%+v", r)
	}
	_, err := w.run.PreviewBankFile(t.Context(), w.ada, b.ID, []int{1})
	wantCode(t, err, "conflict")
	for name, wrong := range map[string]func(*bankfile.Mapping){
		"no mapping": func(m *bankfile.Mapping) { *m = bankfile.Mapping{} }, "no such column": func(m *bankfile.Mapping) { m.Amount = "Summe" },
		"other dates": func(m *bankfile.Mapping) { m.Dates = "YYYY-MM-DD" },
	} {
		m := columns
		wrong(&m)
		if _, err := w.run.MapBankFile(t.Context(), w.ada, b.ID, m); model.KindOf(err) != model.Invalid {
			t.Errorf("%s: %v", name, err)
		}
	}
	if r := w.reading(w.ada, b.ID); !r.Waiting || len(w.entries("bankfile.mapped")) != 0 {
		t.Error("a mapping that does not read the file was kept")
	}
	for range 2 { // the second time changes nothing
		if mapped, err := w.run.MapBankFile(t.Context(), w.ada, b.ID, columns); err != nil || mapped.Lines != 1 || mapped.FromDay != "2026-11-29" || mapped.MappedAt == 0 {
			t.Fatalf("%+v, %v", mapped, err)
		}
	}
	r = w.reading(w.ada, b.ID)
	if r.Waiting || findings(r)[0] != bankfile.Proves || r.Matches[0].Other != "Jörg" || r.Proposal.Dates != columns.Dates || len(w.entries("bankfile.mapped")) != 1 {
		t.Errorf("%+v", r)
	}
}

// The account's last mapping is proposed for the next file that it reads.
func TestTheLastMappingIsProposed(t *testing.T) {
	w := newWorld(t)
	first, second, other := w.take(sheet(entry{ref: "a", amount: 1})), w.take(sheet(entry{ref: "b", amount: 1})), w.take([]byte("When,What,Sum\n2026-11-28,x,1.00\n"))
	if _, err := w.run.MapBankFile(t.Context(), w.ada, first.ID, columns); err != nil {
		t.Fatal(err)
	}
	if r := w.reading(w.ada, second.ID); !r.Waiting || r.Proposal.Amount != "Betrag" || r.Proposal.Other != "Empfänger" {
		t.Errorf("proposed %+v", r.Proposal)
	}
	if r := w.reading(w.ada, other.ID); r.Proposal.Amount == "Betrag" {
		t.Errorf("a mapping that does not read the file is proposed: %+v", r.Proposal)
	}
}

// Lists stand for what was read when they were previewed: another mapping ends
// those that nobody confirmed, and a confirmed one holds the mapping.
func TestAMappingChangesUntilAListIsConfirmed(t *testing.T) {
	w := newWorld(t)
	id := w.several(1, unknown)[0]
	b := w.take(sheet(w.paying(id)))
	remap := func(turned bool) error {
		m := columns
		if m.Turned = turned; turned {
			m.Other = ""
		}
		_, err := w.run.MapBankFile(t.Context(), w.ada, b.ID, m)
		return err
	}
	if err := remap(false); err != nil {
		t.Fatal(err)
	}
	list := w.previewLines(b.ID, 1)
	if err := remap(true); err != nil {
		t.Fatal(err)
	}
	_, err := w.run.ConfirmBulk(t.Context(), w.ada, list.ID, say(list.Digest))
	wantCode(t, err, "preview-expired")
	if got := findings(w.reading(w.ada, b.ID)); !slices.Equal(got, []bankfile.Finding{bankfile.Back}) {
		t.Errorf("turned, the line is %v", got)
	}
	if err := remap(false); err != nil {
		t.Fatal(err)
	}
	list = w.previewLines(b.ID, 1)
	w.confirmBulk(w.ada, list)
	wantCode(t, remap(true), "conflict")
	if l := w.carryOut(list.ID); !slices.Equal(outcomes(l), []string{"executed"}) || w.reading(w.ada, b.ID).MayMap {
		t.Errorf("%+v", l.Items)
	}
	_, err = w.run.MapBankFile(t.Context(), w.ada, w.take(camt(entry{ref: "x", amount: 1})).ID, columns)
	wantCode(t, err, "conflict")
}

// What is named anew while a list is planned is not listed under the old names.
func TestAListIsNotOfAnOldMapping(t *testing.T) {
	w := newWorld(t)
	id := w.several(1, unknown)[0]
	b := w.take(sheet(w.paying(id)))
	if _, err := w.run.MapBankFile(t.Context(), w.ada, b.ID, columns); err != nil {
		t.Fatal(err)
	}
	reading := w.reading(w.ada, b.ID)
	m := columns
	m.Turned = true
	if _, err := w.run.MapBankFile(t.Context(), w.ada, b.ID, m); err != nil {
		t.Fatal(err)
	}
	if _, err := w.run.previewReading(t.Context(), w.ada, reading, []int{1}); model.KindOf(err) != model.Stale || w.counted("bulks") != 0 {
		t.Errorf("%v", err)
	}
}

// twoColumns is a CSV of which either column may hold our reference.
func twoColumns(amount, a, b string) []byte {
	return []byte("Date;Amount;A;B\n2026-11-29;" + amount + ";" + a + ";" + b + "\n")
}

func refsIn(column string) bankfile.Mapping {
	return bankfile.Mapping{Separator: ";", Encoding: "utf-8", Header: true, Dates: "YYYY-MM-DD", Decimal: ".", BookedOn: "Date", Amount: "Amount", Currency: "USD", Refs: []string{column}}
}

// An item of a list stands for what its file says, and is not confirmed without it.
func TestAPlanOfAFileIsConfirmedWithItsListAlone(t *testing.T) {
	w := newWorld(t)
	id := w.several(1, unknown)[0]
	b := w.take(twoColumns("-5.00", w.load(id).Step(pay).Key(), "x"))
	if _, err := w.run.MapBankFile(t.Context(), w.ada, b.ID, refsIn("A")); err != nil {
		t.Fatal(err)
	}
	list := w.previewLines(b.ID, 1)
	alone := func() error {
		p, err := w.run.GetPreview(t.Context(), w.ada, list.Items[0].PreviewID)
		if err != nil {
			t.Fatal(err)
		}
		_, err = w.run.Confirm(t.Context(), w.ada, p.ID, Confirmation{Reason: reason, Digest: p.Digest})
		return err
	}
	if err := alone(); extra(err, "rule") != "bankfile.list" {
		t.Errorf("by itself: %v", err)
	}
	w.wait(time.Second)
	if _, err := w.run.MapBankFile(t.Context(), w.ada, b.ID, refsIn("B")); err != nil {
		t.Fatal(err)
	}
	wantCode(t, alone(), "preview-expired")
	if s := w.load(id).Step(pay); s.State != model.OutcomeUnknown {
		t.Errorf("it is %s", s.State)
	}
}

// A list of which nothing was or will be done does not hold the names of columns.
func TestARejectedListHoldsNoMapping(t *testing.T) {
	w := newWorld(t)
	id := w.payout("large", 200_000)
	w.pass(id, "approve-payout")
	w.send(id, unknown)
	b := w.take(twoColumns("-2000.00", w.load(id).Step(pay).Key(), "x"))
	remap := func(column string) error {
		_, err := w.run.MapBankFile(t.Context(), w.ben, b.ID, refsIn(column))
		return err
	}
	for _, end := range []func(model.Bulk) error{
		func(l model.Bulk) error {
			_, err := w.run.RejectBulk(t.Context(), w.cleo, l.ID, say(l.Digest))
			return err
		},
		func(l model.Bulk) error {
			_, err := w.run.WithdrawBulk(t.Context(), w.ada, l.ID, say(l.Digest))
			return err
		},
		func(model.Bulk) error { w.wait(30 * 24 * time.Hour); return nil },
	} {
		if err := remap("A"); err != nil {
			t.Fatal(err)
		}
		list := w.previewLines(b.ID, 1)
		w.confirmBulk(w.ada, list)
		wantCode(t, remap("B"), "conflict")
		if w.reading(w.ada, b.ID).MayMap {
			t.Error("an open list does not hold the mapping")
		}
		if err := end(list); err != nil {
			t.Fatal(err)
		}
		if r := w.reading(w.ada, b.ID); !r.MayMap {
			t.Errorf("a list that is %s holds the mapping", r.Lists[0].State)
		}
		if err := remap("B"); err != nil {
			t.Error(err)
		}
	}
}

// Who supplied what a file says does not sign a list of it.
func TestWhoSuppliedAFileDoesNotSign(t *testing.T) {
	w := newWorld(t)
	w.update(func(tx *store.Tx) error {
		if err := tx.Grant(w.cleo.ID, "acme", model.RoleOperator); err != nil {
			return err
		}
		now, err := tx.PersonActor(w.cleo.ID)
		w.cleo = authz.Actor(now)
		return err
	})
	id := w.payout("large", 200_000)
	w.pass(id, "approve-payout")
	w.send(id, unknown)
	key := w.load(id).Step(pay).Key()
	for _, who := range []struct{ takes, maps authz.Actor }{{w.cleo, w.ada}, {w.ada, w.cleo}} {
		b, err := w.run.TakeBankFile(t.Context(), who.takes, "acme", "a.csv", twoColumns("-2000.00", key, who.takes.ID))
		if err != nil {
			t.Fatal(err)
		}
		if _, err := w.run.MapBankFile(t.Context(), who.maps, b.ID, refsIn("A")); err != nil {
			t.Fatal(err)
		}
		list := w.previewLines(b.ID, 1)
		w.confirmBulk(w.ada, list)
		_, err = w.run.ApproveBulk(t.Context(), w.cleo, list.ID, say(list.Digest))
		wantCode(t, err, "self-approval")
	}
}
