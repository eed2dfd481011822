package model

import (
	"encoding/json"
	"time"
)

// Time is a moment in microseconds since the Unix epoch, UTC. Zero is "none".
type Time int64

// At converts a time.Time, cutting it to whole microseconds.
func At(t time.Time) Time {
	if t.IsZero() {
		return 0
	}
	return Time(t.UnixMicro())
}

// Std gives the moment as a time.Time in UTC; none becomes the zero time.
func (t Time) Std() time.Time {
	if t == 0 {
		return time.Time{}
	}
	return time.UnixMicro(int64(t)).UTC()
}

// IsDay reports whether the moment begins a day in UTC. A day that was written
// without a clock is kept so, and belongs to no reader's zone.
func (t Time) IsDay() bool { return t != 0 && t.Std().Truncate(24*time.Hour).Equal(t.Std()) }

// Add moves the moment by d. None stays none.
func (t Time) Add(d time.Duration) Time {
	if t == 0 {
		return 0
	}
	return t + Time(d.Microseconds())
}

// Sub is the duration from u to t.
func (t Time) Sub(u Time) time.Duration { return time.Duration(t-u) * time.Microsecond }

// String is RFC 3339 in UTC with microseconds, or "" for none.
func (t Time) String() string {
	if t == 0 {
		return ""
	}
	return t.Std().Format("2006-01-02T15:04:05.000000Z")
}

// MarshalJSON writes RFC 3339 UTC, null for none.
func (t Time) MarshalJSON() ([]byte, error) {
	if t == 0 {
		return []byte("null"), nil
	}
	return json.Marshal(t.String())
}

// UnmarshalJSON reads RFC 3339 or null.
func (t *Time) UnmarshalJSON(raw []byte) error {
	if string(raw) == "null" {
		*t = 0
		return nil
	}
	var std time.Time
	if err := json.Unmarshal(raw, &std); err != nil {
		return err
	}
	*t = At(std)
	return nil
}

// earliest is the smaller of the moments that are set.
func earliest(times ...Time) Time {
	var min Time
	for _, t := range times {
		if t != 0 && (min == 0 || t < min) {
			min = t
		}
	}
	return min
}
