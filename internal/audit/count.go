package audit

import "countersign/internal/store"

// Count counts the numbered entries that a filter selects, at most limit.
func (l *Log) Count(tx *store.Tx, f Filter, limit int) (n int, err error) {
	where, args := f.where()
	_, err = tx.Get(&n, "SELECT count(*) FROM (SELECT 1 FROM audit_log g WHERE "+where+" LIMIT ?) AS matching", append(args, limit)...)
	return n, err
}
