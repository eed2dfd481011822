package model

import "testing"

// TestBecame: what was carried out reads as confirmed only where the step is.
func TestBecame(t *testing.T) {
	for want, s := range map[Became]BulkStand{
		BecameGivenUp:   {Uncertain: 100},
		BecameOrdered:   {State: OutcomeUnknown, Ordered: true},
		BecameUnknown:   {State: OutcomeUnknown},
		BecameSettling:  {State: InProgress, Settling: true},
		BecameUnderWay:  {State: OutcomeUnknown, Open: true},
		BecameConfirmed: {State: Confirmed},
		BecameFailed:    {State: FailedSafely},
		BecamePending:   {State: Pending},
	} {
		if got := s.Became(); got != want {
			t.Errorf("%+v became %s, want %s", s, got, want)
		}
	}
}
