package store

import "testing"

// Two transactions of different milliseconds that make ids in turn: what each
// of them records stays in its order.
func TestIDsGrowWhateverTransactionMakesThem(t *testing.T) {
	var g ids
	last := g.next(1000).String()
	for i := range 1000 {
		next := g.next(1000 + uint64(i%2)).String()
		if next <= last {
			t.Fatalf("after %d ids, %s follows %s", i, next, last)
		}
		last = next
	}
}
