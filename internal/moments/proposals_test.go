package moments

import (
	"slices"
	"testing"

	"countersign/internal/actions"
	"countersign/internal/authz"
)

// checkProposals holds what the console proposes to what the rules allow: where an
// intent waits for a person, the act that is proposed is one that this person may
// take then. While a request about it is open, its decision is what is proposed, and
// while a worker holds it, everything but a look waits for that to end.
func (w *world) checkProposals(t testing.TB) {
	t.Helper()
	now := w.db.Now()
	for _, c := range w.truth(t).cases {
		r := c.Review(w.timing, now)
		if r == nil || c.OpenRequest() != nil || c.LeaseLive(now, "") {
			continue
		}
		verdicts := actions.Verdicts(c, w.people.operator, nil, w.timing, authz.DefaultTiers, now)
		if slices.ContainsFunc(verdicts, func(v actions.Verdict) bool { return v.Action == r.Propose && v.Allowed }) {
			continue
		}
		for _, v := range verdicts {
			if v.Action == r.Propose {
				t.Errorf("%s, %s (%s): %s is proposed by %s and refused by %s: %s", c.ID, c.Kind, c.State, subject(v), r.Rule, v.Rule, v.Because)
			}
		}
	}
}
