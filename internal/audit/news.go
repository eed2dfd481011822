package audit

import (
	"countersign/internal/model"
	"countersign/internal/store"
)

// News is what a numbered entry is about: enough to tell whoever looks at it
// that something has changed.
type News struct {
	Index   int64      `db:"idx"`
	At      model.Time `db:"at"`
	Event   string     `db:"event"`
	Account string     `db:"account"`   // "" is the installation itself
	Intent  string     `db:"intent_id"` // "" is none
}

const newsColumns = "idx, at, event, account, intent_id"

// News lists what was numbered behind an index, in order, of all accounts; the
// caller keeps them apart. Limit bounds the list.
func (l *Log) News(tx *store.Tx, after int64, limit int) (list []News, err error) {
	err = tx.Select(&list, "SELECT "+newsColumns+" FROM audit_log WHERE idx > ? ORDER BY idx LIMIT ?", after, limit)
	return list, err
}

// Latest lists the newest numbered entries of all accounts, the newest first.
func (l *Log) Latest(tx *store.Tx, limit int) (list []News, err error) {
	err = tx.Select(&list, "SELECT "+newsColumns+" FROM audit_log ORDER BY idx DESC LIMIT ?", limit)
	return list, err
}
