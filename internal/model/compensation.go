package model

// CompensationState says where the undoing of a step stands.
type CompensationState string

// The states of a compensation row.
const (
	CompensationAsked     CompensationState = "asked"     // waits for the second person
	CompensationOpen      CompensationState = "open"      // its intent runs, or may have acted
	CompensationDone      CompensationState = "done"      // all of it happened
	CompensationEnded     CompensationState = "ended"     // ended before all of it happened; the key is free
	CompensationWithdrawn CompensationState = "withdrawn" // rejected, withdrawn, dismissed or expired
)

// Compensation links a confirmed step to the intent that undoes it and what
// followed from it.
type Compensation struct {
	ID         string            `db:"id"`
	IntentID   string            `db:"intent_id"` // the parent
	Step       string            `db:"step"`
	Generation int               `db:"generation"` // 2 where an earlier one ended before all of it happened
	ApprovalID string            `db:"approval_id"`
	ChildID    string            `db:"child_id"` // "" until approved
	State      CompensationState `db:"state"`
	AskedAt    Time              `db:"asked_at"`
}

// UnderWay reports whether it is asked for or running: nothing else runs then.
func (k Compensation) UnderWay() bool {
	return k.State == CompensationAsked || k.State == CompensationOpen
}

// Standing reports whether it still counts: at most one per step does.
func (k Compensation) Standing() bool { return k.State.Standing() }

// Standing reports whether a compensation in this state still counts.
func (s CompensationState) Standing() bool {
	return s == CompensationAsked || s == CompensationOpen || s == CompensationDone
}

// UndoneBy is the intent that took the step back, or "".
func (c *Case) UndoneBy(s *Step) string {
	if s.Operation == "" {
		return ""
	}
	return c.Undone[s.Operation]
}

// StandingCompensation is the compensation that is under way for any step of
// the intent, else the newest that is done, or nil.
func (c *Case) StandingCompensation() *Compensation {
	var done *Compensation
	for i := len(c.Compensations) - 1; i >= 0; i-- {
		k := &c.Compensations[i]
		if k.UnderWay() {
			return k
		}
		if done == nil && k.State == CompensationDone {
			done = k
		}
	}
	return done
}

// BrokenOff is the newest compensation where it ended part-way: something of it
// happened, and something that it was to undo still stands. What is to become of
// the rest is a person's decision.
func (c *Case) BrokenOff() *Compensation {
	var k *Compensation // the newest that was carried out
	for i := range c.Compensations {
		if c.Compensations[i].State != CompensationWithdrawn {
			k = &c.Compensations[i]
		}
	}
	if k == nil || k.State != CompensationEnded || len(c.Undone) == 0 {
		return nil
	}
	from := c.Step(k.Step)
	for _, s := range c.Steps {
		if from != nil && s.Position >= from.Position && s.State == Confirmed && s.HasUndo() && c.UndoneBy(s) == "" {
			return k
		}
	}
	return nil
}
