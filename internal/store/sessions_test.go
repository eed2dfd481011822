package store_test

import (
	"errors"
	"testing"
	"time"

	"countersign/internal/model"
	"countersign/internal/store"
)

// signIn makes a session and gives its secret.
func signIn(t *testing.T, db *store.DB, person, replaces string) (secret string) {
	t.Helper()
	update(t, db, func(tx *store.Tx) (err error) {
		secret, err = tx.AddSession(store.Session{Person: person, Data: []byte("d"), Agent: "Lynx", Address: "127.0.0.1"}, replaces)
		return err
	})
	return secret
}

// find reads a session by its secret.
func find(t *testing.T, db *store.DB, secret string) (s store.Session, ok bool) {
	t.Helper()
	err := db.View(t.Context(), func(tx *store.Tx) (err error) { s, ok, err = tx.SessionBySecret(secret); return err })
	if err != nil {
		t.Fatal(err)
	}
	return s, ok
}

// touch uses a session as a request does.
func touch(t *testing.T, db *store.DB, s store.Session) {
	t.Helper()
	update(t, db, func(tx *store.Tx) error { return tx.TouchSession(s) })
}

func TestSessionEndsWhenIdle(t *testing.T) {
	db, c := openAt(t)
	secret := signIn(t, db, addPerson(t, db, "olga@example.com", model.RoleOperator).ID, "")
	c.forward(store.SessionIdle - time.Second)
	s, ok := find(t, db, secret)
	if !ok {
		t.Fatal("ended before its time")
	}
	c.forward(2 * time.Second)
	if _, ok := find(t, db, secret); ok {
		t.Error("goes on though idle")
	}
	touch(t, db, s)
	if _, ok := find(t, db, secret); ok {
		t.Error("a late touch raised it")
	}
}

func TestSessionEndsHoweverBusy(t *testing.T) {
	db, c := openAt(t)
	secret := signIn(t, db, addPerson(t, db, "olga@example.com", model.RoleOperator).ID, "")
	c.forward(time.Second)
	lived := time.Duration(0)
	for s, ok := find(t, db, secret); ok; s, ok = find(t, db, secret) {
		touch(t, db, s)
		c.forward(30 * time.Minute)
		lived += 30 * time.Minute
	}
	if lived != store.SessionLifetime {
		t.Errorf("lived for %v, want %v", lived, store.SessionLifetime)
	}
}

func TestSessionIDIsNew(t *testing.T) {
	db, c := openAt(t)
	olga := addPerson(t, db, "olga@example.com", model.RoleOperator)
	first := signIn(t, db, olga.ID, "")
	second := signIn(t, db, olga.ID, first)
	if _, ok := find(t, db, first); ok || first == second {
		t.Error("the session before the sign-in goes on")
	}
	before, _ := find(t, db, second)
	c.forward(20 * time.Minute)
	var third string
	update(t, db, func(tx *store.Tx) (err error) { third, err = tx.StepUp(second); return err })
	if _, ok := find(t, db, second); ok || second == third {
		t.Error("the session before the step-up goes on")
	}
	after, ok := find(t, db, third)
	if !ok || after.SteppedUp.Sub(before.SteppedUp) < 19*time.Minute || string(after.Data) != "d" || after.Agent != "Lynx" {
		t.Errorf("after step-up: %+v", after)
	}
	if after.ExpiresAt != before.ExpiresAt || after.CreatedAt != before.CreatedAt {
		t.Error("step-up moved the end")
	}
	if err := db.Update(t.Context(), func(tx *store.Tx) error { _, err := tx.StepUp(second); return err }); !errors.Is(err, model.Unauthenticated) {
		t.Errorf("step-up of an ended session: %v", err)
	}
}

func TestRevokeSessions(t *testing.T) {
	db, _ := openAt(t)
	olga := addPerson(t, db, "olga@example.com", model.RoleOperator)
	ann := addPerson(t, db, "ann@example.com", model.RoleApprover)
	one, two, annas := signIn(t, db, olga.ID, ""), signIn(t, db, olga.ID, ""), signIn(t, db, ann.ID, "")
	s1, _ := find(t, db, one)
	s2, _ := find(t, db, two)
	foreign, _ := find(t, db, annas)
	update(t, db, func(tx *store.Tx) error {
		if list, err := tx.Sessions(olga.ID); err != nil || len(list) != 2 || list[0].ID() != s2.ID() {
			t.Errorf("listed %v, %v", list, err)
		}
		for _, id := range []string{foreign.ID(), "", "no hex", "00"} {
			if err := tx.RevokeSession(olga.ID, id); !errors.Is(err, model.NotFound) {
				t.Errorf("revoke %q: %v", id, err)
			}
		}
		return tx.RevokeSession(olga.ID, s1.ID())
	})
	if _, ok := find(t, db, one); ok {
		t.Error("a revoked session goes on")
	}
	third := signIn(t, db, olga.ID, "")
	update(t, db, func(tx *store.Tx) error { return tx.SetPassword(olga.ID, "$argon2id$…", s2.ID()) })
	for secret, want := range map[string]bool{two: true, third: false, annas: true} {
		if _, ok := find(t, db, secret); ok != want {
			t.Errorf("after a new password: live %v, want %v", ok, want)
		}
	}
	update(t, db, func(tx *store.Tx) error { return tx.SetPassword(olga.ID, "$argon2id$…", "") })
	if _, ok := find(t, db, two); ok {
		t.Error("a session goes on after a new password that keeps none")
	}
}
