package audit_test

import (
	"fmt"
	"testing"

	"countersign/internal/audit"
	"countersign/internal/store"
)

// TestActsAreFoundBehindWhatTheEngineDid: what a person did is read however much
// was recorded since, without what tells of itself elsewhere, and without what
// keys, the engine and other intents have.
func TestActsAreFoundBehindWhatTheEngineDid(t *testing.T) {
	db, l := open(t)
	write := func(id, kind, event, intent string) {
		update(t, db, func(tx *store.Tx) error {
			_, err := l.Append(tx, audit.Entry{Actor: audit.Actor{Type: kind, ID: id, Name: id}, Event: event, Account: "acme", Intent: intent})
			return err
		})
	}
	acts := []string{"owner.taken", "owner.handed_over", "note.written", "owner.released", "action.reconcile.executed", "action.retry.denied"}
	for _, event := range acts {
		write("person-ada", "person", event, "intent-1")
		write("person-ada", "person", event, "intent-2")
		write("key-1", "key", event, "intent-1")
	}
	for _, event := range []string{"action.retry.requested", "action.approve_intent.executed", "action.mark_external_result.executed", "step.done", "intent.completed", "approval.requested"} {
		write("person-ada", "person", event, "intent-1")
	}
	for n := range 30 {
		write("boot-1", "engine", fmt.Sprintf("step.%d", n), "intent-1")
	}
	sequence(t, l)
	write("person-ben", "person", "owner.taken", "intent-1")
	view(t, db, func(tx *store.Tx) error {
		items, err := l.Acts(tx, "intent-1", 5)
		if err != nil {
			return err
		}
		if len(items) != 5 || items[0].Actor.ID != "person-ben" || items[0].Index != nil {
			t.Errorf("got %+v", items)
		}
		for i, item := range items[1:] {
			if want := acts[len(acts)-1-i]; item.Event != want || item.Actor.ID != "person-ada" {
				t.Errorf("%d: got %s of %s, want %s", i, item.Event, item.Actor.ID, want)
			}
		}
		count, err := l.CountActs(tx, "intent-1")
		if count != (store.Counted{N: len(acts) + 1}) {
			t.Errorf("counted %+v", count)
		}
		return err
	})
}
