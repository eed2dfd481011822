package store_test

import (
	"errors"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"countersign/internal/model"
	"countersign/internal/store"
)

func TestSignInLinkWorksOnce(t *testing.T) {
	db, _ := openAt(t)
	olga := addPerson(t, db, "olga@example.com", model.RoleOperator)
	var token string
	update(t, db, func(tx *store.Tx) (err error) {
		token, err = tx.AddSignInLink(olga.ID, store.DefaultLinkLife)
		return err
	})
	for range 3 {
		if err := db.View(t.Context(), func(tx *store.Tx) error { _, err := tx.SignInLink(token); return err }); err != nil {
			t.Fatalf("looking used it up: %v", err)
		}
	}
	var won, lost atomic.Int32
	var wg sync.WaitGroup
	for range 8 {
		wg.Go(func() {
			err := db.Update(t.Context(), func(tx *store.Tx) error { _, err := tx.UseSignInLink(token); return err })
			switch {
			case err == nil:
				won.Add(1)
			case errors.Is(err, model.Unauthenticated):
				lost.Add(1)
			default:
				t.Error(err)
			}
		})
	}
	wg.Wait()
	if won.Load() != 1 || lost.Load() != 7 {
		t.Errorf("%d got in, %d were refused", won.Load(), lost.Load())
	}
}

func TestSignInLinkEnds(t *testing.T) {
	db, c := openAt(t)
	olga := addPerson(t, db, "olga@example.com", model.RoleOperator)
	var token string
	update(t, db, func(tx *store.Tx) (err error) {
		token, err = tx.AddSignInLink(olga.ID, store.DefaultLinkLife)
		return err
	})
	c.forward(store.DefaultLinkLife + time.Second)
	for _, token := range []string{token, "", "unknown"} {
		err := db.Update(t.Context(), func(tx *store.Tx) error { _, err := tx.UseSignInLink(token); return err })
		if !errors.Is(err, model.Unauthenticated) {
			t.Errorf("%q: %v", token, err)
		}
	}
}

// take is one try; it gives what TakeTry gives.
func take(t *testing.T, db *store.DB, subjects ...string) (taken []string, wait model.Time) {
	t.Helper()
	var list []store.Tried
	for _, subject := range subjects {
		list = append(list, store.Tried{Subject: subject, Most: store.MaxTries})
	}
	update(t, db, func(tx *store.Tx) (err error) { taken, wait, err = tx.TakeTry(list...); return err })
	return taken, wait
}

func TestTriesAreLimited(t *testing.T) {
	db, c := openAt(t)
	first := model.At(c.now())
	for range store.MaxTries {
		if _, wait := take(t, db, "olga", "here"); wait != 0 {
			t.Fatal("refused within the limit")
		}
		c.forward(time.Second)
	}
	for _, subjects := range [][]string{{"olga", "elsewhere"}, {"ann", "here"}} {
		_, wait := take(t, db, subjects...)
		if late := wait.Sub(first.Add(store.TriesWithin)); late < 0 || late > time.Second {
			t.Errorf("%v: the next try is at %v, want %v", subjects, wait, first.Add(store.TriesWithin))
		}
	}
	if _, wait := take(t, db, "ann", "elsewhere"); wait != 0 {
		t.Error("a refused try was counted, or others are refused with it")
	}
	c.forward(store.TriesWithin)
	if _, wait := take(t, db, "olga", "here"); wait != 0 {
		t.Error("refused after the window")
	}
}

func TestRightPasswordForgives(t *testing.T) {
	db, _ := openAt(t)
	for range store.MaxTries - 1 {
		take(t, db, "olga", "here")
	}
	taken, _ := take(t, db, "olga", "here")
	update(t, db, func(tx *store.Tx) error { return tx.ForgiveTry(taken, "olga") })
	if _, wait := take(t, db, "olga", "elsewhere"); wait != 0 {
		t.Error("the person's own tries stay counted")
	}
	if _, wait := take(t, db, "ann", "here"); wait != 0 {
		t.Error("the right password stays counted against the address")
	}
	if _, wait := take(t, db, "ann", "here"); wait == 0 {
		t.Error("the wrong ones are forgotten for the address")
	}
}

func TestTriesAtOnce(t *testing.T) {
	db, _ := openAt(t)
	var let atomic.Int32
	var wg sync.WaitGroup
	for range 2 * store.MaxTries {
		wg.Go(func() {
			err := db.Update(t.Context(), func(tx *store.Tx) error {
				_, wait, err := tx.TakeTry(store.Tried{Subject: "olga", Most: store.MaxTries})
				if wait == 0 && err == nil {
					let.Add(1)
				}
				return err
			})
			if err != nil {
				t.Error(err)
			}
		})
	}
	wg.Wait()
	if let.Load() != store.MaxTries {
		t.Errorf("%d tries got through, want %d", let.Load(), store.MaxTries)
	}
}
