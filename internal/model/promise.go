package model

import (
	"fmt"
	"slices"
	"time"
)

// Faults are what is wrong with a contract by itself: a promise without its
// source, one that contradicts another, a key rule that no key can keep. Nil is
// sound. The locations are the names of the facts in a contracts file.
func (c Contract) Faults() []Field {
	var faults []Field
	wrong := func(isSo bool, location, message string) {
		if isSo {
			faults = append(faults, Field{Location: location, Message: message})
		}
	}
	wrong(c.Source == "", "source", "is missing: say where the promise is written down")
	_, err := time.Parse(time.DateOnly, c.Checked)
	wrong(err != nil, "checked", "is not a day such as 2026-11-29")
	wrong(c.LongestCall < 0, "longest_call", "is negative")
	wrong(c.Retention < 0, "retention", "is negative")
	wrong(c.LookupDelay < 0, "lookup_delay", "is negative")
	wrong(!slices.Contains([]Lookup{"", LookupNone, LookupReference, LookupKey, LookupCompare}, c.Lookup), "lookup", "is none of none, reference, key, compare")
	wrong(c.SettleLimit < 0, "settle_limit", "is negative")
	wrong(!c.Settles && c.SettleLimit > 0, "settle_limit", "is for what is final later, and this is final at once")
	wrong(c.UndoLimit < 0, "undo_limit", "is negative")
	wrong(c.Undo == "" && (c.UndoBefore || c.UndoLimit > 0 || len(c.UndoStates) > 0), "undo", "names no operation, but when it can be undone is said")
	wrong(c.Lookup == LookupKey && !c.Keyed(), "lookup", "is by key, and the operation takes none")
	return append(faults, c.keyFaults()...)
}

// keyFaults are those of the promises about keys.
func (c Contract) keyFaults() []Field {
	var faults []Field
	wrong := func(isSo bool, location, message string) {
		if isSo {
			faults = append(faults, Field{Location: location, Message: message})
		}
	}
	wrong(!slices.Contains([]Stored{"", StoredAll, StoredSuccesses, StoredNothing}, c.Stored), "stored", "is none of all, successes, nothing")
	wrong(!slices.Contains([]RetentionClock{"", FromFirstSend, FromCompletion}, c.RetentionFrom), "retention_from", "is neither first_send nor completion")
	if !c.Keyed() {
		wrong(c.ActsAreStored || len(c.StoredCodes) > 0 || c.Retention > 0, "carrier", "is none, but something is promised of a key")
		return faults
	}
	wrong(c.ActsAreStored && c.Stored != StoredAll, "acts_are_stored", "contradicts what is stored, which is not all")
	wrong(len(c.StoredCodes) > 0 && c.Stored != StoredAll, "stored_codes", "names refusals, but only what is stored all can hold them")
	if err := c.KeyRule.Validate(); err != nil {
		faults = append(faults, Field{Location: "key", Message: err.Error()})
	}
	return faults
}

// Follows says in sentences what follows from the contract for what becomes
// unknown, and for undoing. call is our own limit on one call.
func (c Contract) Follows(call time.Duration) []string {
	list := []string{c.resendWords(call), c.searchWords()}
	if !c.Keyed() && !c.Queryable() {
		list = append(list, "With neither key nor look-up, whatever becomes unknown waits for a person, who marks it with a document.")
	}
	return append(list, c.undoWords())
}

func (c Contract) resendWords(call time.Duration) string {
	switch {
	case !c.Keyed():
		return "It takes no key: what is unknown is never sent again before evidence that it did not happen."
	case !c.ActsAreStored:
		return "A request that acted may not be kept under its key: nothing is sent again while unknown."
	case c.Retention <= 0:
		return "How long a key is remembered is not known: nothing is sent again while unknown."
	case c.ResendFor(call) == 0:
		return fmt.Sprintf("A key is remembered for %s and the margin takes %s: it is never re-sent while unknown.", Lasting(c.Retention), Lasting(c.Margin(call)))
	}
	return fmt.Sprintf("While unknown, the same request may be sent again for %s after its first send: a key is remembered for %s, less a margin of %s.",
		Lasting(c.ResendFor(call)), Lasting(c.Retention), Lasting(c.Margin(call)))
}

func (c Contract) searchWords() string {
	switch {
	case !c.Queryable():
		return "It cannot be asked about an effect: only its webhooks and documents tell."
	case !c.NotFoundCanBeFinal():
		return "It can be asked, but a look-up that finds nothing never proves that nothing happened."
	}
	return fmt.Sprintf("It can be asked: a look-up that finds nothing is final %s after the last possible send.",
		Lasting(c.LongestCall+max(c.SettleDelay, c.LookupDelay)))
}

func (c Contract) undoWords() string {
	if c.Undo == "" {
		return "The provider has no way to undo it."
	}
	words := "It is undone by " + c.Undo
	if c.UndoLimit > 0 {
		words += " until " + Lasting(c.UndoLimit) + " after it was confirmed"
	}
	if c.UndoBefore {
		words += ", also while it is settling"
	}
	return words + "."
}

// Lasting says a length of time as people read it, in its two largest units.
func Lasting(d time.Duration) string {
	if d > 0 && d < time.Second {
		return fmt.Sprintf("%d ms", d.Milliseconds())
	}
	d = d.Round(time.Second)
	h, m, s := int(d.Hours()), int(d.Minutes())%60, int(d.Seconds())%60
	switch {
	case h >= 48:
		return fmt.Sprintf("%d days", h/24)
	case h > 0 && m > 0:
		return fmt.Sprintf("%d h %d min", h, m)
	case h > 0:
		return fmt.Sprintf("%d h", h)
	case m > 0 && s > 0:
		return fmt.Sprintf("%d min %d s", m, s)
	case m > 0:
		return fmt.Sprintf("%d min", m)
	}
	return fmt.Sprintf("%d s", s)
}
