package e2e

import (
	"bytes"
	"fmt"
	"mime/multipart"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/chromedp"
)

// cutAndForgotten is the payee of the payout that the guide's statement proves:
// unknown for longer than the bank recognises its key.
const cutAndForgotten = "Дмитро Коваленко"

// bankLine is one booked line of a bank's statement: an amount as banks write it,
// less than zero for what went out, and the words that came with it.
type bankLine struct{ amount, text string }

// statementOf is a camt.053 of one account and currency with the lines.
func statementOf(currency string, lines ...bankLine) string {
	text := `<?xml version="1.0" encoding="UTF-8"?><Document xmlns="urn:iso:std:iso:20022:tech:xsd:camt.053.001.08"><BkToCstmrStmt><GrpHdr><MsgId>M-1</MsgId></GrpHdr>
<Stmt><Id>S-1</Id><Acct><Id><IBAN>GB33BUKB20201555555555</IBAN></Id><Ccy>` + currency + `</Ccy></Acct>`
	for i, l := range lines {
		amount, direction := l.amount, "CRDT"
		if out, is := strings.CutPrefix(l.amount, "-"); is {
			amount, direction = out, "DBIT"
		}
		text += fmt.Sprintf(`<Ntry><Amt Ccy="%s">%s</Amt><CdtDbtInd>%s</CdtDbtInd><Sts><Cd>BOOK</Cd></Sts><BookgDt><Dt>%s</Dt></BookgDt><AcctSvcrRef>%d-%d</AcctSvcrRef>
<NtryDtls><TxDtls><RltdPties><Cdtr><Pty><Nm>Somebody &lt;b&gt; at the bank</Nm></Pty></Cdtr></RltdPties><RmtInf><Ustrd>%s</Ustrd></RmtInf></TxDtls></NtryDtls></Ntry>`,
			currency, amount, direction, time.Now().UTC().Format(time.DateOnly), time.Now().UnixNano(), i+1, l.text)
	}
	return text + `</Stmt></BkToCstmrStmt></Document>`
}

// csvOf is what banks give as a table: nothing says what its columns are.
const csvOf = "Buchungstag;Betrag;Währung;Verwendungszweck;Auftraggeber;<script>alert(1)</script>\n30.11.2026;-1.234,50;EUR;Miete;Hausverwaltung & Söhne;x\n29.11.2026;12,00;EUR;=1+1;محمد;y\n"

// uploads sends a bank's file, and gives the id that it leads to.
func (v *visitor) uploads(t *testing.T, name, content string) (id string) {
	t.Helper()
	var body bytes.Buffer
	form := multipart.NewWriter(&body)
	form.WriteField("csrf", v.token(t))
	form.WriteField("account", "acme")
	file, err := form.CreateFormFile("file", name)
	if err == nil {
		_, err = file.Write([]byte(content))
	}
	if err != nil || form.Close() != nil {
		t.Fatal(err)
	}
	request, err := http.NewRequestWithContext(t.Context(), http.MethodPost, v.base+"/reconcile", &body)
	if err != nil {
		t.Fatal(err)
	}
	request.Header.Set("Content-Type", form.FormDataContentType())
	a := v.do(t, request)
	at, err := url.Parse(a.header.Get("Location"))
	if err != nil || a.status != http.StatusSeeOther {
		t.Fatalf("%s: status %d, %v: %s", name, a.status, err, a.body)
	}
	return strings.TrimPrefix(at.Path, "/reconcile/")
}

