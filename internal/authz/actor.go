package authz

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"countersign/internal/model"
)

// Actor is who is asking. It is model.Actor with what it may do:
// authz.Actor(stored) converts.
type Actor model.Actor

// Engine is the actor of what the engine does by rule.
func Engine() Actor { return Actor{Type: model.ActorEngine, ID: "engine", Name: "engine"} }

// Responsible is the id of the person who answers for what the actor does, or "".
func (a Actor) Responsible() string { return model.Actor(a).Responsible() }

// Accounts lists the accounts that the actor sees, by name.
func (a Actor) Accounts() []string {
	if a.Type == model.ActorKey {
		return []string{a.Account}
	}
	var list []string
	for _, account := range slices.Sorted(maps.Keys(a.Roles)) {
		if a.Sees(account) {
			list = append(list, account)
		}
	}
	return list
}

// Sees reports whether the account exists for the actor at all.
func (a Actor) Sees(account string) bool {
	switch a.Type {
	case model.ActorPerson:
		return len(a.Roles[account]) > 0
	case model.ActorKey:
		return account != "" && account == a.Account
	}
	return false
}

// RolesIn lists the actor's roles in an account as text, for the audit log.
func (a Actor) RolesIn(account string) []string {
	list := []string{}
	for _, role := range a.Roles[account] {
		list = append(list, string(role))
	}
	return list
}

// May decides whether the actor has a permission in an account. Step-up and the
// rule that approvers differ are decided apart, by StepUpNeeded and MayApprove.
func (a Actor) May(account string, p Permission) Decision {
	switch {
	case a.Type == model.ActorEngine:
		return deny("engine-never-asks", CodeDenied, "The engine carries out what people decide; it decides nothing itself.")
	case !a.Sees(account):
		return deny("other-account", CodeNotFound, "There is no such account.")
	case a.Type == model.ActorKey:
		return a.keyMay(p)
	}
	for _, role := range a.Roles[account] {
		if RoleMay(role, p) {
			return allow("role-"+string(role), fmt.Sprintf("%s of %s may %s.", title(role), account, p.Words()))
		}
	}
	return deny("role-missing", CodeDenied, fmt.Sprintf("Only %s of %s may %s.", plural(rolesWith(p)), account, p.Words()))
}

// keyMay decides for a service key, which never acts and never approves.
func (a Actor) keyMay(p Permission) Decision {
	var needed model.Ability
	for _, ability := range model.Abilities {
		if slices.Contains(byAbility[ability], p) {
			needed = ability
		}
	}
	switch {
	case needed == "":
		return deny("service-key-limits", CodeDenied, fmt.Sprintf("A service key may not %s; a person may, with a key of their own.", p.Words()))
	case a.Key == nil || !slices.Contains(a.Key.Abilities, needed):
		return deny("key-ability-missing", CodeDenied, fmt.Sprintf("This key was made without %s.", needed))
	}
	return allow("key-"+string(needed), fmt.Sprintf("The key was made with %s.", needed))
}

func title(role model.Role) string {
	return map[model.Role]string{
		model.RoleOperator: "An operator", model.RoleApprover: "An approver",
		model.RoleAuditor: "An auditor", model.RoleAdministrator: "An administrator",
	}[role]
}

// plural joins roles as "operators, approvers and auditors".
func plural(roles []model.Role) string {
	words := make([]string, len(roles))
	for i, role := range roles {
		words[i] = string(role) + "s"
	}
	switch len(words) {
	case 0:
		return "nobody"
	case 1:
		return words[0]
	}
	return strings.Join(words[:len(words)-1], ", ") + " and " + words[len(words)-1]
}
