package bankfile

import (
	"fmt"
	"slices"
	"strings"
)

// maxPayments is how many payments of an entry that stays one line give it their
// references.
const maxPayments = 32

// returns are the sub-families of bank transaction codes by which a payment comes
// back or is taken back, and charges those of what the bank takes for itself.
var (
	returns = []string{"RRTN", "RPCR", "PRDD", "UPDD"}
	charges = []string{"CHRG", "FEES", "COMM"}
)

// lines reads an entry: one line, or a line for each of several payments whose own
// amounts add up to the entry. Numbers of lines are left to the caller.
func (e camtEntry) lines(number int, account string) ([]Line, error) {
	place := fmt.Sprintf("entry %d (line %d of the file)", number, e.line)
	money, err := signed(e.Amt, e.CdtDbtInd.String(), place)
	if err != nil {
		return nil, err
	}
	whole := Line{
		Entry: number, Booked: e.Sts.booked(), Amount: money.Amount, Currency: money.Currency,
		Back: isTrue(e.RvslInd.Text), BankRef: reference(e.AcctSvcrRef), Text: oneLine(e.AddtlNtryInf),
	}
	whole.family(e.BkTxCd)
	if whole.BookedOn, err = e.BookgDt.day(place); err != nil {
		return nil, err
	}
	if whole.ValuedOn, err = e.ValDt.day(place); err != nil {
		return nil, err
	}
	payments := e.payments()
	if amounts := e.amounts(payments, money.Amount); amounts != nil {
		return parts(whole, payments, amounts, account), nil
	}
	whole.Doubt = e.doubt(payments, money.Amount)
	return []Line{e.single(whole, payments, account)}, nil
}

// family takes from a sub-family of bank transaction codes what the line is.
func (l *Line) family(code string) {
	code = strings.TrimSpace(code)
	l.Back = l.Back || slices.Contains(returns, code)
	l.Charge = l.Charge || slices.Contains(charges, code)
}

// payments are all payments that the entry tells of.
func (e camtEntry) payments() (all []camtPayment) {
	for _, d := range e.NtryDtls {
		all = append(all, d.TxDtls...)
	}
	return all
}

// amounts are the signed amounts of several payments, in the currency of the entry
// and adding up to it; nil where one has none, or where they do not add up.
func (e camtEntry) amounts(payments []camtPayment, whole int64) []int64 {
	if len(payments) < 2 {
		return nil
	}
	amounts, sum := make([]int64, len(payments)), int64(0)
	for i, p := range payments {
		amount, ok := p.amount(strings.TrimSpace(e.Amt.Ccy), e.CdtDbtInd.String())
		if !ok {
			return nil
		}
		if sum, ok = add(sum, amount); !ok {
			return nil
		}
		amounts[i] = amount
	}
	if sum != whole {
		return nil
	}
	return amounts
}

// amount is what the payment moved on the account, where the bank says it in the
// currency of the entry. What was instructed, and rates and charges, say nothing
// about that.
func (p camtPayment) amount(currency, direction string) (int64, bool) {
	if own := p.CdtDbtInd.String(); own != "" {
		direction = own
	}
	for _, a := range []camtAmount{p.Amt, p.TxAmt} {
		if strings.TrimSpace(a.Ccy) == currency {
			money, err := signed(a, direction, "")
			return money.Amount, err == nil
		}
	}
	return 0, false
}

// parts makes a line of each payment.
func parts(whole Line, payments []camtPayment, amounts []int64, account string) []Line {
	lines := make([]Line, len(payments))
	for i, p := range payments {
		line := whole
		line.Amount = amounts[i]
		if ref := reference(p.Refs.AcctSvcrRef); ref != "" {
			line.BankRef = ref
		}
		line.Refs, line.Doubt = p.refs(nil), p.differs(whole.Currency, line.Amount)
		p.fill(&line, account)
		lines[i] = line
	}
	return lines
}

// single makes one line of the whole entry, with the references of its payments.
func (e camtEntry) single(line Line, payments []camtPayment, account string) Line {
	for _, p := range payments[:min(len(payments), maxPayments)] {
		line.Refs = p.refs(line.Refs)
	}
	for _, d := range e.NtryDtls[:min(len(e.NtryDtls), maxPayments)] {
		line.Refs = addRef(line.Refs, "PmtInfId", d.PmtInfId)
		line.Refs = addRef(line.Refs, "MsgId", d.MsgId)
	}
	line.Refs = addRef(line.Refs, "AcctSvcrRef", e.AcctSvcrRef)
	line.Refs = addWords(line.Refs, line.Text)
	if len(payments) == 1 {
		payments[0].fill(&line, account)
	}
	for _, p := range payments {
		p.comesBack(&line)
	}
	line.Text = oneLine(e.gathered(payments) + " " + line.Text)
	return line
}

// isTrue reads an indicator.
func isTrue(text string) bool {
	text = strings.TrimSpace(text)
	return text == "true" || text == "1"
}
