package store

import (
	"encoding/hex"
	"time"

	"countersign/internal/model"
)

// Limits of a session.
const (
	SessionIdle     = time.Hour      // without a request
	SessionLifetime = 12 * time.Hour // from the sign-in, whatever happens
	touchEvery      = time.Minute    // how exactly the last request is remembered
)

// Session is a signed-in browser. Its cookie holds 256 random bits, of which
// only the SHA-256 is stored.
type Session struct {
	IDHash    []byte     `db:"id_hash"`
	Person    string     `db:"person"`
	Data      []byte     `db:"data"`
	CreatedAt model.Time `db:"created_at"` // of the sign-in; step-up keeps it
	SeenAt    model.Time `db:"seen_at"`
	ExpiresAt model.Time `db:"expires_at"`
	SteppedUp model.Time `db:"stepped_up"`
	RevokedAt model.Time `db:"revoked_at"`
	Agent     string     `db:"agent"`   // the browser, as it calls itself
	Address   string     `db:"address"` // where it signed in from
}

// ID is the session's public name: it can be shown, and opens nothing.
func (s Session) ID() string { return hex.EncodeToString(s.IDHash) }

const sessionColumns = "id_hash, person, data, created_at, seen_at, expires_at, stepped_up, revoked_at, agent, address"

// live is the condition under which a session counts; its arguments are liveAt's.
const live = "revoked_at = 0 AND expires_at > ? AND seen_at > ?"

func (t *Tx) liveAt() (now, idle model.Time) { return t.now, t.now.Add(-SessionIdle) }

// AddSession signs a person in and gives the secret for the cookie. A session
// that the browser had before ends: replaces is its secret, or "". Of s only
// Person, Data, Agent and Address are read. A sign-in is a fresh factor. The
// person's sessions that ended long ago go off the record.
func (t *Tx) AddSession(s Session, replaces string) (secret string, err error) {
	if err := t.EndSession(replaces); err != nil {
		return "", err
	}
	if _, err := t.Exec("DELETE FROM sessions WHERE person = ? AND expires_at <= ?", s.Person, t.now.Add(-keepEnded)); err != nil {
		return "", err
	}
	s.CreatedAt, s.ExpiresAt = t.now, t.now.Add(SessionLifetime)
	return t.insertSession(s)
}

func (t *Tx) insertSession(s Session) (secret string, err error) {
	secret = newSecret()
	s.IDHash, s.SeenAt, s.SteppedUp, s.RevokedAt = hashSecret(secret), t.now, t.now, 0
	return secret, t.Insert("sessions", sessionColumns, s)
}

// StepUp records a fresh factor: the session goes on under a new secret with
// the same end, the old one is worth nothing, and the person's keys pass step-up
// for a while. The error is of kind Unauthenticated when the session has ended.
func (t *Tx) StepUp(secret string) (fresh string, err error) {
	s, ok, err := t.SessionBySecret(secret)
	if err != nil {
		return "", err
	}
	if !ok {
		return "", ended()
	}
	if err := t.EndSession(secret); err != nil {
		return "", err
	}
	if err := t.stepUpKeys(s.Person); err != nil {
		return "", err
	}
	return t.insertSession(s)
}

func ended() error {
	return model.Errorf(model.Unauthenticated, "unauthenticated", "This session has ended; sign in again.")
}

// SessionBySecret finds the session that a cookie stands for; ok is false when
// it is unknown, revoked, idle for too long or at its end.
func (t *Tx) SessionBySecret(secret string) (s Session, ok bool, err error) {
	if len(secret) != secretChars {
		return s, false, nil
	}
	return t.session(hashSecret(secret))
}

func (t *Tx) session(idHash []byte) (s Session, ok bool, err error) {
	now, idle := t.liveAt()
	ok, err = t.Get(&s, "SELECT "+sessionColumns+" FROM sessions WHERE id_hash = ? AND "+live+t.shared(), idHash, now, idle)
	return s, ok, err
}

// SessionActor gives the person of a session, with their rights as they are in
// this transaction. The error is of kind Unauthenticated.
func (t *Tx) SessionActor(s Session) (model.Actor, error) {
	a, err := t.PersonActor(s.Person)
	a.Session, a.SteppedUpAt = s.ID(), s.SteppedUp
	return a, err
}

func (t *Tx) sessionActor(id string) (model.Actor, error) {
	idHash, err := hex.DecodeString(id)
	if err != nil {
		return model.Actor{}, ended()
	}
	s, ok, err := t.session(idHash)
	if err != nil {
		return model.Actor{}, err
	}
	if !ok {
		return model.Actor{}, ended()
	}
	return t.SessionActor(s)
}

// Due reports whether the session's last request is worth remembering anew;
// most requests write nothing.
func (s Session) Due(now model.Time) bool { return now.Sub(s.SeenAt) >= touchEvery }

// TouchSession remembers that a session was used, unless it has ended.
func (t *Tx) TouchSession(s Session) error {
	now, idle := t.liveAt()
	_, err := t.Exec("UPDATE sessions SET seen_at = ? WHERE id_hash = ? AND "+live, t.now, s.IDHash, now, idle)
	return err
}

// SetSessionData stores a session's values. The error is of kind
// Unauthenticated when it has ended.
func (t *Tx) SetSessionData(secret string, data []byte) error {
	now, idle := t.liveAt()
	changed, err := t.Changed("UPDATE sessions SET data = ? WHERE id_hash = ? AND "+live, data, hashSecret(secret), now, idle)
	if err == nil && changed == 0 {
		err = ended()
	}
	return err
}

// EndSession signs out; an unknown secret is no error.
func (t *Tx) EndSession(secret string) error {
	_, err := t.Exec("UPDATE sessions SET revoked_at = ? WHERE id_hash = ? AND revoked_at = 0", t.now, hashSecret(secret))
	return err
}

// Sessions lists a person's sessions that have not ended, latest use first.
func (t *Tx) Sessions(person string) (list []Session, err error) {
	now, idle := t.liveAt()
	err = t.Select(&list, "SELECT "+sessionColumns+" FROM sessions WHERE person = ? AND "+live+" ORDER BY seen_at DESC, id_hash", person, now, idle)
	return list, err
}

// RevokeSession ends one session of a person by its public id. The error is of
// kind NotFound, for another person's session too.
func (t *Tx) RevokeSession(person, id string) error {
	idHash, _ := hex.DecodeString(id)
	changed, err := t.Changed("UPDATE sessions SET revoked_at = ? WHERE id_hash = ? AND person = ? AND revoked_at = 0", t.now, idHash, person)
	if err == nil && changed == 0 {
		err = model.Errorf(model.NotFound, "not-found", "There is no such session.")
	}
	return err
}

// revokeSessions ends a person's sessions but the one with the public id keep.
func (t *Tx) revokeSessions(person, keep string) error {
	kept, _ := hex.DecodeString(keep)
	_, err := t.Exec("UPDATE sessions SET revoked_at = ? WHERE person = ? AND revoked_at = 0 AND id_hash <> ?", t.now, person, append([]byte{}, kept...))
	return err
}
