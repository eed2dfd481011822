package engine

import (
	"encoding/json"
	"fmt"
	"strings"

	"countersign/internal/model"
	"countersign/internal/provider"
	"countersign/internal/store"
)

// comparedAtOnce bounds one transaction of the comparing phase.
const comparedAtOnce = 200

// keepPage keeps one page of a list: what it shows is noted by key, what is
// nothing of ours becomes an orphan, and what differs from its step is to be
// read. The list itself is never evidence. Should the process die before the
// commit, the same page is listed again; after it, the next one.
func (e *Engine) keepPage(tx *store.Tx, s store.Sweep, page provider.Page) error {
	next := s
	next.Cursor, next.Listed, next.Trouble, next.Tries = page.Next, s.Listed+int64(len(page.Items)), "", 0
	if page.Next == "" {
		next.Phase = store.SweepComparing
	}
	moved, err := tx.MoveSweep(s, next)
	if err != nil || !moved {
		return err // another sweeper, or a new question, was faster
	}
	if err := tx.See(seenOf(s, page.Items, tx.Now())); err != nil {
		return err
	}
	known, err := openOrphans(tx, s, page.Items)
	if err != nil {
		return err
	}
	for _, item := range page.Items {
		if err := e.compareListed(tx, s, item, known[plain(item.ID)]); err != nil {
			return fmt.Errorf("object %s: %w", item.ID, err)
		}
	}
	return nil
}

func seenOf(s store.Sweep, items []provider.Listed, now model.Time) []store.SeenObject {
	list := make([]store.SeenObject, len(items))
	for i, item := range items {
		list[i] = store.SeenObject{Provider: s.Provider, Operation: s.Operation, ExternalRef: plain(item.ID), Reference: plain(item.Reference),
			StepKey: item.StepKey, Amount: item.Amount, Currency: plain(item.Currency), Status: plain(item.Status), MadeAt: model.At(item.Created), SeenAt: now}
	}
	return list
}

// plain makes a text from outside storable on every database.
func plain(text string) string {
	return strings.ReplaceAll(strings.ToValidUTF8(text, "\uFFFD"), "\x00", "\uFFFD")
}

// openOrphans gives the page's objects that are open orphans, by their id.
func openOrphans(tx *store.Tx, s store.Sweep, items []provider.Listed) (map[string][]store.Orphan, error) {
	refs := make([]string, len(items))
	for i, item := range items {
		refs[i] = plain(item.ID)
	}
	known := map[string][]store.Orphan{}
	for _, sort := range []string{store.MissingObject, store.UnknownObject} {
		list, err := tx.OpenOrphansOf(sort, s.Provider, s.Operation, refs)
		if err != nil {
			return nil, err
		}
		for _, o := range list {
			known[o.ExternalRef] = append(known[o.ExternalRef], o)
		}
	}
	return known, nil
}

// compareListed compares one listed object with the step that it names or that
// has it.
func (e *Engine) compareListed(tx *store.Tx, s store.Sweep, item provider.Listed, known []store.Orphan) error {
	reference := item.StepKey
	if reference == "" {
		reference = item.Reference
	}
	intent, step, generation, err := tx.FindStep(s.Provider, plain(reference), plain(item.ID))
	if err != nil {
		return err
	}
	if intent == "" {
		return e.foundOrphan(tx, unknownObject(s, item))
	}
	for _, o := range known {
		if err := e.settleFound(tx, o, intent); err != nil {
			return err
		}
	}
	standing, err := tx.StandingStep(intent, step)
	if err != nil || agrees(&standing, item, generation) {
		return err
	}
	return askLook(tx, store.SweepLook{Provider: s.Provider, Operation: s.Operation, ExternalRef: plain(item.ID), IntentID: intent, Step: step,
		Generation: generation, Why: store.LookDiffers, ListedAs: listedAs(item)}, standing.ChangedAt)
}

// listedAs is what a list says of an object, in short.
func listedAs(item provider.Listed) string {
	return plain(fmt.Sprintf("%s %d %s %d", item.Status, item.Amount, item.Currency, item.Returned))
}

// askLook has an object read, unless that was done for the same list and the
// same state of the step already.
func askLook(tx *store.Tx, l store.SweepLook, changed model.Time) error {
	old, ok, err := tx.SweepLook(l.Provider, l.Operation, l.ExternalRef)
	if err != nil {
		return err
	}
	same := old.Why == l.Why && old.ListedAs == l.ListedAs && old.IntentID == l.IntentID && old.Step == l.Step && old.Generation == l.Generation
	if ok && same && (old.DueAt != 0 || old.SettledAt > changed) {
		return nil
	}
	return tx.AskLook(l)
}

