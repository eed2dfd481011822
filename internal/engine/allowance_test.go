package engine

import (
	"testing"
	"time"
)

// A call's time runs on whatever is done to the wall clock.
func TestAllowance(t *testing.T) {
	start := time.Now()
	a := allowance{start, time.Minute}
	later := start.Add(10 * time.Second) // both clocks
	wall := func(now time.Time, by time.Duration) allowance {
		return allowance{start.Add(-by).Round(0), time.Minute} // as if the wall clock had been set forward by that
	}
	for _, test := range []struct {
		name string
		a    allowance
		now  time.Time
		want time.Duration
	}{
		{"both go on", a, later, 50 * time.Second},
		{"slept for an hour", wall(later, time.Hour), later, -time.Hour + 50*time.Second},
		{"used up", a, start.Add(time.Minute), 0},
	} {
		if got := test.a.left(test.now); got != test.want {
			t.Errorf("%s: %v left, want %v", test.name, got, test.want)
		}
	}
	// The wall clock set back by an hour: the monotonic reading still counts.
	back := allowance{start.Add(0), time.Minute}
	if got := back.left(later); got > 50*time.Second {
		t.Errorf("%v left", got)
	}
}
