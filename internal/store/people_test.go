package store_test

import (
	"errors"
	"slices"
	"strings"
	"testing"
	"time"

	"countersign/internal/model"
	"countersign/internal/store"
	"countersign/internal/store/storetest"
)

// clock is a time that a test moves by hand.
type clock struct{ at time.Time }

func (c *clock) now() time.Time          { return c.at }
func (c *clock) forward(d time.Duration) { c.at = c.at.Add(d) }

// openAt opens a database whose clock the test moves.
func openAt(t *testing.T) (*store.DB, *clock) {
	t.Helper()
	c := &clock{at: time.Date(2026, 11, 29, 12, 0, 0, 0, time.UTC)}
	return storetest.Open(t, store.Options{Clock: c.now}), c
}

// update runs fn in a transaction that must succeed.
func update(t *testing.T, db *store.DB, fn func(tx *store.Tx) error) {
	t.Helper()
	if err := db.Update(t.Context(), fn); err != nil {
		t.Fatal(err)
	}
}

// addPerson makes a person with one role in account acme.
func addPerson(t *testing.T, db *store.DB, email string, role model.Role) (p model.Person) {
	t.Helper()
	update(t, db, func(tx *store.Tx) (err error) {
		if p, err = tx.AddPerson(email, ""); err != nil {
			return err
		}
		return tx.Grant(p.ID, "acme", role)
	})
	return p
}

func TestAddPerson(t *testing.T) {
	db, _ := openAt(t)
	addPerson(t, db, " Olga@Example.com ", model.RoleOperator)
	update(t, db, func(tx *store.Tx) error {
		p, err := tx.PersonByEmail("OLGA@example.com")
		if err != nil || p.Email != "olga@example.com" || p.Name != "olga" || p.Zone != "UTC" || !p.Keyboard {
			t.Errorf("got %+v, %v", p, err)
		}
		return nil
	})
	for email, want := range map[string]model.Kind{
		"olga@EXAMPLE.com": model.Conflict, "": model.Invalid, "olga": model.Invalid,
		"Olga <o@example.com>": model.Invalid, "a@b.com, c@d.com": model.Invalid,
	} {
		err := db.Update(t.Context(), func(tx *store.Tx) error { _, err := tx.AddPerson(email, "x"); return err })
		if !errors.Is(err, want) {
			t.Errorf("%q: got %v, want %v", email, err, want)
		}
	}
}

func TestEnsureAccount(t *testing.T) {
	db, _ := openAt(t)
	for account, ok := range map[string]bool{
		"acme": true, "a": true, "9-x_y": true, strings.Repeat("a", 63): true,
		"": false, "Acme": false, "-a": false, "a b": false, "a/b": false, strings.Repeat("a", 64): false,
	} {
		for range 2 {
			err := db.Update(t.Context(), func(tx *store.Tx) error { return tx.EnsureAccount(account) })
			if (err == nil) != ok || !ok && !errors.Is(err, model.Invalid) {
				t.Errorf("%q: got %v", account, err)
			}
		}
	}
}

func TestRolesAreByAccount(t *testing.T) {
	db, _ := openAt(t)
	olga := addPerson(t, db, "olga@example.com", model.RoleOperator)
	addPerson(t, db, "ann@example.com", model.RoleApprover)
	update(t, db, func(tx *store.Tx) error {
		if err := tx.Grant(olga.ID, "acme", "king"); !errors.Is(err, model.Invalid) {
			t.Errorf("role king: %v", err)
		}
		return errors.Join(tx.Grant(olga.ID, "acme", model.RoleOperator), tx.Grant(olga.ID, "globex", model.RoleAuditor))
	})
	update(t, db, func(tx *store.Tx) error {
		acme, err := tx.People("acme")
		if err != nil || len(acme) != 2 || acme[0].Name != "ann" || len(acme[1].Roles) != 1 {
			t.Errorf("people of acme: %+v, %v", acme, err)
		}
		globex, err := tx.People("globex")
		if err != nil || len(globex) != 1 || !slices.Equal(globex[0].Roles["globex"], []model.Role{model.RoleAuditor}) || globex[0].Roles["acme"] != nil {
			t.Errorf("people of globex: %+v, %v", globex, err)
		}
		all, err := tx.Everybody()
		if err != nil || len(all) != 2 || len(all[1].Roles) != 2 {
			t.Errorf("everybody: %+v, %v", all, err)
		}
		return nil
	})
}