// agrees reports whether a listed object is just what its step says, so that
// nobody has to read it. Doubt is no.
func agrees(s *model.Step, item provider.Listed, generation int) bool {
	switch {
	case generation != 0 && generation != s.Generation:
		return item.Phase == provider.Failed // nothing else may stand under a key that was left
	case item.Phase == provider.Failed:
		return s.State == model.FailedSafely
	case s.MovesMoney() && (item.Amount != s.Expected() || item.Currency != s.Currency), item.ID != s.ExternalRef:
		return false
	}
	switch s.State {
	case model.Confirmed:
		return item.Phase == provider.Happened || item.Phase == provider.Taken || item.Phase == provider.CameBack && item.Returned == s.Returned
	case model.InProgress:
		return s.Settling && item.Phase == provider.Settling
	case model.OutcomeUnknown:
		return item.Phase == provider.Settling // known, and asked about until it is final
	}
	return false
}

// unlisted is a place in the comparing phase, as the cursor holds it.
type unlisted struct {
	At  model.Time `json:"at"`
	Ref string     `json:"ref"`
}

// compare looks for objects of confirmed steps that no page of this pass showed,
// and has each asked for by its own id. The last page ends the pass.
func (e *Engine) compare(tx *store.Tx, s store.Sweep, contract model.Contract) error {
	var from unlisted
	if s.Cursor != "" {
		if err := json.Unmarshal([]byte(s.Cursor), &from); err != nil {
			return fmt.Errorf("cursor: %w", err)
		}
	}
	// What we learnt of so lately may not be listed yet.
	before := s.BeganAt.Add(-max(contract.LookupDelay, contract.SettleDelay, 0))
	list, err := tx.UnlistedObjects(s.Provider, s.Operation, s.Since, before, s.BeganAt, store.Unlisted{At: from.At, ExternalRef: from.Ref}, comparedAtOnce)
	if err != nil {
		return err
	}
	next := s
	if len(list) == comparedAtOnce {
		last := list[len(list)-1]
		raw, err := json.Marshal(unlisted{last.At, last.ExternalRef})
		if err != nil {
			return err
		}
		next.Cursor = string(raw)
	} else {
		next = e.finished(s, tx.Now())
	}
	moved, err := tx.MoveSweep(s, next)
	if err != nil || !moved {
		return err
	}
	for _, u := range list {
		if err := e.askMissing(tx, s, u); err != nil {
			return err
		}
	}
	if next.Phase != store.SweepIdle {
		return nil
	}
	return tx.ForgetSeen(s.Provider, s.Operation, s.Since.Add(-model.SweepBehind), 10*comparedAtOnce)
}

// finished is the sweep after a whole pass.
func (e *Engine) finished(s store.Sweep, now model.Time) store.Sweep {
	e.Logger.Info("swept", "provider", s.Provider, "operation", s.Operation, "since", s.Since, "listed", s.Listed)
	next := s
	next.Phase, next.Cursor = store.SweepIdle, ""
	next.DoneSince, next.DoneBegan, next.DoneAt = s.Since, s.BeganAt, now
	next.BeganAt, next.Since, next.DueAt = 0, 0, 0
	if e.Timing.Sweep > 0 {
		next.DueAt = now.Add(e.Timing.Sweep)
	}
	return next
}

// askMissing has an object asked for that no list shows; one that the provider
// shows by its id is not asked for again for a day.
func (e *Engine) askMissing(tx *store.Tx, s store.Sweep, u store.Unlisted) error {
	standing, err := tx.StandingStep(u.IntentID, u.Step)
	if err != nil {
		return err
	}
	changed := max(standing.ChangedAt, tx.Now().Add(-model.SweepBehind))
	return askLook(tx, store.SweepLook{Provider: s.Provider, Operation: s.Operation, ExternalRef: u.ExternalRef, IntentID: u.IntentID,
		Step: u.Step, Why: store.LookMissing}, changed)
}

// unknownObject is a listed object that is nothing of ours.
func unknownObject(s store.Sweep, item provider.Listed) store.Orphan {
	o := store.Orphan{Sort: store.UnknownObject, Provider: s.Provider, Operation: s.Operation, ExternalRef: plain(item.ID),
		Reference: plain(item.Reference), Amount: item.Amount, Currency: plain(item.Currency), Status: plain(item.Status),
		MadeAt: model.At(item.Created), FoundBy: store.BySweep}
	o.NamedIntent, _, _, _ = model.SplitStepKey(item.StepKey)
	return o
}

// foundOrphan keeps an orphan and says so aloud, once.
func (e *Engine) foundOrphan(tx *store.Tx, o store.Orphan) error {
	fresh, err := e.Log.FindOrphan(tx, &o, e.actor())
	if err != nil || !fresh {
		return err
	}
	e.Logger.Warn("orphan found", "orphan", o.ID, "sort", o.Sort, "provider", o.Provider, "operation", o.Operation, "ref", o.ExternalRef, "by", o.FoundBy)
	return nil
}

// settleFound settles an orphan whose other side has turned up: the intent that
// the object belongs to, or the object of an intent.
func (e *Engine) settleFound(tx *store.Tx, o store.Orphan, intent string) error {
	note := "Taken by the intent that its reference names."
	if o.Sort == store.MissingObject {
		note = "The provider shows the object again."
	}
	_, err := e.Log.SettleOrphan(tx, o, e.actor(), note, intent)
	return err
}
