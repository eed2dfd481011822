package web

import (
	"fmt"
	"net/url"
	"regexp"
	"strings"
	"testing"
	"time"

	"countersign/internal/authz"
	"countersign/internal/model"
	"countersign/internal/store"
)

// bankLine is one booked line: an amount as banks write it, less than zero for
// what went out, and the words that came with it.
type bankLine struct{ amount, text string }

// bankXML is a camt.053 of one account in EUR with the lines, which adds up from
// and to nothing: it gives no balances.
func bankXML(lines ...bankLine) string {
	var b strings.Builder
	b.WriteString(`<?xml version="1.0" encoding="UTF-8"?><Document xmlns="urn:iso:std:iso:20022:tech:xsd:camt.053.001.08"><BkToCstmrStmt><GrpHdr><MsgId>M-1</MsgId></GrpHdr>
<Stmt><Id>S-1</Id><Acct><Id><IBAN>GB33BUKB20201555555555</IBAN></Id><Ccy>EUR</Ccy></Acct>`)
	for i, l := range lines {
		amount, direction := l.amount, "CRDT"
		if out, is := strings.CutPrefix(l.amount, "-"); is {
			amount, direction = out, "DBIT"
		}
		fmt.Fprintf(&b, `<Ntry><Amt Ccy="EUR">%s</Amt><CdtDbtInd>%s</CdtDbtInd><Sts><Cd>BOOK</Cd></Sts><BookgDt><Dt>2026-11-27</Dt></BookgDt><AcctSvcrRef>B-%d</AcctSvcrRef>
<NtryDtls><TxDtls><RltdPties><Cdtr><Pty><Nm>Bank’s name %d</Nm></Pty></Cdtr></RltdPties><RmtInf><Ustrd>%s</Ustrd></RmtInf></TxDtls></NtryDtls></Ntry>`, amount, direction, i+1, i+1, l.text)
	}
	return b.String() + `</Stmt></BkToCstmrStmt></Document>`
}

// bankFile stores a bank's file of acme and gives its id.
func (w *world) bankFile(lines ...bankLine) string {
	w.Helper()
	f, err := w.run.TakeBankFile(w.Context(), w.actor("Olga"), "acme", "statement.xml", []byte(bankXML(lines...)))
	w.must(err)
	return f.ID
}

// uploads sends a bank's file and gives the page that it leads to.
func (b *browser) uploads(name, content string) (path string, p page) {
	b.Helper()
	p = b.postFile(reconcilePath, "file", name, content, map[string]string{"account": "acme"})
	if p.status != 303 {
		b.Fatalf("upload: %d %s", p.status, p.text())
	}
	path = p.header.Get("Location")
	return path, b.get(path)
}

// stands holds that a step of an intent is in a state.
func (w *world) stands(id, step string, want model.StepState) *model.Step {
	w.Helper()
	var s *model.Step
	w.must(w.db.View(w.Context(), func(tx *store.Tx) error {
		c, err := tx.Case(id)
		if err == nil {
			s = c.Step(step)
		}
		return err
	}))
	if s.State != want {
		w.Errorf("%s of %s is %s, want %s", step, id, s.State, want)
	}
	return s
}

