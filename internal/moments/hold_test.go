package moments

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"countersign/internal/actions"
	"countersign/internal/authz"
	"countersign/internal/model"
	"countersign/internal/provider/sandbox/server"
	"countersign/internal/store"
	"countersign/internal/store/storetest"
)

// hold is the newest restore hold, with what is missing.
func (w *world) hold() (s actions.HoldState) {
	w.t.Helper()
	if err := w.db.View(context.Background(), func(tx *store.Tx) (err error) { s, err = actions.ReadHold(tx); return err }); err != nil {
		w.t.Fatal(err)
	}
	return s
}

// secondAdministrator brings one in.
func (w *world) secondAdministrator() (a authz.Actor) {
	w.t.Helper()
	w.update(func(tx *store.Tx) error { return w.enter(tx, &a, "second@example.com", model.RoleAdministrator) })
	return a
}

// lift lifts the hold, which must be possible by now, by two people.
func (w *world) lift() {
	w.t.Helper()
	second := w.secondAdministrator()
	for i, by := range []authz.Actor{w.people.administrator, second} {
		lifted, err := w.act.LiftHold(context.Background(), by, "looked at everything that was found")
		if err != nil || lifted != (i == 1) {
			w.t.Fatalf("administrator %d: lifted %v, %v (%+v)", i+1, lifted, err, w.hold().Hold)
		}
	}
}

// sentSince counts the attempts of effects that began after a moment.
func (w *world) sentSince(at model.Time) (n int) {
	w.t.Helper()
	if err := w.db.View(context.Background(), func(tx *store.Tx) error {
		_, err := tx.Get(&n, `SELECT count(*) FROM attempts a JOIN steps s ON s.intent_id = a.intent_id AND s.name = a.step
			WHERE a.started_at > ? AND s.class IN ('keyed', 'unkeyed', 'message')`, at)
		return err
	}); err != nil {
		w.t.Fatal(err)
	}
	return n
}

// stepKeys are the keys of an intent's steps.
func stepKeys(c *model.Case) (keys []string) {
	for _, s := range c.Steps {
		keys = append(keys, s.Key()+" as "+s.WireKey)
	}
	return keys
}

// post posts a payout as its caller does, and gives its id and step keys.
func (w *world) post(key string) (id string, keys []string) {
	w.t.Helper()
	a, err := w.act.Accept(context.Background(), w.people.payroll, actions.Submission{Key: key, Kind: model.KindPayout, Account: account, Params: json.RawMessage(payoutParams)})
	if err != nil {
		w.t.Fatal(err)
	}
	return a.Case.ID, stepKeys(a.Case)
}

// Moment 16: yesterday's backup, made under load, is restored, and callers post
// everything again.
func TestMoment16BackupUnderLoadIsRestoredAndCallersPostAgain(t *testing.T) {
	w := newWorld(t)
	ids, keys := map[string]string{}, map[string][]string{}
	var mu sync.Mutex
	accept := func(key string) {
		a, err := w.act.Accept(context.Background(), w.people.payroll, actions.Submission{Key: key, Kind: model.KindPayout, Account: account, Params: json.RawMessage(payoutParams)})
		if err != nil {
			t.Error(err)
			return
		}
		mu.Lock()
		defer mu.Unlock()
		ids[key], keys[key] = a.Case.ID, stepKeys(a.Case)
	}
	var before []string // answered before the backup began
	for i := range 8 {
		accept(fmt.Sprintf("before-%d", i))
		before = append(before, fmt.Sprintf("before-%d", i))
	}
	w.run(0)
	w.clock.Add(time.Second)
	from := w.clock.Now()
	stop, load := make(chan struct{}), sync.WaitGroup{}
	load.Go(func() {
		for i := range 40 { // a dump takes longer than a copy of a file
			select {
			case <-stop:
				return
			default:
				accept(fmt.Sprintf("during-%d", i))
			}
		}
	})
	load.Go(func() {
		for {
			select {
			case <-stop:
				return
			default:
				w.engine.Pass(context.Background())
			}
		}
	})
	copied := w.backup()
	close(stop)
	load.Wait()
	for i := range 4 {
		w.clock.Add(time.Second)
		accept(fmt.Sprintf("after-%d", i))
	}
	w.run(time.Hour)
	books := w.effects("payouts")
	if books != len(ids) {
		t.Fatalf("%d payouts for %d intents before the restore", books, len(ids))
	}

	w.restore(copied, from)
	h := w.hold().Hold
	if !h.On() || h.Cause != model.HoldCopy || h.OldSize <= h.KeptSize {
		t.Fatalf("the copy starts under %+v", h)
	}
	for _, key := range before {
		w.load(ids[key]) // fails where it is not in the copy
	}
	w.run(5 * time.Second)
	for key, id := range ids {
		again, same := w.post(key)
		if again != id || strings.Join(same, ",") != strings.Join(keys[key], ",") {
			t.Errorf("%s is %s with %v now, and was %s with %v", key, again, same, id, keys[key])
		}
	}
	w.run(time.Hour)
	if n := w.sentSince(h.Since); n > 0 {
		t.Errorf("%d attempts while held", n)
	}
	w.checkInvariants(t)
	w.lift()
	w.run(26 * time.Hour)
	for key, id := range ids {
		if c := w.load(id); c.State != model.Completed {
			t.Errorf("%s ends %s: %s\n%s", key, c.State, c.Reason, describe(c))
		}
	}
	for _, operation := range []string{"payouts", "messages"} {
		if n := w.effects(operation); n != len(ids) {
			t.Errorf("the books show %d %s for %d intents", n, operation, len(ids))
		}
	}
	w.checkInvariants(t)
}

