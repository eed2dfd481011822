package model

import "slices"

// MayUndo decides whether the step, with every later one that can be, may be taken
// back now; nil is yes.
func (c *Case) MayUndo(s *Step, now Time) *Refusal {
	if c.Kind == KindCompensation {
		return &Refusal{"compensate.no-undo", "A compensation is not compensated; it is mended by review."}
	}
	if r := c.takenBackAlready(s); r != nil {
		return r
	}
	settling := s.State == InProgress && s.Settling
	switch {
	case s.State == OutcomeUnknown:
		return &Refusal{"compensate.unknown", "What is not known cannot be reversed: first find out whether " + s.Name + " happened."}
	case settling && !s.Contract.UndoBefore:
		return &Refusal{"compensate.unknown", "What is not final cannot be reversed here: " + s.Name + " is still under way at the provider."}
	case s.State != Confirmed && !settling:
		return &Refusal{"compensate.not-confirmed", s.Name + " is " + string(s.State) + ": only what happened can be undone."}
	case !s.HasUndo():
		return &Refusal{"compensate.no-undo", "Nothing undoes " + s.Name + "."}
	case slices.ContainsFunc(c.ToUndo(s), (*Step).objectUnknown):
		return &Refusal{"compensate.object-unknown", "Only a person's document says that it happened; the provider must show its own object first: reconcile."}
	case s.undoLate(now):
		return &Refusal{"compensate.too-late", "The time in which " + s.Name + " can be undone is over."}
	}
	return nil
}

// takenBackAlready refuses to undo what is being undone, was, or came back by itself.
func (c *Case) takenBackAlready(s *Step) *Refusal {
	standing := c.StandingCompensation()
	switch underWay := standing != nil && standing.UnderWay(); {
	case underWay && standing.ChildID == "":
		return &Refusal{"compensate.standing", "A compensation of " + standing.Step + " is asked for already."}
	case underWay:
		return &Refusal{"compensate.standing", "A compensation of " + standing.Step + " runs already, or may have acted: " + standing.ChildID + "."}
	case c.UndoneBy(s) != "":
		return &Refusal{"compensate.standing", s.Name + " was taken back already, by " + c.UndoneBy(s) + "."}
	case s.Returned > 0 || slices.ContainsFunc(c.ToUndo(s), func(u *Step) bool { return u.Returned > 0 }):
		return &Refusal{"compensate.already-back", "The money came back by itself already; undoing it too would take it twice."}
	}
	return nil
}

// ToUndo lists what undoing from a step on takes back: it and every later one that
// stands and has an undo, the last first. Of money that is what is still out, so a
// step of which all came back is left out. A compensation is mended by review.
func (c *Case) ToUndo(from *Step) (steps []*Step) {
	if c.Kind == KindCompensation {
		return nil
	}
	for i := len(c.Steps) - 1; i >= 0; i-- {
		s := c.Steps[i]
		if s.HasUndo() && s.stands() && c.UndoneBy(s) == "" && (!s.MovesMoney() || s.Outstanding() > 0) {
			steps = append(steps, s)
		}
		if s == from {
			return steps
		}
	}
	return nil // no such step
}

// stands reports whether the step is something that can be undone by now.
func (s *Step) stands() bool {
	return s.State == Confirmed || s.State == InProgress && s.Settling && s.Contract.UndoBefore
}

// Outstanding is what the step moved and what did not come back by itself, in minor
// units; what is not final yet counts as asked for.
func (s *Step) Outstanding() int64 {
	if s.State != Confirmed {
		return s.Amount
	}
	return s.Moved - s.Returned
}

// objectUnknown reports whether something that would be taken back at a provider
// is known by a document only: what that names may be a bank's line.
func (s *Step) objectUnknown() bool {
	return s.MovesMoney() && s.Contract.Queryable() && s.Known() == ""
}

// undoLate reports whether the provider undoes the step no more.
func (s *Step) undoLate(now Time) bool {
	since := s.ChangedAt
	for i := range s.Evidence {
		if e := &s.Evidence[i]; e.Says == Happened && e.At < since {
			since = e.At
		}
	}
	return s.Contract.UndoLimit > 0 && now > since.Add(s.Contract.UndoLimit)
}

// GiveUpRest makes the steps moot that an approved compensation leaves undone:
// what is undone is not gone on with. Steps that are uncertain keep their
// state, since they may have happened. cause is the approval request's id.
func (c *Case) GiveUpRest(cause string, now Time) error {
	for _, s := range c.Steps {
		if s.State != Pending && s.State != FailedSafely {
			continue
		}
		if err := c.move(s, NotNeeded, WhoApprover, cause, "The intent is being undone.", now); err != nil {
			return err
		}
		s.Ordered, s.OrderID, s.OrderBy, s.OrderAt, s.OrderDigest = NoOrder, "", "", 0, nil
	}
	return nil
}
