package moments

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"countersign/internal/audit"
	"countersign/internal/model"
	"countersign/internal/provider"
	"countersign/internal/store"
)

// invariants are the thirteen of the contract, each judged on the truth alone:
// what the database holds, what the log says, and what the provider's own books
// show. None of them asks the code under test what it thinks of itself.
var invariants = []struct {
	says   string
	broken func(*truth) []string
}{
	{"one intent per account, kind and key, with the first params", (*truth).invariant01},
	{"the provider's books show at most one standing effect a step", (*truth).invariant02},
	{"an attempt is committed before its request leaves", (*truth).invariant03},
	{"an unkeyed or message step is not sent again while unknown", (*truth).invariant04},
	{"a keyed step is sent again with the same key and bytes, while unknown only inside the window", (*truth).invariant05},
	{"nothing is reserved for an intent that is over, nor under an old fence", (*truth).invariant06},
	{"confirm does exactly the previewed plan, or nothing, once", (*truth).invariant07},
	{"one standing compensation a step, by different people", (*truth).invariant08},
	{"what is finished never changes", (*truth).invariant09},
	{"every state change names its cause", (*truth).invariant10},
	{"every action, refusal and denial has exactly one entry", (*truth).invariant11},
	{"nothing accepted is lost", (*truth).invariant12},
	{"unknown is never shown, stored, counted or exported as failed", (*truth).invariant13},
}

// breach is one broken invariant, by its number, and where.
type breach struct {
	number int
	where  string
}

// checkInvariants checks all thirteen on the world as it is. It may be called
// after any history, as often as one likes; what it saw once is compared with
// what it sees next. Nothing may be under way meanwhile.
func (w *world) checkInvariants(t testing.TB) {
	t.Helper()
	for _, b := range w.breaches(t) {
		t.Errorf("invariant %d (%s): %s", b.number, invariants[b.number-1].says, b.where)
	}
	w.checkProposals(t)
	w.alarmed()
}

// breaches are all that is broken, in the order of the invariants.
func (w *world) breaches(t testing.TB) (list []breach) {
	t.Helper()
	tr := w.truth(t)
	for i, invariant := range invariants {
		for _, where := range invariant.broken(tr) {
			list = append(list, breach{i + 1, where})
		}
	}
	return list
}

// truth is all that can be read about a world at rest.
type truth struct {
	t        testing.TB
	w        *world
	cases    []*model.Case
	byID     map[string]*model.Case
	entries  []audit.Item // oldest first
	previews []store.Preview
	effects  []effect // the provider's, but for those of outsiders
	died     map[string]model.Time
	now      model.Time
}

// truth reads everything, after the log got its numbers and was checked.
func (w *world) truth(t testing.TB) *truth {
	t.Helper()
	w.logHolds()
	tr := &truth{t: t, w: w, byID: map[string]*model.Case{}, died: map[string]model.Time{}, now: w.db.Now()}
	if err := w.db.View(context.Background(), tr.read); err != nil {
		t.Fatal(err)
	}
	for _, e := range w.books() {
		if !w.memory.outsiders[e.Key] {
			tr.effects = append(tr.effects, e)
		}
	}
	return tr
}

// read loads every intent with its rows, every preview and every entry.
func (tr *truth) read(tx *store.Tx) error {
	var ids []string
	if err := tx.Select(&ids, "SELECT id FROM intents ORDER BY created_at, id"); err != nil {
		return err
	}
	for _, id := range ids {
		c, err := tx.Case(id)
		if err != nil {
			return err
		}
		tr.cases, tr.byID[id] = append(tr.cases, c), c
	}
	if err := tx.Select(&tr.previews, "SELECT * FROM previews ORDER BY created_at, id"); err != nil {
		return err
	}
	var boots []store.Boot
	if err := tx.Select(&boots, "SELECT * FROM boots WHERE dead_at > 0"); err != nil {
		return err
	}
	for _, b := range boots {
		tr.died[b.ID] = b.DeadAt
	}
	return tr.readEntries(tx)
}

