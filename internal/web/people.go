package web

import (
	"net/http"
	"strings"

	"countersign/internal/authz"
	"countersign/internal/model"
	"countersign/internal/store"
	"countersign/web/templates"
)

// people lists who may do what in the accounts that the viewer administers.
func (v *visit) people() error {
	accounts := v.permitted(authz.ManagePeople)
	if len(accounts) == 0 {
		return v.denied(authz.ManagePeople)
	}
	view := templates.PeopleView{Page: v.titled("People"), How: say("People and keys are added and taken away with ", templates.Code("console user"), " and ",
		templates.Code("console apikey"), ". What is taken away is gone at once.")}
	err := v.read(func(tx *store.Tx) error {
		for _, account := range accounts {
			if err := v.addPeople(tx, account, &view); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		return err
	}
	view.Summary = say(peopleCount(len(view.Rows)), ", ", counted(len(view.Keys), "service key"))
	return v.show(http.StatusOK, templates.People(view))
}

func peopleCount(n int) string {
	if n == 1 {
		return "1 person with a role"
	}
	return grouped(int64(n)) + " people with a role"
}

func (v *visit) addPeople(tx *store.Tx, account string, view *templates.PeopleView) error {
	people, err := tx.People(account)
	if err != nil {
		return err
	}
	names := map[string]string{}
	for _, p := range people {
		names[p.ID] = p.Name
		view.Rows = append(view.Rows, templates.PersonRow{Name: p.Name, Email: p.Email, Account: account,
			Roles: strings.Join(authz.Actor{Type: model.ActorPerson, Roles: p.Roles}.RolesIn(account), ", "), Since: v.at(p.CreatedAt), Disabled: v.at(p.DisabledAt)})
	}
	keys, err := tx.ServiceKeys(account)
	for _, k := range keys {
		view.Keys = append(view.Keys, templates.ServiceKeyRow{Name: k.Name, Prefix: k.Prefix + "…", Account: account, May: strings.ReplaceAll(k.Abilities, ",", ", "),
			Issuer: names[k.IssuedBy], Made: v.at(k.CreatedAt), Used: v.at(k.UsedAt), Revoked: v.at(k.RevokedAt)})
	}
	return err
}