func TestABankFileConfirmsWhatItNames(t *testing.T) {
	w := newWorld(t)
	known := w.payout("acme", "run-4", 20_000)
	w.wait(time.Minute)
	w.work()
	proved, differs, unnamed := w.unknown("acme", "run-1", 90_050), w.unknown("acme", "run-2", 40_000), w.unknown("acme", "run-3", 30_000)
	olga := w.browse("Olga")
	content := bankXML(bankLine{"-900.50", "invoice " + proved + ":create-payout"}, bankLine{"-401.00", differs + ":create-payout"}, bankLine{"-200.00", known + ":create-payout"}, bankLine{"-7.00", "Card fee"})
	path, p := olga.uploads("statement.xml", content)
	olga.wants(p, 200, "statement.xml", "camt.053.001.08", "1 statement", "4 lines", "It proves 1 uncertain step", "GB33BUKB20201555555555", "What needs a person: 1", "Another amount or currency",
		"401.00 EUR went out, but the step is about 400.00 EUR", "What of ours no line names: 1", "300.00", "Known, and not ours: ", "Preview marks for 1 line, 900.50 EUR", "Bank’s name 1", "ours: Ελένη Παπαδοπούλου")
	if !strings.Contains(p.body, "/intents/"+differs+"/actions/mark_external_result?step=create-payout") || strings.Contains(p.body, "<details open") {
		t.Errorf("no way to record what differs, or what needs nothing is open:\n%s", p.text())
	}
	w.stands(proved, "create-payout", model.OutcomeUnknown)

	p = olga.post(path+"/preview", "shown", "1", "line", "1", "do", "preview")
	list := p.header.Get("Location")
	olga.wants(olga.get(list), 200, "Preview: record 1 payment as happened", "statement.xml", "record create-payout as happened", "recorded under ", "booked 2026-11-27", "Nobody else.",
		"Record 1 payment as happened, 900.50 EUR", "Back to the file, nothing is done")
	p = olga.post(list+"/confirm", "reason", because, "digest", found(t, digestField, olga.get(list)))
	if p.status != 303 {
		t.Fatalf("confirm: %d %s", p.status, p.text())
	}
	w.must(w.run.WorkBulks(w.Context(), func() {}))
	olga.wants(olga.get(list), 200, "1 of 1 reached", "create-payout: Confirmed", "nothing of it is uncertain now")
	s := w.stands(proved, "create-payout", model.Confirmed)
	if s.Evidence[len(s.Evidence)-1].Document == "" {
		t.Errorf("no document stands by the evidence: %+v", s.Evidence)
	}
	if evidence := olga.get("/intents/" + proved).body; !strings.Contains(evidence, `href="`+path+`"`) {
		t.Error("the evidence does not lead to the bank's file")
	}
	for _, id := range []string{differs, unnamed} {
		w.stands(id, "create-payout", model.OutcomeUnknown)
	}
	olga.wants(olga.get(path), 200, "1 line recorded", "Nothing new", "What was made of it", "Record 1 payment as happened", "carried out", "2 lines say what is confirmed here already")
	olga.wants(olga.get(reconcilePath), 200, "1 line recorded")

	again, p := olga.uploads("another name.xml", content)
	olga.wants(p, 200, "This very file was uploaded on", "nothing was stored.")
	if got, _, _ := strings.Cut(again, "?"); got != path {
		t.Errorf("the same bytes lead to %s, and were %s", again, path)
	}
}

func TestABankFileIsRefusedWithItsReason(t *testing.T) {
	w := newWorld(t)
	olga := w.browse("Olga")
	send := func(name, content string) page {
		return olga.postFile(reconcilePath, "file", name, content, map[string]string{"account": "acme"})
	}
	const not = "Not stored. No file was taken and nothing was changed."
	olga.wants(olga.post(reconcilePath, "account", "acme"), 422, not, "No file came with the form: choose one")
	olga.wants(send("empty.xml", ""), 422, not, "The file is empty: it has 0 bytes")
	olga.wants(send("scan.xml", strings.Repeat("x", 6<<20)), 422, not, "The file is larger than the 5 MiB that are taken")
	olga.wants(send("film.xml", strings.Repeat("x", uploadLimit)), 422, not, "The file is larger than the 5 MiB that are taken")
	olga.wants(send("letter.pdf", "%PDF-1.4 \x00\x01 a letter"), 422, not)
	olga.wants(send("broken.xml", bankXML(bankLine{"-1.2.3", "x"})), 422, not, "line")
	if p := olga.postFile(reconcilePath, "file", "statement.xml", bankXML(), map[string]string{"account": "globex"}); p.status != 404 {
		t.Errorf("a file for another's account: %d", p.status)
	}
	olga.wants(send("wide.csv", strings.Repeat("27.11.2026;-1,00;"+strings.Repeat("1;", 50_000)+"1\n", 4)), 422, not, "Line 1 has 50003 columns, and a file may have 200.")
	olga.wants(olga.get(reconcilePath), 200, "No file yet")
	olga.wants(olga.get(reconcilePath+"/bankfile-of-nobody"), 404, "Nothing was changed.")
}

