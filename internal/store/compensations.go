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
// database and on the loaded parent.
func (t *Tx) MoveCompensation(parent *model.Case, child string, to model.CompensationState) error {
	for i := range parent.Compensations {
		k := &parent.Compensations[i]
		if k.ChildID != child || k.State == to || to.Standing() && supplanted(parent, k) {
			continue
		}
		if _, err := t.Exec("UPDATE compensations SET state = ? WHERE id = ?", to, k.ID); err != nil {
			return err
		}
		k.State = to
		parent.Version++
	}
	return nil
}

// supplanted reports whether another compensation of the same step stands: then
// an ended one stays ended, and what came late shows as its own intent's conflict.
func supplanted(parent *model.Case, k *model.Compensation) bool {
	for i := range parent.Compensations {
		other := &parent.Compensations[i]
		if other.ID != k.ID && other.Step == k.Step && other.Standing() {
			return true
		}
	}
	return false
}

// addUndone learns which steps of the intents were taken back, and by which one.
// Only those with a compensation are asked about.
func (t *Tx) addUndone(cases ...*model.Case) error {
	byID := map[string]*model.Case{}
	var ids []string
	for _, c := range cases {
		if len(c.Compensations) > 0 {
			byID[c.ID], c.Undone = c, map[string]string{}
			ids = append(ids, c.ID)
		}
	}
	if len(ids) == 0 {
		return nil
	}
	var rows []struct {
		ID        string `db:"id"`
		Parent    string `db:"parent"`
		Operation string `db:"operation"`
	}
	err := t.Select(&rows, `SELECT i.id, i.parent, s.operation FROM intents i JOIN steps s ON s.intent_id = i.id
		WHERE i.parent IN (`+marks(padded(len(ids)))+`) AND i.parent <> '' AND s.state = 'confirmed'`, pad(ids)...)
	for _, r := range rows {
		if taken := model.TakesBack(r.Operation); taken != "" {
			byID[r.Parent].Undone[taken] = r.ID
		}
	}
	return err
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
