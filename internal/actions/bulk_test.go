package actions

import (
	"context"
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"countersign/internal/audit"
	"countersign/internal/authz"
	"countersign/internal/model"
	"countersign/internal/store"
)

// bulk makes a list.
func (w *world) bulk(actor authz.Actor, action string, ids ...string) model.Bulk {
	w.t.Helper()
	b, _, err := w.run.PreviewBulk(w.t.Context(), actor, BulkRequest{Action: action, Intents: ids})
	if err != nil {
		w.t.Fatalf("preview %s of many: %v", action, err)
	}
	return b
}

// confirmBulk confirms a list, which does nothing yet.
func (w *world) confirmBulk(actor authz.Actor, b model.Bulk) List {
	w.t.Helper()
	l, err := w.run.ConfirmBulk(w.t.Context(), actor, b.ID, say(b.Digest))
	if err != nil {
		w.t.Fatalf("confirm many: %v", err)
	}
	return l
}

// carryOut does what confirmed lists have left, and gives one of them.
func (w *world) carryOut(id string) List {
	w.t.Helper()
	if err := w.run.WorkBulks(w.t.Context(), nil); err != nil {
		w.t.Fatal(err)
	}
	l, err := w.run.GetBulk(w.t.Context(), w.ada, id)
	if err != nil {
		w.t.Fatal(err)
	}
	return l
}

// several posts payouts, each sent with an outcome.
func (w *world) several(n int, out model.Outcome) (ids []string) {
	w.t.Helper()
	for i := range n {
		id := w.payout(fmt.Sprintf("many-%d", i), int64(500+i))
		w.pass(id, "approve-payout")
		w.send(id, out)
		ids = append(ids, id)
	}
	return ids
}

func outcomes(l List) (list []string) {
	for _, item := range l.Items {
		list = append(list, string(item.Outcome))
	}
	return list
}

// bulkEvents lists what the log holds about lists.
func (w *world) bulkEvents() []string { return w.entries("bulk.") }

// entries lists what the log holds whose event begins so.
func (w *world) entries(prefix string) (list []string) {
	w.t.Helper()
	err := w.db.View(w.t.Context(), func(tx *store.Tx) error {
		return tx.Select(&list, "SELECT event FROM audit_entries WHERE event LIKE ? ORDER BY id", prefix+"%")
	})
	if err != nil {
		w.t.Fatal(err)
	}
	return list
}

func TestManyAreRetriedOnceEach(t *testing.T) {
	w := newWorld(t)
	ids := w.several(3, notSent)
	b := w.bulk(w.ada, model.RetryUnfinished, append(ids, ids[0])...) // a repeat is one item
	if len(b.Items) != 3 || b.People != 1 || b.State != model.BulkPreviewed {
		t.Fatalf("list %+v", b)
	}
	for i, item := range b.Items {
		if !item.Included() || item.Rule != "retry.failed-safely" || item.Step != pay || item.Twice || item.Amount != int64(500+i) || item.Currency != "USD" {
			t.Errorf("item %+v", item)
		}
	}
	if l := w.confirmBulk(w.ada, b); l.State != model.BulkRunning || w.load(ids[0]).Step(pay).Ordered != model.NoOrder {
		t.Errorf("confirming did something by itself: %s", l.State)
	}
	l := w.carryOut(b.ID)
	if l.State != model.BulkDone || !slices.Equal(outcomes(l), []string{"executed", "executed", "executed"}) {
		t.Fatalf("%s %v", l.State, outcomes(l))
	}
	for i, id := range ids {
		if s := w.load(id).Step(pay); s.Ordered != model.OrderRetry || s.OrderID != b.Items[i].PreviewID || l.Items[i].Attempt != 2 || l.Items[i].Entry == "" {
			t.Errorf("ordered %q by %q, item %+v", s.Ordered, s.OrderID, l.Items[i])
		}
		if got := w.events(id); !reflect.DeepEqual(got, []string{"intent.accepted", "action.retry_unfinished.executed"}) {
			t.Errorf("events %v", got)
		}
	}
	if got := w.bulkEvents(); !reflect.DeepEqual(got, []string{"bulk.confirmed"}) {
		t.Errorf("events %v", got)
	}
}

