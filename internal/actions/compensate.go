package actions

import (
	"errors"
	"fmt"
	"strings"

	"countersign/internal/authz"
	"countersign/internal/model"
	"countersign/internal/workflow"
)

// compensate undoes a step and every later one that can be undone, by an intent
// of its own. It always takes two people.
var compensate = &Action{Name: model.Compensate, Needs: authz.Compensate, Plan: planCompensate, Request: requestCompensate, Apply: applyCompensate}

// compensable reports whether the step is something that one might want undone.
func compensable(s *model.Step) bool {
	return s.State == model.Confirmed && s.HasUndo() || s.Class.Effect() && s.Uncertain()
}

// mayCompensate rules on a step; nil is an intent in which nothing happened.
func mayCompensate(c *model.Case, s *model.Step, now model.Time) ruling {
	if r, busy := flying(c, now); busy {
		return r
	}
	if s == nil {
		return no("compensate.nothing-happened", "Nothing happened that could be undone.")
	}
	if r := c.MayUndo(s, now); r != nil {
		return by(r)
	}
	if c.StaleEntry() == s {
		return yes("compensate.reverse-entry", "The money came back by itself; reversing the entry of "+s.Name+" sets the books right.")
	}
	return yes("compensate.undo", s.Name+" can be undone, with every later step that can be.")
}

func planCompensate(p *Planning) (Plan, error) {
	if err := p.named(compensable); err != nil {
		return Plan{}, err
	}
	if err := mayCompensate(p.Case, p.Step, p.Now).err(); err != nil {
		return Plan{}, err
	}
	child, err := p.child()
	if err != nil {
		return Plan{}, err
	}
	plan := newPlan(2)
	for _, s := range child.Steps {
		call, err := p.call(child, s, s.Generation)
		if err != nil {
			return Plan{}, err
		}
		plan.Calls = append(plan.Calls, call)
	}
	for _, s := range p.Case.Steps {
		if s.State == model.Pending || s.State == model.FailedSafely {
			plan.Changes = append(plan.Changes, model.PlannedChange{Subject: s.Key(), From: string(s.State), To: string(model.NotNeeded),
				Because: "What is undone is not gone on with."})
		}
	}
	plan.sort(p.Case, nil, p.Case.ToUndo(p.Step)...)
	return plan, nil
}

// child drafts the intent that does the undoing, with its final identity: the
// keys that are previewed are the keys that are sent.
func (p *Planning) child() (*model.Case, error) {
	d, err := workflow.Compensation(p.Case, p.Step.Name)
	if err == nil {
		err = p.Book.Bind(&d, p.Case.Account)
	}
	if err != nil {
		return nil, impossible(err)
	}
	c := newCase(p.tx, p.Case.Account, model.KindCompensation, compensationKey(p.Case, p.Step), d)
	c.Parent, c.ParentStep = p.Case.ID, p.Step.Name
	return c, nil
}

// impossible makes a plan that nothing can be made of a refusal; a fault of
// ours stays one.
func impossible(err error) error {
	var known *model.Error
	if errors.As(err, &known) && (known.Kind == model.Invalid || known.Kind == model.Conflict) {
		return &model.Refusal{Rule: "plan.impossible", Because: "The request cannot be made: " + strings.TrimSuffix(known.Error(), ".") + "."}
	}
	return err
}

// compensationKey is the child's intent key. One that ended with nothing done
// leaves the next one another key.
func compensationKey(c *model.Case, s *model.Step) string {
	key := "compensate:" + s.Key()
	if n := nextCompensation(c, s); n > 1 {
		return fmt.Sprintf("%s#%d", key, n)
	}
	return key
}

func nextCompensation(c *model.Case, s *model.Step) int {
	n := 1
	for _, k := range c.Compensations {
		if k.Step == s.Name && k.State == model.CompensationEnded {
			n++
		}
	}
	return n
}

// requestCompensate stops the parent from the request on.
func requestCompensate(a *Applying) error {
	c := a.Case
	k := model.Compensation{ID: a.tx.NewID("compensation"), IntentID: c.ID, Step: a.Step.Name, Generation: nextCompensation(c, a.Step),
		ApprovalID: a.ApprovalID, State: model.CompensationAsked, AskedAt: a.Now}
	if err := a.tx.InsertCompensation(k); err != nil {
		return err
	}
	c.Compensations = append(c.Compensations, k)
	c.Fence++
	c.Version++
	return nil
}

// applyCompensate makes the child and ends the parent's remaining work.
func applyCompensate(a *Applying) error {
	child, err := a.child()
	if err != nil {
		return err
	}
	child.CreatedBy, child.Creator = a.ByName, a.ByID
	child.Derive(a.Timing, a.Now)
	inserted, err := a.tx.InsertCase(child)
	if err != nil {
		return err
	}
	if !inserted {
		return model.Errorf(model.Conflict, "action-refused", "The intent %s exists already.", child.ID)
	}
	if err := a.accepted(child); err != nil {
		return err
	}
	if err := a.tx.SettleAsked(a.Case, a.ApprovalID, child.ID, model.CompensationOpen); err != nil {
		return err
	}
	a.Compensation = child.ID
	a.Case.Fence++
	return a.Case.GiveUpRest(a.ApprovalID, a.Now)
}