func TestRightsChangeAtOnce(t *testing.T) {
	db, _ := openAt(t)
	olga := addPerson(t, db, "olga@example.com", model.RoleOperator)
	update(t, db, func(tx *store.Tx) error {
		before, err := tx.PersonActor(olga.ID)
		if err != nil || before.Account != "acme" || len(before.Roles["acme"]) != 1 {
			t.Errorf("before: %+v, %v", before, err)
		}
		if err := tx.Withdraw(olga.ID, "acme", model.RoleOperator); err != nil {
			return err
		}
		after, err := tx.Refresh(before)
		if err != nil || len(after.Roles) != 0 {
			t.Errorf("in the same transaction: %+v, %v", after, err)
		}
		return nil
	})
}

func TestDisableStopsEverything(t *testing.T) {
	db, c := openAt(t)
	olga := addPerson(t, db, "olga@example.com", model.RoleOperator)
	var cookie, key, token string
	var onPage, byKey model.Actor
	update(t, db, func(tx *store.Tx) (err error) {
		if cookie, err = tx.AddSession(store.Session{Person: olga.ID, Data: []byte{}}, ""); err != nil {
			return err
		}
		if _, key, err = tx.AddPersonKey(olga.ID, "laptop", 0); err != nil {
			return err
		}
		if token, err = tx.AddSignInLink(olga.ID, time.Hour); err != nil {
			return err
		}
		s, _, err := tx.SessionBySecret(cookie)
		if err != nil {
			return err
		}
		if onPage, err = tx.SessionActor(s); err != nil {
			return err
		}
		byKey, err = tx.ActorByKey(key)
		return err
	})
	update(t, db, func(tx *store.Tx) error { return tx.Disable(olga.ID) })
	c.forward(time.Minute)
	update(t, db, func(tx *store.Tx) error { return tx.Disable(olga.ID) })
	update(t, db, func(tx *store.Tx) error {
		if _, ok, err := tx.SessionBySecret(cookie); ok || err != nil {
			t.Errorf("the session goes on: %v", err)
		}
		for name, try := range map[string]func() error{
			"key":             func() error { _, err := tx.ActorByKey(key); return err },
			"link":            func() error { _, err := tx.UseSignInLink(token); return err },
			"rights":          func() error { _, err := tx.PersonActor(olga.ID); return err },
			"request by page": func() error { _, err := tx.Refresh(onPage); return err },
			"request by key":  func() error { _, err := tx.Refresh(byKey); return err },
		} {
			if err := try(); !errors.Is(err, model.Unauthenticated) {
				t.Errorf("%s: got %v", name, err)
			}
		}
		p, err := tx.Person(olga.ID)
		if err != nil || tx.Now().Sub(p.DisabledAt) < 59*time.Second {
			t.Errorf("disabling again moved the moment: %v, %v", p.DisabledAt, err)
		}
		return nil
	})
}

func TestSettings(t *testing.T) {
	db, _ := openAt(t)
	olga := addPerson(t, db, "olga@example.com", model.RoleOperator)
	want := store.Settings{Zone: "Europe/Vienna", Theme: "dark", Density: "compact"}
	update(t, db, func(tx *store.Tx) error { return tx.SetSettings(olga.ID, want) })
	update(t, db, func(tx *store.Tx) error {
		p, err := tx.Person(olga.ID)
		if got := (store.Settings{Zone: p.Zone, Theme: p.Theme, Density: p.Density, Keyboard: p.Keyboard}); got != want {
			t.Errorf("got %+v, want %+v", got, want)
		}
		for _, zone := range []string{"", "Local", "Middle/Earth", "../etc"} {
			if err := tx.SetSettings(olga.ID, store.Settings{Zone: zone}); !errors.Is(err, model.Invalid) {
				t.Errorf("zone %q: %v", zone, err)
			}
		}
		return err
	})
}
