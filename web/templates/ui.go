package templates

import (
	"fmt"
	"strconv"
	"strings"
	"time"
)

// Clock is the moment at which a page is shown and the zone of its viewer.
type Clock struct {
	Now  int64          // microseconds UTC
	Zone *time.Location // nil means UTC
}

// At gives a moment as this clock's viewer sees it. at is microseconds UTC; 0
// means that there is no such moment.
func (c Clock) At(at int64) Time { return Time{At: at, Zone: c.Zone, Now: c.Now} }

// ZoneName names the zone for filters: "UTC" or "Europe/Berlin".
func (c Clock) ZoneName() string { return zoneOf(c.Zone).String() }

// ZoneHead names the zone for the head of a column of times, with the offset that
// counts for every row without one of its own: "Europe/Berlin +01:00".
func (c Clock) ZoneHead() string {
	if zoneOf(c.Zone) == time.UTC {
		return "UTC"
	}
	return c.ZoneName() + " " + c.At(c.Now).offset()
}

// Time is one moment as its viewer sees it. Make it with Clock.At.
type Time struct {
	At   int64          // microseconds UTC; 0: no such moment
	Zone *time.Location // nil means UTC
	Now  int64          // when the page is shown, microseconds UTC
}

// IsZero says that there is no such moment; it is shown as a dash.
func (t Time) IsZero() bool { return t.At == 0 }

func (t Time) local() time.Time { return time.UnixMicro(t.At).In(zoneOf(t.Zone)) }

// inUTC is the same moment for a reader in UTC.
func (t Time) inUTC() Time { t.Zone = time.UTC; return t }

// utc is the machine's form, for datetime and title.
func (t Time) utc() string { return time.UnixMicro(t.At).UTC().Format("2006-01-02T15:04:05Z") }

func (t Time) date() string   { return t.local().Format("2 Jan 2006") }
func (t Time) clock() string  { return t.local().Format("15:04:05 -07:00") }
func (t Time) offset() string { return t.local().Format("-07:00") }
func (t Time) column() string { return t.local().Format("Mon 2 Jan 15:04" + t.otherOffset()) }
func (t Time) second() string { return t.local().Format("2 Jan 15:04:05" + t.otherOffset()) }

// otherOffset is the layout of the offset where a row must write its own: where it
// is not the one in the head of the column, and in the hour that the zone's clocks
// show twice.
func (t Time) otherOffset() string {
	if t.offset() == t.shown().Format("-07:00") && !t.repeated() {
		return ""
	}
	return " -07:00"
}

// repeated says whether the zone's clocks show this reading at two moments, as in
// the hour that comes again when summer time ends.
func (t Time) repeated() bool {
	at := t.local()
	_, here := at.Zone()
	begins, ends := at.ZoneBounds()
	for _, edge := range []time.Time{begins.Add(-1), ends} {
		_, there := edge.Zone()
		twin := at.Add(time.Duration(here-there) * time.Second)
		if here != there && twin.Format(time.DateTime) == at.Format(time.DateTime) {
			return true
		}
	}
	return false
}

// shown is when the page is shown, on the viewer's clock.
func (t Time) shown() time.Time { return time.UnixMicro(t.Now).In(zoneOf(t.Zone)) }

// sameDay says whether the moment lies on the day the page is shown.
func (t Time) sameDay() bool {
	return t.local().Format(time.DateOnly) == t.shown().Format(time.DateOnly)
}

// Brief writes the moment for a drawing whose caption has the head of the zone:
// the clock on the day the page is shown, otherwise the date and the minute.
func (t Time) Brief() string {
	layout := "2 Jan 15:04"
	if t.sameDay() {
		layout = "15:04:05"
	}
	return t.Of(layout + t.otherOffset())
}

// Of writes the moment in the viewer's zone by a layout of package time.
func (t Time) Of(layout string) string { return t.local().Format(layout) }

// span is the distance between the moment and the page's time, without a sign.
func (t Time) span() string {
	minutes := max(t.At-t.Now, t.Now-t.At) / time.Minute.Microseconds()
	hours, days := minutes/60, minutes/(24*60)
	switch {
	case days > 0:
		return fmt.Sprintf("%d d %d h", days, hours%24)
	case hours > 0:
		return fmt.Sprintf("%d h %d min", hours, minutes%60)
	case minutes > 0:
		return fmt.Sprintf("%d min", minutes)
	}
	return "under a minute"
}

func (t Time) past() bool { return t.At <= t.Now }

func (t Time) ago() string {
	if t.past() {
		return t.span() + " ago"
	}
	return "in " + t.span()
}

func (t Time) left() string {
	if t.past() {
		return "ended " + t.span() + " ago"
	}
	return t.span() + " left"
}

func zoneOf(zone *time.Location) *time.Location {
	if zone == nil {
		return time.UTC
	}
	return zone
}

// State is the name of a step's or intent's state as the model spells it
// ("outcome_unknown", "needs_review"), or "settling" for a step that the
// provider has accepted and not finished, or "undo_asked" for an intent whose
// undo waits to be signed.
type State string

// Outcome is how a request for approval, an action or an audited event stands:
// open, approved, rejected, withdrawn, dismissed, expired, executed, and for
// audit entries also done, requested, refused and denied.
type Outcome string

// Fact is one labelled line: a term and what is known about it.
type Fact struct {
	Label string
	Text  Text
	Sub   Text // a smaller second line, or nil
}

// Line is one line of a list: a text and a smaller second line.
type Line struct {
	State State // the shape at the left; empty for none
	Text  Text
	Sub   Text
}

// Note is a callout with a bar at its left.
type Note struct {
	Kind  string // go (so it is), ok (checked), mind (weigh this), q (not known), no (not done)
	Title Text   // the first, bold line; or nil
	Text  []Text // paragraphs
}

// Choice is one of several: a link in a list of orders or filters, or an option
// of a select. Value is what a form sends; Href is where a link leads.
type Choice struct {
	Value, Href, Label string
	Current            bool
}

// Change is one difference between then and now.
type Change struct {
	What, Was, Now string
	Because        Text
	Code           bool // Was and Now are keys, digests or codes
}

// FieldError is one fault of a form: the id of the field to mend and what is
// wrong with it, in words.
type FieldError struct{ Field, Message string }

// FieldErrors are the faults of a form, in the order of its fields.
type FieldErrors []FieldError

// For gives the message for a field, or "".
func (e FieldErrors) For(field string) string {
	for _, fault := range e {
		if fault.Field == field {
			return fault.Message
		}
	}
	return ""
}

// keyParts splits a step key into the shared prefix (with its colon) and the
// rest; a key without a colon is all rest.
func keyParts(key string) (prefix, rest string) {
	at := strings.Index(key, ":")
	if at < 0 || !strings.HasPrefix(key, "intent-") {
		return "", key
	}
	return key[:at+1], key[at+1:]
}

// grouped writes a count with thousands separated: 18,412.
func grouped(n int64) string {
	digits := strconv.FormatInt(n, 10)
	for at := len(digits) - 3; at > 0; at -= 3 {
		digits = digits[:at] + "," + digits[at:]
	}
	return digits
}
