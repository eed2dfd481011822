package audit

import (
	"cmp"

	"countersign/internal/alert"
	"countersign/internal/model"
	"countersign/internal/store"
)

// SettleOrphan records who settled an orphan and why, with its entry, and ends its alert; takenBy is
// the intent that it turned out to belong to, or "". settled is false where that
// was done before, and then nothing is written.
func (l *Log) SettleOrphan(tx *store.Tx, o store.Orphan, by Actor, note, takenBy string) (settled bool, err error) {
	settled, err = tx.SettleOrphan(o.ID, by.ID, by.Name, note, takenBy)
	if err != nil || !settled {
		return false, err
	}
	if o, err = tx.Orphan(o.ID); err != nil { // its account may be known now
		return false, err
	}
	if err := alert.End(tx, orphanCause(o), note); err != nil {
		return false, err
	}
	result := "settled"
	if takenBy != "" {
		result = "taken"
	}
	_, err = l.Append(tx, Entry{Actor: by, Event: "orphan.settled", Account: o.Account, Intent: cmp.Or(takenBy, o.IntentID), Reason: note, Result: result,
		Detail: orphanDetail(o)})
	return true, err
}

// FindOrphan keeps a new orphan with its entry and its alert; fresh is false where it is known
// already, and then nothing is written.
func (l *Log) FindOrphan(tx *store.Tx, o *store.Orphan, by Actor) (fresh bool, err error) {
	if fresh, err = tx.FindOrphan(o); err != nil || !fresh {
		return false, err
	}
	if err := alert.Raise(tx, alert.Cause{Key: orphanCause(*o), Kind: alert.Orphan, Account: o.Account, Intent: o.IntentID, Step: o.Step,
		Text: orphanText(*o)}); err != nil {
		return false, err
	}
	_, err = l.Append(tx, Entry{Actor: by, Event: "orphan.found", Account: o.Account, Intent: o.IntentID, Result: o.Sort, Detail: orphanDetail(*o)})
	return true, err
}

// TakeOrphans settles what stood alone under a new intent's keys, and makes the
// steps that such an object is about unknown, so that they are asked about and
// not sent. It reports whether there was anything; the stored case is then the
// one to read.
func (l *Log) TakeOrphans(tx *store.Tx, intent string, by Actor, t model.Timing) (taken bool, err error) {
	orphans, err := tx.OpenOrphansNaming(intent)
	if err != nil || len(orphans) == 0 {
		return false, err
	}
	c, err := tx.LockCase(intent)
	if err != nil {
		return false, err
	}
	for _, o := range orphans {
		if _, err := l.SettleOrphan(tx, o, by, "Taken by the intent that its reference names.", c.ID); err != nil {
			return false, err
		}
		for _, s := range c.Steps {
			if s.Provider != o.Provider || s.Operation != o.Operation {
				continue
			}
			if _, err := c.FoundBefore(s, o.ExternalRef, tx.NewID("ev"), by.Name, t, 0, tx.Now()); err != nil {
				return false, err
			}
		}
	}
	return true, l.Record(tx, c, by, t)
}

// orphanCause names the alert of an orphan.
func orphanCause(o store.Orphan) string { return "orphan:" + o.ID }

// orphanText is the sentence of its alert. Where nobody can tell whose object it
// is, it names neither the object nor an amount: more people read alerts than
// may see it.
func orphanText(o store.Orphan) string {
	if o.Sort == store.MissingObject {
		return "The provider " + o.Provider + " does not know " + o.ExternalRef + ", by which " + o.Step + " is confirmed here."
	}
	return "The provider " + o.Provider + " has an object that no intent here explains; it is listed among the orphans."
}

func orphanDetail(o store.Orphan) map[string]any {
	return map[string]any{"orphan": o.ID, "provider": o.Provider, "operation": o.Operation, "ref": o.ExternalRef, "found_by": o.FoundBy}
}
