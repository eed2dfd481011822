package actions

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"countersign/internal/authz"
	"countersign/internal/model"
	"countersign/internal/store"
)

// lists stores requests about lists, which were made before now, a second apart.
func (w *world) lists(n int) {
	w.update(func(tx *store.Tx) error {
		for i := range n {
			b := model.Bulk{ID: fmt.Sprintf("bulk-%03d", i), Account: "acme", Actor: w.ada.ID, ActorName: "Ada", Action: model.Abandon, People: 2,
				Planned: 1, State: model.BulkPreviewed, Money: []byte("[]")}
			if err := tx.InsertBulk(b, nil); err != nil {
				return err
			}
			b.State, b.UsedAt, b.ExpiresAt = model.BulkOpen, tx.Now().Add(time.Duration(i-n)*time.Second), tx.Now().Add(time.Hour)
			if err := tx.UseBulk(b); err != nil {
				return err
			}
		}
		return nil
	})
}

// TestRequestsComeInPages: requests of both sorts are one list, of which every
// page but the last is full and every request is on one page.
func TestRequestsComeInPages(t *testing.T) {
	w, _, _, _ := requested(t)
	w.wait(100 * time.Second)
	w.lists(maxLimit + 30) // from before the one about an intent, and after it
	var seen []store.ApprovalMark
	q := ApprovalQuery{State: "open", Limit: 20}
	for pages := 1; ; pages++ {
		page, err := w.run.Requests(t.Context(), w.cleo, q)
		if err != nil || page.Count.N != maxLimit+31 || pages > 20 {
			t.Fatalf("page %d: %v, %d in all", pages, err, page.Count.N)
		}
		for _, r := range page.Items {
			seen = append(seen, r.mark(false))
		}
		if page.NextCursor == nil {
			break
		}
		if q.Cursor = *page.NextCursor; len(page.Items) != q.Limit {
			t.Errorf("page %d has %d requests", pages, len(page.Items))
		}
	}
	if len(seen) != maxLimit+31 {
		t.Errorf("%d requests on all pages, want %d", len(seen), maxLimit+31)
	}
	for i := 1; i < len(seen); i++ {
		if a, b := seen[i-1], seen[i]; a.At < b.At || a.At == b.At && a.ID <= b.ID {
			t.Errorf("%v stands before %v", a, b)
		}
	}
}

// TestARequestOutOfTimeIsExpired: nobody has written it down yet, and no list or
// entry calls it open.
func TestARequestOutOfTimeIsExpired(t *testing.T) {
	w, _, _, id := requested(t)
	w.lists(1)
	w.wait(1000 * time.Hour)
	for state, want := range map[model.ApprovalState]int{model.ApprovalOpen: 0, model.ApprovalExpired: 2, "": 2} {
		page, err := w.run.Requests(t.Context(), w.cleo, ApprovalQuery{State: string(state)})
		if err != nil || len(page.Items) != want || page.Count.N != want {
			t.Errorf("%q: %d requests, counted %d, want %d: %v", state, len(page.Items), page.Count.N, want, err)
		}
		for _, r := range page.Items {
			if r.One != nil && r.One.State != "expired" || r.Many != nil && RequestState(*r.Many, page.Now) != model.ApprovalExpired {
				t.Errorf("%q: %+v", state, r)
			}
		}
	}
	a, err := w.run.Approval(t.Context(), w.cleo, id)
	if err != nil || a.State != "expired" || len(a.MayApprove) != 0 || a.Stored.ClosedBecause != model.Undecided {
		t.Errorf("the request is %s, %v may approve: %v", a.State, a.MayApprove, err)
	}
	_, err = w.run.Approve(t.Context(), w.cleo, id, say(a.Digest))
	wantCode(t, err, "approval-closed")
}

// TestWhatWaitsForYouComesFirst: a signer's list has what they may sign and nothing
// else, of both sorts, the soonest ending first, each on one page.
func TestWhatWaitsForYouComesFirst(t *testing.T) {
	w, _, _, id := requested(t)
	w.lists(5)
	w.update(func(tx *store.Tx) error {
		for _, statement := range []string{
			"UPDATE bulks SET expires_at = expires_at - 1000000 WHERE id = 'bulk-003'", // the first to end was not the last to be made
			"UPDATE bulks SET actor = '" + w.cleo.ID + "' WHERE id = 'bulk-000'",
			"UPDATE bulks SET creators = 'person-0," + w.cleo.ID + "' WHERE id = 'bulk-001'",
			"INSERT INTO bulk_decisions (bulk_id, person, name, says, reason, at) VALUES ('bulk-002', '" + w.cleo.ID + "', 'Cleo', 'approve', 'seen', 1)",
			"UPDATE approvals SET expires_at = (SELECT expires_at FROM bulks WHERE id = 'bulk-004') - 1 WHERE id = '" + id + "'",
		} {
			if _, err := tx.Exec(statement); err != nil {
				return err
			}
		}
		return nil
	})
	list := func(actor authz.Actor) (ids []string) {
		q := ApprovalQuery{Yours: true, Limit: 1}
		for {
			page, err := w.run.Requests(t.Context(), actor, q)
			if err != nil || len(page.Items) > 1 || len(ids) > 5 {
				t.Fatalf("%d requests on a page, %v before: %v", len(page.Items), ids, err)
			}
			for _, r := range page.Items {
				ids = append(ids, r.mark(true).ID)
			}
			if page.NextCursor == nil {
				if len(ids) != page.Count.N {
					t.Errorf("%v, counted %d", ids, page.Count.N)
				}
				return ids
			}
			q.Cursor = *page.NextCursor
		}
	}
	if got, want := list(w.cleo), []string{"bulk-003", id, "bulk-004"}; !slices.Equal(got, want) {
		t.Errorf("for Cleo %v, want %v", got, want)
	}
	if got := list(w.ada); len(got) > 0 {
		t.Errorf("for Ada, who asked: %v", got)
	}
	w.update(func(tx *store.Tx) error {
		_, err := tx.Exec("UPDATE intents SET creator = ? WHERE id = (SELECT intent_id FROM approvals WHERE id = ?)", w.cleo.ID, id)
		return err
	})
	if got, want := list(w.cleo), []string{"bulk-003", "bulk-004"}; !slices.Equal(got, want) {
		t.Errorf("for Cleo, who answers for the intent: %v, want %v", got, want)
	}
}
