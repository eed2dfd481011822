package audit

import (
	"fmt"
	"slices"

	"countersign/internal/alert"
	"countersign/internal/model"
	"countersign/internal/store"
)

// Record is the one way in which a changed intent is stored: what follows from
// its rows is derived anew, the rows are written, and every state change gets
// its entry, all in the caller's transaction. No entry, no change. What people
// are to be told about is raised with it. Where the intent undoes a step of another one, that parent is brought up to date too.
func (l *Log) Record(tx *store.Tx, c *model.Case, by Actor, t model.Timing) error {
	before := c.State
	c.Derive(t, tx.Now())
	if err := tx.SaveCase(c); err != nil {
		return err
	}
	for _, change := range c.Changes {
		if _, err := l.Append(tx, stepEntry(c, change, by)); err != nil {
			return err
		}
	}
	if err := alert.Follow(tx, c, before, t); err != nil {
		return err
	}
	moved := len(c.Changes) > 0 || c.State != before
	c.Changes = nil
	if c.State != before {
		if _, err := l.Append(tx, Entry{Actor: by, Event: "intent." + string(c.State), Account: c.Account, Intent: c.ID, Reason: c.Reason,
			Result: string(c.State), Detail: map[string]any{"from": string(before)}}); err != nil {
			return err
		}
	}
	if !moved {
		return nil
	}
	return l.recordParent(tx, c, by, t)
}

// stepEntry says what a step became, on whose word and because of what.
func stepEntry(c *model.Case, change model.Change, by Actor) Entry {
	event := change.Event
	if event == "" {
		event = "step." + string(change.To)
	}
	e := Entry{Actor: by, Event: event, Account: c.Account, Intent: c.ID, StepKey: change.StepKey,
		Reason: change.Reason, Result: string(change.To),
		Detail: map[string]any{"from": string(change.From), "by": string(change.By), "cause": change.Cause}}
	if s := c.Step(change.Step); s != nil {
		e.Attempt = len(s.Attempts)
	}
	return e
}

// recordParent lets a compensation's own end show on the intent it undoes.
func (l *Log) recordParent(tx *store.Tx, child *model.Case, by Actor, t model.Timing) error {
	if child.Parent == "" {
		return nil
	}
	state := compensationState(child)
	parent, err := tx.LockCase(child.Parent)
	if err != nil {
		return fmt.Errorf("parent of %s: %w", child.ID, err)
	}
	if err := tx.MoveCompensation(parent, child.ID, state); err != nil {
		return err
	}
	return l.Record(tx, parent, by, t)
}

// compensationState is how far a compensation has come, by its own intent. One
// that was given up stays open as long as any of it may have happened.
func compensationState(child *model.Case) model.CompensationState {
	switch {
	case child.Unfinished() == nil:
		return model.CompensationDone
	case child.State.Final() && !slices.ContainsFunc(child.Steps, (*model.Step).Uncertain):
		return model.CompensationEnded
	}
	return model.CompensationOpen
}
