package audit

import (
	"errors"
	"strings"
	"time"

	"countersign/internal/model"
)

// ParseFrom reads where a span of the log begins: an RFC 3339 moment, or the
// beginning of a day in zone. "" is 0, no limit.
func ParseFrom(text string, zone *time.Location) (model.Time, error) {
	return limit(text, zone, 0)
}

// ParseTo reads where a span of the log ends, itself not included: an RFC 3339
// moment, or the end of a day in zone, so that the day is in the span. "" is 0,
// no limit.
func ParseTo(text string, zone *time.Location) (model.Time, error) {
	return limit(text, zone, 1)
}

// epoch stands for every limit that is not after 1970, since 0 is none. No
// entry is as old.
const epoch = model.Time(1)

// limit reads a moment, or a day's beginning some days on.
func limit(text string, zone *time.Location, daysOn int) (model.Time, error) {
	if text == "" {
		return 0, nil
	}
	if at, err := time.Parse(time.RFC3339, text); err == nil {
		return max(model.At(at), epoch), nil
	}
	at, err := time.ParseInLocation(time.DateOnly, text, zone)
	switch {
	case err == nil:
		return max(model.At(at.AddDate(0, 0, daysOn)), epoch), nil
	case strings.Contains(text, " "):
		return 0, errors.New("is neither a day such as 2026-10-31 nor a moment such as 2026-10-31T09:00:00+01:00; in an address the + is written %2B")
	}
	return 0, errors.New("is neither a day such as 2026-10-31 nor a moment such as 2026-10-31T09:00:00Z")
}
