package bankfile

import (
	"strings"
	"testing"
)

// The amount of an entry proves a payment only where it is that of one payment.
func TestCamtDoubtsGatheredEntries(t *testing.T) {
	payment := func(inner string) string {
		return "<TxDtls><Refs><EndToEndId>KEY-1</EndToEndId></Refs>" + inner + "</TxDtls>"
	}
	own := func(name, amount, currency string) string {
		return "<AmtDtls><" + name + `><Amt Ccy="` + currency + `">` + amount + "</Amt></" + name + "></AmtDtls>"
	}
	for name, c := range map[string]struct {
		details string
		doubted bool
	}{
		"no details":                    {"", false},
		"one payment":                   {payment(""), false},
		"one of one":                    {"<Btch><NbOfTxs>1</NbOfTxs></Btch>" + payment(""), false},
		"one of four":                   {"<Btch><NbOfTxs>4</NbOfTxs></Btch>" + payment(""), true},
		"four in two details":           {"<Btch><NbOfTxs>2</NbOfTxs></Btch></NtryDtls><NtryDtls><Btch><NbOfTxs>2</NbOfTxs></Btch>", true},
		"none of three":                 {"<Btch><NbOfTxs>3</NbOfTxs></Btch>", true},
		"a batch of nobody knows what":  {"<Btch><PmtInfId>KEY-1</PmtInfId></Btch>", true},
		"two without amounts":           {payment("") + payment(""), true},
		"two that do not add up":        {payment(own("TxAmt", "10.00", "EUR")) + payment(own("TxAmt", "10.00", "EUR")), true},
		"two that add up":               {payment(own("TxAmt", "60.00", "EUR")) + payment(own("TxAmt", "40.00", "EUR")), false},
		"its own amount":                {payment(own("TxAmt", "100.0", "EUR")), false},
		"another own amount":            {payment(own("TxAmt", "10.00", "EUR")), true},
		"another instructed amount":     {payment(own("InstdAmt", "145.00", "EUR")), true},
		"instructed in another one":     {payment(own("InstdAmt", "120.00", "USD")), false},
		"a payment of another way":      {payment("<CdtDbtInd>CRDT</CdtDbtInd>"), true},
		"a part instructed differently": {payment(own("InstdAmt", "61.00", "EUR")+`<Amt Ccy="EUR">60.00</Amt>`) + payment(own("TxAmt", "40.00", "EUR")), true},
	} {
		got := lines(t, message(entry("100.00", "EUR", "<CdtDbtInd>DBIT</CdtDbtInd><Sts>BOOK</Sts><NtryDtls>"+c.details+"</NtryDtls>")), nil)
		if got[0].Doubt != "" != c.doubted {
			t.Errorf("%s: doubt %q", name, got[0].Doubt)
		}
	}
}

// An entry is a return where one of its payments is.
func TestCamtReturnInsideOfEntry(t *testing.T) {
	for name, inner := range map[string]string{
		"reason": "<RtrInf><Rsn><Cd>AC01</Cd></Rsn></RtrInf>",
		"code":   "<BkTxCd><Domn><Fmly><SubFmlyCd>RRTN</SubFmlyCd></Fmly></Domn></BkTxCd>",
	} {
		details := "<NtryDtls><TxDtls/><TxDtls>" + inner + "</TxDtls></NtryDtls>"
		if l := lines(t, message(entry("1.00", "EUR", "<CdtDbtInd>DBIT</CdtDbtInd><Sts>BOOK</Sts>"+details)), nil)[0]; !l.Back || name == "reason" && l.Code != "AC01" {
			t.Errorf("%s: back %t, code %q", name, l.Back, l.Code)
		}
	}
}

func TestCamtCharges(t *testing.T) {
	code := "<BkTxCd><Domn><Fmly><SubFmlyCd>CHRG</SubFmlyCd></Fmly></Domn></BkTxCd>"
	for _, inner := range []string{code, "<NtryDtls><TxDtls>" + code + "</TxDtls></NtryDtls>"} {
		if l := lines(t, message(entry("1.00", "EUR", "<CdtDbtInd>DBIT</CdtDbtInd>"+inner)), nil)[0]; !l.Charge {
			t.Errorf("no charge: %s", inner)
		}
	}
}

// What says that there is no reference is none of the bank's either.
func TestCamtWithoutBankReference(t *testing.T) {
	for _, none := range []string{"NOTPROVIDED", "NONREF", "0000", " "} {
		inner := "<AcctSvcrRef>" + none + "</AcctSvcrRef><NtryDtls><TxDtls><Refs><AcctSvcrRef>" + none + "</AcctSvcrRef><TxId>" + none + "</TxId></Refs></TxDtls></NtryDtls>"
		if l := lines(t, message(entry("1.00", "EUR", "<CdtDbtInd>DBIT</CdtDbtInd>"+inner)), nil)[0]; l.BankRef != "" || len(l.Refs) != 0 {
			t.Errorf("%q: bank reference %q, references %v", none, l.BankRef, l.Refs)
		}
	}
}

// An entry that says a thing twice says nothing for certain.
func TestCamtRefusesWhatIsSaidTwice(t *testing.T) {
	for name, inner := range map[string]string{
		"Amt":       `<CdtDbtInd>DBIT</CdtDbtInd><Amt Ccy="EUR">5.00</Amt>`,
		"CdtDbtInd": "<CdtDbtInd>CRDT</CdtDbtInd><CdtDbtInd>DBIT</CdtDbtInd>",
		"Sts":       "<CdtDbtInd>DBIT</CdtDbtInd><Sts>PDNG</Sts><Sts>BOOK</Sts>",
		"Cd":        "<CdtDbtInd>DBIT</CdtDbtInd><Sts><Cd>PDNG</Cd><Cd>BOOK</Cd></Sts>",
		"RvslInd":   "<CdtDbtInd>DBIT</CdtDbtInd><RvslInd>true</RvslInd><RvslInd>false</RvslInd>",
	} {
		_, err := Parse([]byte(message(entry("1.00", "EUR", inner))), nil)
		if err == nil || !strings.Contains(err.Error(), "says "+name+" a second time") || !strings.Contains(err.Error(), "Line 2") {
			t.Errorf("%s: %v", name, err)
		}
	}
}
