package actions

import (
	"fmt"
	"testing"
	"time"

	"countersign/internal/bankfile"
)

// BenchmarkBankFile tells what the largest file costs: 20,000 lines, of which each
// hundredth names a step. It asserts nothing about time.
func BenchmarkBankFile(b *testing.B) {
	w := newWorld(b)
	entries := make([]entry, 20_000)
	for i := range entries {
		entries[i] = entry{ref: fmt.Sprintf("other-%06d", i), bankRef: fmt.Sprintf("BANK-%06d", i), amount: -500}
	}
	for i, id := range w.several(200, unknown) {
		entries[i*100] = w.paying(id)
	}
	body := sheet(entries...) // camt of so many lines is larger than what is taken
	stored := w.take(body)
	if _, err := w.run.MapBankFile(b.Context(), w.ada, stored.ID, columns); err != nil {
		b.Fatal(err)
	}
	var r BankReading
	for b.Loop() {
		began := time.Now()
		if _, err := bankfile.Parse(body, &columns); err != nil {
			b.Fatal(err)
		}
		b.ReportMetric(float64(time.Since(began).Milliseconds()), "ms/parse")
		began = time.Now()
		if r = w.reading(w.ada, stored.ID); len(r.Matches) != len(entries) || r.Matches[0].Finding != bankfile.Proves {
			b.Fatalf("%d matches", len(r.Matches))
		}
		b.ReportMetric(float64(time.Since(began).Milliseconds()), "ms/page")
	}
}
