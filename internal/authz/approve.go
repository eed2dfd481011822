package authz

import (
	"slices"

	"countersign/internal/model"
)

// Request is what matters about an approval request for who may decide it.
type Request struct {
	Account   string
	Requester string   // person id of who asked; "" when the engine did
	Creator   string   // person id of who answers for the intent
	Creators  []string // of those who answer for the intents, where it is about many
	Decisions []model.ApprovalDecision
}

// own reports whether a person asked for it or answers for the intent.
func (r Request) own(person string) bool {
	return person != "" && (person == r.Requester || person == r.Creator || slices.Contains(r.Creators, person))
}

// ownBecause says what makes it a person's own.
func (r Request) ownBecause(person string) string {
	switch person {
	case r.Requester:
		return "You asked for this: somebody else must approve it."
	case r.Creator:
		return "You made the intent, or issued the key that did: somebody else must approve this."
	}
	return "You made one of its intents, issued the key that did, or supplied the bank’s file that it rests on or named its columns: somebody else must approve it."
}

// decided reports whether a person has already had their say.
func (r Request) decided(person string) bool {
	return slices.ContainsFunc(r.Decisions, func(d model.ApprovalDecision) bool { return d.Person == person })
}

// MayApprove decides whether the actor may sign: somebody else than who asked,
// than who answers for the intent, and than those who have signed. One's own is
// refused as such, whatever else is missing.
func MayApprove(a Actor, r Request) Decision {
	if a.Sees(r.Account) && r.own(a.Responsible()) {
		return deny("approver-differs", CodeSelfApproval, r.ownBecause(a.Responsible()))
	}
	return MayReject(a, r)
}

// MayReject decides whether the actor may refuse to sign. Rejecting one's own
// harms nobody, so only the right to decide is asked for.
func MayReject(a Actor, r Request) Decision {
	may := a.May(r.Account, Decide)
	if may.Allowed && r.decided(a.ID) {
		return deny("one-say-each", CodeDenied, "You have already decided on this.")
	}
	return may
}

// MayWithdraw decides whether the actor may take a request back: only who asked.
func MayWithdraw(a Actor, r Request) Decision {
	switch {
	case !a.Sees(r.Account):
		return a.May(r.Account, ReadApprovals)
	case a.Type == model.ActorPerson && a.ID == r.Requester:
		return allow("own-request", "You asked for this and may take it back.")
	}
	return deny("own-request", CodeDenied, "Only the person who asked may withdraw this; an approver may reject it.")
}

// WhoMay picks the people who have a permission in an account and can sign in.
// Their Roles must hold those of the account.
func WhoMay(people []model.Person, account string, p Permission) []model.Person {
	var list []model.Person
	for _, person := range people {
		has := func(role model.Role) bool { return RoleMay(role, p) }
		if person.DisabledAt == 0 && slices.ContainsFunc(person.Roles[account], has) {
			list = append(list, person)
		}
	}
	return list
}

// Approvers picks the people who may still sign a request.
func Approvers(people []model.Person, r Request) []model.Person {
	return slices.DeleteFunc(WhoMay(people, r.Account, Decide), func(p model.Person) bool {
		return r.own(p.ID) || r.decided(p.ID)
	})
}
