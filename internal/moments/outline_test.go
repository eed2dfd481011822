package moments

import (
	"slices"
	"testing"

	"countersign/internal/actions"
	"countersign/internal/authz"
	"countersign/internal/model"
)

// A page knows a long record by its outline alone. checkOutlines cuts each record
// of the world down to one, the shortest that there could be, and compares what
// the rules say of the two: by the outline they allow nothing that the whole
// record forbids, and promise nothing that it does not.
func (w *world) checkOutlines(t testing.TB) {
	t.Helper()
	now := w.db.Now()
	for _, whole := range w.truth(t).cases {
		short := outlineOf(whole)
		for i, s := range whole.Steps {
			o := short.Steps[i]
			for _, by := range []model.Trigger{model.ByEngine, model.ByOperator} {
				if short.MaySend(o, by, w.timing, now) == nil && whole.MaySend(s, by, w.timing, now) != nil {
					t.Errorf("%s: by its outline the %s may send, which the record forbids: %s", s.Key(), by, whole.MaySend(s, by, w.timing, now).Rule)
				}
			}
			if o.Tried() != s.Tried() || o.Looks() != s.Looks() {
				t.Errorf("%s: tried %d times and looked for %d times, by its outline %d and %d", s.Key(), s.Tried(), s.Looks(), o.Tried(), o.Looks())
			}
			at, final := whole.NotFoundFinalAt(s)
			if by, ok := short.NotFoundFinalAt(o); ok && (!final || by < at) {
				t.Errorf("%s: by its outline “not found” is final at %s, by the record at %s (%v)", s.Key(), by, at, final)
			}
		}
		for _, p := range []authz.Actor{w.people.operator, w.people.approver} {
			forbidden := map[string]bool{}
			for _, v := range actions.Verdicts(whole, p, nil, w.timing, authz.DefaultTiers, now) {
				forbidden[subject(v)] = !v.Allowed
			}
			for _, v := range actions.Verdicts(short, p, nil, w.timing, authz.DefaultTiers, now) {
				if v.Allowed && forbidden[subject(v)] {
					t.Errorf("%s: by its outline %s is allowed (%s), which the record forbids", whole.ID, subject(v), v.Rule)
				}
			}
		}
	}
}

// subject is the action of a verdict, and the step that it is about.
func subject(v actions.Verdict) string {
	if v.Step == nil {
		return v.Action
	}
	return v.Action + " of " + *v.Step
}

// outlineOf is a case as the store reads its outline, with one newest row of each.
func outlineOf(whole *model.Case) *model.Case {
	c := *whole
	c.Steps = nil
	for _, s := range whole.Steps {
		o := *s
		o.Attempts, o.Evidence = attemptOutline(s.Attempts), evidenceOutline(s.Evidence)
		o.Left.Attempts, o.Left.Evidence = len(s.Attempts)-len(o.Attempts), len(s.Evidence)-len(o.Evidence)
		o.Left.Looks = s.Looks() - (&model.Step{Evidence: o.Evidence}).Looks()
		c.Steps = append(c.Steps, &o)
	}
	return &c
}

func attemptOutline(all []model.Attempt) (kept []model.Attempt) {
	unknown := -1
	for i, a := range all {
		if a.Result == model.ResultUnknown && !a.Lost {
			unknown = i
		}
	}
	for i, a := range all {
		if i == 0 || i == len(all)-1 || i == unknown || a.Lost {
			kept = append(kept, a)
		}
	}
	return kept
}

func evidenceOutline(all []model.Evidence) (kept []model.Evidence) {
	look := -1
	for i, e := range all[:max(0, len(all)-1)] {
		if e.Source == model.FromQuery {
			look = i
		}
	}
	for i, e := range all {
		tells := slices.Contains([]model.Source{model.FromOperator, model.FromRule, model.FromLate, model.FromBankFile}, e.Source) ||
			slices.Contains([]model.Says{model.Happened, model.Conflicting, model.CameBack}, e.Says) || e.Says == model.DidNotHappen && e.Attempt == 0
		if i == len(all)-1 || i == look || tells {
			kept = append(kept, e)
		}
	}
	return kept
}
