package bankfile

import (
	"slices"
	"strings"
)

// refs adds the references of a payment.
func (p camtPayment) refs(refs []Ref) []Ref {
	for _, r := range []Ref{
		{"EndToEndId", p.Refs.EndToEndId}, {"InstrId", p.Refs.InstrId}, {"TxId", p.Refs.TxId}, {"UETR", p.Refs.UETR},
		{"PmtInfId", p.Refs.PmtInfId}, {"MsgId", p.Refs.MsgId}, {"AcctSvcrRef", p.Refs.AcctSvcrRef},
	} {
		refs = addRef(refs, r.Kind, r.Value)
	}
	for _, s := range p.Strd {
		refs = addRef(refs, "CdtrRefInf", s.CdtrRef)
		for _, number := range s.Docs {
			refs = addRef(refs, "RfrdDocInf", number)
		}
	}
	return addWords(refs, strings.Join(p.Ustrd, " "))
}

// fill puts on a line what its one payment says: the other side, a return, and a
// text for a person. Where the bank gives no reference of its own, the payment's
// between banks (TxId) stands in for it.
func (p camtPayment) fill(line *Line, account string) {
	line.Other, line.OtherAccount = p.other(line.Amount > 0, account)
	p.comesBack(line)
	line.family(p.BkTxCd)
	if line.BankRef == "" {
		line.BankRef = reference(p.Refs.AcctSvcrRef)
	}
	if line.BankRef == "" {
		line.BankRef = reference(p.Refs.TxId)
	}
	line.Text = oneLine(strings.Join([]string{p.text(*line), line.Text}, " "))
}

// comesBack marks a line as a return where the payment is one, with the first
// reason that the bank gives.
func (p camtPayment) comesBack(line *Line) {
	line.Back = line.Back || p.Return != nil || slices.Contains(returns, strings.TrimSpace(p.BkTxCd))
	if p.Return != nil && line.Code == "" {
		line.Code = oneLine(p.Return.Code + " " + p.Return.Prtry)
	}
}

// other is the other side: who paid what came in, or was paid what went out. In a
// return both may be told by the parts that they had in the first payment, so our
// own account is never the other side.
func (p camtPayment) other(in bool, account string) (name, number string) {
	sides := []struct {
		camtParty
		camtAccount
	}{{p.Cdtr, p.CdtrAcct}, {p.Dbtr, p.DbtrAcct}}
	if in {
		sides[0], sides[1] = sides[1], sides[0]
	}
	for _, side := range sides {
		name, number = side.name(), side.number()
		if number != "" && number == account || name+number == "" {
			continue
		}
		return name, number
	}
	return "", ""
}

// text is what the payment says in words, and what was instructed or charged where
// that is not what moved.
func (p camtPayment) text(line Line) string {
	words := append([]string{}, p.Ustrd...)
	if p.Return != nil {
		words = append(words, p.Return.AddtlInf...)
	}
	words = append(words, p.AddtlTxInf)
	if a := p.InstdAmt; a.Value != "" {
		asked, err := amountOf(strings.TrimSpace(a.Value), strings.TrimSpace(a.Ccy))
		if err != nil || asked.Currency != line.Currency || asked.Amount != line.Amount && asked.Amount != -line.Amount {
			words = append(words, "(instructed: "+a.Value+" "+a.Ccy+")")
		}
	}
	for _, c := range append(p.Charges, p.Records...) {
		if c.Value != "" {
			words = append(words, "(charges: "+c.Value+" "+c.Ccy+")")
		}
	}
	return strings.Join(words, " ")
}
