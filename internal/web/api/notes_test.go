package api_test

import "testing"

func TestNotesAndOwner(t *testing.T) {
	w := newWorld(t)
	id, _ := w.waitingForApproval("pay-1")
	notes, owner := "/v1/intents/"+id+"/notes", "/v1/intents/"+id+"/owner"
	first := w.call("olga", "POST", notes, map[string]any{"text": "Called the rep.\r\nمرحبا"}).is(201, "")
	if first.text("text") != "Called the rep.\nمرحبا" || first.text("by") != "Olga" && first.text("by") != "olga" {
		t.Errorf("%s", first.raw)
	}
	if again := w.call("olga", "POST", notes, map[string]any{"text": "Called the rep.\r\nمرحبا"}).is(201, ""); again.text("id") != first.text("id") {
		t.Error("a repeat is another note")
	}
	w.call("ann", "POST", notes, map[string]any{"text": "The bank says so too."}).is(201, "")
	w.call("olga", "POST", notes, map[string]any{"text": " "}).is(422, "invalid-params")
	w.call("olga", "POST", notes, map[string]any{"text": "x", "more": 1}).is(422, "invalid-params")
	list := w.call("reader", "GET", notes+"?limit=1", nil).is(200, "")
	if list.at("count") != float64(2) || list.items()[0]["text"] != "The bank says so too." {
		t.Errorf("%s", list.raw)
	}
	rest := w.call("reader", "GET", notes+"?limit=1&cursor="+list.text("next_cursor"), nil).is(200, "")
	if rest.items()[0]["id"] != first.text("id") || rest.at("next_cursor") != nil {
		t.Errorf("%s", rest.raw)
	}
	w.call("reader", "GET", notes+"?cursor=x", nil).is(422, "invalid-params")
	for _, to := range []string{"otto@example.com", w.people["otto"]} {
		if a := w.call("olga", "POST", owner, map[string]any{"owner": to}).is(200, ""); a.text("owner") != w.people["otto"] {
			t.Errorf("handed to %s: %s", to, a.raw)
		}
	}
	w.call("olga", "POST", owner, map[string]any{"owner": "ann@example.com"}).is(422, "invalid-params")
	w.call("olga", "POST", owner, map[string]any{}).is(422, "invalid-params")
	w.call("olga", "POST", owner, map[string]any{"owner": 7}).is(422, "invalid-params")
	if a := w.call("otto", "POST", owner, map[string]any{"owner": nil}).is(200, ""); a.at("owner") != nil {
		t.Errorf("released: %s", a.raw)
	}
}
