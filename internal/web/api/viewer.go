package api

import (
	"countersign/internal/actions"
	"countersign/internal/authz"
	"countersign/internal/model"
	"countersign/internal/store"
)

// viewer shapes what one actor sees in one transaction, remembering what many
// intents share.
type viewer struct {
	a      *api
	tx     *store.Tx
	actor  authz.Actor
	people map[string][]model.Person // by account
}

func (a *api) viewer(tx *store.Tx, actor authz.Actor) *viewer {
	return &viewer{a: a, tx: tx, actor: actor, people: map[string][]model.Person{}}
}

// peopleOf are the people with a role in an account.
func (v *viewer) peopleOf(account string) (people []model.Person, err error) {
	people, ok := v.people[account]
	if !ok {
		people, err = v.tx.People(account)
		v.people[account] = people
	}
	return people, err
}

// intent shapes an intent with what its rows alone do not tell.
func (v *viewer) intent(c *model.Case) (Intent, error) {
	alike, err := v.tx.LookAlikes(c.Account, c.LookAlike, c.ID)
	if err != nil {
		return Intent{}, err
	}
	people, err := v.peopleOf(c.Account)
	if err != nil {
		return Intent{}, err
	}
	verdicts := actions.Verdicts(c, v.actor, people, v.a.Timing, v.a.Tiers, v.tx.Now())
	return intentOf(c, alike.N, verdictsOf(verdicts), v.a.Timing), nil
}

// intents loads and shapes the intents of a page.
func (v *viewer) intents(rows []model.Intent) ([]Intent, error) {
	list := make([]Intent, 0, len(rows))
	cases, err := v.tx.Cases(rows)
	if err != nil {
		return list, err
	}
	if err := v.tx.AddParams(cases); err != nil {
		return list, err
	}
	for _, c := range cases {
		shape, err := v.intent(c)
		if err != nil {
			return list, err
		}
		list = append(list, shape)
	}
	return list, nil
}
