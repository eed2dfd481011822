package web

import (
	"context"
	"net/url"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"countersign/internal/model"
	"countersign/internal/store"
)

// labBench stands in for the provider's controls: it keeps what was armed.
type labBench struct {
	mu    sync.Mutex
	next  int64
	armed []LabArmed
	dead  bool // it does not answer
}

func (l *labBench) arm(_ context.Context, o LabOrder) ([]int64, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.dead {
		return nil, model.Errorf(model.Busy, "busy", "The sandbox does not answer.")
	}
	l.next++
	l.armed = append(l.armed, LabArmed{ID: l.next, Fault: o.Fault.Name, StepKey: model.StepKey(o.Intent, o.Effect.Step, 1), Times: int64(o.Times), Lasts: o.Lasts})
	return []int64{l.next}, nil
}

func (l *labBench) list(context.Context) ([]LabArmed, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.dead {
		return nil, model.Errorf(model.Busy, "busy", "The sandbox does not answer.")
	}
	return slices.Clone(l.armed), nil
}

func (l *labBench) disarm(_ context.Context, ids ...int64) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.armed = slices.DeleteFunc(l.armed, func(a LabArmed) bool { return slices.Contains(ids, a.ID) })
	return nil
}

// demo is what the pages of a demo are told, with one fault armed already for an
// intent of acme's.
func (w *world) demo() *Demo {
	w.lab = &labBench{next: 7, armed: []LabArmed{{ID: 7, Fault: "429", StepKey: model.IntentID(w.db.Installation, "acme", model.KindPayout, "run-1") + ":create-payout", Times: 1}}}
	return &Demo{Intro: []string{"A tour."}, Walks: []Walk{{Title: "A walk", As: "Olga", Steps: []WalkStep{{Text: "Look.", Href: "/", Label: "The queue"}}}},
		Groups: []StoryGroup{{Title: "Stories", Text: "Of one sort.", Stories: []Story{{Title: "One", Intent: model.IntentID(w.db.Installation, "acme", model.KindPayout, "run-1"),
			Account: "acme", Text: "It happened.", Try: "Look.", As: "Olga", Fault: "429"}}}},
		Statement: &SampleStatement{Body: []byte(bankXML(bankLine{"-1.00", "nobody's"})), Account: "acme", As: "Olga", Expect: []string{"Nothing is proved."}},
		People:    []SamplePerson{{Name: "Olga", Email: "olga@example.com", Role: "operator", Account: "acme", May: "act"}},
		Lab: &Lab{Groups: []LabGroup{{Title: "Answers", Faults: []LabFault{{Name: "429", Title: "Too many", Breaks: "Not now.", See: "A wait.", Safe: "Nothing was done.", Effects: []string{"payout", "dispute", "credit"}, Lasts: time.Second},
			{Name: "wrong_amount_echo", Title: "Another amount", Effects: []string{"payout"}, Most: time.Second}}}},
			Effects: []LabEffect{{"payout", "the payout", model.KindPayout, "create-payout"}, {"dispute", "the answer", model.KindDispute, "submit-response"}, {"credit", "the credit", model.KindDispute, "credit-balance"}},
			Arm:     w.lab.arm, Armed: w.lab.list, Disarm: w.lab.disarm}}
}

// labForm is the form as it is shown, sent back; changes are pairs of name and value.
func labForm(once string, changes ...string) url.Values {
	form := url.Values{"once": {once}, "fault": {"429"}, "effect": {"payout"}, "times": {"1"}, "amount": {"250.00"}, "currency": {"USD"}, "payee": {"Lab Rep"}, "reference": {"lab-1"}}
	for i := 0; i+1 < len(changes); i += 2 {
		form.Set(changes[i], changes[i+1])
	}
	return form
}

const labOnce = "q1w2e3r4t5z6u7i8"

func TestLabArmsBeforeItPosts(t *testing.T) {
	w := newWorld(t)
	olga := w.browse("Olga")
	for _, effect := range []struct{ name, kind, step string }{{"payout", model.KindPayout, "create-payout"}, {"dispute", model.KindDispute, "submit-response"}, {"credit", model.KindDispute, "credit-balance"}} {
		once := labOnce + effect.name
		id := model.IntentID(w.db.Installation, "acme", effect.kind, "lab/"+once)
		p := olga.ask(post, "/lab", labForm(once, "effect", effect.name, "amount", "12.500", "currency", "KWD", "seconds", "1.5", "times", "3"))
		if p.status != 303 || p.header.Get("Location") != "/intents/"+id {
			t.Fatalf("%s: %d to %q: %.400s", effect.name, p.status, p.header.Get("Location"), p.text())
		}
		armed := w.lab.armed[len(w.lab.armed)-1]
		if armed.StepKey != id+":"+effect.step || armed.Times != 3 || armed.Lasts != 1500*time.Millisecond {
			t.Errorf("%s: armed %+v", effect.name, armed)
		}
		var i model.Intent
		w.must(w.db.View(t.Context(), func(tx *store.Tx) (err error) { i, err = tx.Intent(id, []string{"acme"}); return err }))
		if i.Amount != 12_500 || i.Currency != "KWD" || i.CreatedBy != "olga@example.com" {
			t.Errorf("%s: posted %+v", effect.name, i)
		}
	}
	if text := olga.get("/lab").text(); !strings.Contains(text, "Lab Rep") || !strings.Contains(text, "12.500") {
		t.Errorf("the lab does not list what it posted: %.600s", text)
	}
}

