package workflow

import (
	"encoding/json"
	"fmt"
	"regexp"
	"strconv"
	"time"
	"unicode/utf8"

	"countersign/internal/model"
)

// Limits of what is accepted, in characters or items.
const (
	maxWord     = 100 // a reference, an id
	maxName     = 200 // a name, a description
	maxMemo     = 500
	maxAddress  = 254 // RFC 5321's longest address
	maxEvidence = 20_000
	maxItems    = 50    // pieces of evidence
	maxNotified = 20    // recipients of one notice
	maxLines    = 1_000 // of one statement: it travels as one mail, and its sum cannot overflow
)

// notMeaningful are the members that may differ between two requests for the
// same outcome.
var notMeaningful = []string{"memo", "requested_at", "trace_id"}

// Notes are the members that any params may carry and that change nothing: at
// most 500, 100 and 100 characters, the time RFC 3339. They are kept, and never
// leave the product.
type Notes struct {
	Memo        string `json:"memo"`
	RequestedAt string `json:"requested_at"`
	TraceID     string `json:"trace_id"`
}

func (n Notes) check(f *faults) {
	f.optional("/memo", n.Memo, maxMemo)
	f.optional("/trace_id", n.TraceID, maxWord)
	if n.RequestedAt != "" {
		f.moment("/requested_at", n.RequestedAt)
	}
}

// params are what a kind reads; check finds every fault.
type params interface{ check(*faults) }

// accept reads params strictly and drafts what follows from their text alone,
// which is given beside a refusal too. The error is of kind Invalid: one unknown or
// ill-typed member, or else every rule that is broken.
func accept(raw json.RawMessage, into params) (Draft, error) {
	d, unreadable := identified(raw)
	if err := model.DecodeStrict(raw, into); err != nil {
		return d, err
	}
	var f faults
	into.check(&f)
	if err := f.err(); err != nil {
		return d, err
	}
	return d, unreadable
}

// identified drafts what tells a submission from another: its text in one form,
// and that text's fingerprint.
func identified(raw json.RawMessage) (Draft, error) {
	fingerprint, err := model.Fingerprint(raw, notMeaningful...)
	if err != nil {
		return Draft{}, err
	}
	canonical, err := model.Canonical(raw)
	return Draft{Params: canonical, Fingerprint: fingerprint}, err
}

// stored reads params that were accepted earlier.
func stored(c *model.Case, into any) error {
	if err := model.DecodeStrict(c.Params, into); err != nil {
		return model.Errorf(model.Internal, "", "read the stored params of %s: %w", c.ID, err)
	}
	return nil
}

// faults collects what is wrong with an input. Nothing in it repeats a value.
type faults []model.Field

func (f *faults) add(location, format string, args ...any) {
	*f = append(*f, model.Field{Location: location, Message: fmt.Sprintf(format, args...)})
}

func (f faults) err() error {
	if len(f) == 0 {
		return nil
	}
	return model.Errorf(model.Invalid, "invalid-params", "the input is not valid").WithFields(f...)
}

// sentence lists the faults for a person.
func (f faults) sentence() string {
	text := ""
	for i, fault := range f {
		if i > 0 {
			text += "; "
		}
		text += fault.Location + " " + fault.Message
	}
	return text + "."
}

// text requires a single line of text.
func (f *faults) text(location, value string, longest int) {
	if value == "" {
		f.add(location, "is missing")
		return
	}
	f.given(location, value, longest)
}

// given bounds a single line of text that may be missing, but says something where
// it is given.
func (f *faults) given(location, value string, longest int) {
	f.visible(location, value)
	f.optional(location, value, longest)
}

// visible refuses a text of which a reader sees nothing.
func (f *faults) visible(location, value string) {
	if value != "" && model.Visible(value) == 0 {
		f.add(location, "has no visible character")
	}
}

// optional bounds a single line of text that may be missing.
func (f *faults) optional(location, value string, longest int) {
	f.bounded(location, value, longest, model.Disruptive)
}

// prose requires text that may have several lines.
func (f *faults) prose(location, value string, longest int) {
	if value == "" {
		f.add(location, "is missing")
		return
	}
	f.visible(location, value)
	f.bounded(location, value, longest, func(r rune) bool { return model.Disruptive(r) && r != '\n' && r != '\t' && r != '\r' })
}

func (f *faults) bounded(location, value string, longest int, refused func(rune) bool) {
	if utf8.RuneCountInString(value) > longest {
		f.add(location, "is longer than %d characters", longest)
	}
	for _, r := range value {
		if refused(r) {
			f.add(location, "holds a control character")
			return
		}
	}
}

var wordPattern = regexp.MustCompile(`^[A-Za-z0-9_][A-Za-z0-9_.:/+@-]*$`)

// word requires an identifier of another system: ASCII letters, digits and
// _ . : / + @ - beginning with a letter, a digit or _.
func (f *faults) word(location, value string) {
	f.pattern(location, value, wordPattern, "may hold only ASCII letters, digits and _ . : / + @ -")
}

var segmentPattern = regexp.MustCompile(`^[A-Za-z0-9_][A-Za-z0-9_.:-]*$`)

// segment requires a word that can stand in a path.
func (f *faults) segment(location, value string) {
	f.pattern(location, value, segmentPattern, "may hold only ASCII letters, digits and _ . : -")
}

func (f *faults) pattern(location, value string, pattern *regexp.Regexp, rule string) {
	switch {
	case value == "":
		f.add(location, "is missing")
	case len(value) > maxWord:
		f.add(location, "is longer than %d characters", maxWord)
	case !pattern.MatchString(value):
		f.add(location, "%s", rule)
	}
}

// amount requires a positive number of minor units.
func (f *faults) amount(location string, value int64) {
	if value <= 0 || value > model.MaxAmount {
		f.add(location, "must be between 1 and %d minor units", int64(model.MaxAmount))
	}
}

// currency requires a code that can be paid in.
func (f *faults) currency(location, code string) {
	if _, ok := model.Exponent(code); !ok {
		f.add(location, "is not an ISO 4217 code with a minor unit")
	}
}

// addressPattern is what the HTML standard takes as a valid address: ASCII, no
// quoting, so that addresses can be listed with commas between them.
var addressPattern = regexp.MustCompile("^[a-zA-Z0-9.!#$%&'*+/=?^_`{|}~-]{1,64}@" +
	`[a-zA-Z0-9](?:[a-zA-Z0-9-]{0,61}[a-zA-Z0-9])?(?:\.[a-zA-Z0-9](?:[a-zA-Z0-9-]{0,61}[a-zA-Z0-9])?)*$`)

// address requires the syntax of a mail address.
func (f *faults) address(location, value string) {
	if len(value) > maxAddress || !addressPattern.MatchString(value) {
		f.add(location, "is not a mail address")
	}
}

// moment requires an RFC 3339 time.
func (f *faults) moment(location, value string) time.Time {
	at, err := time.Parse(time.RFC3339, value)
	if err != nil {
		f.add(location, "is not an RFC 3339 time")
	}
	return at
}

// at is the location of an item of a list.
func at(list string, i int, member string) string {
	return list + "/" + strconv.Itoa(i) + member
}
