package store

import "countersign/internal/model"

// PersonActor gives a person with their rights as they are in this transaction.
// The error is of kind Unauthenticated when they are unknown or disabled.
func (t *Tx) PersonActor(person string) (model.Actor, error) {
	p, err := t.Person(person)
	if model.KindOf(err) == model.NotFound || err == nil && p.DisabledAt != 0 {
		return model.Actor{}, model.Errorf(model.Unauthenticated, "unauthenticated", "This person can no longer sign in.")
	}
	if err != nil {
		return model.Actor{}, err
	}
	return actorOf(p), nil
}

func actorOf(p model.Person) model.Actor {
	a := model.Actor{Type: model.ActorPerson, ID: p.ID, Name: p.Name, Email: p.Email, Roles: p.Roles}
	if len(a.Roles) == 1 {
		for account := range a.Roles {
			a.Account = account
		}
	}
	return a
}

// Refresh reads again what an actor may do, as it is in this transaction: a
// right taken away since the request began is gone. The error is of kind
// Unauthenticated when the person, the key or the session has ended meanwhile.
func (t *Tx) Refresh(a model.Actor) (model.Actor, error) {
	switch {
	case a.Type == model.ActorEngine:
		return a, nil
	case a.Key != nil:
		return t.keyActor("id", a.Key.ID)
	case a.Session != "":
		return t.sessionActor(a.Session)
	}
	return t.PersonActor(a.ID)
}