func TestWhoMayDoWhatWithABankFile(t *testing.T) {
	w := newWorld(t)
	id := w.unknown("acme", "run-1", 90_050)
	path := bankFilePath(w.bankFile(bankLine{"-900.50", id + ":create-payout"}, bankLine{"-900.51", id + ":other"}))
	audrey := w.browse("Audrey")
	p := audrey.get(path)
	audrey.wants(p, 200, "You may read this and not record it", "It proves 1 uncertain step")
	if strings.Contains(p.body, path+"/preview") || strings.Contains(p.body, `type="checkbox"`) {
		t.Error("who may not record has the form")
	}
	p = audrey.get(reconcilePath)
	audrey.wants(p, 200, "You may read the files of acme and not upload one.", "statement.xml")
	if strings.Contains(p.body, `type="file"`) {
		t.Error("who may not upload has the form")
	}
	// Who may upload in another account is not offered this one, nor that one here.
	w.update(func(tx *store.Tx) error { return tx.Grant(w.ids["Olga"], "globex", model.RoleAuditor) })
	olga := w.browse("Olga")
	p = olga.get(reconcilePath + "?account=globex")
	olga.wants(p, 200, "You may read the files of globex and not upload one.", "You may upload files of acme.")
	if strings.Contains(p.body, `type="file"`) {
		t.Error("the form is offered for another account than the one that is shown")
	}
	p = olga.get(reconcilePath + "?account=acme")
	olga.wants(p, 200, "Upload a bank’s file of acme")
	if !strings.Contains(p.body, `name="account" value="acme"`) {
		t.Error("the form is not of the account that is shown")
	}
	gus := w.browse("Gus")
	gus.wants(gus.get(path), 404)
	gus.wants(gus.get(reconcilePath), 200, "No file yet")
	gus.wants(gus.get(reconcilePath+"?account=acme"), 404)
}

func TestMarksByABankFileAreSigned(t *testing.T) {
	w := newWorld(t)
	large := w.payoutOf(250_000)
	small := w.unknown("acme", "run-2", 1_000)
	path := bankFilePath(w.bankFile(bankLine{"-2500.00", large + ":create-payout"}, bankLine{"-10.00", small + ":create-payout"}))
	olga, ann := w.browse("Olga"), w.browse("Ann")
	list := olga.post(path+"/preview", "shown", "1 2", "line", "1", "line", "2").header.Get("Location")
	p := olga.get(list)
	olga.wants(p, 200, "Ask for approval: record 2 payments as happened", "One more person for the whole list")
	olga.wants(olga.post(list+"/confirm", "reason", because, "digest", found(t, digestField, p)), 422, "code")
	olga.post(list+"/confirm", "reason", because, "digest", found(t, digestField, p), "plan_code", found(t, planCode, p))
	olga.wants(olga.get(list), 200, "You cannot approve this.")
	olga.wants(olga.get(path), 200, "waits for another person until")
	ann.wants(ann.get("/approvals"), 200, "Record 2 payments as happened", "2,510.00 EUR")
	p = ann.get(list)
	ann.wants(p, 200, "Approve: record 2 payments as happened, 2,510.00 EUR", "statement.xml")
	ann.post(list+"/approve", "reason", because, "digest", found(t, digestField, p), "plan_code", found(t, planCode, p))
	w.must(w.run.WorkBulks(w.Context(), nil))
	for _, id := range []string{large, small} {
		w.stands(id, "create-payout", model.Confirmed)
	}
	ann.wants(ann.get(list), 200, "2 of 2 reached", "2 confirmed", "Acted on")
	links := func(p page) {
		t.Helper()
		if !strings.Contains(p.body, `href="`+list+`"`) {
			t.Error("its list is not linked")
		}
	}
	p = ann.get("/intents/" + large)
	links(p)
	ann.wants(p, 200, "as Olga marked it", "signed by Ann", "with its list", "by list approved by Ann")
	w.work()
	audrey := w.browse("Audrey")
	p = audrey.get("/audit?event=action.mark_external_result.executed&intent=" + large)
	audrey.wants(p, 200, "signed by Ann with its list")
	p = audrey.get(firstEntry.FindString(p.body))
	links(p)
	audrey.wants(p, 200, "Signed by Ann", "The bank’s file bankfile-", "Because Line 1: ")
	audrey.wants(audrey.get("/audit?event=bankfile.stored"), 200, "bankfile.stored")
}

