package store

import (
	"fmt"
	"strings"
	"testing"

	"countersign/internal/model"
)

// TestBeside: what stands beside the rows of a list is read for all of them at once,
// from indexes.
func TestBeside(t *testing.T) {
	first, second, third := open("acme", 1), open("acme", 2), open("acme", 3)
	second.LookAlike = first.LookAlike
	third.LookAlike = "other"
	foreign := open("globex", 4)
	foreign.LookAlike = first.LookAlike
	db := openLists(t, first, second, third, foreign)
	err := db.Update(t.Context(), func(tx *Tx) error {
		for _, text := range []string{"older", "newer"} {
			if _, err := tx.AddNote(Note{IntentID: first.ID, Person: "p", Name: "Olga", Text: text}); err != nil {
				return err
			}
		}
		found, err := tx.Beside([]string{first.ID, second.ID, third.ID})
		if err != nil {
			return err
		}
		if b := found[first.ID]; b.Alike != 1 || b.Other != second.ID || b.Note != "newer" || b.NoteBy != "Olga" {
			t.Errorf("%+v", b)
		}
		if b := found[third.ID]; b.Alike != 0 || b.Other != "" || b.Note != "" {
			t.Errorf("%+v", b)
		}
		notes, more, err := tx.Notes(first.ID, "", 1)
		if err != nil || !more || len(notes) != 1 || notes[0].Text != "newer" {
			t.Errorf("%+v %v (%v)", notes, more, err)
		}
		notes, more, err = tx.Notes(first.ID, notes[0].ID, 1)
		if err != nil || more || len(notes) != 1 || notes[0].Text != "older" {
			t.Errorf("%+v %v (%v)", notes, more, err)
		}
		n, err := tx.CountNotes(first.ID)
		if n.N != 2 {
			t.Errorf("%+v", n)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	for _, change := range []string{"UPDATE notes SET text = 'x'", "DELETE FROM notes"} {
		if err := db.Update(t.Context(), func(tx *Tx) error { _, err := tx.Exec(change); return err }); err == nil {
			t.Errorf("%s was let through", change)
		}
	}
}

func TestTally(t *testing.T) {
	row := func(n int64, state model.IntentState, owner string, due model.Time) model.Intent {
		i := open("acme", n)
		i.State, i.Owner, i.ReviewDue = state, owner, due
		return i
	}
	far := model.Time(1 << 60)
	db := openLists(t, row(1, model.NeedsReview, "me", 1), row(2, model.NeedsReview, "me", far), row(3, model.NeedsReview, "", far), row(4, model.NeedsReview, "you", 1),
		row(5, model.AwaitingApproval, "", 0), row(6, model.NeedsReview, "me", 1), row(7, model.RetryableFailure, "me", 0), open("globex", 8))
	err := db.Update(t.Context(), func(tx *Tx) error {
		if _, err := tx.Exec(`INSERT INTO approvals (id, state, action, intent_id, account, digest, plan, input, needed, created_at, expires_at, version)
			VALUES ('a', 'open', 'abandon', ?, 'acme', 'd', 'p', 'i', 1, 1, 2, 1)`, open("acme", 6).ID); err != nil {
			return err
		}
		got, err := tx.Tally([]string{"acme"}, "me", far)
		if want := (Tally{Open: 7, Waiting: 2, Review: 4, Unowned: 1, Past: 2, Mine: 4, MinePast: 1, MineSoon: 1}); err != nil || got != want {
			t.Errorf("%+v, want %+v (%v)", got, want, err)
		}
		rows, _, err := tx.List(ListFilter{Accounts: []string{"acme"}, Acting: true, Limit: 9})
		if names(rows) != "acme00001 acme00002 acme00003 acme00004 acme00007" {
			t.Errorf("acting: %s (%v)", names(rows), err)
		}
		rows, _, err = tx.List(ListFilter{Accounts: []string{"acme"}, Acting: true, Due: 1, Owner: "me", Limit: 9})
		if names(rows) != "acme00001" {
			t.Errorf("past: %s (%v)", names(rows), err)
		}
		rows, _, err = tx.List(ListFilter{Accounts: []string{"acme"}, After: 2, Before: 4, Limit: 9})
		if names(rows) != "acme00002 acme00003" {
			t.Errorf("by age: %s (%v)", names(rows), err)
		}
		rows, _, err = tx.List(ListFilter{Accounts: []string{"acme"}, Currency: "EUR", Min: 200, Max: 300, Limit: 9})
		if names(rows) != "acme00002 acme00003" {
			t.Errorf("by amount: %s (%v)", names(rows), err)
		}
		if _, err = tx.Exec("UPDATE steps SET provider = 'bank' WHERE intent_id = ?", open("acme", 2).ID); err != nil {
			return err
		}
		rows, _, err = tx.List(ListFilter{Accounts: []string{"acme"}, Provider: "bank", Limit: 9})
		if names(rows) != "acme00002" {
			t.Errorf("by provider: %s (%v)", names(rows), err)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
}

// TestTallyAndBesideUseIndexes: neither goes through a table.
func TestTallyAndBesideUseIndexes(t *testing.T) {
	err := openPlans(t).View(t.Context(), func(tx *Tx) error {
		beside, args := besideQuery([]string{"a", "b"})
		tally := tallyQuery + "?,?) AND sort_open > 0 LIMIT ?) AS looked"
		for name, plan := range map[string]string{"beside": explain(t, tx, beside, args), "tally": explain(t, tx, tally, []any{1, 1, 1, 1, "p", "acme", "globex", 9}),
			"notes": explain(t, tx, "SELECT * FROM notes WHERE intent_id = ? AND (? = '' OR id < ?) ORDER BY id DESC LIMIT ?", []any{"i", "", "", 3})} {
			for line := range strings.SplitSeq(plan, "\n") {
				if strings.HasPrefix(line, "SCAN ") && !strings.Contains(line, "looked") && !strings.Contains(line, "others") && !strings.Contains(line, "(subquery") {
					t.Errorf("%s: %s in\n%s", name, line, plan)
				}
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}

func TestViews(t *testing.T) {
	db := openLists(t)
	err := db.Update(t.Context(), func(tx *Tx) error {
		olga, err := tx.AddPerson("olga@example.com", "Olga")
		if err != nil {
			return err
		}
		otto, err := tx.AddPerson("otto@example.com", "Otto")
		if err != nil {
			return err
		}
		add := func(account, person, name string, shared bool) View {
			v, taken, err := tx.AddView(View{Account: account, Person: person, Maker: "M", Name: name, Query: "kind=payout", Shared: shared})
			if err != nil || taken != nil {
				t.Fatalf("%s: %+v (%v)", name, taken, err)
			}
			return v
		}
		mine := add("acme", olga.ID, "b", false)
		add("acme", olga.ID, "d", true)
		add("acme", otto.ID, "a", true)
		add("acme", otto.ID, "c", false)
		add("globex", otto.ID, "e", true)
		if _, taken, err := tx.AddView(View{Account: "acme", Person: olga.ID, Name: "b", Query: "q=1"}); err != nil || taken == nil || taken.ID != mine.ID || taken.Query != "kind=payout" {
			t.Errorf("the same name again: %+v (%v)", taken, err)
		}
		list, err := tx.Views([]string{"acme"}, olga.ID)
		var got []string
		for _, v := range list {
			got = append(got, v.Name)
		}
		if err != nil || fmt.Sprint(got) != "[a b d]" {
			t.Errorf("offered %v (%v)", got, err)
		}
		if _, err := tx.View(mine.ID, []string{"globex"}); model.KindOf(err) != model.NotFound {
			t.Errorf("of another account: %v", err)
		}
		mine.Name = "d"
		if taken, err := tx.ChangeView(mine); !taken || err != nil {
			t.Errorf("renamed to a taken name (%v)", err)
		}
		mine.Name, mine.Shared = "z", true
		if taken, err := tx.ChangeView(mine); taken || err != nil {
			t.Errorf("not renamed (%v)", err)
		}
		for _, want := range []bool{true, false} {
			if dropped, err := tx.DropView(mine.ID); dropped != want || err != nil {
				t.Errorf("dropped %v (%v)", dropped, err)
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}
