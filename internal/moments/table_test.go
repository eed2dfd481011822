package moments

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"countersign/internal/model"
)

// form says in which of its two forms a fault comes.
type form string

const (
	notApplied form = "not applied"
	applied    form = "applied but reported as an error"
	plain      form = "" // it has one form only
)

// moment is one row of the table: a fault, what is done, and what must come of
// it. Every row is played through the real engine on a real socket, restarted
// from its database, and checked against all thirteen invariants.
type moment struct {
	number int    // of the contract's ambiguous moments
	name   string // with the number and the form, the name of its test
	form   form
	kind   string // of the intent

	world   option        // how the provider differs, if it does
	faults  []trouble     // armed when the intent is accepted
	runs    time.Duration // how long the engine then works
	happens func(w *world, id string)
	later   time.Duration // how much longer it then works

	// What must be seen, of the intent and of the step that it is about.
	intent  model.IntentState
	step    string
	state   model.StepState
	calls   int    // attempts of the step
	effects int    // that stand in the provider's own books, of the step
	says    string // the different words of its evidence, in order
	log     string // the audit trail: the states that it went through
	events  string // other entries about the intent that there must be, each once

	ends model.IntentState // what the intent is a day after the restart; "" stays as it is
}

// trouble is a fault of the provider: which, how often, and for which requests.
type trouble struct {
	fault string
	times int
	match map[string]any
	ms    int
}

// on is a fault of the requests that act in one way.
func on(operation, fault string, times int) trouble {
	return trouble{fault, times, map[string]any{"operation": operation, "method": "POST"}, 0}
}

// whenAsked is a fault of everything that only looks.
func whenAsked(fault string, times int) trouble { return trouble{fault, times, looks(), 0} }

// lasting gives a fault its duration.
func (f trouble) lasting(d time.Duration) trouble {
	f.ms = int(d.Milliseconds())
	return f
}

// title is the name of the row's test.
func (m *moment) title() string {
	title := fmt.Sprintf("%02d %s: %s", m.number, m.kind, m.name)
	if m.form != plain {
		title += ", " + string(m.form)
	}
	return title
}

// TestMoments plays the table.
func TestMoments(t *testing.T) {
	for _, m := range slices.Concat(callMoments, commitMoments, lookMoments, refusalMoments, endMoments) {
		t.Run(m.title(), func(t *testing.T) {
			t.Parallel()
			m.play(t)
		})
	}
}

// play is the one way in which every row is played.
func (m *moment) play(t *testing.T) {
	var opts []option
	if m.world != nil {
		opts = append(opts, m.world)
	}
	w := newWorld(t, opts...)
	id := w.begin(m.kind, m.faults...)
	if m.runs > 0 {
		w.run(m.runs)
	}
	if m.happens != nil {
		m.happens(w, id)
		w.run(m.later)
	}
	m.check(t, w, id)
	w.survive(t)
	w.noFaults()
	w.run(26 * time.Hour)
	if ends := w.load(id); m.ends != "" && ends.State != m.ends || m.ends == "" && ends.State != m.intent {
		t.Errorf("a day after the restart the intent is %s: %s\n%s", ends.State, ends.Reason, describe(ends))
	}
	w.checkInvariants(t)
}

// compensation asks for the undoing of a step and approves it.
func (w *world) compensation(parent, step string) (child string) {
	w.t.Helper()
	w.do(w.people.operator, parent, model.Compensate, step, "")
	receipt := must(w.approve(w.people.approver, parent))(w.t)
	return *receipt.Compensation
}

func paramsOf(kind string) string {
	for _, k := range kinds {
		if k.kind == kind {
			return k.params
		}
	}
	return ""
}

// check compares what came of it with the row.
func (m *moment) check(t *testing.T, w *world, id string) {
	t.Helper()
	c := w.load(id)
	s := c.Step(m.step)
	if s == nil {
		t.Fatalf("there is no step %s", m.step)
	}
	got := moment{intent: c.State, state: s.State, calls: len(s.Attempts), effects: w.standing(s), says: says(s), log: w.trail(s)}
	for _, difference := range slices.Concat(differ("the intent", got.intent, m.intent), differ("the step", got.state, m.state),
		differ("the number of calls", got.calls, m.calls), differ("the number of effects in the books", got.effects, m.effects),
		differ("the evidence", got.says, m.says), differ("the trail in the log", got.log, m.log)) {
		t.Error(difference)
	}
	for event := range strings.FieldsSeq(m.events) {
		if n := w.entries(id, event); n != 1 {
			t.Errorf("there are %d entries of %s", n, event)
		}
	}
	if t.Failed() {
		t.Fatalf("intent is %s: %s\n%s", c.State, c.Reason, describe(c))
	}
}

// standing counts the effects of a step in the provider's own books.
func (w *world) standing(s *model.Step) (n int) {
	tr := &truth{byID: map[string]*model.Case{s.IntentID: w.load(s.IntentID)}}
	for _, e := range w.books() {
		if of, _ := tr.stepOf(e); of != nil && of.Name == s.Name && e.UndoneAt == nil {
			n++
		}
	}
	return n
}

// says are the different words of a step's evidence, in the order in which each
// was said first: whether a look or a webhook was faster makes no difference.
func says(s *model.Step) string {
	var words []string
	for _, e := range s.Evidence {
		if word := string(e.Says); !slices.Contains(words, word) {
			words = append(words, word)
		}
	}
	return strings.Join(words, " ")
}

// trail are the states that a step went through, as the log tells it.
func (w *world) trail(s *model.Step) string {
	var states []string
	for _, e := range w.truth(w.t).about(s.IntentID, "step.") {
		if base, _, _ := strings.Cut(e.StepKey, "#"); base == s.IntentID+":"+s.Name {
			states = append(states, strings.TrimPrefix(e.Event, "step."))
		}
	}
	return strings.Join(states, " ")
}

// survive checks the invariants, restarts from the database with a new engine
// under a new boot, sees that every state is what it was, and checks again.
func (w *world) survive(t testing.TB) {
	t.Helper()
	w.checkInvariants(t)
	w.checkOutlines(t)
	before := w.states()
	w.restart()
	if after := w.states(); after != before {
		t.Errorf("before the restart:\n%s\nafter it:\n%s", before, after)
	}
	w.checkInvariants(t)
}

// states are those of every intent and step, as text.
func (w *world) states() string {
	var b strings.Builder
	for _, c := range w.truth(w.t).cases {
		fmt.Fprintf(&b, "%s %s %d+%d\n", c.ID, c.State, c.Confirmed, c.Uncertain)
		for _, s := range c.Steps {
			fmt.Fprintf(&b, "  %s %s %s, %d attempts, %d pieces of evidence\n", s.Name, s.State, s.Failure, len(s.Attempts), len(s.Evidence))
		}
	}
	return b.String()
}
