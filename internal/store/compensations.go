package store

import "countersign/internal/model"

// InsertCompensation records that a step is going to be undone. It fails with
// kind Conflict where one is asked for, open or done already.
func (t *Tx) InsertCompensation(k model.Compensation) error {
	n, err := t.Changed(`INSERT INTO compensations (id, intent_id, step, generation, approval_id, child_id, state, asked_at)
		VALUES (?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT DO NOTHING`,
		k.ID, k.IntentID, k.Step, k.Generation, k.ApprovalID, k.ChildID, k.State, k.AskedAt)
	if err == nil && n == 0 {
		return model.Errorf(model.Conflict, "action-refused", "A compensation of %s is asked for, open or done already.", k.Step)
	}
	return err
}

// MoveCompensation moves the compensation that child carries out, in the
// database and on the loaded parent; changed is false where it stands there already.
func (t *Tx) MoveCompensation(parent *model.Case, child string, to model.CompensationState) (changed bool, err error) {
	for i := range parent.Compensations {
		k := &parent.Compensations[i]
		if k.ChildID != child || k.State == to {
			continue
		}
		if _, err := t.Exec("UPDATE compensations SET state = ? WHERE id = ?", to, k.ID); err != nil {
			return false, err
		}
		k.State, changed = to, true
		parent.Version++
	}
	return changed, nil
}

// SettleAsked moves a compensation that was asked for: approved it becomes open
// under child, otherwise it is withdrawn and the parent may go on.
func (t *Tx) SettleAsked(parent *model.Case, approval, child string, to model.CompensationState) error {
	for i := range parent.Compensations {
		k := &parent.Compensations[i]
		if k.ApprovalID != approval || k.State != model.CompensationAsked {
			continue
		}
		if _, err := t.Exec("UPDATE compensations SET state = ?, child_id = ? WHERE id = ?", to, child, k.ID); err != nil {
			return err
		}
		k.State, k.ChildID = to, child
		parent.Version++
	}
	return nil
}
