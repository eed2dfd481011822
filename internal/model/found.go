package model

import "fmt"

// FoundBefore records that the provider has an object under the step's own key
// although the step was never sent from this database: after a restore, or by
// somebody else's hand. The step becomes unknown, so that nothing is sent, and
// the ordinary look at the provider decides what the object is. Where the step
// was sent, or is no longer pending, nothing changes and moved is false.
func (c *Case) FoundBefore(s *Step, ref, evidenceID, by string, t Timing, spread float64, now Time) (moved bool, err error) {
	if s.State != Pending || !s.Class.Effect() || len(s.Attempts) > 0 {
		return false, nil
	}
	reason := fmt.Sprintf("The provider has %s under this key, and nothing was sent from here yet. It is asked what that is.", ref)
	s.Evidence = append(s.Evidence, Evidence{ID: evidenceID, IntentID: s.IntentID, Step: s.Name, Source: FromRule, Says: Inconclusive,
		BeganAt: now, At: now, By: by, Ref: ref, WireKey: s.WireKey, Detail: reason})
	if err := c.doubt(s, WhoEngine, evidenceID, reason, now); err != nil {
		return false, err
	}
	c.schedule(s, t, spread, now)
	if s.Contract.Queryable() {
		s.NextCheckAt = now
	}
	return true, nil
}
