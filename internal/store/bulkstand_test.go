package store

import (
	"testing"

	"countersign/internal/model"
)

// TestBulkStands: a list is told where what it acts on stands, and nothing of
// what was left out of it.
func TestBulkStands(t *testing.T) {
	first, second, out := open("acme", 1), open("acme", 2), open("acme", 3)
	db := openLists(t, first, second, out)
	item := func(at int, i model.Intent, preview, step string) model.BulkItem {
		return model.BulkItem{BulkID: "bulk-1", Position: at, IntentID: i.ID, PreviewID: preview, Step: step, Currency: "EUR"}
	}
	err := db.Update(t.Context(), func(tx *Tx) error {
		b := model.Bulk{ID: "bulk-1", Account: "acme", Action: model.Reconcile, State: model.BulkPreviewed, Items: []model.BulkItem{
			item(1, first, "preview-1", "create-payout"), item(2, second, "preview-2", ""), item(3, out, "", "create-payout")}}
		b.Freeze(nil)
		if err := tx.InsertBulk(b, nil); err != nil {
			return err
		}
		_, err := tx.Exec("UPDATE steps SET ordered = 'reconcile', order_id = 'preview-1' WHERE intent_id = ?", first.ID)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	stands := func() (list []model.BulkStand) {
		t.Helper()
		if err := db.View(t.Context(), func(tx *Tx) (err error) { list, err = tx.BulkStands("bulk-1"); return err }); err != nil || len(list) != 2 {
			t.Fatalf("%+v: %v", list, err)
		}
		return list
	}
	if s := stands(); s[0] != (model.BulkStand{Position: 1, State: model.OutcomeUnknown, Ordered: true, Uncertain: 100, LookAlike: "same"}) ||
		s[1] != (model.BulkStand{Position: 2, Uncertain: 200, LookAlike: "same"}) {
		t.Errorf("%+v", s)
	}
	err = db.Update(t.Context(), func(tx *Tx) error {
		_, err := tx.Exec("UPDATE steps SET state = 'in_progress', settling = TRUE, order_id = 'another'")
		return err
	})
	if s := stands(); err != nil || s[0] != (model.BulkStand{Position: 1, State: model.InProgress, Settling: true, Transit: 100, LookAlike: "same"}) || s[1].Transit != 200 {
		t.Errorf("%+v: %v", s, err)
	}
}
