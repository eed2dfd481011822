package actions

import (
	"countersign/internal/authz"
	"countersign/internal/model"
)

// reconcile asks the provider what became of a step, and changes nothing there.
var reconcile = &Action{Name: model.Reconcile, Needs: authz.Reconcile, Plan: planReconcile, Apply: applyReconcile}

// reconcilable reports whether asking about the step could tell anything.
func reconcilable(c *model.Case, s *model.Step) bool {
	return s.Class.Effect() && (s.State == model.OutcomeUnknown || settling(s) || s.State == model.Confirmed || c.Contradicted(s))
}

// mayReconcile rules on a step; nil is an intent in which nothing was sent.
func mayReconcile(c *model.Case, s *model.Step) ruling {
	switch {
	case s == nil:
		return no("reconcile.nothing-to-check", "There is nothing to ask about: nothing was sent, or every send was answered and did nothing.")
	case !reconcilable(c, s):
		return no("reconcile.nothing-to-check", s.Name+" is "+string(s.State)+": there is nothing to ask about.")
	case !s.Contract.Queryable():
		return no("reconcile.cannot-be-asked", "The provider cannot be asked about "+s.Name+"; mark its result with a document.")
	case s.Ordered == model.OrderReconcile:
		return no("reconcile.ordered", "A look was ordered by "+s.OrderBy+" already; the engine is about to make it.")
	case s.Ordered == model.OrderRetry:
		return no("retry.ordered", "A retry was ordered by "+s.OrderBy+"; its result comes first.")
	case s.State == model.Confirmed:
		return yes("reconcile.re-check", s.Name+" is confirmed; asking checks that the provider still says so.")
	}
	return yes("reconcile.uncertain", "The provider can be asked what became of "+s.Name+".")
}

func planReconcile(p *Planning) (Plan, error) {
	if err := p.named(func(s *model.Step) bool { return reconcilable(p.Case, s) }); err != nil {
		return Plan{}, err
	}
	if err := mayReconcile(p.Case, p.Step).err(); err != nil {
		return Plan{}, err
	}
	plan := newPlan(1)
	plan.Calls = append(plan.Calls, look(p.Step, p.Book.Address(p.Step)))
	plan.sort(p.Case, p.Step)
	return plan, nil
}

// applyReconcile orders the look. It raises no fence: a look may be made while
// a send is on its way.
func applyReconcile(a *Applying) error {
	a.order(a.Step, model.OrderReconcile, nil)
	return nil
}
