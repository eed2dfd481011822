package actions

import (
	"bytes"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"countersign/internal/authz"
	"countersign/internal/bankfile"
	"countersign/internal/model"
	"countersign/internal/store"
)

// entry is one booking of a bank's statement.
type entry struct {
	ref, bankRef string
	amount       int64  // minor units of USD, signed from the account's side
	day          string // "" is the day on which the world begins
}

// camt is a statement of these bookings.
func camt(entries ...entry) []byte {
	var b bytes.Buffer
	b.WriteString(`<?xml version="1.0" encoding="UTF-8"?><Document xmlns="urn:iso:std:iso:20022:tech:xsd:camt.053.001.08"><BkToCstmrStmt><GrpHdr><MsgId>M1</MsgId><CreDtTm>2026-11-29T23:00:00Z</CreDtTm></GrpHdr>
<Stmt><Id>S1</Id><CreDtTm>2026-11-29T23:00:00Z</CreDtTm><Acct><Id><Othr><Id>ACME-1</Id></Othr></Id><Ccy>USD</Ccy></Acct>`)
	for _, e := range entries {
		sign, day, amount := "CRDT", e.day, e.amount
		if amount < 0 {
			sign, amount = "DBIT", -amount
		}
		if day == "" {
			day = "2026-11-29"
		}
		fmt.Fprintf(&b, `<Ntry><Amt Ccy="USD">%d.%02d</Amt><CdtDbtInd>%s</CdtDbtInd><Sts><Cd>BOOK</Cd></Sts><BookgDt><Dt>%s</Dt></BookgDt>`, amount/100, amount%100, sign, day)
		if e.bankRef != "" {
			fmt.Fprintf(&b, `<AcctSvcrRef>%s</AcctSvcrRef>`, e.bankRef)
		}
		fmt.Fprintf(&b, `<NtryDtls><TxDtls><Refs><EndToEndId>%s</EndToEndId></Refs></TxDtls></NtryDtls></Ntry>`, e.ref)
	}
	b.WriteString(`</Stmt></BkToCstmrStmt></Document>`)
	return b.Bytes()
}

// paying is the booking by which a payout's money left the account.
func (w *world) paying(id string) entry {
	s := w.load(id).Step(pay)
	return entry{ref: s.Key(), bankRef: "BANKREF-" + w.load(id).Key, amount: -s.Amount}
}

func (w *world) take(body []byte) BankFile {
	w.t.Helper()
	b, err := w.run.TakeBankFile(w.t.Context(), w.ada, "acme", "november.xml", body)
	if err != nil {
		w.t.Fatal(err)
	}
	return b
}

func (w *world) reading(actor authz.Actor, id string) BankReading {
	w.t.Helper()
	b, err := w.run.ReadBankFile(w.t.Context(), actor, id)
	if err != nil {
		w.t.Fatal(err)
	}
	return b
}

func (w *world) previewLines(id string, lines ...int) model.Bulk {
	w.t.Helper()
	b, err := w.run.PreviewBankFile(w.t.Context(), w.ada, id, lines)
	if err != nil {
		w.t.Fatal(err)
	}
	return b
}

func findings(b BankReading) (list []bankfile.Finding) {
	for _, m := range b.Matches {
		list = append(list, m.Finding)
	}
	return list
}

// counted is how many rows a table has.
func (w *world) counted(table string) (n int) {
	w.t.Helper()
	err := w.db.View(w.t.Context(), func(tx *store.Tx) error { _, err := tx.Get(&n, "SELECT count(*) FROM "+table); return err })
	if err != nil {
		w.t.Fatal(err)
	}
	return n
}

