package workflow

import (
	"regexp"
	"strconv"
	"strings"
	"time"
)

// periodForms are the forms in which a period can name what the calendar does not
// have, each with what is then said. Any other words are taken as they are.
var periodForms = []struct {
	form   *regexp.Regexp
	there  func(year, number int, text string) bool
	missed string
}{
	{regexp.MustCompile(`^(\d{4})-(\d{2})$`), func(_, month int, _ string) bool { return 1 <= month && month <= 12 }, "names no month of the year: 01 to 12"},
	{regexp.MustCompile(`^(\d{4})-(\d{2})-\d{2}$`), func(_, _ int, text string) bool { return isDay(text) }, "names no day of the calendar"},
	{regexp.MustCompile(`^(\d{4})-?W(\d{2})$`), func(year, week int, _ string) bool { return 1 <= week && week <= weeksOf(year) }, "names no week of that year"},
	{regexp.MustCompile(`^(\d{4})-?Q(\d)$`), func(_, quarter int, _ string) bool { return 1 <= quarter && quarter <= 4 }, "names no quarter of the year: Q1 to Q4"},
}

// period bounds a period that may be missing. It may be of any words, since callers
// name theirs as they like; a month, day, week or quarter, alone or as the end of an
// interval, must be one that there is.
func (f *faults) period(location, value string) {
	f.given(location, value, maxWord)
	for part := range strings.SplitSeq(value, "/") {
		part = strings.TrimSpace(part)
		for _, p := range periodForms {
			m := p.form.FindStringSubmatch(part)
			if m == nil {
				continue
			}
			year, _ := strconv.Atoi(m[1]) // digits, by the form
			number, _ := strconv.Atoi(m[2])
			if !p.there(year, number, part) {
				f.add(location, "%s", p.missed)
				return
			}
		}
	}
}

func isDay(text string) bool {
	_, err := time.Parse(time.DateOnly, text)
	return err == nil
}

// weeksOf is how many weeks a year has by ISO 8601: the 28th of December is in the
// last.
func weeksOf(year int) int {
	_, week := time.Date(year, time.December, 28, 0, 0, 0, 0, time.UTC).ISOWeek()
	return week
}
