package provider

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"countersign/internal/model"
)

// unknownFact is how a contracts file says that the provider does not publish a
// fact. It takes the careful default.
const unknownFact = "?"

const (
	// carefulKeyLength and carefulAlphabet are for keys whose rule is not known:
	// the shortest limit that providers publish, and what all of them take.
	carefulKeyLength = 36
	carefulAlphabet  = "[0-9A-Za-z]"
)

// statement is one fact as a file states it, and where.
type statement struct {
	value any
	at    string
}

// facts are all statements about one operation. Reading one marks it; what is
// left over at the end is a fault, as is one that is missing.
type facts struct {
	at     string // where the operation is begun
	said   map[string]statement
	read   map[string]bool
	faults []model.Field
}

func (f *facts) wrong(location, format string, args ...any) {
	f.faults = append(f.faults, model.Field{Location: location, Message: fmt.Sprintf(format, args...)})
}

// where gives the place of a fact, be it stated or not.
func (f *facts) where(name string) string {
	if s, ok := f.said[name]; ok {
		return s.at
	}
	return f.at + "." + name
}

// take gives what is stated; known is false for "?" and for what is missing,
// which is a fault.
func (f *facts) take(name string) (value any, known bool) {
	f.read[name] = true
	s, ok := f.said[name]
	if !ok {
		f.wrong(f.where(name), `is missing: state it, or "?" where it is not known`)
		return nil, false
	}
	return s.value, s.value != unknownFact
}

// text reads words; "?" is "".
func (f *facts) text(name string) string {
	value, known := f.take(name)
	if !known {
		return ""
	}
	words, ok := value.(string)
	if !ok || strings.TrimSpace(words) == "" {
		f.wrong(f.where(name), "is not a text")
	}
	return words
}

// choice reads one of some words, and gives what "none" stands for as "".
func (f *facts) choice(name string, words ...string) string {
	word := f.text(name)
	if word != "" && !slices.Contains(words, word) {
		f.wrong(f.where(name), "is none of %s", strings.Join(words, ", "))
	}
	return strings.TrimPrefix(word, "none")
}

// span reads a length of time.
func (f *facts) span(name string) (d time.Duration, known bool) {
	value, known := f.take(name)
	if !known {
		return 0, false
	}
	words, _ := value.(string)
	d, err := time.ParseDuration(words)
	if err != nil || d < 0 {
		f.wrong(f.where(name), `is not a length of time such as "24h"`)
		return 0, false
	}
	return d, true
}

// yes reads true or false; "?" is false.
func (f *facts) yes(name string) bool {
	value, known := f.take(name)
	is, ok := value.(bool)
	if known && !ok {
		f.wrong(f.where(name), "is neither true nor false")
	}
	return is
}

// number reads a number of bytes; "?" is the careful one.
func (f *facts) number(name string, careful int) int {
	value, known := f.take(name)
	if !known {
		return careful
	}
	n, ok := value.(int64)
	if !ok || n < 0 || n > 10_000 {
		f.wrong(f.where(name), "is not a number from 0 to 10000")
	}
	return int(n)
}

// words reads a list of texts; "?" is none.
func (f *facts) words(name string) []string {
	value, known := f.take(name)
	if !known {
		return nil
	}
	list, ok := value.([]any)
	var words []string
	for _, item := range list {
		word, isText := item.(string)
		ok = ok && isText && word != ""
		words = append(words, word)
	}
	if !ok {
		f.wrong(f.where(name), "is not a list of texts")
	}
	return words
}

// day reads a date, quoted or not. It cannot be unknown.
func (f *facts) day(name string) string {
	value, _ := f.take(name)
	if at, ok := value.(time.Time); ok {
		return at.Format(time.DateOnly)
	}
	day, _ := value.(string)
	return day
}