func TestABankFileConfirmsWhatItProves(t *testing.T) {
	w := newWorld(t)
	ids := w.several(3, unknown) // 5.00, 5.01 and 5.02
	done := w.payout("done", 900)
	w.pass(done, "create-payout")
	b := w.take(camt(w.paying(ids[0]), w.paying(ids[1]), entry{ref: w.load(done).Step(pay).Key(), bankRef: "BANKREF-done", amount: -900}, entry{ref: "somebody-else", amount: 12}))
	if b.Known || b.Format != "camt.053.001.08" || b.Lines != 4 || b.Statements != 1 || b.BankNumber != "ACME-1" || b.FromDay != "2026-11-29" || b.ToDay != b.FromDay {
		t.Fatalf("taken as %+v", b)
	}
	r := w.reading(w.aud, b.ID)
	if want := []bankfile.Finding{bankfile.Proves, bankfile.Proves, bankfile.Known, bankfile.Nobody}; !slices.Equal(findings(r), want) {
		t.Fatalf("findings %v", r.Matches)
	}
	if len(r.Unnamed) != 1 || r.Unnamed[0].IntentID != ids[2] || r.Unnamed[0].Since == 0 || r.More || r.MayMap || r.Waiting {
		t.Errorf("ours that no line names: %+v", r.Unnamed)
	}
	list := w.previewLines(b.ID, 2, 1)
	if list.Action != model.MarkExternalResult || list.BankFile != b.ID || list.Planned != 2 || list.People != 1 || list.Items[0].IntentID != ids[0] ||
		list.Items[0].Step != pay || list.Items[0].Amount != 500 || !strings.HasPrefix(list.Items[0].Because, "Line 1: Its EndToEndId names "+ids[0]) {
		t.Fatalf("list %+v", list)
	}
	if w.load(ids[0]).Step(pay).State != model.OutcomeUnknown {
		t.Error("a preview did something")
	}
	w.confirmBulk(w.ada, list)
	if l := w.carryOut(list.ID); l.State != model.BulkDone || !slices.Equal(outcomes(l), []string{"executed", "executed"}) {
		t.Fatalf("%s %+v", l.State, l.Items)
	}
	for i, id := range ids[:2] {
		s := w.load(id).Step(pay)
		e := s.Evidence[len(s.Evidence)-1]
		if s.State != model.Confirmed || s.Moved != int64(500+i) || e.Says != model.Happened || e.Document != "upload:"+b.Upload || e.DocSHA256 != fmt.Sprintf("%x", b.SHA256) ||
			e.Ref != fmt.Sprintf("BANKREF-many-%d", i) || e.Dated.String() != "2026-11-29T00:00:00.000000Z" {
			t.Errorf("%s by %+v", s.State, e)
		}
		if got := w.events(id); !slices.Equal(got, []string{"intent.accepted", "action.mark_external_result.executed"}) {
			t.Errorf("events %v", got)
		}
	}
	if got := append(w.entries("bankfile."), w.bulkEvents()...); !slices.Equal(got, []string{"bankfile.stored", "bulk.confirmed"}) {
		t.Errorf("events %v", got)
	}
	var entry []byte
	w.update(func(tx *store.Tx) error {
		_, err := tx.Get(&entry, "SELECT canonical FROM audit_entries WHERE event = 'bulk.confirmed'")
		return err
	})
	if !strings.Contains(string(entry), `"bank_file":"`+b.ID+`"`) {
		t.Errorf("the entry does not name the file: %s", entry)
	}
}

// Beside what stands on every page, a file takes two statements.
func TestABankFileIsReadByTwoStatements(t *testing.T) {
	w := newWorld(t)
	b := w.take(camt(w.paying(w.several(1, unknown)[0])))
	for range 2 { // at the first the process learns the statements
		ctx, asked := store.Asked(t.Context())
		if _, err := w.run.ReadBankFile(ctx, w.ada, b.ID); err != nil {
			t.Fatal(err)
		}
		if n := len(asked.Sent()); n != 2 {
			t.Errorf("%d statements", n)
		}
	}
}