// Without the mark, the checkpoint outside tells that the database is older.
func TestMoment16ADatabaseOlderThanItsCheckpointIsHeld(t *testing.T) {
	w := newWorld(t)
	first := w.payout("p-1")
	w.run(time.Hour)
	from := w.clock.Now()
	w.logHolds()
	copied := w.backup()
	w.clock.Add(time.Minute)
	second := w.payout("p-2")
	w.run(time.Hour)
	w.restoreWith(copied, from, (*store.Tx).TakeMark)
	if h := w.hold().Hold; !h.On() || h.Cause != model.HoldOlder {
		t.Fatalf("it starts under %+v", h)
	}
	if id, _ := w.post("p-2"); id != second {
		t.Errorf("the second payout is %s now, and was %s", id, second)
	}
	w.run(time.Hour)
	w.expect(second, model.Processing, "create-payout", model.Confirmed) // by what the search found
	w.expect(first, model.Completed, "create-payout", model.Confirmed)
	w.lift()
	w.run(26 * time.Hour)
	w.expect(second, model.Completed, "create-payout", model.Confirmed)
	if n := w.effects("payouts"); n != 2 {
		t.Errorf("the books show %d payouts", n)
	}
	w.checkInvariants(t)
	w.restart() // the hold is accounted for, and opens no second one
	if h := w.hold().Hold; h.On() {
		t.Errorf("a later start opens %+v", h)
	}
}

// A copy beside its living original is held, and stays so until people have made
// sure that the original is ended.
func TestACopyBesideItsLivingOriginalIsHeld(t *testing.T) {
	w := newWorld(t)
	w.payout("p-1")
	w.run(time.Hour)
	copied := w.backup()
	other := &world{t: t, dir: t.TempDir(), place: storetest.Place(t), memory: newMemory(), clock: w.clock, timing: w.timing, bank: w.bank, people: w.people}
	other.replace(copied)
	other.start(server.Config{})
	if h := other.hold().Hold; !h.On() || h.DeadAt != 0 {
		t.Fatalf("the copy starts under %+v", h)
	}
	if older := other.hold().Older; len(older) != 1 { // the original's one start
		t.Errorf("the older processes are %+v", older)
	}
	late := w.payout("p-2") // the original lives on
	w.run(time.Hour)
	other.run(24 * time.Hour)
	if _, err := other.act.LiftHold(context.Background(), other.people.administrator, "nothing happened meanwhile"); !isRefusal(err, "hold.older-process") {
		t.Errorf("lifting: %v", err)
	}
	if id, _ := other.post("p-2"); id != late {
		t.Errorf("p-2 is %s in the copy and %s in the original", id, late)
	}
	if err := other.act.DeclareEnded(context.Background(), other.people.operator, "the old machine is gone"); !isCode(err, authz.CodeDenied) {
		t.Errorf("an operator declares: %v", err)
	}
	if err := other.act.DeclareEnded(context.Background(), other.people.administrator, "the old machine is gone"); err != nil {
		t.Fatal(err)
	}
	if older := other.hold().Older; len(older) != 0 {
		t.Errorf("declared ended, and still there: %+v", older)
	}
	other.run(time.Hour)
	other.lift()
	other.run(26 * time.Hour)
	other.expect(late, model.Completed, "create-payout", model.Confirmed)
	if n := w.effects("payouts"); n != 2 {
		t.Errorf("the books show %d payouts", n)
	}
}

