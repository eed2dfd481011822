package api_test

import (
	"testing"
	"time"

	"countersign/internal/store"
)

// elsewhere makes a start of a process on another machine, seen just now.
func (w *world) elsewhere(id string) string {
	w.Helper()
	w.must(w.db.Update(w.Context(), func(tx *store.Tx) error {
		if _, ok, err := tx.Boot(id); ok || err != nil {
			return err
		}
		return tx.InsertBoot(store.Boot{ID: id, Host: "finance-2", PID: 4711, StartedAt: tx.Now(), SeenAt: tx.Now(), HostID: "host-b", Workers: 8})
	}))
	return id
}

func TestDeclaringAWorkerDead(t *testing.T) {
	w := newWorld(t)
	id := w.elsewhere("boot-b")
	path := "/v1/workers/" + id
	one := w.call("ada", "GET", path, nil).is(200, "")
	if one.at("state") != "alive" || one.at("may_declare_dead") != true || one.at("host") != "finance-2" || one.at("pid") != 4711.0 || one.at("dead_at") != nil {
		t.Errorf("%s", one.raw)
	}
	if w.call("olga", "GET", path, nil).is(200, "").at("may_declare_dead") != false {
		t.Error("an operator may declare dead")
	}
	path += "/declare-dead"
	w.call("ada", "POST", path, map[string]any{"reason": "short"}).is(422, "invalid-params")
	w.call("ada", "POST", path, map[string]any{"reason": "switched off at nine"}).is(422, "invalid-params")
	w.call("ada", "POST", path, map[string]any{"reason": "switched off at nine", "confirm": "boot-a"}).is(422, "invalid-params")
	w.call("olga", "POST", path, map[string]any{"reason": "switched off at nine"}).is(403, "denied")
	w.call("service", "POST", path, map[string]any{"reason": "switched off at nine"}).is(403, "denied")
	w.call("ada", "POST", "/v1/workers/boot-x/declare-dead", map[string]any{"reason": "switched off at nine"}).is(404, "not-found")
	w.advance(2 * time.Minute)
	if state := w.call("ada", "GET", "/v1/workers/"+id, nil).at("state"); state != "silent" {
		t.Errorf("state %v", state)
	}
	done := w.call("ada", "POST", path, map[string]any{"reason": "switched off at nine"}).is(200, "")
	if done.at("state") != "dead" || done.at("known_by") != "ada, administrator" || done.at("dead_at") == nil {
		t.Errorf("%s", done.raw)
	}
	again := w.call("ada", "POST", path, map[string]any{"reason": "switched off at nine"}).is(409, "action-refused")
	if again.at("rule") != "worker.dead-already" {
		t.Errorf("%s", again.raw)
	}
	w.sequence()
	for event, want := range map[string]int{"worker.declared_dead": 1, "worker.declare_dead.denied": 2, "worker.declare_dead.refused": 1} {
		if items := w.call("reader", "GET", "/v1/audit?event="+event, nil).items(); len(items) != want {
			t.Errorf("%s: %d entries", event, len(items))
		}
	}
}

func TestWorkersPageByPage(t *testing.T) {
	w := newWorld(t)
	for _, id := range []string{"boot-a", "boot-b", "boot-c", "boot-d"} {
		w.elsewhere(id)
	}
	w.must(w.db.Update(w.Context(), func(tx *store.Tx) error { _, err := tx.Bury("boot-b", "Ada, administrator"); return err }))
	var states []string
	cursor := ""
	for page := range 3 {
		a := w.call("olga", "GET", "/v1/workers?limit=2&cursor="+cursor, nil).is(200, "")
		for _, item := range a.items() {
			states = append(states, item["state"].(string))
		}
		if a.at("count") != 5.0 || (a.at("next_cursor") == nil) != (page == 2) {
			t.Errorf("page %d: %s", page, a.raw)
		}
		cursor, _ = a.at("next_cursor").(string)
	}
	if len(states) != 5 || states[4] != "dead" {
		t.Errorf("states %v; the dead come last", states)
	}
}
