package store

import "countersign/internal/model"

// BulkFilter picks lists that people were asked to sign. Accounts are those that
// the reader sees; State "" is every state.
type BulkFilter struct {
	Accounts []string
	State    model.ApprovalState
	From     ApprovalMark // zero is from the newest
	Limit    int
}

// BulkRequests gives the requests about lists, the newest first, with what
// people said and without their items.
func (t *Tx) BulkRequests(f BulkFilter) (list []model.Bulk, err error) {
	where, args := f.where(t.now)
	if f.From.ID != "" {
		where, args = where+" AND (used_at < ? OR used_at = ? AND id < ?)", append(args, f.From.CreatedAt, f.From.CreatedAt, f.From.ID)
	}
	err = t.Select(&list, "SELECT * FROM bulks WHERE "+where+" ORDER BY used_at DESC, id DESC LIMIT ?", append(args, f.Limit)...)
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