// firstEntry is the address of an entry in the log's list.
var firstEntry = regexp.MustCompile(`/audit/\d+`)

// payoutOf makes a payout that an approver signs, and whose outcome is unknown.
func (w *world) payoutOf(amount int64) string {
	w.Helper()
	id := w.payout("acme", "run-1", amount)
	var request *model.Approval
	w.must(w.db.View(w.Context(), func(tx *store.Tx) error {
		c, err := tx.Case(id)
		if err == nil {
			request = c.OpenRequest()
		}
		return err
	}))
	w.fault(map[string]string{"method": "POST", "path": "/payouts"}, "drop_after_accept", 1)
	ann := w.browse("Ann")
	p := ann.get("/approvals/" + request.ID)
	if p = ann.post("/approvals/"+request.ID+"/approve", "reason", because, "digest", found(w, digestField, p)); p.status != 303 {
		w.Fatalf("signing: %d %s", p.status, p.text())
	}
	w.work()
	w.stands(id, "create-payout", model.OutcomeUnknown)
	return id
}

func TestAnOldSignInIsAskedToConfirmItself(t *testing.T) {
	w := newWorld(t)
	one, two := w.unknown("acme", "run-1", 1_000), w.unknown("acme", "run-2", 2_000)
	path := bankFilePath(w.bankFile(bankLine{"-10.00", one + ":create-payout"}, bankLine{"-20.00", two + ":create-payout"}))
	olga := w.browse("Olga")
	w.wait(authz.FreshOnPages + time.Minute)
	olga.wants(olga.get(path), 200, "You will be asked for your password")
	p := olga.post(path+"/preview", "shown", "1 2", "line", "2")
	olga.wants(p, 403, "Confirm that it is you.", "Nothing was stored.", "Preview marks for 1 line, 20.00 EUR")
	if !regexp.MustCompile(`value="2" checked`).MatchString(p.body) || regexp.MustCompile(`value="1" checked`).MatchString(p.body) {
		t.Errorf("what was ticked is lost:\n%s", p.body)
	}
}

func TestWhatIsUntickedStaysSoOverPages(t *testing.T) {
	w := newWorld(t)
	const many = bankRows + 3
	w.fault(map[string]string{"method": "POST", "path": "/payouts"}, "drop_after_accept", many)
	var lines []bankLine
	for i := range many {
		id := w.accept(fmt.Sprint("r", i), "acme", fmt.Sprint("run-", i), 1_000)
		lines = append(lines, bankLine{"-10.00", id + ":create-payout"})
	}
	w.work()
	path := bankFilePath(w.bankFile(lines...))
	olga := w.browse("Olga")
	p := olga.get(path)
	olga.wants(p, 200, "Lines 1–12 of 15", "Preview marks for 15 lines, 150.00 EUR", "15 ticked over all pages")
	fields := []string{"shown", shownOn(p), "go", path + "?proves=13#proves"}
	for n := 1; n <= bankRows; n++ {
		if n != 4 && n != 9 {
			fields = append(fields, "line", fmt.Sprint(n))
		}
	}
	next := olga.post(path+"/preview", fields...).header.Get("Location")
	if next != path+"?out=4%2C9&proves=13#proves" {
		t.Fatalf("it leads to %s", next)
	}
	p = olga.get(next)
	olga.wants(p, 200, "Lines 13–15 of 15", "Preview marks for 13 lines, 130.00 EUR", "13 ticked over all pages")
	p = olga.post(path+"/preview", "out", "4,9", "shown", shownOn(p), "line", "13", "line", "15", "do", "preview")
	olga.wants(olga.get(p.header.Get("Location")), 200, "Preview: record 12 payments as happened", "120.00 EUR")

	p = olga.post(path+"/preview", "out", allBut(many, 13), "shown", "13", "do", "preview", "from", path+"?proves=13")
	olga.wants(olga.get(p.header.Get("Location")), 200, "No line is ticked, and nothing was done.")
	if to := olga.post(path+"/preview", "shown", "1", "line", "1", "go", "https://example.com/x").header.Get("Location"); to != path {
		t.Errorf("a foreign address leads to %s", to)
	}
}

