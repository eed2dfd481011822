package store

import (
	"testing"

	"countersign/internal/model"
)

// TestNewestOfAState: open states too can be listed newest first, from the index
// of their state.
func TestNewestOfAState(t *testing.T) {
	db := openLists(t, open("acme", 1), open("acme", 2), open("globex", 3))
	f := ListFilter{Accounts: []string{"acme"}, State: string(model.NeedsReview), Order: NewestIntent, Limit: 10}
	err := db.View(t.Context(), func(tx *Tx) error {
		rows, _, err := tx.List(f)
		if got := names(rows); got != "acme00001 acme00002" {
			t.Errorf("listed %s", got)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
}

func TestLookAlikesAndParams(t *testing.T) {
	other := open("acme", 3)
	other.LookAlike = "another"
	db := openLists(t, open("acme", 1), open("acme", 2), other, open("globex", 4))
	err := db.View(t.Context(), func(tx *Tx) error {
		for id, want := range map[string]int{"intent-acme00001": 1, "intent-acme00003": 0, "intent-globex00004": 0} {
			c, err := tx.Case(id)
			if err != nil {
				return err
			}
			if n, err := tx.LookAlikes(c.Account, c.LookAlike, c.ID); err != nil || n.N != want || n.Capped {
				t.Errorf("%s: %+v look alike, want %d: %v", id, n, want, err)
			}
		}
		if n, err := tx.LookAlikes("acme", "", "x"); err != nil || n.N != 0 {
			t.Errorf("without a digest: %+v %v", n, err)
		}
		rows, _, err := tx.List(ListFilter{Accounts: []string{"acme"}, State: AnyState, Limit: 2})
		if err != nil {
			return err
		}
		cases, err := tx.Cases(rows)
		if err != nil {
			return err
		}
		if err := tx.AddParams(cases); err != nil || string(cases[0].Params) != "{}" || len(cases[1].Fingerprint) != 1 {
			t.Errorf("params %s, fingerprint %x: %v", cases[0].Params, cases[1].Fingerprint, err)
		}
		return tx.AddParams(nil)
	})
	if err != nil {
		t.Fatal(err)
	}
}
