package bankfile

import (
	"fmt"
	"strconv"
	"strings"
)

// maxPayments is how many payments of an entry that stays one line give it their
// references.
const maxPayments = 32

// returned is the sub-family of bank transaction codes for returns.
const returned = "RRTN"

// lines reads an entry: one line, or a line for each of several payments whose own
// amounts add up to the entry. Numbers of lines are left to the caller.
func (e camtEntry) lines(number int, account string) ([]Line, error) {
	place := fmt.Sprintf("entry %d (line %d of the file)", number, e.line)
	money, err := signed(e.Amt, e.CdtDbtInd, place)
	if err != nil {
		return nil, err
	}
	whole := Line{
		Entry: number, Booked: strings.TrimSpace(e.Sts.Text+e.Sts.Cd) == "BOOK", Amount: money.Amount, Currency: money.Currency,
		Back: isTrue(e.RvslInd) || strings.TrimSpace(e.BkTxCd) == returned, BankRef: oneLine(e.AcctSvcrRef),
		Text: oneLine(e.AddtlNtryInf),
	}
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
	return []Line{e.single(whole, payments, account)}, nil
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
		amount, ok := p.amount(strings.TrimSpace(e.Amt.Ccy), e.CdtDbtInd)
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
	if p.CdtDbtInd != "" {
		direction = p.CdtDbtInd
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
		if ref := oneLine(p.Refs.AcctSvcrRef); ref != "" {
			line.BankRef = ref
		}
		line.Refs = p.refs(nil)
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
	line.Text = oneLine(e.gathered(payments) + " " + line.Text)
	return line
}

// gathered is a sentence on an entry of several payments that stays one line.
func (e camtEntry) gathered(payments []camtPayment) string {
	declared := 0
	for _, d := range e.NtryDtls {
		if n, err := strconv.Atoi(strings.TrimSpace(d.NbOfTxs)); err == nil && n > 0 && n < 1e9 {
			declared += n
		}
	}
	shown := len(payments)
	switch {
	case declared > 1 && shown == 0:
		return fmt.Sprintf("The bank gathers %d payments here and names none of them.", declared)
	case declared > 1 && declared > shown:
		return fmt.Sprintf("The bank gathers %d payments here and shows %d of them.", declared, shown)
	case shown > 1 && e.unpriced(payments):
		return fmt.Sprintf("The bank gathers %d payments here and does not say the amount of each.", shown)
	case shown > 1:
		return fmt.Sprintf("The bank gathers %d payments here, and their amounts do not add up to the entry.", shown)
	}
	return ""
}

// unpriced reports whether some payment has no amount in the currency of the entry.
func (e camtEntry) unpriced(payments []camtPayment) bool {
	for _, p := range payments {
		if _, ok := p.amount(strings.TrimSpace(e.Amt.Ccy), e.CdtDbtInd); !ok {
			return true
		}
	}
	return false
}

// isTrue reads an indicator.
func isTrue(text string) bool {
	text = strings.TrimSpace(text)
	return text == "true" || text == "1"
}
