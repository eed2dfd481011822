package bankfile

import (
	"fmt"
	"strconv"
	"strings"
)

// declared is how many payments the details say that they have, or show where they
// show more.
func (e camtEntry) declared() (n int) {
	for _, d := range e.NtryDtls {
		said, err := strconv.Atoi(strings.TrimSpace(d.NbOfTxs))
		if err != nil || said < 0 || said > 1e9 {
			said = 0
		}
		n += max(said, len(d.TxDtls))
	}
	return n
}

// doubt is why an entry that stays one line cannot prove a payment: the bank gathers
// more than it tells apart, or says another amount of the payment than it booked.
func (e camtEntry) doubt(payments []camtPayment, booked int64) string {
	if sentence := e.gathered(payments); sentence != "" {
		return sentence + " The amount of the entry is not that of one of them."
	}
	switch {
	case len(payments) == 1 && payments[0].CdtDbtInd.seen && payments[0].CdtDbtInd.String() != e.CdtDbtInd.String():
		return "The bank books the entry in one direction and its payment in the other."
	case len(payments) == 1:
		return payments[0].differs(strings.TrimSpace(e.Amt.Ccy), booked)
	case e.batched():
		return "The bank books a batch here and does not say how many payments it has: the amount of the entry may not be that of one."
	}
	return ""
}

// batched reports whether the details name a batch.
func (e camtEntry) batched() bool {
	for _, d := range e.NtryDtls {
		if reference(d.MsgId)+reference(d.PmtInfId) != "" {
			return true
		}
	}
	return false
}

// differs is the doubt where the payment's own amount, moved or instructed, is in
// the currency of the account and not the one that was booked for it.
func (p camtPayment) differs(currency string, booked int64) string {
	for _, a := range []camtAmount{p.Amt, p.TxAmt, p.InstdAmt} {
		if strings.TrimSpace(a.Ccy) != currency || strings.TrimSpace(a.Value) == "" {
			continue
		}
		if own, err := amountOf(strings.TrimSpace(a.Value), currency); err != nil || size(own.Amount) != size(booked) {
			return fmt.Sprintf("The bank says %s %s of this payment, which is not the amount that it booked.", oneLine(a.Value), currency)
		}
	}
	return ""
}

// gathered is a sentence on an entry of several payments that stays one line.
func (e camtEntry) gathered(payments []camtPayment) string {
	declared, shown := e.declared(), len(payments)
	switch {
	case declared > 1 && shown == 0:
		return fmt.Sprintf("The bank gathers %d payments here and names none of them.", declared)
	case declared > shown:
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
		if _, ok := p.amount(strings.TrimSpace(e.Amt.Ccy), e.CdtDbtInd.String()); !ok {
			return true
		}
	}
	return false
}