// Every rule that refuses an item by itself excludes it from a list, with the
// same rule and sentence.
func TestWhatTheRulesRefuseIsExcluded(t *testing.T) {
	for _, c := range cells() {
		if c.step != "" && c.action != model.Reconcile || oneByOne[c.action] != "" || c.input != "" && strings.TrimSpace(c.input) != "{ACK}" && c.input != " " {
			continue
		}
		t.Run(c.action+" "+c.name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t)
			account := c.account
			if account == "" {
				account = "acme"
			}
			id := w.post(account, "k", 500).ID
			if c.setup != nil {
				c.setup(w, id)
			}
			req := BulkRequest{Action: c.action, Intents: []string{id}}
			if c.action == model.Abandon {
				req.Acknowledge = ToAcknowledge(w.load(id))
			}
			b, _, err := w.run.PreviewBulk(t.Context(), w.ada, req)
			if err != nil {
				t.Fatal(err)
			}
			want := c.rule
			if c.rule == "reconcile.re-check" || c.name == "failed safely" && c.action == model.Reconcile {
				want = map[bool]string{true: "reconcile.nothing-uncertain", false: "reconcile.nothing-to-check"}[c.allowed]
			}
			item := b.Items[0]
			if item.Rule != want || item.Included() != (c.allowed && want == c.rule) || item.Because == "" {
				t.Errorf("rule %q, included %v: %s; want %q", item.Rule, item.Included(), item.Because, want)
			}
		})
	}
}

func TestMarksAndCompensationsAreNeverByMany(t *testing.T) {
	w := newWorld(t)
	for _, action := range []string{model.MarkExternalResult, model.Compensate} {
		_, _, err := w.run.PreviewBulk(t.Context(), w.ada, BulkRequest{Action: action, Intents: []string{"intent-x"}})
		if codeOf(err) != "action-refused" || extra(err, "rule") != "bulk.one-by-one" {
			t.Errorf("%s: %v", action, err)
		}
	}
	_, _, err := w.run.PreviewBulk(t.Context(), w.ada, BulkRequest{Action: "explode", Intents: []string{"intent-x"}})
	wantCode(t, err, "invalid-params")
}

func TestBulkLimits(t *testing.T) {
	w := newWorld(t)
	ask := func(ids []string) error {
		_, _, err := w.run.PreviewBulk(t.Context(), w.ada, BulkRequest{Action: model.Reconcile, Intents: ids})
		return err
	}
	wantCode(t, ask(nil), "invalid-params")
	wantCode(t, ask([]string{""}), "invalid-params")
	wantCode(t, ask([]string{strings.Repeat("x", 65)}), "invalid-params")
	wantCode(t, ask([]string{"intent-nobody"}), "not-found")
	var many []string
	for i := range MaxBulk + 1 {
		many = append(many, fmt.Sprint("intent-", i))
	}
	wantCode(t, ask(many), "too-large")
}

func TestOtherAccountsAreExcludedAndTellNothing(t *testing.T) {
	w := newWorld(t)
	own := w.several(1, unknown)[0]
	foreign, visible := w.post("weak", "w", 500).ID, w.post("mute", "m", 500).ID
	w.update(func(tx *store.Tx) error { return tx.Withdraw(w.ada.ID, "weak", model.RoleOperator) })
	ada := w.ada
	w.update(func(tx *store.Tx) error {
		fresh, err := tx.Refresh(model.Actor(w.ada))
		ada = authz.Actor(fresh)
		return err
	})
	b, elsewhere, err := w.run.PreviewBulk(t.Context(), ada, BulkRequest{Action: model.Reconcile, Intents: []string{own, foreign, visible, "intent-nobody"}})
	if err != nil || !slices.Equal(elsewhere, []string{visible}) {
		t.Fatalf("left out %v: %v", elsewhere, err)
	}
	rules := []string{}
	for _, item := range b.Items {
		rules = append(rules, item.Rule)
	}
	if !slices.Equal(rules, []string{"reconcile.uncertain", "not-found", "not-found"}) {
		t.Errorf("rules %v", rules)
	}
	hidden, nobody := b.Items[1], b.Items[2]
	if strings.Replace(hidden.Because, foreign, "", 1) != strings.Replace(nobody.Because, "intent-nobody", "", 1) || hidden.Amount != 0 || hidden.Currency != "" {
		t.Errorf("%+v differs from %+v", hidden, nobody)
	}
}

