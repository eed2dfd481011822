package bankfile

import (
	"fmt"
	"strings"
	"testing"

	"countersign/internal/model"

	"pgregory.net/rapid"
)

// Whatever an entry says of its payments, its lines add up to it.
func TestLinesAreTheirEntry(t *testing.T) {
	directions := map[string]int64{"CRDT": 1, "DBIT": -1}
	rapid.Check(t, func(t *rapid.T) {
		direction := rapid.SampledFrom([]string{"CRDT", "DBIT"})
		currency := rapid.SampledFrom([]string{"EUR", "EUR", "EUR", "USD"})
		var details strings.Builder
		var sum int64
		priced := true
		for range rapid.IntRange(0, 4).Draw(t, "payments") {
			cents, to, in := rapid.Int64Range(0, 5).Draw(t, "cents"), direction.Draw(t, "direction"), currency.Draw(t, "currency")
			sum += directions[to] * cents
			priced = priced && in == "EUR"
			fmt.Fprintf(&details, `<TxDtls><Amt Ccy="%s">0.0%d</Amt><CdtDbtInd>%s</CdtDbtInd></TxDtls>`, in, cents, to)
		}
		payments := strings.Count(details.String(), "<TxDtls>")
		want := sum
		if rapid.Bool().Draw(t, "another amount") {
			want = rapid.Int64Range(-9, 9).Draw(t, "amount")
		}
		side := "CRDT"
		if want < 0 {
			side = "DBIT"
		}
		f, err := Parse([]byte(message(entry(strings.TrimPrefix(model.Money{Amount: want, Currency: "EUR"}.Decimal(), "-"), "EUR",
			"<CdtDbtInd>"+side+"</CdtDbtInd><NtryDtls>"+details.String()+"</NtryDtls>"))), nil)
		if err != nil {
			t.Fatal(err)
		}
		lines := f.Statements[0].Lines
		split := payments > 1 && priced && sum == want
		if split && len(lines) != payments || !split && len(lines) != 1 {
			t.Errorf("%d lines of %d payments, split %t", len(lines), payments, split)
		}
		var got int64
		for _, line := range lines {
			got += line.Amount
		}
		if got != want {
			t.Errorf("the lines add up to %d, the entry is %d", got, want)
		}
	})
}
