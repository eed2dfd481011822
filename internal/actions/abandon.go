package actions

import (
	"slices"
	"strings"

	"countersign/internal/authz"
	"countersign/internal/model"
)

// abandon gives an intent up: nothing is sent under it any more.
var abandon = &Action{Name: model.Abandon, Needs: authz.Abandon, Plan: planAbandon, Apply: applyAbandon}

func mayAbandon(c *model.Case, now model.Time) ruling {
	if r, busy := flying(c, now); busy {
		return r
	}
	u := c.Unfinished()
	switch {
	case c.Abandonment != nil:
		return no("abandon.abandoned", "It was abandoned already, by "+c.Abandonment.By+".")
	case c.BrokenOff() != nil:
		return yes("abandon.broken-off", "A compensation ended part-way; the rest may be left as it is.")
	case c.StandingCompensation() != nil:
		return no("abandon.compensated", "A compensation is asked for, under way or done: nothing else is sent anyway.")
	case c.StaleEntry() != nil:
		return yes("abandon.entry-stands", "The ledger entry may be left as it is though its money came back.")
	case u == nil:
		return no("abandon.completed", "Every step is confirmed or not needed: there is nothing left to give up.")
	case u.State == model.FailedSafely && u.Failure == model.Permanent && !c.SomethingHappened():
		return no("abandon.failed", "It failed for good and nothing happened: there is nothing left to give up.")
	}
	if u.State == model.FailedSafely && u.Failure == model.Permanent {
		return yes("abandon.partial", u.Name+" was refused for good; what happened before it may be left as it is.")
	}
	return yes("abandon.open", "Work is left that would still be done: "+u.Name+".")
}

// ToAcknowledge lists the step keys of every effect that stands or may stand:
// whoever abandons the intent says that they know of each.
func ToAcknowledge(c *model.Case) []string {
	keys := []string{}
	for _, s := range c.Steps {
		if s.Class.Effect() && (s.State == model.Confirmed || s.Uncertain()) {
			keys = append(keys, s.Key())
		}
	}
	return keys
}

// abandonInput is what the person who abandons states.
type abandonInput struct {
	Acknowledge []string `json:"acknowledge"`
}

func planAbandon(p *Planning) (Plan, error) {
	if err := mayAbandon(p.Case, p.Now).err(); err != nil {
		return Plan{}, err
	}
	var in abandonInput
	if err := p.decode(&in); err != nil {
		return Plan{}, err
	}
	keys := ToAcknowledge(p.Case)
	given := slices.Sorted(slices.Values(in.Acknowledge))
	if want := slices.Sorted(slices.Values(keys)); !slices.Equal(slices.Compact(given), want) {
		return Plan{}, &model.Refusal{Rule: "abandon.acknowledge", Because: acknowledgeSentence(keys)}
	}
	plan := newPlan(peopleFor(len(keys) > 0))
	plan.Input = abandonInput{keys}
	plan.Changes = append(plan.Changes, model.PlannedChange{Subject: p.Case.ID, From: string(p.Case.State), To: string(model.Abandoned),
		Because: "Nothing is sent under it any more; what is uncertain stays open and can still be reconciled, marked or compensated."})
	plan.sort(p.Case, nil)
	return plan, nil
}

func acknowledgeSentence(keys []string) string {
	if len(keys) == 0 {
		return "No effect stands or may stand, so there is nothing to acknowledge."
	}
	return "Each effect that stands or may stand must be acknowledged by its step key, and nothing else: " + strings.Join(keys, ", ") + "."
}

// applyAbandon records the abandonment and takes back what was only ordered.
func applyAbandon(a *Applying) error {
	c := a.Case
	c.Abandonment = &model.Abandonment{IntentID: c.ID, At: a.Now, By: a.ByName, Reason: a.Reason}
	for _, s := range c.Steps {
		if s.Ordered == model.OrderRetry {
			s.Ordered, s.OrderID, s.OrderBy, s.OrderAt, s.OrderDigest = model.NoOrder, "", "", 0, nil
		}
		s.NextTryAt = 0
	}
	c.Fence++
	c.Version++
	return a.tx.InsertAbandonment(*c.Abandonment)
}

// peopleFor is how many people an action takes.
func peopleFor(two bool) int {
	if two {
		return 2
	}
	return 1
}
