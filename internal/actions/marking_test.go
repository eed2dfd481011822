package actions

import (
	"testing"
	"time"

	"countersign/internal/model"
)

// TestADayIsReadWithCare: a day names no zone, so it has begun where days begin
// first, and a document of it is no younger than that.
func TestADayIsReadWithCare(t *testing.T) {
	step := &model.Step{}
	for date, at := range map[string]string{"2026-11-30": "2026-11-29T10:00:00Z", "2026-11-30T06:30:00+02:00": "2026-11-30T04:30:00Z"} {
		first, err := time.Parse(time.RFC3339, at)
		if err != nil {
			t.Fatal(err)
		}
		for _, now := range []time.Time{first.Add(-time.Second), first} {
			var faults faults
			dated := markInput{Date: date}.dated(&Planning{Step: step, Now: model.At(now)}, &faults)
			if begun(dated) != model.At(first) || (len(faults) > 0) != now.Before(first) {
				t.Errorf("%s at %s: begun %s, faults %v", date, now, begun(dated), faults)
			}
		}
	}
}
