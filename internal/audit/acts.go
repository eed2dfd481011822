package audit

import "countersign/internal/store"

// acts selects what people did about an intent that nothing but the log tells:
// orders to the engine, what was refused, who took it, notes. What was asked for,
// signed or marked has left a row of its own. The index audit_entries_people holds
// only people's entries of intents, and must be told so in these words.
const acts = ` FROM audit_entries e LEFT JOIN audit_log g ON g.entry_id = e.id
	WHERE e.intent_id = ? AND e.intent_id <> '' AND e.actor > 'person-' AND e.actor < 'person.'
	AND (e.event IN ('owner.taken', 'owner.released', 'owner.handed_over', 'note.written') OR e.event LIKE 'action.%'
		AND e.event NOT LIKE 'action.%.requested' AND e.event NOT IN ('action.approve_intent.executed', 'action.mark_external_result.executed'))`

// Acts gives the newest entries of what people did about an intent that only the
// log tells, newest first, those without a number included. Whether the intent may
// be seen is the caller's question.
func (l *Log) Acts(tx *store.Tx, intent string, limit int) ([]Item, error) {
	return l.items(tx, "SELECT "+foundColumns+acts+" ORDER BY e.id DESC LIMIT ?", intent, limit)
}

// CountActs counts what Acts selects, up to store.MaxCount.
func (l *Log) CountActs(tx *store.Tx, intent string) (c store.Counted, err error) {
	_, err = tx.Get(&c.N, "SELECT count(*) FROM (SELECT 1"+acts+" LIMIT ?) AS done", intent, store.MaxCount+1)
	if c.Capped = c.N > store.MaxCount; c.Capped {
		c.N = store.MaxCount
	}
	return c, err
}