// A form sent twice is one intent and one armed fault, also when the first was
// disarmed meanwhile.
func TestLabFormIsUsedOnce(t *testing.T) {
	w := newWorld(t)
	olga := w.browse("Olga")
	first := olga.ask(post, "/lab", labForm(labOnce))
	armed := len(w.lab.armed)
	second := olga.ask(post, "/lab", labForm(labOnce))
	if second.status != 303 || second.header.Get("Location") != first.header.Get("Location") || len(w.lab.armed) != armed {
		t.Errorf("sent twice: %d to %q, %d armed", second.status, second.header.Get("Location"), len(w.lab.armed))
	}
	other := olga.ask(post, "/lab", labForm(labOnce, "amount", "9.00"))
	if other.status != 409 || !strings.Contains(other.text(), "Nothing was posted") || strings.Contains(other.body, labOnce) || len(w.lab.armed) != armed {
		t.Errorf("used for something else: %d, %d armed: %.300s", other.status, len(w.lab.armed), other.text())
	}
}

func TestLabRefusesWhatCannotBe(t *testing.T) {
	w := newWorld(t)
	olga := w.browse("Olga")
	before := len(w.lab.armed)
	for _, tt := range []struct{ field, value, says string }{
		{"fault", "explode", "What goes wrong: choose a fault"}, {"effect", "robbery", "At which call: choose which call"}, {"times", "0", "1 to 20"}, {"times", "21", "1 to 20"}, {"times", "x", "1 to 20"},
		{"seconds", "-1", "give seconds"}, {"seconds", "NaN", "give seconds"}, {"seconds", "99999", "give seconds"}, {"amount", "1,250.00", "plain decimal"}, {"amount", "0", "above zero"},
		{"amount", "1.005", "decimals"}, {"currency", "XXX", "Currency: choose one of those offered"}, {"amount", "99999999999999999999", "Amount: is larger than 90,071,992,547,409.91 USD"}, {"once", "short", "not complete"}, {"payee", "", "Payee: is missing"}, {"reference", "two words", "Payee’s reference: may hold only"},
	} {
		p := olga.ask(post, "/lab", labForm(labOnce, tt.field, tt.value))
		if p.status != 422 || !strings.Contains(p.text(), tt.says) {
			t.Errorf("%s=%q: %d: %.300s", tt.field, tt.value, p.status, p.text())
		}
	}
	if p := olga.ask(post, "/lab", labForm(labOnce, "fault", "wrong_amount_echo", "effect", "dispute")); p.status != 422 || !strings.Contains(p.text(), "means nothing") {
		t.Errorf("a fault at a call that it cannot meet: %d", p.status)
	}
	if p := olga.ask(post, "/lab", labForm(labOnce, "fault", "wrong_amount_echo", "seconds", "1.1")); p.status != 422 || !strings.Contains(p.text(), "at most 1 s") {
		t.Errorf("longer than the provider's promise: %d", p.status)
	}
	if len(w.lab.armed) != before {
		t.Errorf("%d faults are armed, want %d", len(w.lab.armed), before)
	}
}

// TestLabTellsEverythingAtOnce: every fault in one answer, in the order of the
// fields, and all that was typed stands there again.
func TestLabTellsEverythingAtOnce(t *testing.T) {
	w := newWorld(t)
	olga := w.browse("Olga")
	p := olga.ask(post, "/lab", labForm("x", "fault", "explode", "effect", "robbery", "times", "many", "seconds", "-1", "amount", "a lot", "currency", "XYZ", "payee", " ", "reference", "two words"))
	olga.wants(p, 422, "At which call: choose which call to the provider is to go wrong What goes wrong: choose a fault This form is not complete; reload the page and send it again "+
		"Currency: choose one of those offered; this is no currency that can be paid in Payee: is missing Payee’s reference: may hold only ASCII letters, digits and _ . : / + @ - "+
		"How many calls it meets: give a whole number from 1 to 20 For how long, in seconds: give seconds from 0.1 to 3600, or nothing")
	for _, typed := range []string{`value="many"`, `value="-1"`, `value="a lot"`, `<option value="XYZ" selected>`, `value="two words"`} {
		if !strings.Contains(p.body, typed) {
			t.Errorf("%s is lost", typed)
		}
	}
	olga.wants(olga.ask(post, "/lab", labForm(labOnce, "amount", "1.005", "payee", "")), 422, "Amount: has more than the 2 decimals of USD Payee: is missing")
}