// TestAListTellsNothingOfAnotherAccount: its readers see one account's, whoever
// made it sees two.
func TestAListTellsNothingOfAnotherAccount(t *testing.T) {
	w := newWorld(t)
	own, other := w.several(2, unknown), w.post("mute", "m", 500).ID
	b := w.bulk(w.ada, model.Reconcile, own[0], other, own[1])
	w.confirmBulk(w.ada, b)
	for _, reader := range []authz.Actor{w.ada, w.aud} {
		l, err := w.run.GetBulk(t.Context(), reader, b.ID)
		if text := fmt.Sprintf("%+v", l); err != nil || len(l.Items) != 2 || strings.Contains(text, other) || strings.Contains(text, "mute") {
			t.Errorf("%s reads %s: %v", reader.Name, text, err)
		}
	}
	l := w.carryOut(b.ID)
	if l.State != model.BulkDone || !slices.Equal(outcomes(l), []string{"executed", "executed"}) {
		t.Errorf("%s: %v", l.State, outcomes(l))
	}
	w.update(func(tx *store.Tx) error {
		item, err := w.log.ByID(tx, audit.Of("acme"), l.Entry)
		if text := string(item.Detail); !strings.Contains(text, own[1]) || strings.Contains(text, other) {
			t.Errorf("the log has %s", text)
		}
		return err
	})
}

func TestTheListIsFrozen(t *testing.T) {
	w := newWorld(t)
	ids := w.several(2, notSent)
	b := w.bulk(w.ada, model.RetryUnfinished, ids...)
	later := w.payout("later", 500) // would match whatever matched then
	w.pass(later, "approve-payout")
	w.send(later, notSent)
	w.confirmBulk(w.ada, b)
	w.carryOut(b.ID)
	if s := w.load(later).Step(pay); s.Ordered != model.NoOrder {
		t.Error("an intent that was not in the list was touched")
	}
}

func TestAStaleItemStopsNoOther(t *testing.T) {
	w := newWorld(t)
	ids := w.several(3, notSent)
	b := w.bulk(w.ada, model.RetryUnfinished, ids...)
	w.send(ids[1], curable) // it moves after the preview
	if l, err := w.run.GetBulk(t.Context(), w.ada, b.ID); err != nil || !slices.Equal(l.Moved, []int{2}) {
		t.Errorf("moved %v, %v", l.Moved, err)
	}
	w.confirmBulk(w.ada, b)
	l := w.carryOut(b.ID)
	if !slices.Equal(outcomes(l), []string{"executed", "stale", "executed"}) || l.Items[1].Said == "" || l.Items[1].Entry == "" {
		t.Fatalf("%v: %+v", outcomes(l), l.Items[1])
	}
	if s := w.load(ids[1]).Step(pay); s.Ordered != model.NoOrder {
		t.Error("the stale item was done")
	}
	if got := w.events(ids[1]); !slices.Contains(got, "action.retry_unfinished.refused") {
		t.Errorf("events %v", got)
	}
}

func TestABulkIsConfirmedOnce(t *testing.T) {
	w := newWorld(t)
	ids := w.several(2, notSent)
	b := w.bulk(w.ada, model.RetryUnfinished, ids...)
	w.confirmBulk(w.ada, b)
	w.carryOut(b.ID)
	fences := []int64{w.load(ids[0]).Fence, w.load(ids[1]).Fence}
	if again := w.confirmBulk(w.ada, b); again.State != model.BulkDone { // a double click, or a repeat after a lost answer
		t.Errorf("a repeat gives %s", again.State)
	}
	w.carryOut(b.ID)
	if w.load(ids[0]).Fence != fences[0] || w.load(ids[1]).Fence != fences[1] {
		t.Error("a repeat did something")
	}
	_, err := w.run.ConfirmBulk(t.Context(), w.ada, b.ID, Confirmation{Reason: "quite another reason", Digest: b.Digest})
	wantCode(t, err, "preview-consumed")
	if got := w.bulkEvents(); !reflect.DeepEqual(got, []string{"bulk.confirmed", "bulk.refused"}) {
		t.Errorf("events %v", got)
	}
}

