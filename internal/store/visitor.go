package store

import "countersign/internal/model"

// Visitor is whoever a session's cookie stands for, and what every page shows.
type Visitor struct {
	Session  Session
	Person   model.Person // with all roles
	Insecure bool         // see InsecurePersonKeys
	Hold     *model.Hold  // the newest restore hold, or nil
	Counts   NavCounts    // of the person's accounts
}

// Actor is the visitor, with the rights that they had when this was read.
func (v Visitor) Actor() model.Actor {
	a := actorOf(v.Person)
	a.Session, a.SteppedUpAt = v.Session.ID(), v.Session.SteppedUp
	return a
}

// bySession finds a session's person, for whatever is read of them at once.
const bySession = "(SELECT person FROM sessions WHERE id_hash = ?)"

// Visitor finds whom a cookie stands for, in one statement; ok is false where it
// is unknown, revoked, idle for too long or at its end, or its person disabled.
func (t *Tx) Visitor(secret string) (v Visitor, ok bool, err error) {
	if len(secret) != secretChars {
		return v, false, nil
	}
	hash := hashSecret(secret)
	var known bool
	var rows []membership
	err = t.Together(
		func() (err error) { v.Session, ok, err = t.session(hash); return err },
		func() (err error) {
			known, err = t.Get(&v.Person, "SELECT "+personColumns+" FROM people WHERE id = "+bySession, hash)
			return err
		},
		func() error {
			return t.Select(&rows, "SELECT person, account, role FROM memberships WHERE person = "+bySession+" ORDER BY account, role", hash)
		},
		func() (err error) { v.Insecure, err = t.InsecurePersonKeys(); return err },
		func() (err error) { v.Hold, err = t.Hold(); return err },
		func() (err error) {
			v.Counts, err = t.navCounts("SELECT account FROM memberships WHERE person = "+bySession, hash)
			return err
		})
	v.Person.Roles = byAccount(rows)
	return v, ok && known && v.Person.DisabledAt == 0, err
}
