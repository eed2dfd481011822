package web

import (
	"regexp"
	"strings"
	"testing"
	"time"

	"countersign/internal/audit"
	"countersign/internal/store"
)

var nextPage = regexp.MustCompile(`(?:href|value)="([^"]+)"(?: rel="next")?>Next rows`)

// TestTakeFromTheList: the button of a row takes it and leads back to the row.
func TestTakeFromTheList(t *testing.T) {
	w := newWorld(t)
	id := w.unknown("acme", "run-1", 90_050)
	olga, ann := w.browse("Olga"), w.browse("Ann")
	if p := olga.get("/?kind=payout"); !strings.Contains(p.body, `formaction="/intents/`+id+`/owner"`) || !strings.Contains(p.body, `name="back" value="/?kind=payout"`) {
		t.Error("the row cannot be taken")
	}
	if strings.Contains(ann.get("/").body, "formaction") {
		t.Error("an approver is offered to take a row")
	}
	for back, want := range map[string]string{"/?kind=payout": "/?kind=payout#row-" + id, "//evil.example/": "/intents/" + id, "https://evil.example": "/intents/" + id, "/?x\r\nLocation: y": "/intents/" + id, "": "/intents/" + id} {
		if got := olga.post("/intents/"+id+"/owner", "do", "take", "back", back).header.Get("Location"); got != want {
			t.Errorf("back to %q: %q, want %q", back, got, want)
		}
	}
	olga.wants(olga.get("/"), 200, "You")
	if got := w.eventsOf("owner."); got != "owner.taken" {
		t.Errorf("entries: %s", got)
	}
}

func TestHandOver(t *testing.T) {
	w := newWorld(t)
	id := w.unknown("acme", "run-1", 90_050)
	olga, otto, ann, gus := w.browse("Olga"), w.browse("Otto"), w.browse("Ann"), w.browse("Gus")
	olga.wants(olga.get("/intents/"+id), 200, "Hand it over to", "Otto")
	olga.wants(olga.follow(olga.post("/intents/"+id+"/owner", "do", "hand", "to", w.ids["Otto"], "note", "The rep calls again at five.")), 200, "Owner: Otto", "The rep calls again at five.", "1 note")
	otto.wants(otto.get("/?owner=me"), 200, "1 match", "Olga , under a minute ago", "The rep calls again at five.")
	olga.wants(olga.get("/?owner="+w.ids["Otto"]), 200, "1 match")
	olga.wants(olga.post("/intents/"+id+"/owner", "do", "hand", "to", "nobody"), 422, "is no operator of acme")
	otto.post("/intents/"+id+"/owner", "do", "release")
	for _, nobody := range []string{w.ids["Ann"], w.ids["Gus"], "nobody", ""} {
		olga.wants(olga.post("/intents/"+id+"/owner", "do", "hand", "to", nobody, "note", "typed <b>here</b>"), 422, "Who you chose is no operator of acme", "Nothing was handed over")
	}
	if p := olga.post("/intents/"+id+"/owner", "do", "hand", "to", "nobody", "note", "typed <b>here</b>"); !strings.Contains(p.body, `value="typed &lt;b&gt;here&lt;/b&gt;"`) {
		t.Error("the note that was typed is lost")
	}
	ann.wants(ann.post("/intents/"+id+"/owner", "do", "hand", "to", w.ids["Otto"]), 403)
	gus.wants(gus.post("/intents/"+id+"/owner", "do", "hand", "to", w.ids["Otto"]), 404)
	if got := w.eventsOf("owner."); got != "owner.handed_over owner.released owner.denied" {
		t.Errorf("entries: %s", got)
	}
}

