package store

import (
	"context"
	"errors"
	"fmt"
	"reflect"
	"testing"

	"countersign/internal/model"
)

// threeWithWork stores three intents with a step each that has an open attempt.
func threeWithWork(t *testing.T) (*DB, []string) {
	t.Helper()
	db := openLists(t, open("acme", 1), open("acme", 2), open("acme", 3))
	var ids []string
	err := db.Update(context.Background(), func(tx *Tx) error {
		if err := tx.Select(&ids, "SELECT id FROM intents ORDER BY id"); err != nil {
			return err
		}
		for _, id := range ids {
			c, err := tx.LockCase(id)
			if err != nil {
				return err
			}
			c.Fence++
			s := c.Steps[0]
			s.Attempts = append(s.Attempts, model.Attempt{IntentID: id, Step: s.Name, Number: 1, Generation: 1, Trigger: model.ByEngine, StartedAt: tx.Now()})
			if err := tx.SaveCase(c); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return db, ids
}

// finish ends the open attempt and begins the next, as a settlement does.
func finish(tx *Tx, c *model.Case) error {
	s := c.Steps[0]
	s.Attempts[0].FinishedAt, s.Attempts[0].Result = tx.Now(), model.ResultNotSent
	s.Tries, c.Fence, c.Version = s.Tries+1, c.Fence+1, c.Version+1
	s.Attempts = append(s.Attempts, model.Attempt{IntentID: c.ID, Step: s.Name, Number: 2, Generation: 1, Trigger: model.ByRetry, StartedAt: tx.Now()})
	s.Evidence = append(s.Evidence, model.Evidence{ID: tx.NewID("ev"), IntentID: c.ID, Step: s.Name, Source: "response", Says: "inconclusive", BeganAt: tx.Now(), At: tx.Now()})
	return tx.SaveCase(c)
}

// What LockAhead reads is what LockCase alone reads, and what is written
// together is what each transaction alone would have written.
func TestManyIntentsAtOnceAreAsOneByOne(t *testing.T) {
	db, ids := threeWithWork(t)
	err := db.Update(context.Background(), func(tx *Tx) error {
		if err := tx.LockAhead(ids); err != nil {
			return err
		}
		for _, id := range ids {
			alone, err := tx.Case(id)
			if err != nil {
				return err
			}
			ahead, err := tx.LockCase(id)
			if err != nil {
				return err
			}
			if !reflect.DeepEqual(alone, ahead) {
				t.Errorf("read ahead:\n%+v\nalone:\n%+v", ahead, alone)
			}
			if err := finish(tx, ahead); err != nil {
				return err
			}
		}
		again, err := tx.LockCase(ids[1]) // reads, so what waits is written first
		if err == nil && len(again.Steps[0].Attempts) != 2 {
			t.Errorf("the transaction does not see its own attempts: %+v", again.Steps[0].Attempts)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	for _, id := range ids {
		c := mustCase(t, db, id)
		s := c.Steps[0]
		if c.Fence != 2 || s.Tries != 1 || len(s.Attempts) != 2 || s.Attempts[0].Result != model.ResultNotSent || s.Attempts[1].FinishedAt != 0 || len(s.Evidence) != 1 {
			t.Errorf("%s: fence %d, step %+v", id, c.Fence, s)
		}
	}
}

// One of many that moved meanwhile keeps all of them from being written.
func TestOneThatMovedStopsAllThatAreWrittenTogether(t *testing.T) {
	db, ids := threeWithWork(t)
	err := db.Update(context.Background(), func(tx *Tx) error {
		if err := tx.LockAhead(ids); err != nil {
			return err
		}
		for i, id := range ids {
			c, err := tx.LockCase(id)
			if err != nil {
				return err
			}
			if i == 1 {
				if _, err := tx.Exec("UPDATE intents SET fence = fence + 1 WHERE id = ?", id); err != nil {
					return err
				}
			}
			if err := finish(tx, c); err != nil {
				return err
			}
		}
		return nil
	})
	if !errors.Is(err, model.Stale) {
		t.Errorf("error %v, want Stale", err)
	}
	for _, id := range ids {
		if c := mustCase(t, db, id); c.Fence != 1 || len(c.Steps[0].Attempts) != 1 {
			t.Errorf("%s was written: fence %d", id, c.Fence)
		}
	}
}

func mustCase(t *testing.T, db *DB, id string) (c *model.Case) {
	t.Helper()
	err := db.View(context.Background(), func(tx *Tx) (err error) {
		c, err = tx.Case(id)
		return err
	})
	if err != nil {
		t.Fatal(fmt.Errorf("read %s: %w", id, err))
	}
	return c
}