func (tr *truth) readEntries(tx *store.Tx) error {
	for last := int64(-1); ; {
		page, err := tr.w.log.List(tx, audit.Filter{Accounts: audit.Everything(), After: &last, Limit: 1000})
		if err != nil || len(page) == 0 {
			return err
		}
		tr.entries, last = append(tr.entries, page...), *page[len(page)-1].Index
	}
}

// about are the entries of an intent whose event begins so, in the order in
// which they were recorded: numbers are given later, in the order of ids.
func (tr *truth) about(intent, prefix string) (list []audit.Item) {
	for _, e := range tr.entries {
		if e.Intent == intent && strings.HasPrefix(e.Event, prefix) {
			list = append(list, e)
		}
	}
	slices.SortFunc(list, func(a, b audit.Item) int { return cmp.Or(cmp.Compare(a.At, b.At), cmp.Compare(a.ID, b.ID)) })
	return list
}

// stepOf finds the step that an effect in the books is of, by its reference.
func (tr *truth) stepOf(e effect) (s *model.Step, generation int) {
	key := e.Reference
	if of, ok := provider.StepKeyOf(key); ok {
		key = of
	}
	intent, name, generation, err := model.SplitStepKey(key)
	if c := tr.byID[intent]; err == nil && c != nil {
		s = c.Step(name)
	}
	return s, generation
}

// each calls fn for every step of every intent, and gathers what it says.
func (tr *truth) each(fn func(*model.Case, *model.Step) []string) (all []string) {
	for _, c := range tr.cases {
		for _, s := range c.Steps {
			all = append(all, fn(c, s)...)
		}
	}
	return all
}

// memory is what a world was told and what was seen of it so far. It outlives
// the process: restarts do not touch it.
type memory struct {
	sync.Mutex
	rows      map[string]string // what can never change, by table and id
	promised  map[string]string // intents answered, with their keys
	receipts  map[string]string // audit ids answered, by preview
	refused   map[hearing]int   // refusals and denials that were answered
	unsure    map[hearing]bool  // of which nobody knows whether they were recorded
	outsiders map[string]bool   // keys of effects that somebody else made at the provider
	lost      time.Time         // from when on the database forgot, after a restore
}

// hearing is who asked about what: a preview's or a request's id.
type hearing struct{ about, actor string }

func newMemory() *memory {
	return &memory{rows: map[string]string{}, promised: map[string]string{}, receipts: map[string]string{},
		refused: map[hearing]int{}, unsure: map[hearing]bool{}, outsiders: map[string]bool{}}
}

// restoredFrom tells the memory that the database is as it was at a moment:
// what was seen and told later is gone from it, and effects made later have no
// attempt in it.
func (w *world) restoredFrom(at time.Time) {
	outsiders := w.memory.outsiders
	w.memory = newMemory()
	w.memory.outsiders, w.memory.lost = outsiders, at
}

// differ says in one line that two values should be the same and are not.
func differ(what string, got, want any) []string {
	if got == want {
		return nil
	}
	return []string{fmt.Sprintf("%s is %v, not %v", what, got, want)}
}

// hear remembers how a confirmation or decision was answered. What was refused
// has one entry; where the database did not say what it kept, nobody knows.
func (w *world) hear(about, actor string, err error) {
	m := w.memory
	m.Lock()
	defer m.Unlock()
	h := hearing{about, actor}
	switch model.KindOf(err) {
	case model.Denied, model.Conflict, model.Stale:
		m.refused[h]++
	case model.Unknown, model.NotFound, model.Unauthenticated, model.Internal:
		m.unsure[h] = m.unsure[h] || err != nil
	}
}

// invariants is checkInvariants of the world's own test.
func (w *world) invariants() {
	w.t.Helper()
	w.checkInvariants(w.t)
}