func TestConfirmBulkOutcomes(t *testing.T) {
	ok := func(b model.Bulk) Confirmation { return say(b.Digest) }
	for _, test := range []struct {
		name   string
		before func(*world)
		actor  func(*world) authz.Actor
		in     func(model.Bulk) Confirmation
		code   string
		event  string
	}{
		{"too short a reason", nil, nil, func(b model.Bulk) Confirmation { return Confirmation{"short", b.Digest} }, "invalid-params", ""},
		{"other digest", nil, nil, func(model.Bulk) Confirmation { return say("00") }, "digest-mismatch", "bulk.refused"},
		{"expired", func(w *world) { w.wait(11 * time.Minute) }, nil, ok, "preview-expired", "bulk.refused"},
		{"somebody else", nil, func(w *world) authz.Actor { return w.ben }, ok, "not-found", ""},
		{"an approver", nil, func(w *world) authz.Actor { return w.cleo }, ok, "not-found", ""},
		{"rights revoked", func(w *world) {
			w.update(func(tx *store.Tx) error { return tx.Withdraw(w.ada.ID, "acme", model.RoleOperator) })
		}, nil, ok, "denied", "bulk.denied"},
		{"factor not fresh", func(w *world) {
			w.update(func(tx *store.Tx) error { _, err := tx.Exec("UPDATE api_keys SET stepped_up = 0"); return err })
		}, nil, ok, "step-up-required", "bulk.refused"},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t)
			id := w.several(1, notSent)[0]
			b := w.bulk(w.ada, model.RetryUnfinished, id)
			if test.before != nil {
				test.before(w)
			}
			actor := w.ada
			if test.actor != nil {
				actor = test.actor(w)
			}
			_, err := w.run.ConfirmBulk(t.Context(), actor, b.ID, test.in(b))
			wantCode(t, err, test.code)
			if err := w.run.WorkBulks(t.Context(), nil); err != nil {
				t.Fatal(err)
			}
			if w.load(id).Step(pay).Ordered != model.NoOrder {
				t.Error("something was done")
			}
			var want []string
			if test.event != "" {
				want = []string{test.event}
			}
			if got := w.bulkEvents(); !slices.Equal(got, want) {
				t.Errorf("events %v, want %v", got, want)
			}
		})
	}
}

func TestConfirmingAListInParallelIsOnce(t *testing.T) {
	w := newWorld(t)
	ids := w.several(4, notSent)
	b := w.bulk(w.ada, model.RetryUnfinished, ids...)
	before := w.load(ids[0]).Fence
	var wg sync.WaitGroup
	for range 8 {
		wg.Go(func() {
			if _, err := w.run.ConfirmBulk(t.Context(), w.ada, b.ID, say(b.Digest)); err != nil {
				t.Error(err)
			}
			if _, err := w.run.carryOut(t.Context(), b.ID, MaxBulk); err != nil && !errors.Is(err, model.Stale) {
				t.Error(err)
			}
		})
	}
	wg.Wait()
	l := w.carryOut(b.ID)
	for i, id := range ids {
		if c := w.load(id); c.Fence != before+1 || len(w.events(id)) != 2 || l.Items[i].Outcome != model.ItemExecuted {
			t.Errorf("fence %d after %d, events %v, %s", c.Fence, before, w.events(id), l.Items[i].Outcome)
		}
	}
}

// Whoever dies between two items loses nothing: the next one goes on with the
// same plans, and what was done is not done again.
func TestAListIsGoneOnWith(t *testing.T) {
	w := newWorld(t)
	ids := w.several(5, notSent)
	b := w.bulk(w.ada, model.RetryUnfinished, ids...)
	w.confirmBulk(w.ada, b)
	ctx, die := context.WithCancel(t.Context())
	n := 0
	w.mu.Lock()
	w.after = func() error {
		if n++; n == 2 {
			die() // after the second commit, before anything else is read
		}
		return nil
	}
	w.mu.Unlock()
	if _, err := w.run.carryOut(ctx, b.ID, MaxBulk); !errors.Is(err, context.Canceled) {
		t.Fatalf("it did not die: %v", err)
	}
	w.mu.Lock()
	w.after = nil
	w.mu.Unlock()
	l, err := w.run.GetBulk(t.Context(), w.ada, b.ID)
	left, all := l.Left(), l.Planned
	if err != nil || left != 3 || all != 5 || l.State != model.BulkRunning {
		t.Fatalf("%d of %d left, %s, %v", left, all, l.State, err)
	}
	w.wait(2 * time.Hour) // long after the preview would have expired
	other := New(w.db, w.log, w.book, model.NormalPace(), authz.DefaultTiers)
	if err := other.WorkBulks(t.Context(), nil); err != nil {
		t.Fatal(err)
	}
	l = w.carryOut(b.ID)
	for i, id := range ids {
		if got := w.events(id); l.Items[i].Outcome != model.ItemExecuted || !slices.Equal(got, []string{"intent.accepted", "action.retry_unfinished.executed"}) {
			t.Errorf("%s: %v", l.Items[i].Outcome, got)
		}
	}
	if l.State != model.BulkDone || l.ClosedAt == 0 {
		t.Errorf("%s", l.State)
	}
}