func TestNotes(t *testing.T) {
	w := newWorld(t)
	id := w.unknown("acme", "run-1", 90_050)
	olga, ann, audrey, gus := w.browse("Olga"), w.browse("Ann"), w.browse("Audrey"), w.browse("Gus")
	path := "/intents/" + id + "/notes"
	text := "Called the rep.\r\nمرحبا <script>alert(1)</script> 山本"
	for range 2 { // a double click
		olga.wants(olga.follow(olga.post(path, "text", text)), 200, "1 note", "Called the rep.", "مرحبا <script>alert(1)</script> 山本", "Olga , 27 Nov 2026 09:00:00 +00:00")
	}
	if p := olga.get("/intents/" + id); !strings.Contains(p.body, "Called the rep.<br>") && !strings.Contains(p.body, "Called the rep. <br>") || strings.Contains(p.body, "<script>alert") {
		t.Errorf("the lines of the note are not kept: %s", p.body)
	}
	ann.wants(ann.follow(ann.post(path, "text", "The bank says so too.")), 200, "2 notes")
	olga.wants(olga.get("/"), 200, "Ann ,", "The bank says so too.")
	olga.wants(olga.post(path, "text", " \r\n "), 422, "The note is empty", "The note was not written")
	olga.wants(olga.post(path, "text", strings.Repeat("é", 2001)), 422, "The note is longer than 2,000 characters")
	olga.wants(olga.post(path, "text", "a\u202eb"), 422, "turn the direction")
	olga.wants(olga.follow(olga.post(path, "text", strings.Repeat("é", 2000))), 200, "3 notes")
	audrey.wants(audrey.post(path, "text", "I wonder"), 403)
	audrey.wants(audrey.get("/intents/"+id), 200, "Called the rep.")
	gus.wants(gus.post(path, "text", "hello"), 404)
	if got := w.eventsOf("note."); got != "note.written note.written note.written note.denied" {
		t.Errorf("entries: %s", got)
	}
	for i := range shownNotes {
		olga.post(path, "text", "number "+strings.Repeat("I", i+1))
	}
	p := olga.get("/intents/" + id)
	olga.wants(p, 200, "13 notes", "Older notes")
	older := regexp.MustCompile(`href="([^"]+\?notes=[^"]+)"`)
	olga.wants(olga.get(strings.TrimSuffix(found(t, older, p), "#notes")), 200, "Called the rep.", "The newest notes")
}

// TestActsStayOnTheTimeline: what people did is drawn however much the engine did
// since, and what is left out of it is counted.
func TestActsStayOnTheTimeline(t *testing.T) {
	w := newWorld(t)
	id := w.unknown("acme", "run-1", 90_050)
	olga := w.browse("Olga")
	olga.post("/intents/"+id+"/owner", "do", "take")
	olga.post("/intents/"+id+"/notes", "text", "Called the rep.")
	w.update(func(tx *store.Tx) error {
		for range 2 * shownEntries {
			if _, err := w.log.Append(tx, audit.Entry{Actor: audit.Actor{Type: "engine", ID: "boot-1"}, Event: "step.retryable_failure", Account: "acme", Intent: id}); err != nil {
				return err
			}
		}
		return nil
	})
	p := olga.get("/intents/" + id)
	olga.wants(p, 200, "Taken by Olga", "Note by Olga")
	if strings.Contains(p.text(), "left out here") {
		t.Error("the timeline leaves something out")
	}
	for range drawnActs {
		w.wait(time.Minute)
		olga.post("/intents/"+id+"/owner", "do", "release")
		w.wait(time.Minute)
		olga.post("/intents/"+id+"/owner", "do", "take")
	}
	p = olga.get("/intents/" + id)
	rows := regexp.MustCompile(`The same as a table, (\d+) rows`)
	if found(t, rows, p) != "20" {
		t.Errorf("the table has %s rows", found(t, rows, p))
	}
	// Three attempts, two promises and 42 acts are 47 rows.
	olga.wants(p, 200, "20 rows: the first send, then the newest 19 rows", "27 between them are left out here; they are in the tables of attempts and of evidence; what people did is among all entries of this intent")
}
