package store

import (
	"countersign/internal/model"
)

const approvalColumns = `id, state, action, intent_id, account, step, preview_id, digest, plan, input, reason, requested_by,
	requester_name, needed, created_at, expires_at, closed_at, closed_because, version`

// OpenApproval stores a new request for signatures. The caller has locked the
// intent, and adds the request to the loaded case. The error is of kind Conflict
// where another request about the intent is open.
func (t *Tx) OpenApproval(a model.Approval) error {
	inserted, err := t.InsertNew("approvals", approvalColumns, a)
	if err == nil && !inserted {
		return model.Errorf(model.Conflict, "action-refused", "Another approval request about this intent is open; it must be decided or withdrawn first.").
			With("rule", "approval.open").With("because", "Another approval request about this intent is open.")
	}
	return err
}

// CloseApproval moves an open request to its end, in the database and on the
// loaded case. The error is of kind Stale where it is not open any more.
func (t *Tx) CloseApproval(c *model.Case, id string, to model.ApprovalState, because string) error {
	n, err := t.Changed("UPDATE approvals SET state = ?, closed_at = ?, closed_because = ? WHERE id = ? AND state = 'open'", to, t.now, because, id)
	if err == nil && n != 1 {
		return model.Errorf(model.Stale, "approval-closed", "The approval request %s is not open any more.", id)
	}
	if r := c.Request(id); r != nil && err == nil {
		r.State, r.ClosedAt, r.ClosedBecause = to, t.now, because
	}
	return err
}

// InsertDecision records one person's word on a request; a person has one. The
// error is of kind Conflict where they have spoken already.
func (t *Tx) InsertDecision(d model.ApprovalDecision) error {
	n, err := t.Changed(`INSERT INTO approval_decisions (approval_id, person, name, says, reason, at) VALUES (?, ?, ?, ?, ?, ?)
		ON CONFLICT DO NOTHING`, d.ApprovalID, d.Person, d.Name, d.Says, d.Reason, d.At)
	if err == nil && n == 0 {
		return model.Errorf(model.Conflict, "approval-closed", "You have already decided on this.")
	}
	return err
}

// KeepReceipt keeps the answer to a decision, so that a repeat gets the same.
func (t *Tx) KeepReceipt(approval, person string, receipt []byte) error {
	_, err := t.Exec("UPDATE approval_decisions SET receipt = ? WHERE approval_id = ? AND person = ?", receipt, approval, person)
	return err
}

// Approval finds a request with its decisions; the error is of kind NotFound.
func (t *Tx) Approval(id string) (a model.Approval, err error) {
	if a, err = t.ApprovalRow(id); err != nil {
		return a, err
	}
	list := []model.Approval{a}
	err = t.AddDecisions(list)
	return list[0], err
}

// ApprovalRow is Approval without the decisions.
func (t *Tx) ApprovalRow(id string) (a model.Approval, err error) {
	ok, err := t.Get(&a, "SELECT * FROM approvals WHERE id = ?", id)
	if err == nil && !ok {
		err = model.Errorf(model.NotFound, "not-found", "There is no approval request %s, or it is not yours to see.", id)
	}
	return a, err
}

// AddDecisions reads the decisions on requests, in one statement.
func (t *Tx) AddDecisions(list []model.Approval) error {
	if len(list) == 0 {
		return nil
	}
	ids, at := make([]string, len(list)), map[string]int{}
	for i, a := range list {
		ids[i], at[a.ID] = a.ID, i
	}
	var rows []model.ApprovalDecision
	err := t.Select(&rows, "SELECT * FROM approval_decisions WHERE approval_id IN ("+marks(padded(len(ids)))+") ORDER BY at, person", pad(ids)...)
	for _, d := range rows {
		a := &list[at[d.ApprovalID]]
		a.Decisions = append(a.Decisions, d)
	}
	return err
}

// ApprovalFilter picks approval requests. Accounts are those that the reader
// sees; State "" is every state.
type ApprovalFilter struct {
	Accounts []string
	State    model.ApprovalState
	Signer   string       // person id: only what they may sign by themselves, the soonest ending first; State is then open
	After    ApprovalMark // zero is from the first
	Limit    int
}

// How a filter finds requests, about one intent or about many, by whether their
// time is over.
const (
	stillOpen = " AND state = 'open' AND expires_at > ?"
	expiredBy = " AND state IN ('open', 'expired') AND (state = 'expired' OR expires_at <= ?)"
)

// ApprovalMark is the place of a request in its list: when it was made, or of
// those for a signer when it ends.
type ApprovalMark struct {
	At model.Time
	ID string
}

// paged completes a condition with a place in the list and the list's order: the
// newest first by a column, or for a signer the soonest ending.
func paged(where string, args []any, after ApprovalMark, made, signer string, limit int) (string, []any) {
	column, beyond, direction := made, "<", " DESC"
	if signer != "" {
		column, beyond, direction = "expires_at", ">", ""
	}
	if after.ID != "" {
		where += " AND (" + column + ", id) " + beyond + " (?, ?)"
		args = append(args, after.At, after.ID)
	}
	return where + " ORDER BY " + column + direction + ", id" + direction + " LIMIT ?", append(args, limit)
}

// Approvals lists requests, the newest first, without their decisions.
func (t *Tx) Approvals(f ApprovalFilter) ([]model.Approval, error) {
	where, args := f.where(t.now)
	where, args = paged(where, args, f.After, "created_at", f.Signer, f.Limit)
	var list []model.Approval
	err := t.Select(&list, "SELECT * FROM approvals WHERE "+where, args...)
	return list, err
}

// CountApprovals counts what the filter picks, wherever the page begins; capped
// says that there are more than the 10,000 that are counted.
func (t *Tx) CountApprovals(f ApprovalFilter) (n int, capped bool, err error) {
	where, args := f.where(t.now)
	_, err = t.Get(&n, "SELECT count(*) FROM (SELECT 1 FROM approvals WHERE "+where+" LIMIT ?) AS part", append(args, MaxCount+1)...)
	return min(n, MaxCount), n > MaxCount, err
}

// where is the filter as a condition; nobody's accounts pick nothing, and an open
// request whose time is over is an expired one, before anybody wrote that down.
func (f ApprovalFilter) where(now model.Time) (condition string, args []any) {
	if len(f.Accounts) == 0 {
		return "1 = 0", nil
	}
	condition, args = "account IN ("+marks(len(f.Accounts))+")", anys(f.Accounts)
	if f.Signer != "" {
		return condition + stillOpen + ` AND requested_by <> ? AND NOT EXISTS (SELECT 1 FROM intents i WHERE i.id = approvals.intent_id AND i.creator = ?)
			AND NOT EXISTS (SELECT 1 FROM approval_decisions d WHERE d.approval_id = approvals.id AND d.person = ?)`, append(args, now, f.Signer, f.Signer, f.Signer)
	}
	switch f.State {
	case "":
		return condition, args
	case model.ApprovalOpen:
		return condition + stillOpen, append(args, now)
	case model.ApprovalExpired:
		return condition + expiredBy, append(args, now)
	}
	return condition + " AND state = ?", append(args, f.State)
}