// bankFiles stores a file with lines of every sort, one that waits for its columns,
// and a list of marks that an approver is asked to sign.
func (s *scene) bankFiles() {
	v := signIn(s.t, s.demo.Address, s.person('o'))
	lost := s.lose(510_000, "EUR")
	s.stands(lost, "needs_review")
	key := ":create-payout"
	s.places["bank file"] = v.uploads(s.t, "statement.xml", statementOf("EUR", bankLine{"-734.50", s.places["unknown"] + key}, bankLine{"-5100.00", "payout " + lost + key},
		bankLine{"-1.00", s.places["cut"] + key}, bankLine{"5.00", s.places["completed"] + key}, bankLine{"-9.90", "Card fee &lt;script&gt;alert(1)&lt;/script&gt;"}))
	s.places["csv file"] = v.uploads(s.t, "umsätze <b>.csv", csvOf)
	s.places["mapped file"] = v.uploads(s.t, "umsätze, gelesen.csv", csvOf+"\n")
	mapped := v.post(s.t, "/reconcile/"+s.places["mapped file"]+"/mapping", url.Values{"csrf": {v.token(s.t)}, "separator": {"semicolon"}, "encoding": {"utf-8"}, "header": {"yes"},
		"dates": {"DD.MM.YYYY"}, "decimal": {","}, "grouping": {"point"}, "booked_on": {"Buchungstag"}, "amount": {"Betrag"}, "currency_column": {"Währung"},
		"refs": {"Verwendungszweck"}, "other": {"Auftraggeber"}, "text": {"Verwendungszweck"}})
	if mapped.status != http.StatusSeeOther {
		s.t.Fatalf("naming the columns: status %d: %s", mapped.status, readable(s.t, mapped.body))
	}
	marks := func(line string) string {
		a := v.post(s.t, "/reconcile/"+s.places["bank file"]+"/preview", url.Values{"csrf": {v.token(s.t)}, "out": {"1,2"}, "shown": {line}, "line": {line}})
		if a.status != http.StatusSeeOther {
			s.t.Fatalf("marks: status %d: %s", a.status, a.body)
		}
		return strings.TrimPrefix(a.header.Get("Location"), "/bulk/")
	}
	s.places["marks"], s.places["asked marks"] = marks("1"), marks("2")
	s.ask(v, "/bulk/"+s.places["asked marks"])
}

// ask confirms a list that another person has to sign.
func (s *scene) ask(v *visitor, list string) {
	page := v.get(s.t, list).body
	field := func(before string) string {
		_, rest, _ := strings.Cut(page, before)
		value, _, _ := strings.Cut(rest, "<")
		value, _, _ = strings.Cut(value, `"`)
		return value
	}
	a := v.post(s.t, list+"/confirm", url.Values{"csrf": {v.token(s.t)}, "reason": {because}, "digest": {field(`name="digest" value="`)}, "plan_code": {field(`<p class="plan">`)}})
	if a.status != http.StatusSeeOther {
		s.t.Fatalf("asking for a signature: status %d: %s", a.status, a.body)
	}
}

// sends uploads a file on the page that lists them.
func (b *tab) sends(file string) {
	b.t.Helper()
	b.open("/reconcile")
	b.call("choosing a file", chromedp.SetUploadFiles(chromedp.CSS(`input[name="file"]`), []string{file}))
	b.press(`form[action="/reconcile"] button.main`)
	if !strings.HasPrefix(b.at(), "/reconcile/") {
		b.t.Fatalf("the file is not taken:\n%s", b.text("main"))
	}
}