func TestTheSameFileTwiceChangesNothing(t *testing.T) {
	w := newWorld(t)
	id := w.several(1, unknown)[0]
	body := camt(w.paying(id))
	first := w.take(body)
	again, err := w.run.TakeBankFile(t.Context(), w.ben, "acme", "other-name.xml", body)
	if err != nil || !again.Known || again.ID != first.ID || again.PersonName != "Ada" || again.Name != "november.xml" {
		t.Errorf("again %+v, %v", again, err)
	}
	if w.counted("bank_files") != 1 || w.counted("uploads") != 1 || len(w.entries("bankfile.")) != 1 {
		t.Error("the same file was stored twice")
	}
	w.confirmBulk(w.ada, w.previewLines(first.ID, 1))
	w.run.WorkBulks(t.Context(), nil)
	before := w.load(id)
	r := w.reading(w.ada, first.ID)
	if !slices.Equal(findings(r), []bankfile.Finding{bankfile.Known}) || r.Recorded != 1 || len(r.Lists) != 1 {
		t.Errorf("read again: %v, %d recorded, lists %v", r.Matches, r.Recorded, r.Lists)
	}
	list := w.previewLines(first.ID, 1)
	if list.Planned != 0 || list.Items[0].Rule != "bankfile.known" {
		t.Errorf("previewed again: %+v", list.Items)
	}
	_, err = w.run.ConfirmBulk(t.Context(), w.ada, list.ID, say(list.Digest))
	wantCode(t, err, "action-refused")
	if after := w.load(id); after.Version != before.Version || after.Fence != before.Fence {
		t.Error("the same file again moved the intent")
	}
	other, err := w.run.TakeBankFile(t.Context(), w.glo, "globex", "november.xml", body)
	if err != nil || other.Known {
		t.Errorf("another account's: %+v, %v", other, err)
	}
	if r := w.reading(w.glo, other.ID); findings(r)[0] != bankfile.Nobody {
		t.Errorf("it finds steps of others: %+v", r.Matches)
	}
}

func TestAFileIsTakenOnceByTwoAtOnce(t *testing.T) {
	w := newWorld(t)
	body := camt(entry{ref: "x", amount: 1})
	w.lie()
	b, err := w.run.TakeBankFile(t.Context(), w.ada, "acme", "a.xml", body)
	if err != nil || b.Known || b.ID == "" {
		t.Errorf("after a commit that was kept and reported an error: %+v, %v", b, err)
	}
	results := make(chan BankFile, 2)
	second := camt(entry{ref: "y", amount: 1})
	for _, actor := range []authz.Actor{w.ada, w.ben} {
		go func() {
			b, err := w.run.TakeBankFile(t.Context(), actor, "acme", "a.xml", second)
			if err != nil {
				t.Error(err)
			}
			results <- b
		}()
	}
	x, y := <-results, <-results
	if x.ID != y.ID || x.Known == y.Known || w.counted("bank_files") != 2 || w.counted("uploads") != 2 {
		t.Errorf("%+v and %+v", x, y)
	}
}

// A large payment on the list makes the whole of it need another person.
func TestABankFileNeedsTwoPeopleWhereAMarkDoes(t *testing.T) {
	w := newWorld(t)
	small := w.several(1, unknown)[0]
	large := w.payout("large", 200_000) // above the first tier
	w.pass(large, "approve-payout")
	w.send(large, unknown)
	b := w.take(camt(w.paying(small), w.paying(large)))
	list := w.previewLines(b.ID, 1, 2)
	if list.People != 2 {
		t.Fatalf("%d people", list.People)
	}
	if l := w.confirmBulk(w.ada, list); l.State != model.BulkOpen {
		t.Fatalf("%s", l.State)
	}
	_, err := w.run.ApproveBulk(t.Context(), w.ada, list.ID, say(list.Digest))
	wantCode(t, err, "self-approval")
	if _, err := w.run.ApproveBulk(t.Context(), w.cleo, list.ID, say(list.Digest)); err != nil {
		t.Fatal(err)
	}
	if l := w.carryOut(list.ID); !slices.Equal(outcomes(l), []string{"executed", "executed"}) {
		t.Errorf("%+v", l.Items)
	}
}

