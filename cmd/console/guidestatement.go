package main

import (
	"bytes"
	"context"
	"encoding/json"
	"encoding/xml"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"time"

	"countersign/internal/model"
	"countersign/internal/web"
	"countersign/internal/workflow"
)

// The stories whose payouts the sample statement has: what the bank paid stands in
// the sandbox's books, whatever the console knows of it.
var statementStories = []string{"bonus/open-1/rep-302", "story-another-amount", "story-partial"}

// bookedEffect is a line of the sandbox's books.
type bookedEffect struct {
	Operation string    `json:"operation"`
	Reference string    `json:"reference"`
	Amount    int64     `json:"amount"` // minor units
	Currency  string    `json:"currency"`
	At        time.Time `json:"at"`
}

// books are the effects that the sandbox has.
func (d *demo) books(ctx context.Context) ([]bookedEffect, error) {
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, d.sandbox.URL()+"/books", nil)
	if err != nil {
		return nil, err
	}
	answer, err := http.DefaultClient.Do(request)
	if err != nil {
		return nil, fmt.Errorf("books of the sandbox: %w", err)
	}
	defer answer.Body.Close()
	var books struct {
		Effects []bookedEffect `json:"effects"`
	}
	return books.Effects, json.NewDecoder(answer.Body).Decode(&books)
}

// statement is a bank's file of some of the demo's payouts and of one payment that
// is none of ours; nil where the books do not have them, as in a demo that began
// empty. The same books give the same bytes.
func (d *demo) statement(ctx context.Context, tales map[string]sample) (*web.SampleStatement, error) {
	effects, err := d.books(ctx)
	if err != nil {
		return nil, err
	}
	byReference := map[string]bookedEffect{}
	for _, e := range effects {
		byReference[e.Reference] = e
	}
	var lines []statementLine
	for _, key := range statementStories {
		s := tales[key]
		e, paid := byReference[model.StepKey(s.id(d.db.Installation), workflow.CreatePayout, 1)]
		if !paid {
			return nil, nil
		}
		payee, _ := s.params(e.At)["payee"].(params)
		name, _ := payee["name"].(string)
		lines = append(lines, statementLine{effect: e, name: name})
	}
	slices.SortFunc(lines, func(a, b statementLine) int { return a.effect.At.Compare(b.effect.At) })
	last := lines[len(lines)-1].effect.At
	lines = append(lines, statementLine{effect: bookedEffect{Amount: 4_900, Currency: statementCurrency, At: last}, name: "Quiet Corner Offices", text: "Rent of the meeting room"})
	body, err := statementXML(lines)
	return &web.SampleStatement{Body: body, Account: acme, As: "Priya Raman", Expect: statementExpect}, err
}

// statementLine is a payment that left the account.
type statementLine struct {
	effect bookedEffect
	name   string // who was paid
	text   string // of a payment that carries no reference of ours
}

// The sample account is in one currency, in which all of its stories are, and holds
// so much of it before the first line, in cents.
const (
	statementCurrency = "USD"
	openingBalance    = 1_000_000
)

// statementXML writes lines, the oldest first, as a camt.053. Our keys are longer
// than an end-to-end id may be, so they stand in the remittance information.
func statementXML(lines []statementLine) ([]byte, error) {
	day := func(l statementLine) string { return l.effect.At.UTC().Format(time.DateOnly) }
	first, last := lines[0], lines[len(lines)-1]
	made, number := last.effect.At.UTC(), strings.ReplaceAll(day(last), "-", "")
	stmt := camtStatement{ID: "STMT-" + number, Created: made.Format(time.RFC3339), IBAN: "GB33BUKB20201555555555", Currency: statementCurrency}
	left := int64(openingBalance)
	for n, l := range lines {
		left -= l.effect.Amount
		entry := camtEntry{Amount: dollars(l.effect.Amount), Direction: "DBIT", Status: "BOOK", Day: day(l), BankRef: fmt.Sprintf("%s-%04d", number, n+1),
			Domain: "PMNT", EndToEnd: "NOTPROVIDED", Creditor: l.name, Text: l.text}
		if l.effect.Reference != "" {
			entry.Text = l.effect.Reference
		}
		stmt.Entries = append(stmt.Entries, entry)
	}
	stmt.Balances = []camtBalance{{"OPBD", dollars(openingBalance), "CRDT", day(first)}, {"CLBD", dollars(left), "CRDT", day(last)}}
	var out bytes.Buffer
	out.WriteString(xml.Header)
	e := xml.NewEncoder(&out)
	e.Indent("", "  ")
	err := e.Encode(camtDocument{Message: stmt.ID, Created: stmt.Created, Statement: stmt})
	return append(out.Bytes(), '\n'), err
}

// dollars is an amount of cents as banks write it.
func dollars(cents int64) camtMoney {
	m := model.Money{Amount: cents, Currency: statementCurrency}
	return camtMoney{m.Currency, m.Decimal()}
}

// The parts of a camt.053 that the sample has, by the names of ISO 20022.
type (
	camtDocument struct {
		XMLName   xml.Name      `xml:"urn:iso:std:iso:20022:tech:xsd:camt.053.001.08 Document"`
		Message   string        `xml:"BkToCstmrStmt>GrpHdr>MsgId"`
		Created   string        `xml:"BkToCstmrStmt>GrpHdr>CreDtTm"`
		Statement camtStatement `xml:"BkToCstmrStmt>Stmt"`
	}
	camtStatement struct {
		ID       string        `xml:"Id"`
		Created  string        `xml:"CreDtTm"`
		IBAN     string        `xml:"Acct>Id>IBAN"`
		Currency string        `xml:"Acct>Ccy"`
		Balances []camtBalance `xml:"Bal"`
		Entries  []camtEntry   `xml:"Ntry"`
	}
	camtBalance struct {
		Code      string    `xml:"Tp>CdOrPrtry>Cd"`
		Amount    camtMoney `xml:"Amt"`
		Direction string    `xml:"CdtDbtInd"`
		Day       string    `xml:"Dt>Dt"`
	}
	camtEntry struct {
		Amount    camtMoney `xml:"Amt"`
		Direction string    `xml:"CdtDbtInd"`
		Status    string    `xml:"Sts>Cd"`
		Day       string    `xml:"BookgDt>Dt"`
		BankRef   string    `xml:"AcctSvcrRef"`
		Domain    string    `xml:"BkTxCd>Prtry>Cd"`
		EndToEnd  string    `xml:"NtryDtls>TxDtls>Refs>EndToEndId"`
		Creditor  string    `xml:"NtryDtls>TxDtls>RltdPties>Cdtr>Pty>Nm"`
		Text      string    `xml:"NtryDtls>TxDtls>RmtInf>Ustrd"`
	}
	camtMoney struct {
		Currency string `xml:"Ccy,attr"`
		Value    string `xml:",chardata"`
	}
)
