package store

import "countersign/internal/model"

// BulkFilter picks lists that people were asked to sign. Accounts are those that
// the reader sees; State "" is every state.
type BulkFilter struct {
	Accounts []string
	State    model.ApprovalState
	Signer   string       // as of ApprovalFilter
	From     ApprovalMark // zero is from the first
	Limit    int
}

// BulkRequests gives the requests about lists, the newest first, with what
// people said and without their items.
func (t *Tx) BulkRequests(f BulkFilter) (list []model.Bulk, err error) {
	where, args := f.where(t.now)
	where, args = paged(where, args, f.From, "used_at", f.Signer, f.Limit)
	err = t.Select(&list, "SELECT * FROM bulks WHERE "+where, args...)
	return list, err
}

// CountBulkRequests counts what the filter picks, wherever its page begins.
func (t *Tx) CountBulkRequests(f BulkFilter) (Counted, error) {
	where, args := f.where(t.now)
	return t.counted("SELECT count(*) FROM (SELECT 1 FROM bulks WHERE "+where+" LIMIT ?) AS part", append(args, MaxCount+1)...)
}

// bulkStates are the states of lists that a state of requests means; open and
// expired are told apart by the time too.
var bulkStates = map[model.ApprovalState][]string{
	model.ApprovalExecuted:  {string(model.BulkRunning), string(model.BulkDone)},
	model.ApprovalRejected:  {string(model.BulkRejected)},
	model.ApprovalWithdrawn: {string(model.BulkWithdrawn)},
	model.ApprovalDismissed: {string(model.BulkDismissed)},
}

func (f BulkFilter) where(now model.Time) (condition string, args []any) {
	if len(f.Accounts) == 0 {
		return "1 = 0", nil
	}
	condition, args = "people > 1 AND used_at > 0 AND account IN ("+marks(len(f.Accounts))+")", anys(f.Accounts)
	if f.Signer != "" {
		return condition + stillOpen + ` AND actor <> ? AND ',' || creators || ',' NOT LIKE ?
			AND NOT EXISTS (SELECT 1 FROM bulk_decisions d WHERE d.bulk_id = bulks.id AND d.person = ?)`, append(args, now, f.Signer, "%,"+f.Signer+",%", f.Signer)
	}
	switch f.State {
	case "":
		return condition, args
	case model.ApprovalOpen:
		return condition + stillOpen, append(args, now)
	case model.ApprovalExpired:
		return condition + expiredBy, append(args, now)
	}
	states := bulkStates[f.State]
	if len(states) == 0 {
		return "1 = 0", nil
	}
	return condition + " AND state IN (" + marks(len(states)) + ")", append(args, anys(states)...)
}
