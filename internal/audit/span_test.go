package audit_test

import (
	"testing"
	"time"
	_ "time/tzdata"

	"countersign/internal/audit"
)

func TestSpanLimits(t *testing.T) {
	zones := map[string]*time.Location{}
	for _, name := range []string{"UTC", "Europe/Vienna", "Asia/Kuwait"} {
		zone, err := time.LoadLocation(name)
		if err != nil {
			t.Fatal(err)
		}
		zones[name] = zone
	}
	tests := []struct{ text, zone, from, to string }{
		{"", "UTC", "", ""},
		{"2026-11-29", "UTC", "2026-11-29T00:00:00.000000Z", "2026-11-30T00:00:00.000000Z"},
		{"2026-11-29", "Asia/Kuwait", "2026-11-28T21:00:00.000000Z", "2026-11-29T21:00:00.000000Z"},
		{"2026-10-25", "Europe/Vienna", "2026-10-24T22:00:00.000000Z", "2026-10-25T23:00:00.000000Z"}, // 25 hours long
		{"2026-12-31", "UTC", "2026-12-31T00:00:00.000000Z", "2027-01-01T00:00:00.000000Z"},
		{"2026-11-29T10:00:00Z", "Asia/Kuwait", "2026-11-29T10:00:00.000000Z", "2026-11-29T10:00:00.000000Z"},
		{"2026-11-29T10:00:00.25+02:00", "UTC", "2026-11-29T08:00:00.250000Z", "2026-11-29T08:00:00.250000Z"},
		{"1969-12-31", "UTC", "1970-01-01T00:00:00.000001Z", "1970-01-01T00:00:00.000001Z"}, // no limit would be told as 0
	}
	for _, tt := range tests {
		from, err := audit.ParseFrom(tt.text, zones[tt.zone])
		to, err2 := audit.ParseTo(tt.text, zones[tt.zone])
		if err != nil || err2 != nil || from.String() != tt.from || to.String() != tt.to {
			t.Errorf("%q in %s: from %s (%v) to %s (%v), want %s and %s", tt.text, tt.zone, from, err, to, err2, tt.from, tt.to)
		}
	}
	for _, text := range []string{"yesterday", "2026-13-01", "2026-02-30", "29.11.2026", "2026-11-29T10:00", "2026-11-29T10:00:00 02:00", " "} {
		if at, err := audit.ParseTo(text, time.UTC); err == nil {
			t.Errorf("%q was read as %s", text, at)
		}
	}
}