func TestWhatMovedSinceItsPreviewIsLeftOut(t *testing.T) {
	w := newWorld(t)
	ids := w.several(3, unknown)
	b := w.take(camt(w.paying(ids[0]), w.paying(ids[1]), w.paying(ids[2])))
	happened := model.Observation{Finding: model.FoundHappened, ExternalRef: "po_1", Amount: 500}
	before := w.reading(w.ada, b.ID)
	found(pay, happened)(w, ids[0]) // by a reconcile, between the page and the preview
	list := w.previewLines(b.ID, 1, 2, 3)
	if before.Matches[0].Finding != bankfile.Proves || list.Planned != 2 || list.Items[0].Rule != "bankfile.known" || list.Items[1].Rule != "mark.unknown" {
		t.Errorf("items %+v", list.Items)
	}
	happened.Amount, happened.ExternalRef = 501, "po_2"
	found(pay, happened)(w, ids[1]) // between preview and confirm
	w.confirmBulk(w.ada, list)
	if l := w.carryOut(list.ID); !slices.Equal(outcomes(l), []string{"", "stale", "executed"}) || l.State != model.BulkDone {
		t.Errorf("%s %+v", l.State, l.Items)
	}
	if s := w.load(ids[1]).Step(pay); s.ExternalRef != "po_2" || len(s.Evidence) == 0 {
		t.Errorf("%+v", s)
	}
}

func TestWhatAFileCannotRecord(t *testing.T) {
	w := newWorld(t)
	ids := w.several(6, unknown)
	short, tomorrow, early := w.paying(ids[0]), w.paying(ids[1]), w.paying(ids[2])
	short.amount++
	tomorrow.day, early.day = "2026-12-09", "2026-11-01"
	back, second := w.paying(ids[3]), w.paying(ids[4])
	second.bankRef += "-2"
	back.amount = -back.amount
	b := w.take(camt(short, tomorrow, early, back, w.paying(ids[4]), second, w.paying(ids[5])))
	list := w.previewLines(b.ID, 1, 2, 3, 4, 5, 6, 7)
	var rules []string
	for _, item := range list.Items {
		rules = append(rules, item.Rule)
	}
	want := []string{"bankfile.differs", "bankfile.doubtful", "bankfile.doubtful", "bankfile.back", "bankfile.several", "bankfile.several", "mark.unknown"}
	if !slices.Equal(rules, want) || list.Planned != 1 {
		t.Errorf("rules %v", rules)
	}
	for i, why := range []string{1: "booked on 2026-12-09, which lies in the future", 2: "booked on 2026-11-01, before the step was first sent"} {
		if got := list.Items[i].Because; !strings.Contains(got, why) {
			t.Errorf("because %q", got)
		}
	}
	w.confirmBulk(w.ada, list)
	w.carryOut(list.ID)
	for i, id := range ids {
		s := w.load(id).Step(pay)
		if confirmed := s.State == model.Confirmed; confirmed != (i == 5) || len(s.Attempts) != 1 || s.Ordered != model.NoOrder {
			t.Errorf("%d: %s, %d attempts, ordered %q", i, s.State, len(s.Attempts), s.Ordered)
		}
		for _, e := range s.Evidence {
			if e.Says == model.DidNotHappen {
				t.Errorf("%d: a bank file said that it did not happen", i)
			}
		}
	}
}

// Money that came back is closed by a person who looks at it: the debit of the
// same payment tells nothing new, and never becomes what came back.
func TestReturnedMoneyIsNotRecordedFromAFile(t *testing.T) {
	w := newWorld(t)
	id := w.payout("returned", 500)
	w.pass(id, "create-payout")
	debit, credit := w.paying(id), w.paying(id)
	credit.amount = 500
	b := w.take(camt(debit, credit))
	if got := findings(w.reading(w.ada, b.ID)); !slices.Equal(got, []bankfile.Finding{bankfile.Known, bankfile.Back}) {
		t.Errorf("before the provider said so: %v", got)
	}
	found(pay, cameBack)(w, id)
	if w.load(id).Step(pay).Returned != 500 {
		t.Fatal("it did not come back")
	}
	if got := findings(w.reading(w.ada, b.ID)); !slices.Equal(got, []bankfile.Finding{bankfile.Known, bankfile.Known}) {
		t.Errorf("after it: %v", got)
	}
	if list := w.previewLines(b.ID, 1, 2); list.Planned != 0 {
		t.Errorf("items %+v", list.Items)
	}
}