// contract reads everything about the operation. Which facts there must be
// follows from those read before: a key has a rule, a settlement has a limit.
func (f *facts) contract() model.Contract {
	c := model.Contract{
		Source: f.text("source"), Checked: f.day("checked"),
		Carrier: f.carrier(), OnRepeat: f.text("on_repeat"),
		ThrottleCodes: f.words("throttle_codes"), CurableCodes: f.words("curable_codes"),
	}
	if c.Stored = model.StoredNothing; c.Keyed() {
		f.keys(&c)
	}
	f.search(&c)
	if c.Settles = f.choice("settlement", "at once", "later") != "at once"; c.Settles {
		c.SettleLimit, _ = f.span("settle_limit")
		c.LearnedBy = f.text("learned_by")
	}
	if c.Undo = f.choice("undo", append(Operations(), "none")...); c.Undo != "" {
		f.undo(&c)
	}
	f.check(c)
	return c
}

// carrier is how the key travels; "" where there is none, or none that is known.
func (f *facts) carrier() string {
	carrier := f.text("carrier")
	kind, name, _ := strings.Cut(carrier, " ")
	switch {
	case carrier == "", carrier == "none":
		return ""
	case (kind == "header" || kind == "body" || kind == "resource") && name != "":
		return carrier
	}
	f.wrong(f.where("carrier"), `is neither "none" nor "header NAME", "body FIELD" or "resource id"`)
	return carrier
}

// keys reads what is promised of keys.
func (f *facts) keys(c *model.Contract) {
	c.KeyRule = model.WireKeyRule{MinLen: f.number("key_min", 0), MaxLen: f.number("key_max", carefulKeyLength),
		Alphabet: f.alphabet(), Form: f.choice("key_form", "none", model.FormUUID)}
	c.Scope = f.text("scope")
	c.Retention, _ = f.span("retention")
	c.RetentionFrom = model.RetentionClock(f.choice("retention_from", string(model.FromFirstSend), string(model.FromCompletion)))
	if stored := f.choice("stored", string(model.StoredAll), string(model.StoredSuccesses), string(model.StoredNothing)); stored != "" {
		c.Stored = model.Stored(stored)
	}
	c.ActsAreStored = f.yes("acts_are_stored")
	c.ReplayMarker = strings.TrimPrefix(f.text("replay_marker"), "none")
	c.OtherParams, c.InFlight = f.text("other_params"), f.text("in_flight")
	c.StoredCodes = f.words("stored_codes")
}

func (f *facts) alphabet() string {
	value, known := f.take("key_alphabet")
	if !known {
		return carefulAlphabet
	}
	class, ok := value.(string)
	if !ok {
		f.wrong(f.where("key_alphabet"), `is not a class of characters such as "[0-9a-z]"`)
	}
	return class
}

// search reads how an effect is found again. Where one of the waits is not
// known, "not found" is never final; and where the provider may work on a call
// for nobody knows how long, no margin holds, so that nothing is sent again.
func (f *facts) search(c *model.Contract) {
	var callKnown, delayKnown, settleKnown bool
	c.LongestCall, callKnown = f.span("longest_call")
	c.SettleDelay, settleKnown = f.span("settle_delay")
	c.Lookup, delayKnown = model.LookupNone, true
	if way := f.choice("lookup", "none", string(model.LookupReference), string(model.LookupKey), string(model.LookupCompare)); way != "" {
		c.Lookup = model.Lookup(way)
		c.LookupDelay, delayKnown = f.span("lookup_delay")
	}
	if !callKnown || !delayKnown || !settleKnown {
		c.SettleDelay = -1
	}
	c.ActsAreStored = c.ActsAreStored && callKnown
}

// undo reads when an effect can be undone.
func (f *facts) undo(c *model.Contract) {
	if s := f.said["undo_limit"]; s.value == "none" {
		f.read["undo_limit"] = true
	} else {
		c.UndoLimit, _ = f.span("undo_limit")
	}
	c.UndoStates = f.words("undo_states")
	c.UndoBefore = f.yes("undo_while_settling")
}

// check adds what the contract contradicts, and what is stated and says nothing.
func (f *facts) check(c model.Contract) {
	for _, fault := range c.Faults() {
		if at := f.where(fault.Location); !slices.ContainsFunc(f.faults, func(m model.Field) bool { return m.Location == at }) {
			f.wrong(at, "%s", fault.Message)
		}
	}
	for name, s := range f.said {
		if !f.read[name] {
			f.wrong(s.at, "is no fact of a contract, or not of one that says what this one does of carrier, lookup, settlement and undo")
		}
	}
}
