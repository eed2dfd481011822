package bankfile

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"countersign/internal/model"
)

// debit is a line of a statement of a file, by which k was paid.
func debit(number, statement int, kind Kind, with ...func(*Line)) Line {
	l := paid(number, 1250, "k")
	l.origin.statement, l.origin.kind = statement, kind
	for _, change := range with {
		change(&l)
	}
	return l
}

func findingsOf(matches []Match) (list []Finding) {
	for _, m := range matches {
		list = append(list, m.Finding)
	}
	return list
}

func TestWhichLinesAreAnotherOnceMore(t *testing.T) {
	doubted := func(l *Line) { l.Doubt = "The statement is off." }
	pending := func(l *Line) { l.Booked = false }
	charge := func(l *Line) { l.Charge = true }
	nameless := func(l *Line) { l.BankRef = "" }
	row := func(l *Line) { l.origin.row = "a row" }
	back := func(l *Line) { l.Back = true }
	later := func(l *Line) { l.BookedOn = "2026-11-28" }
	for _, test := range []struct {
		name  string
		lines []Line
		want  []Finding
	}{
		{"in a later report", []Line{debit(1, 1, Interim), debit(2, 2, Interim)}, []Finding{Proves, Repeated}},
		{"twice in one statement", []Line{debit(1, 1, Booked), debit(2, 1, Booked)}, []Finding{Several, Several}},
		{"twice in one report", []Line{debit(1, 1, Interim), debit(2, 1, Interim)}, []Finding{Several, Several}},
		{"twice in the later report", []Line{debit(1, 1, Interim), debit(2, 2, Interim), debit(3, 2, Interim)}, []Finding{Several, Repeated, Several}},
		{"twice in both reports", []Line{debit(1, 1, Interim), debit(2, 1, Interim), debit(3, 2, Interim), debit(4, 2, Interim)}, []Finding{Several, Several, Repeated, Repeated}},
		{"in two pages of booked lines", []Line{debit(1, 1, Booked), debit(2, 2, Booked)}, []Finding{Several, Several}},
		{"in a report and then a statement", []Line{debit(1, 1, Interim), debit(2, 2, Booked)}, []Finding{Repeated, Proves}},
		{"in a report and two statements", []Line{debit(1, 1, Interim), debit(2, 2, Booked), debit(3, 3, Booked)}, []Finding{Repeated, Several, Several}},
		{"without a reference of the bank", []Line{debit(1, 1, Interim, nameless), debit(2, 2, Interim, nameless)}, []Finding{Several, Several}},
		{"rows of a CSV", []Line{debit(1, 1, Booked, row), debit(2, 2, Booked, row)}, []Finding{Several, Several}},
		{"on another day", []Line{debit(1, 1, Interim), debit(2, 2, Interim, later)}, []Finding{Several, Several}},
		{"not booked at first", []Line{debit(1, 1, Interim, pending), debit(2, 2, Interim)}, []Finding{Pending, Proves}},
		{"not booked later", []Line{debit(1, 1, Interim), debit(2, 2, Interim, pending)}, []Finding{Proves, Pending}},
		{"in doubt at first", []Line{debit(1, 1, Interim, doubted), debit(2, 2, Interim)}, []Finding{Repeated, Proves}},
		{"in doubt later", []Line{debit(1, 1, Interim), debit(2, 2, Interim, doubted)}, []Finding{Proves, Repeated}},
		{"in doubt both times", []Line{debit(1, 1, Interim, doubted), debit(2, 2, Interim, doubted)}, []Finding{Several, Several}},
		{"as a charge at first", []Line{debit(1, 1, Interim, charge), debit(2, 2, Interim)}, []Finding{Charged, Proves}},
		{"as a return", []Line{debit(1, 1, Interim, back), debit(2, 2, Interim, back)}, []Finding{Back, Repeated}},
		{"as a return of the same words", []Line{debit(1, 1, Interim), debit(2, 2, Interim, back)}, []Finding{Doubtful, Back}},
	} {
		if got := findingsOf(Find(test.lines, []Step{payout("k", model.OutcomeUnknown, 1250)})); !slices.Equal(got, test.want) {
			t.Errorf("%s: %v, want %v", test.name, got, test.want)
		}
	}
	m := Find([]Line{debit(4, 1, Interim), debit(9, 2, Interim)}, []Step{payout("k", model.OutcomeUnknown, 1250)})[1]
	if m.Because != "Its EndToEndId names k. It is line 4 once more, word for word, and counts once." || m.Finding.NeedsPerson() {
		t.Errorf("%s", m.Because)
	}
}

// Two bookings of a batch have the batch's reference: where both count in a
// statement that adds up, the payment left twice.
func TestAPaymentThatAStatementBooksTwice(t *testing.T) {
	entry := `<Ntry><Amt Ccy="EUR">12.50</Amt><CdtDbtInd>DBIT</CdtDbtInd><Sts><Cd>BOOK</Cd></Sts><BookgDt><Dt>2026-11-27</Dt></BookgDt><AcctSvcrRef>BATCH-27</AcctSvcrRef>` +
		`<NtryDtls><TxDtls><Refs><EndToEndId>k</EndToEndId></Refs></TxDtls></NtryDtls></Ntry>`
	balance := func(code, amount string) string {
		return fmt.Sprintf(`<Bal><Tp><CdOrPrtry><Cd>%s</Cd></CdOrPrtry></Tp><Amt Ccy="EUR">%s</Amt><CdtDbtInd>CRDT</CdtDbtInd><Dt><Dt>2026-11-27</Dt></Dt></Bal>`, code, amount)
	}
	camt := `<Document xmlns="urn:iso:std:iso:20022:tech:xsd:camt.053.001.08"><BkToCstmrStmt><GrpHdr><MsgId>M</MsgId></GrpHdr><Stmt><Id>S</Id><Acct><Id><IBAN>GB33BUKB20201555555555</IBAN></Id><Ccy>EUR</Ccy></Acct>` +
		balance("OPBD", "100.00") + balance("CLBD", "75.00") + entry + entry + `</Stmt></BkToCstmrStmt></Document>`
	const booking = ":61:2611271127D12,50NTRFk//BATCH27\n:86:177?00TRANSFER?20EREF+k\n"
	page := func(number, opening, closing, bookings string) string {
		return ":20:S\n:25:DE89370400440532013000\n:28C:1/" + number + "\n:60" + opening + "\n" + bookings + ":62" + closing + "\n-\n"
	}
	for name, body := range map[string]string{
		"camt.053": camt,
		"MT940":    page("1", "F:C261127EUR100,00", "F:C261127EUR75,00", booking+booking),
		"pages":    page("1", "F:C261127EUR100,00", "M:C261127EUR87,50", booking) + page("2", "M:C261127EUR87,50", "F:C261127EUR75,00", booking),
	} {
		for _, m := range Find(lines(t, body, nil), []Step{payout("k", model.OutcomeUnknown, 1250)}) {
			if m.Finding != Several || !strings.Contains(m.Because, "Lines 1 and 2 all name k") || m.Doubt != "" {
				t.Errorf("%s: line %d: %s: %s", name, m.Number, m.Finding, m.Because)
			}
		}
	}
}
