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
	result, err := t.tx.NamedExecContext(t.ctx, "INSERT INTO approvals ("+approvalColumns+") VALUES ("+named(approvalColumns)+") ON CONFLICT DO NOTHING", a)
	if err != nil {
		return err
	}
	n, err := result.RowsAffected()
	if err == nil && n == 0 {
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

// Approval finds a request with its decisions; the error is of kind NotFound.
func (t *Tx) Approval(id string) (a model.Approval, err error) {
	ok, err := t.Get(&a, "SELECT * FROM approvals WHERE id = ?", id)
	if err != nil {
		return a, err
	}
	if !ok {
		return a, model.Errorf(model.NotFound, "not-found", "There is no approval request %s, or it is not yours to see.", id)
	}
	return a, t.decisions(&a)
}

func (t *Tx) decisions(a *model.Approval) error {
	return t.Select(&a.Decisions, "SELECT * FROM approval_decisions WHERE approval_id = ? ORDER BY at, person", a.ID)
}