var shownField = regexp.MustCompile(`name="shown" value="([^"]+)"`)

// shownOn are the lines that a page shows with boxes.
func shownOn(p page) string { return shownField.FindStringSubmatch(p.body)[1] }

// allBut lists numbers up to n without one.
func allBut(n, out int) string {
	var list []string
	for i := 1; i <= n; i++ {
		if i != out {
			list = append(list, fmt.Sprint(i))
		}
	}
	return strings.Join(list, ",")
}

// TestAFullPageOfABankFileIsLight fills every table of the page: with the files
// that it loads it stays under what a page may weigh.
func TestAFullPageOfABankFileIsLight(t *testing.T) {
	w := newWorld(t)
	const each = bankRows + 1
	w.fault(map[string]string{"method": "POST", "path": "/payouts"}, "drop_after_accept", 3*each)
	var lines []bankLine
	for i := range 3 * each {
		id := w.accept(fmt.Sprint("r", i), "acme", fmt.Sprint("run-", i), 1_000)
		switch i % 3 {
		case 0:
			lines = append(lines, bankLine{"-10.00", "payout " + id + ":create-payout"})
		case 1:
			lines = append(lines, bankLine{"-11.00", "payout " + id + ":create-payout"})
		}
		lines = append(lines, bankLine{"-0.35", "Fee for a payment, as agreed in the contract of the account, without a reference"})
	}
	w.work()
	path := bankFilePath(w.bankFile(lines...))
	p := w.browse("Olga").get(path + "?" + url.Values{partOthers: {"2"}}.Encode())
	for _, part := range []string{"Lines 1–12 of 13", "Steps 1–12 of 13", "Lines 2–13 of 39"} {
		if !strings.Contains(p.text(), part) {
			t.Errorf("%q is not on the page", part)
		}
	}
	const files = 20_000 // of the stylesheet and the scripts, as browsers take them
	if n := len(p.body) + files; n > maxPage {
		t.Errorf("the page weighs %d bytes", n)
	}
}

// The plan of one line has a page, which leads to its list and confirms nothing.
func TestAPlanOfABankFilesListIsConfirmedWithIt(t *testing.T) {
	w := newWorld(t)
	id := w.unknown("acme", "run-1", 1_000)
	olga := w.browse("Olga")
	list := olga.post(bankFilePath(w.bankFile(bankLine{"-10.00", id + ":create-payout"}))+"/preview", "shown", "1", "line", "1").header.Get("Location")
	var preview string
	w.update(func(tx *store.Tx) error {
		_, err := tx.Get(&preview, "SELECT preview_id FROM bulk_items WHERE intent_id = ?", id)
		return err
	})
	p := olga.get("/previews/" + preview)
	olga.wants(p, 200, "is confirmed with that list alone", "Look at the list")
	if !strings.Contains(p.body, `href="`+list+`"`) || strings.Contains(p.body, `action="/previews/`) {
		t.Errorf("the plan of a list does not lead to it alone:\n%s", p.text())
	}
}
