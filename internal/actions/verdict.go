package actions

import (
	"countersign/internal/authz"
	"countersign/internal/model"
)

// Verdict says whether an action may be taken on a step, and why: the API's
// action entry.
type Verdict struct {
	Action    string   `json:"action"`
	Step      *string  `json:"step"` // null where no step is concerned
	Allowed   bool     `json:"allowed"`
	Rule      string   `json:"rule"`
	Because   string   `json:"because"`
	People    int      `json:"people"`    // 1, or 2 where somebody else must approve
	Approvers []string `json:"approvers"` // names of who may; empty where one person suffices
}

// Verdicts gives all five actions, each for every step that it could concern, or
// once without a step. What the state refuses is told first; then what the
// actor's rights refuse. people are those with a role in the account. It is the
// same rules that previews and confirmations go by.
func Verdicts(c *model.Case, actor authz.Actor, people []model.Person, t model.Timing, tiers authz.Tiers, now model.Time) []Verdict {
	v := verdicts{c: c, actor: actor}
	for _, p := range authz.Approvers(people, authz.Request{Account: c.Account, Requester: actor.Responsible(), Creator: c.Creator}) {
		v.approvers = append(v.approvers, p.Name)
	}
	u := c.Unfinished()
	v.add(retry, u, 1, mayRetry(c, u, t, now))
	v.each(reconcile, func(s *model.Step) bool { return reconcilable(c, s) }, func(s *model.Step) (int, ruling) { return 1, mayReconcile(c, s) })
	v.each(mark, func(s *model.Step) bool { return markable(c, s) }, func(s *model.Step) (int, ruling) {
		return leastMarkPeople(c, s, tiers), mayMark(c, s, now)
	})
	v.each(compensate, compensable, func(s *model.Step) (int, ruling) { return 2, mayCompensate(c, s, now) })
	v.add(abandon, nil, peopleFor(len(ToAcknowledge(c)) > 0), mayAbandon(c, now))
	return v.list
}

// leastMarkPeople is how many people it takes to record that it happened as
// asked for; other statements take two.
func leastMarkPeople(c *model.Case, s *model.Step, tiers authz.Tiers) int {
	if s == nil {
		return 1
	}
	return markPeople(c, s, marking{Result: markHappened, Amount: expectedAmount(s), Currency: s.Currency}, tiers)
}

// verdicts collects the entries for one actor.
type verdicts struct {
	c         *model.Case
	actor     authz.Actor
	approvers []string
	list      []Verdict
}

// each adds the action for every step that it could concern, or once.
func (v *verdicts) each(a *Action, concerns func(*model.Step) bool, rule func(*model.Step) (int, ruling)) {
	found := false
	for _, s := range v.c.Steps {
		if concerns(s) {
			people, r := rule(s)
			v.add(a, s, people, r)
			found = true
		}
	}
	if !found {
		people, r := rule(nil)
		v.add(a, nil, people, r)
	}
}

func (v *verdicts) add(a *Action, s *model.Step, people int, r ruling) {
	if open := v.c.OpenRequest(); r.allowed && (people > 1 || a == mark) && open != nil {
		r = waitsForOther(open)
	}
	if may := v.actor.May(v.c.Account, a.Needs); r.allowed && !may.Allowed {
		r = no(rightsRule(a.Needs), may.Because)
	}
	entry := Verdict{Action: a.Name, Allowed: r.allowed, Rule: r.rule, Because: r.because, People: people, Approvers: []string{}}
	if s != nil {
		entry.Step = &s.Name
	}
	if people > 1 {
		entry.Approvers = append(entry.Approvers, v.approvers...)
	}
	v.list = append(v.list, entry)
}
