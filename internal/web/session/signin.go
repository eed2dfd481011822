package session

import (
	"errors"
	"net/http"

	"github.com/gorilla/sessions"

	"countersign/internal/model"
	"countersign/internal/store"
)

// Also is what has to be committed together with a change of sign-in, such as
// its audit entry. It touches nothing but the transaction; nil is nothing.
type Also func(tx *store.Tx, person string) error

func (a Also) run(tx *store.Tx, person string) error {
	if a == nil {
		return nil
	}
	return a(tx, person)
}

// SignIn signs in the person that who names, under a new id; what the browser
// was signed in with before ends. who runs in the same transaction.
func (s *Store) SignIn(w http.ResponseWriter, r *http.Request, who func(*store.Tx) (person string, err error)) error {
	session, err := s.Get(r, s.Name())
	if err != nil {
		return err
	}
	data, err := encode(map[any]any{tokenKey: newToken()})
	if err != nil {
		return err
	}
	var secret string
	err = s.db.Update(r.Context(), func(tx *store.Tx) error {
		person, err := who(tx)
		if err != nil {
			return err
		}
		if _, err := tx.PersonActor(person); err != nil {
			return err
		}
		secret, err = tx.AddSession(store.Session{Person: person, Data: data, Agent: agent(r), Address: s.opts.Address(r)}, session.ID)
		return err
	})
	if err != nil {
		return err
	}
	return s.goOn(w, r, session, secret)
}

// goOn gives the browser its new id and reads the session anew, so that the
// rest of the request already has it.
func (s *Store) goOn(w http.ResponseWriter, r *http.Request, session *sessions.Session, secret string) error {
	if err := s.load(r.Context(), session, secret); err != nil {
		return err
	}
	in, ok := current(session)
	if !ok || session.ID != secret {
		return model.Errorf(model.Unauthenticated, "unauthenticated", "This session has ended; sign in again.")
	}
	s.setCookie(w, secret, int(in.Session.ExpiresAt.Sub(s.db.Now()).Seconds()))
	return nil
}

// SignInByLink uses a one-time link up and signs its person in. The error is of
// kind Unauthenticated when the link is unknown, used or over.
func (s *Store) SignInByLink(w http.ResponseWriter, r *http.Request, token string, also Also) error {
	return s.SignIn(w, r, func(tx *store.Tx) (string, error) {
		person, err := tx.UseSignInLink(token)
		if err != nil {
			return "", err
		}
		return person, also.run(tx, person)
	})
}

// SignInByPassword signs in with address and password. The error is of kind
// Unauthenticated, in the same words for a wrong address, a wrong password and a
// disabled person; after too many tries it is one for which Wait is ok.
func (s *Store) SignInByPassword(w http.ResponseWriter, r *http.Request, email, password string, also Also) error {
	try, err := s.check(r, email, password)
	if err != nil {
		return err
	}
	return s.SignIn(w, r, func(tx *store.Tx) (string, error) {
		if err := tx.ForgiveTry(try.taken, try.own); err != nil {
			return "", err
		}
		return try.person.ID, also.run(tx, try.person.ID)
	})
}

// StepUp takes the password of the person who is signed in as a fresh factor:
// the session goes on under a new id, and for a while the person and their keys
// may do what needs one. Errors are those of SignInByPassword.
func (s *Store) StepUp(w http.ResponseWriter, r *http.Request, password string, also Also) error {
	actor, err := s.Actor(r)
	if err != nil {
		return err
	}
	try, err := s.check(r, actor.Email, password)
	if err != nil {
		return err
	}
	session, err := s.Get(r, s.Name())
	if err != nil {
		return err
	}
	var secret string
	err = s.db.Update(r.Context(), func(tx *store.Tx) error {
		if secret, err = tx.StepUp(session.ID); err != nil {
			return err
		}
		if err := tx.ForgiveTry(try.taken, try.own); err != nil {
			return err
		}
		return also.run(tx, actor.ID)
	})
	if err != nil {
		return err
	}
	return s.goOn(w, r, session, secret)
}

// SignOut ends the session; without one it only takes the cookie away.
func (s *Store) SignOut(w http.ResponseWriter, r *http.Request, also Also) error {
	session, err := s.Get(r, s.Name())
	if err != nil {
		return err
	}
	if in, ok := current(session); ok {
		err := s.db.Update(r.Context(), func(tx *store.Tx) error {
			if err := tx.EndSession(session.ID); err != nil {
				return err
			}
			return also.run(tx, in.Session.Person)
		})
		if err != nil {
			return err
		}
	}
	session.ID, session.IsNew, session.Values = "", true, map[any]any{}
	s.setCookie(w, "", -1)
	return nil
}

// try is one checked password.
type try struct {
	person model.Person
	taken  []string
	own    string
}

// check takes a try and compares the password. An unknown address costs as much
// time as a wrong password.
func (s *Store) check(r *http.Request, email, password string) (t try, err error) {
	var subjects []store.Tried
	t.own, subjects = counted(email, s.opts.Address(r))
	var wait model.Time
	err = s.db.Update(r.Context(), func(tx *store.Tx) (err error) {
		if t.taken, wait, err = tx.TakeTry(subjects...); err != nil || wait != 0 {
			return err
		}
		t.person, err = tx.PersonByEmail(email)
		if errors.Is(err, model.NotFound) {
			t.person, err = model.Person{}, nil
		}
		return err
	})
	switch {
	case err != nil:
		return t, err
	case wait != 0:
		return t, tooMany(wait)
	case !Verify(t.person.PasswordHash, password) || t.person.DisabledAt != 0:
		return t, model.Errorf(model.Unauthenticated, "unauthenticated", "The address or the password is wrong.")
	}
	return t, nil
}