func TestWhoMayDoWhatWithABankFile(t *testing.T) {
	w := newWorld(t)
	id := w.several(1, unknown)[0]
	body := camt(w.paying(id))
	b := w.take(body)
	for _, test := range []struct {
		actor      authz.Actor
		read, mark string
	}{
		{w.ben, "", ""}, {w.cleo, "", "denied"}, {w.aud, "", "denied"}, {w.key, "", "denied"}, {w.glo, "not-found", "not-found"},
	} {
		_, err := w.run.ReadBankFile(t.Context(), test.actor, b.ID)
		wantCode(t, err, test.read)
		_, err = w.run.BankFiles(t.Context(), test.actor, BankFileQuery{Account: "acme"})
		wantCode(t, err, test.read)
		_, err = w.run.PreviewBankFile(t.Context(), test.actor, b.ID, []int{1})
		wantCode(t, err, test.mark)
		_, err = w.run.TakeBankFile(t.Context(), test.actor, "acme", "a.xml", body)
		wantCode(t, err, test.mark)
		if _, err = w.run.MapBankFile(t.Context(), test.actor, b.ID, bankfile.Mapping{}); test.mark != "" {
			wantCode(t, err, test.mark)
		}
	}
	if got := w.entries("bankfile.denied"); len(got) != 6 {
		t.Errorf("entries %v", got)
	}
	if got := w.entries("action.mark_external_result.denied"); len(got) != 3 {
		t.Errorf("entries %v", got)
	}
	w.update(func(tx *store.Tx) error { _, err := tx.Exec("UPDATE api_keys SET stepped_up = 0"); return err })
	_, err := w.run.PreviewBankFile(t.Context(), w.ada, b.ID, []int{1})
	wantCode(t, err, "step-up-required")
	_, err = w.run.ReadBankFile(t.Context(), w.ada, "bankfile-nobody")
	wantCode(t, err, "not-found")
}

func TestWhatIsNoBankFileIsNotStored(t *testing.T) {
	w := newWorld(t)
	for name, body := range map[string][]byte{"empty": nil, "picture": []byte("\x89PNG\r\n\x1a\n"), "broken": []byte("<Document><a>"), "large": bytes.Repeat([]byte("a,b\n"), MaxUpload/4+1)} {
		if _, err := w.run.TakeBankFile(t.Context(), w.ada, "acme", name, body); model.KindOf(err) != model.Invalid {
			t.Errorf("%s: %v", name, err)
		}
	}
	_, err := w.run.TakeBankFile(t.Context(), w.ada, "acme", "", camt())
	wantCode(t, err, "invalid-params")
	if w.counted("bank_files") != 0 || w.counted("uploads") != 0 || len(w.entries("bankfile.")) != 0 {
		t.Error("something was stored")
	}
}

func TestWhichLinesMayBeChosen(t *testing.T) {
	w := newWorld(t)
	b := w.take(camt(w.paying(w.several(1, unknown)[0]), entry{ref: "nobody", amount: 1}))
	var many []int
	for i := range MaxBulk + 1 {
		many = append(many, i)
	}
	for _, test := range []struct {
		lines []int
		code  string
	}{{nil, "invalid-params"}, {[]int{3}, "invalid-params"}, {[]int{2}, "invalid-params"}, {many, "too-large"}, {[]int{1, 1}, ""}} {
		_, err := w.run.PreviewBankFile(t.Context(), w.ada, b.ID, test.lines)
		wantCode(t, err, test.code)
	}
}