func TestLabOfOthers(t *testing.T) {
	w := newWorld(t)
	w.unknown("acme", "run-1", 90_050) // what fault 7 is armed for
	if text := w.browse("Ann").get("/lab").text(); !strings.Contains(text, "You may not post an intent from here") || !strings.Contains(text, "Too many") {
		t.Errorf("an approver sees %.500s", text)
	}
	gus := w.browse("Gus")
	if text := gus.get("/lab").text(); strings.Contains(text, "run-1") || strings.Contains(text, model.IntentID(w.db.Installation, "acme", model.KindPayout, "run-1")) {
		t.Error("another account sees what is armed for acme")
	}
	if p := gus.ask(post, "/lab/disarm", url.Values{"id": {"7"}}); p.status != 404 || len(w.lab.armed) != 1 {
		t.Errorf("another account disarms: %d", p.status)
	}
	olga := w.browse("Olga")
	if got := w.eventsOf("lab."); got != "" {
		t.Errorf("looking, and what is not one's own, left %s", got)
	}
	if p := olga.ask(post, "/lab/disarm", url.Values{"id": {"7"}}); p.status != 303 || len(w.lab.armed) != 0 {
		t.Errorf("disarm: %d, left %d", p.status, len(w.lab.armed))
	}
	for _, id := range []string{"7", "x", ""} {
		if p := olga.ask(post, "/lab/disarm", url.Values{"id": {id}}); p.status != 404 && p.status != 422 {
			t.Errorf("disarm %q: %d", id, p.status)
		}
	}
	if got := w.eventsOf("lab."); got != "lab.disarm.requested" {
		t.Errorf("entries: %s", got)
	}
}

// TestLabDisarmsAllOfAnIntent: one press takes what is armed for an intent, and
// nothing else; the log has one entry that names each. The form comes first.
func TestLabDisarmsAllOfAnIntent(t *testing.T) {
	w := newWorld(t)
	id := w.unknown("acme", "run-1", 90_050) // what fault 7 is armed for
	w.lab.armed = append(w.lab.armed, LabArmed{ID: 8, Fault: "500_before", Operation: "list_payouts", StepKey: id + ":create-payout", Times: 1000, Beside: "By “Look-ups fail too”."},
		LabArmed{ID: 9, Fault: "429", StepKey: w.unknown("acme", "run-2", 100) + ":create-payout", Times: 1}, LabArmed{ID: 10, Fault: "429", Times: 1}, LabArmed{ID: 11, Fault: "429", Times: 1})
	olga := w.browse("Olga")
	p := olga.get("/lab")
	olga.wants(p, 200, "Look-ups fail By “Look-ups fail too”.", "Disarm all 2", "Below the form: what is armed at the provider")
	if all := strings.Count(p.body, "Disarm all"); all != 2 || strings.Index(p.body, `id="try"`) > strings.Index(p.body, `id="armed"`) {
		t.Errorf("the page offers it %d times, or its form stands below its lists", all)
	}
	gus := w.browse("Gus")
	gus.wants(gus.post("/lab/disarm", "intent", id), 404)
	olga.wants(olga.follow(olga.post("/lab/disarm", "intent", id)), 200, "Every fault of this intent is disarmed.")
	if len(w.lab.armed) != 3 || w.lab.armed[0].ID != 9 {
		t.Errorf("left are %+v", w.lab.armed)
	}
	for _, none := range []string{id, "intent-nobody"} {
		olga.wants(olga.post("/lab/disarm", "intent", none), 404)
	}
	if got := w.eventsOf("lab."); got != "lab.disarm.requested" {
		t.Errorf("entries: %s", got)
	}
}

// TestADeniedLabHasAnEntry: who may post no intent arms and disarms nothing, and
// the log says that they tried.
func TestADeniedLabHasAnEntry(t *testing.T) {
	w := newWorld(t)
	audrey := w.browse("Audrey")
	audrey.wants(audrey.get("/lab"), 200, "You may not post an intent from here") // looking has none
	audrey.wants(audrey.ask(post, "/lab", labForm(labOnce)), 403, "Not allowed")
	audrey.wants(audrey.post("/lab/disarm", "id", "7"), 403, "Not allowed")
	if got := w.eventsOf("lab."); got != "lab.denied lab.denied" || len(w.lab.armed) != 1 {
		t.Errorf("entries: %s; armed: %d", got, len(w.lab.armed))
	}
}

func TestLabWhileTheProviderIsAway(t *testing.T) {
	w := newWorld(t)
	w.lab.dead = true
	olga := w.browse("Olga")
	if p := olga.get("/lab"); p.status != 200 || !strings.Contains(p.text(), "takes no connection") {
		t.Errorf("the page: %d %.300s", p.status, p.text())
	}
	if p := olga.ask(post, "/lab", labForm(labOnce)); p.status != 503 {
		t.Errorf("the form: %d", p.status)
	}
	err := w.db.View(t.Context(), func(tx *store.Tx) error {
		_, err := tx.Intent(model.IntentID(w.db.Installation, "acme", model.KindPayout, "lab/"+labOnce), []string{"acme"})
		return err
	})
	if model.KindOf(err) != model.NotFound {
		t.Errorf("an intent was posted without its fault: %v", err)
	}
}
