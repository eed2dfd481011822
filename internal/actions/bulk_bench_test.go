package actions

import (
	"testing"
	"time"

	"countersign/internal/model"
)

// BenchmarkBulk tells what a list of 500 costs: its preview, and each item of its
// run. It asserts nothing about time.
func BenchmarkBulk(b *testing.B) {
	w := newWorld(b)
	ids := w.several(MaxBulk, notSent)
	for b.Loop() {
		began := time.Now()
		list := w.bulk(w.ada, model.RetryUnfinished, ids...)
		previewed := time.Now()
		w.confirmBulk(w.ada, list)
		if l := w.carryOut(list.ID); l.State != model.BulkDone {
			b.Fatalf("%s", l.State)
		}
		b.ReportMetric(float64(previewed.Sub(began).Milliseconds()), "ms/preview")
		b.ReportMetric(float64(time.Since(previewed).Milliseconds())/MaxBulk, "ms/item")
	}
}