// A copy that takes the database's place under a running process, as a server
// allows, stops it: nothing is sent before a start has found it.
func TestACopyUnderARunningProcessStopsIt(t *testing.T) {
	w := newWorld(t)
	id := w.payout("p-1")
	w.update(func(tx *store.Tx) error {
		_, err := tx.Exec("INSERT INTO copy_mark (one, made_at, place, log_size, checkpoint_size, checkpoint_root) VALUES (1, ?, 'elsewhere', 0, 0, ?)", tx.Now(), []byte{})
		return err
	})
	for range 3 {
		w.passOnce()
		w.clock.Add(time.Minute)
	}
	if n := w.effects("payouts"); n != 0 || !w.load(id).Held {
		t.Errorf("%d payouts were sent, held %v", n, w.load(id).Held)
	}
	within, cancel := context.WithTimeout(t.Context(), 5*time.Second)
	defer cancel()
	if err := w.engine.Run(within); !isCode(err, "declared-dead") {
		t.Errorf("the process goes on: %v", err)
	}
	w.restart()
	if h := w.hold().Hold; !h.On() || h.Cause != model.HoldCopy || h.DeadAt != 0 {
		t.Errorf("the next start finds %+v", h)
	}
}

func isCode(err error, code string) bool {
	var e *model.Error
	return errors.As(err, &e) && e.Code == code
}

func isRefusal(err error, rule string) bool {
	e, ok := err.(*model.Error)
	return ok && e.Extra["rule"] == rule
}

// Two different administrators, and nobody else, lift a hold.
func TestTwoAdministratorsLiftAHold(t *testing.T) {
	w := newWorld(t)
	id := w.payout("p-1")
	w.restore(w.backup(), w.clock.Now())
	admin := w.people.administrator
	ctx := context.Background()
	if _, err := w.act.LiftHold(ctx, admin, "it is all well"); !isCode(err, "action-refused") {
		t.Errorf("at once: %v", err)
	}
	w.run(time.Hour)
	for name, by := range map[string]authz.Actor{"operator": w.people.operator, "approver": w.people.approver, "service key": w.people.payroll} {
		if _, err := w.act.LiftHold(ctx, by, "it is all well"); !isCode(err, authz.CodeDenied) {
			t.Errorf("%s: %v", name, err)
		}
	}
	if _, err := w.act.LiftHold(ctx, admin, "short"); !isCode(err, "invalid-params") {
		t.Errorf("a short reason: %v", err)
	}
	stale := admin
	stale.SteppedUpAt = 1
	if lifted, err := w.act.LiftHold(ctx, admin, "it is all well"); lifted || err != nil {
		t.Fatalf("the first: %v, %v", lifted, err)
	}
	if _, err := w.act.LiftHold(ctx, admin, "it is all well"); !isCode(err, authz.CodeSelfApproval) {
		t.Errorf("the same person once more: %v", err)
	}
	if w.load(id); w.sentSince(w.hold().Hold.Since) > 0 || !w.hold().Hold.On() {
		t.Error("one administrator lifted it")
	}
	if lifted, err := w.act.LiftHold(ctx, w.secondAdministrator(), "it is all well"); !lifted || err != nil {
		t.Fatalf("the second: %v, %v", lifted, err)
	}
	for event, want := range map[string]int{"hold.opened": 1, "hold.lift_requested": 2, "hold.lift_requested.refused": 2,
		"hold.lift_requested.denied": 3, "hold.lifted": 1, "audit.epoch_opened": 1} {
		if n := w.told(event); n != want {
			t.Errorf("%d entries of %s, want %d", n, event, want)
		}
	}
	w.run(26 * time.Hour)
	w.expect(id, model.Completed, "create-payout", model.Confirmed)
	w.checkInvariants(t)
}

// A start that dies in the middle of opening the hold goes on where it was.
func TestARestoreHoldSurvivesDeaths(t *testing.T) {
	for n := 1; n <= 9; n++ {
		t.Run(fmt.Sprintf("commit %d", n), func(t *testing.T) {
			t.Parallel()
			w := newWorld(t)
			first := w.payout("p-1")
			w.passOnce()
			from := w.clock.Now()
			copied := w.backup()
			w.clock.Add(time.Second)
			second := w.payout("p-2")
			w.run(time.Hour)
			w.restore(copied, from)
			w.dieAt(n, n%2 == 0)
			for range 3 {
				w.passOnce()
				w.clock.Add(time.Minute)
			}
			w.restart()
			w.post("p-2")
			w.run(time.Hour)
			if n := w.sentSince(w.hold().Hold.Since); n > 0 {
				t.Errorf("%d attempts while held", n)
			}
			w.lift()
			w.run(26 * time.Hour)
			w.expect(first, model.Completed, "create-payout", model.Confirmed)
			w.expect(second, model.Completed, "create-payout", model.Confirmed)
			if n := w.effects("payouts"); n != 2 {
				t.Errorf("the books show %d payouts", n)
			}
			w.checkInvariants(t)
		})
	}
}
