package bankfile

import (
	"encoding/xml"
	"strconv"
	"strings"
)

// camtNamespace is what the namespace of each message of ISO 20022 begins with.
const camtNamespace = "urn:iso:std:iso:20022:tech:xsd:"

// The versions of camt.052, camt.053 and camt.054 that are read: what is read of
// them is the same in all.
const firstVersion, lastVersion = 2, 13

// camtKinds are the messages that are read.
var camtKinds = map[string]Kind{"camt.052": Interim, "camt.053": Booked, "camt.054": Notice}

// camtKind says what a message's statements are worth, or why it is not read. The
// namespace decides, not what the file says elsewhere of its schema.
func camtKind(message xml.Name) (Kind, error) {
	name := messages[message.Local]
	switch name {
	case "":
		return "", errNoBankFile
	case "pain.002":
		return "", refuse("This is a payment status report (pain.002), not a statement: it says what the bank made of an order " +
			"and nothing about money that moved. Upload the statement (camt.053) of the day instead.")
	case "pain.001", "pain.008":
		return "", refuse("This is an order to the bank (%s), not a statement. Upload a statement (camt.053) of the bank instead.", name)
	}
	version, ours := strings.CutPrefix(message.Space, camtNamespace+name+".001.")
	n, err := strconv.Atoi(version)
	if !ours || err != nil || len(version) != 2 || n < firstVersion || n > lastVersion {
		return "", refuse("The file has the form of %[1]s, but its namespace is %[2]q. Versions %[1]s.001.%02[3]d to .%02[4]d of ISO 20022 are read: "+
			"ask the bank for one of these.", name, oneLine(message.Space), firstVersion, lastVersion)
	}
	return camtKinds[name], nil
}

// The types below are the part of a message that is read, by the names of ISO
// 20022, in the forms of all versions. Amounts and codes stay text here.

type camtMessage struct {
	Stmt   []camtStatement
	Rpt    []camtStatement
	Ntfctn []camtStatement
}

type camtStatement struct {
	Id          string
	CpyDplctInd string
	Acct        camtAccount
	All         camtTotal `xml:"TxsSummry>TtlNtries"`
	Credits     camtTotal `xml:"TxsSummry>TtlCdtNtries"`
	Debits      camtTotal `xml:"TxsSummry>TtlDbtNtries"`
	Bal         []camtBalance
	Ntry        []camtEntry
}

type camtAccount struct {
	IBAN  string `xml:"Id>IBAN"`
	Other string `xml:"Id>Othr>Id"`
	Ccy   string
}

// number is the account as written.
func (a camtAccount) number() string {
	if a.IBAN != "" {
		return oneLine(a.IBAN)
	}
	return oneLine(a.Other)
}

type camtTotal struct {
	NbOfNtries string
	Sum        string
}

type camtDate struct {
	Dt   string
	DtTm string
}

type camtBalance struct {
	Code      string `xml:"Tp>CdOrPrtry>Cd"`
	Amt       camtAmount
	CdtDbtInd camtWord
	Dt        camtDate
}

type camtEntry struct {
	line         int // in the file, from 1
	Amt          camtAmount
	CdtDbtInd    camtWord
	RvslInd      camtWord
	Sts          camtStatus
	BookgDt      camtDate
	ValDt        camtDate
	AcctSvcrRef  string
	BkTxCd       string `xml:"BkTxCd>Domn>Fmly>SubFmlyCd"`
	NtryDtls     []camtDetails
	AddtlNtryInf string
}

// UnmarshalXML reads an entry and keeps the line on which it begins.
func (e *camtEntry) UnmarshalXML(d *xml.Decoder, start xml.StartElement) error {
	type plain camtEntry
	e.line, _ = d.InputPos()
	return d.DecodeElement((*plain)(e), &start)
}

type camtDetails struct {
	MsgId    string `xml:"Btch>MsgId"`
	PmtInfId string `xml:"Btch>PmtInfId"`
	NbOfTxs  string `xml:"Btch>NbOfTxs"`
	TxDtls   []camtPayment
}

type camtPayment struct {
	Refs       camtRefs
	Amt        camtAmount
	CdtDbtInd  camtWord
	TxAmt      camtAmount   `xml:"AmtDtls>TxAmt>Amt"`
	InstdAmt   camtAmount   `xml:"AmtDtls>InstdAmt>Amt"`
	Charges    []camtAmount `xml:"Chrgs>Amt"`      // up to version 03
	Records    []camtAmount `xml:"Chrgs>Rcrd>Amt"` // from version 04 on
	BkTxCd     string       `xml:"BkTxCd>Domn>Fmly>SubFmlyCd"`
	Dbtr       camtParty    `xml:"RltdPties>Dbtr"`
	DbtrAcct   camtAccount  `xml:"RltdPties>DbtrAcct"`
	Cdtr       camtParty    `xml:"RltdPties>Cdtr"`
	CdtrAcct   camtAccount  `xml:"RltdPties>CdtrAcct"`
	Ustrd      []string     `xml:"RmtInf>Ustrd"`
	Strd       []camtStrd   `xml:"RmtInf>Strd"`
	Return     *camtReturn  `xml:"RtrInf"`
	AddtlTxInf string
}

type camtRefs struct {
	MsgId       string
	AcctSvcrRef string
	PmtInfId    string
	InstrId     string
	EndToEndId  string
	UETR        string
	TxId        string
}

// camtParty has its name one level deeper from version 08 on.
type camtParty struct {
	Nm  string
	Pty string `xml:"Pty>Nm"`
	Agt string `xml:"Agt>FinInstnId>Nm"`
}

// name is the party's name in whichever form.
func (p camtParty) name() string { return oneLine(p.Nm + " " + p.Pty + " " + p.Agt) }

type camtStrd struct {
	CdtrRef string   `xml:"CdtrRefInf>Ref"`
	Docs    []string `xml:"RfrdDocInf>Nb"`
}

type camtReturn struct {
	Code     string   `xml:"Rsn>Cd"`
	Prtry    string   `xml:"Rsn>Prtry"`
	AddtlInf []string `xml:"AddtlInf"`
}
