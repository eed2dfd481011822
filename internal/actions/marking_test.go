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

// The days that a line may be booked on are those that a mark takes.
func TestMarkDaysAreThoseThatAMarkTakes(t *testing.T) {
	now := model.At(time.Date(2026, 11, 29, 9, 0, 0, 0, time.UTC))
	for _, sent := range []time.Time{{}, time.Date(2026, 11, 27, 13, 59, 59, 999_999_000, time.UTC), time.Date(2026, 11, 27, 14, 0, 0, 0, time.UTC),
		time.Date(2026, 11, 27, 14, 0, 0, 1000, time.UTC), time.Date(2026, 11, 28, 0, 0, 0, 0, time.UTC)} {
		s := &model.Step{}
		if !sent.IsZero() {
			s.Attempts = []model.Attempt{{StartedAt: model.At(sent)}}
		}
		first, last := markDays(firstSend(s), now)
		for at := time.Date(2026, 11, 20, 0, 0, 0, 0, time.UTC); at.Day() != 2; at = at.AddDate(0, 0, 1) {
			day := at.Format(time.DateOnly)
			var faults faults
			markInput{Date: day}.dated(&Planning{Step: s, Now: now}, &faults)
			if takes := len(faults) == 0; takes != (first <= day && day <= last) {
				t.Errorf("sent %s: a mark of %s is taken: %t; the days are %s to %s", sent, day, takes, first, last)
			}
		}
	}
}