// Where a bank gives several lines one reference, or a number that begins anew each
// day, the line is recorded by what it says.
func TestALineIsRecordedUnderItsOwnReference(t *testing.T) {
	w := newWorld(t)
	ids := w.several(4, unknown)
	entries := make([]entry, len(ids))
	for i, ref := range []string{"BATCH-2026-11", "BATCH-2026-11", "0001", ""} {
		entries[i] = w.paying(ids[i])
		entries[i].bankRef = ref
	}
	b := w.take(camt(entries...))
	list := w.previewLines(b.ID, 1, 2, 3, 4)
	w.confirmBulk(w.ada, list)
	if l := w.carryOut(list.ID); l.State != model.BulkDone || slices.ContainsFunc(l.Items, func(i model.BulkItem) bool { return i.Outcome != model.ItemExecuted }) {
		t.Fatalf("%+v", l.Items)
	}
	for i, m := range w.reading(w.ada, b.ID).Matches {
		if s, want := w.load(ids[i]).Step(pay), m.Identity(); s.ExternalRef != want || len(want) < 32 {
			t.Errorf("line %d is recorded as %q", i+1, s.ExternalRef)
		}
	}
}

func TestFilesAreListedNewestFirst(t *testing.T) {
	w := newWorld(t)
	var want []string
	for i := range 5 {
		want = append([]string{w.take(camt(entry{ref: fmt.Sprint("ref-", i), amount: 1})).ID}, want...)
		w.wait(time.Minute)
	}
	var got []string
	for cursor := ""; ; {
		page, err := w.run.BankFiles(t.Context(), w.aud, BankFileQuery{Account: "acme", Cursor: cursor, Limit: 2})
		if err != nil {
			t.Fatal(err)
		}
		for _, b := range page.Items {
			got = append(got, b.ID)
		}
		if page.NextCursor == nil {
			break
		}
		cursor = *page.NextCursor
	}
	if !slices.Equal(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
	_, err := w.run.BankFiles(t.Context(), w.aud, BankFileQuery{Account: "acme", Cursor: "?"})
	wantCode(t, err, "invalid-params")
}

func TestAFileOfTheCommandLineIsMatchedAndNotStored(t *testing.T) {
	w := newWorld(t)
	body := camt(w.paying(w.several(1, unknown)[0]))
	match := func(account string) (b BankReading, err error) {
		err = w.db.View(t.Context(), func(tx *store.Tx) error { b, err = MatchBankFile(tx, account, "a.xml", body, nil); return err })
		return b, err
	}
	if b, err := match("acme"); err != nil || findings(b)[0] != bankfile.Proves || b.Lines != 1 || w.counted("bank_files") != 0 {
		t.Errorf("%+v, %v", b.Matches, err)
	}
	_, err := match("nowhere")
	wantCode(t, err, "not-found")
}

// A list of marks that did not come from a file is still refused.
func TestMarksComeByManyFromFilesAlone(t *testing.T) {
	w := newWorld(t)
	id := w.several(1, unknown)[0]
	_, _, err := w.run.PreviewBulk(t.Context(), w.ada, BulkRequest{Action: model.MarkExternalResult, Intents: []string{id}})
	if extra(err, "rule") != "bulk.one-by-one" || slices.Contains(BulkActions(), model.MarkExternalResult) {
		t.Errorf("%v", err)
	}
}

// What came back between the reading and the plan is not recorded as what came back.
func TestAListIsPlannedOnStepsAsTheyAre(t *testing.T) {
	w := newWorld(t)
	id := w.several(1, unknown)[0]
	reading := w.reading(w.ada, w.take(camt(w.paying(id))).ID)
	found(pay, model.Observation{Finding: model.FoundHappened, ExternalRef: "po_1", Amount: 500})(w, id)
	found(pay, cameBack)(w, id)
	list, err := w.run.previewReading(t.Context(), w.ada, reading, []int{1})
	if err != nil || list.Planned != 0 || list.Items[0].Rule != "mark.returned" {
		t.Errorf("%+v, %v", list.Items, err)
	}
}

func TestOneLineOfAnIntentIsListedAtATime(t *testing.T) {
	m := bankfile.Match{Line: bankfile.Line{Number: 7}, Finding: bankfile.Proves}
	for _, test := range []struct {
		other int
		rule  string
	}{{0, ""}, {3, "bankfile.same-intent"}} {
		rule := ""
		if refusal, ok := errors.AsType[*model.Refusal](mayRecord(&m, test.other)); ok {
			rule = refusal.Rule
		}
		if rule != test.rule {
			t.Errorf("rule %q, want %q", rule, test.rule)
		}
	}
}