// TestBankFileWithoutScript lets two people confirm, with JavaScript switched off,
// what a bank's statement says of a payout whose outcome is unknown.
func TestBankFileWithoutScript(t *testing.T) {
	demo, browser := startDemo(t), startBrowser(t)
	s := &scene{t: t, demo: demo}
	lost, other := s.lose(520_000, "EUR"), s.lose(530_000, "EUR")
	s.stands(lost, "needs_review") // the engine does nothing more of itself that would move the plan
	file := filepath.Join(t.TempDir(), "two payouts.xml")
	if err := os.WriteFile(file, []byte(statementOf("EUR", bankLine{"-5200.00", lost + ":create-payout"}, bankLine{"-5300.00", other + ":create-payout"})), 0o600); err != nil {
		t.Fatal(err)
	}
	operator := openTab(t, browser, demo.Address, plain)
	operator.signIn(demo.of(t, "operator"))
	operator.sends(file)
	operator.shot("bank-file")
	if said := operator.text("main"); !strings.Contains(said, "Preview marks for 2 lines, 10,500.00 EUR") {
		t.Errorf("two lines are not proved:\n%s", said)
	}
	operator.call("unticking", chromedp.Click(chromedp.CSS(`input[name="line"][value="2"]`)))
	operator.press(`button[value="preview"]`)
	if said := operator.text("main"); !strings.Contains(said, "record 1 payment as happened") || !strings.Contains(said, "two payouts.xml") || strings.Contains(said, other) {
		t.Errorf("the preview is of something else:\n%s", said)
	}
	operator.shot("bank-marks")
	operator.sign("The statement of the main account, as downloaded from the bank.")
	operator.press(`form.sign button.main`)
	request := operator.at()
	s.stands(lost, "outcome_unknown")
	approver := openTab(t, browser, demo.Address, plain)
	approver.signIn(demo.of(t, "approver"))
	approver.open("/approvals")
	approver.follow(request)
	approver.shot("bank-asked")
	approver.sign("The statement says so; I have looked it up in the bank's own pages.")
	approver.press(`form.sign button.main`)
	approver.results(request, 1)
	operator.await("/intents/"+lost, "completed")
	if evidence := operator.text(`section[aria-labelledby="evidence"]`); !strings.Contains(evidence, "The bank’s file") {
		t.Errorf("the file is no evidence:\n%s", evidence)
	}
	s.stands(other, "outcome_unknown")
	paidOnce(t, demo, lost)
}

// TestBankFileOfTheGuide tries what the guide says: its statement is downloaded,
// uploaded, previewed and confirmed, and uploaded again.
func TestBankFileOfTheGuide(t *testing.T) {
	demo, browser := startDemo(t), startBrowser(t)
	b := openTab(t, browser, demo.Address, light)
	b.signIn(demo.of(t, "operator"))
	b.open("/guide")
	file := b.download(t.TempDir(), `a[href="/guide/statement.xml"]`)
	b.sends(file)
	path := b.at()
	intent := b.rowOf(cutAndForgotten)
	for _, finding := range []string{"It proves 1 uncertain step", "987.54 USD", "It adds up", "Another amount or currency", "396.00 USD went out, but the step is about 395.00 USD"} {
		if said := strings.Join(strings.Fields(strings.ReplaceAll(b.text("main")+b.text("details"), "\u00a0", " ")), " "); !strings.Contains(said, finding) {
			t.Errorf("%q is not on the page:\n%s", finding, said)
		}
	}
	label := b.text(`button[value="preview"]`)
	for _, says := range []string{"Preview marks for the ticked lines", label} {
		b.call("ticking", chromedp.Click(chromedp.CSS(`input[name="line"]`)))
		if got := b.text(`button[value="preview"]`); got != says {
			t.Errorf("the button says %q, want %q", got, says)
		}
	}
	b.press(`button[value="preview"]`)
	list := b.at()
	b.sign("The bank's own statement of yesterday.")
	b.press(`form.sign button.main`)
	b.results(list, 1)
	b.await(intent, "completed")
	paidOnce(t, demo, strings.TrimPrefix(intent, "/intents/"))

	b.sends(file)
	if said := b.text("main"); !strings.Contains(said, "This very file was uploaded on") || !strings.HasPrefix(b.at(), path+"?") {
		t.Errorf("the same file again leads to %s:\n%s", b.at(), said)
	}
	b.open("/reconcile")
	if files := b.texts("tbody tr"); slices.IndexFunc(files, func(f string) bool {
		return strings.Contains(f, "statement.xml") && strings.Contains(f, "1 line recorded")
	}) < 0 {
		t.Errorf("the list says %q", files)
	}
}