func TestALyingCommitIsNoSecondOne(t *testing.T) {
	w := newWorld(t)
	ids := w.several(2, notSent)
	b := w.bulk(w.ada, model.RetryUnfinished, ids...)
	w.lie()
	w.confirmBulk(w.ada, b)
	w.lie() // the first item's commit, or the lease's: either is read again
	for range 3 {
		if err := w.run.WorkBulks(t.Context(), nil); err == nil {
			break
		}
		w.wait(time.Minute)
	}
	l := w.carryOut(b.ID)
	for i, id := range ids {
		if l.Items[i].Outcome != model.ItemExecuted || len(w.events(id)) != 2 {
			t.Errorf("%s: %v", l.Items[i].Outcome, w.events(id))
		}
	}
}

func TestRightsThatEndMeanwhileStopTheRest(t *testing.T) {
	w := newWorld(t)
	ids := w.several(3, notSent)
	b := w.bulk(w.ada, model.RetryUnfinished, ids...)
	w.confirmBulk(w.ada, b)
	if _, err := w.run.carryOut(t.Context(), b.ID, 1); err != nil {
		t.Fatal(err)
	}
	w.update(func(tx *store.Tx) error { return tx.Withdraw(w.ada.ID, "acme", model.RoleOperator) })
	if err := w.run.WorkBulks(t.Context(), nil); err != nil {
		t.Fatal(err)
	}
	l, err := w.run.GetBulk(t.Context(), w.ben, b.ID)
	if err != nil || !slices.Equal(outcomes(l), []string{"executed", "denied", "denied"}) || !strings.Contains(l.Items[1].Said, "Ada has no role") {
		t.Errorf("%v %v: %s", outcomes(l), err, l.Items[1].Said)
	}
	if got := w.events(ids[2]); !slices.Contains(got, "action.retry_unfinished.denied") {
		t.Errorf("events %v", got)
	}
}

func TestAFaultOfOursStopsOneItem(t *testing.T) {
	w := newWorld(t)
	ids := w.several(3, notSent)
	b := w.bulk(w.ada, model.RetryUnfinished, ids...)
	w.confirmBulk(w.ada, b)
	w.update(func(tx *store.Tx) error {
		_, err := tx.Exec("UPDATE previews SET action = 'explode' WHERE id = ?", b.Items[1].PreviewID)
		return err
	})
	if err := w.run.WorkBulks(t.Context(), nil); err == nil {
		t.Error("the fault is not told")
	}
	l := w.carryOut(b.ID)
	if !slices.Equal(outcomes(l), []string{"executed", "failed", "executed"}) || l.State != model.BulkDone {
		t.Errorf("%v, %s", outcomes(l), l.State)
	}
}

func TestAPlanConfirmedByItselfIsNotDoneAgain(t *testing.T) {
	w := newWorld(t)
	ids := w.several(2, notSent)
	b := w.bulk(w.ada, model.RetryUnfinished, ids...)
	alone, err := w.run.GetPreview(t.Context(), w.ada, b.Items[0].PreviewID)
	if err != nil {
		t.Fatal(err)
	}
	w.confirm(w.ada, alone)
	w.confirmBulk(w.ada, b)
	l := w.carryOut(b.ID)
	if !slices.Equal(outcomes(l), []string{"refused", "executed"}) || !strings.Contains(l.Items[0].Said, "confirmed already") {
		t.Errorf("%v: %s", outcomes(l), l.Items[0].Said)
	}
}

func TestWhoReadsAList(t *testing.T) {
	w := newWorld(t)
	b := w.bulk(w.ada, model.RetryUnfinished, w.several(1, notSent)...)
	read := func(actor authz.Actor) error { _, err := w.run.GetBulk(t.Context(), actor, b.ID); return err }
	for _, actor := range []authz.Actor{w.ben, w.cleo, w.aud, w.glo, w.key} {
		wantCode(t, read(actor), "not-found")
	}
	w.confirmBulk(w.ada, b)
	for _, actor := range []authz.Actor{w.ada, w.ben, w.cleo, w.aud} {
		wantCode(t, read(actor), "")
	}
	wantCode(t, read(w.glo), "not-found")
	wantCode(t, read(w.key), "not-found")
	for _, actor := range []authz.Actor{w.aud, w.cleo, w.key} {
		_, _, err := w.run.PreviewBulk(t.Context(), actor, BulkRequest{Action: model.RetryUnfinished, Intents: []string{b.Items[0].IntentID}})
		wantCode(t, err, "denied")
	}
	_, _, err := w.run.PreviewBulk(t.Context(), w.glo, BulkRequest{Action: model.RetryUnfinished, Intents: []string{b.Items[0].IntentID}})
	wantCode(t, err, "not-found")
}
