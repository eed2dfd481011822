package moments

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"sync"
	"testing"
	"time"

	"countersign/internal/actions"
	"countersign/internal/model"
	"countersign/internal/store"
	"countersign/internal/store/storetest"
)

// Moment 15: the database is restarted under load. What was answered is there,
// each once, and is paid once.
func TestMoment15DatabaseRestartedUnderLoad(t *testing.T) {
	w := newWorld(t)
	down := w.restartable()
	const payouts = 24
	var ids sync.Map
	var group sync.WaitGroup
	for i := range payouts {
		group.Go(func() {
			for { // as a caller does: again, under the same key, until it is answered
				a, err := w.act.Accept(context.Background(), w.people.payroll, actions.Submission{Key: fmt.Sprintf("p-%d", i), Kind: model.KindPayout, Account: account, Params: json.RawMessage(payoutParams)})
				if err == nil {
					w.promise(a.Case)
					ids.Store(a.Case.ID, true)
					return
				}
				time.Sleep(20 * time.Millisecond)
			}
		})
	}
	working, stop := context.WithCancel(context.Background())
	var engine sync.WaitGroup
	engine.Go(func() {
		for working.Err() == nil {
			w.engine.Pass(context.Background())
		}
	})
	up := down()
	time.Sleep(300 * time.Millisecond)
	up()
	group.Wait()
	stop()
	engine.Wait()
	w.run(2 * time.Hour)
	n := 0
	ids.Range(func(id, _ any) bool {
		n++
		w.expect(id.(string), model.Completed, "create-payout", model.Confirmed)
		return true
	})
	if got := w.effects("payouts"); n != payouts || got != payouts {
		t.Errorf("%d intents, and the books show %d payouts", n, got)
	}
	w.survive(t)
}

// restartable gives a function that takes the database down in the midst of
// what it does, and that gives one that brings it back. PostgreSQL is killed;
// of SQLite, which has no server, every commit breaks meanwhile.
func (w *world) restartable() (down func() (up func())) {
	if !storetest.Postgres() {
		return func() func() {
			w.set(func() error { return errBroke }, nil)
			return func() { w.set(nil, nil) }
		}
	}
	server := storetest.StartServer(w.t)
	w.db.Close()
	w.place, w.people = server.Database(w.t), cast{}
	w.restart()
	return func() func() {
		server.Kill()
		return func() {
			if err := server.Start(); err != nil {
				w.t.Error(err)
			}
		}
	}
}

// Moment 15: the disk is full. Nothing is accepted, confirmed or sent, aloud;
// with room again it all goes on.
func TestMoment15TheDiskIsFull(t *testing.T) {
	w := newWorld(t)
	stuck := w.stuck()
	p := w.preview(w.people.operator, stuck, model.Reconcile, "create-payout", "")
	waiting := w.payout("p-1")
	accepted := w.fillDisk()
	if _, err := w.confirm(w.people.operator, p); err != nil && !errors.Is(err, model.Busy) {
		t.Errorf("a confirmation was answered with %v", err)
	}
	w.passOnce()
	if n := w.standing(w.load(waiting).Step("create-payout")); n > len(w.load(waiting).Step("create-payout").Attempts) {
		t.Errorf("%d payouts went out with no room to say so", n)
	}
	w.makeRoom()
	w.checkInvariants(t)
	if _, err := w.confirm(w.people.operator, p); err != nil {
		t.Errorf("with room again: %v", err)
	}
	w.payout("p-2") // which was refused when the disk was full
	w.run(2 * time.Hour)
	w.expect(stuck, model.Completed, "create-payout", model.Confirmed)
	w.expect(waiting, model.Completed, "create-payout", model.Confirmed)
	if n := w.effects("payouts"); n != accepted+3 {
		t.Errorf("the books show %d payouts", n)
	}
	w.survive(t)
}

// Moment 15: the disk is full when the provider's answer is to be stored. The
// result waits for room; nothing is sent again.
func TestMoment15TheDiskIsFullWhenTheAnswerComes(t *testing.T) {
	w := newWorld(t)
	id := w.payout("p-1")
	wake := w.fallsAsleep(withTheAnswer)
	w.fillDisk()
	var group sync.WaitGroup
	group.Go(wake) // it tries to store the answer until there is room
	time.Sleep(200 * time.Millisecond)
	w.makeRoom()
	group.Wait()
	w.run(time.Hour)
	w.expect(id, model.Completed, "create-payout", model.Confirmed)
	if n := len(w.load(id).Step("create-payout").Attempts); n != 1 {
		t.Errorf("%d calls", n)
	}
	w.survive(t)
}

// fillDisk leaves no room for another intent, and tells how many were accepted
// before that was so. SQLite may really not grow its file any more; on
// PostgreSQL every entry meets the error of a full disk.
func (w *world) fillDisk() (accepted int) {
	w.t.Helper()
	statements := []string{"PRAGMA max_page_count = 1"} // SQLite takes it for the size it has
	if storetest.Postgres() {
		statements = []string{
			"CREATE FUNCTION disk_is_full() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RAISE EXCEPTION 'no space left on device' USING ERRCODE = '53100'; END $$",
			"CREATE TRIGGER full_disk BEFORE INSERT ON audit_entries FOR EACH ROW EXECUTE FUNCTION disk_is_full()",
		}
	}
	w.execAll(statements)
	for ; accepted < 1000; accepted++ {
		key := fmt.Sprintf("filler-%d", accepted)
		a, err := w.act.Accept(context.Background(), w.people.payroll, actions.Submission{Key: key, Kind: model.KindPayout, Account: account, Params: json.RawMessage(payoutParams)})
		if errors.Is(err, model.Busy) {
			return accepted
		}
		if err != nil {
			w.t.Fatalf("with a full disk an intent was answered with %v", err)
		}
		w.promise(a.Case)
	}
	w.t.Fatal("the disk does not get full")
	return 0
}

func (w *world) execAll(statements []string) {
	w.t.Helper()
	w.update(func(tx *store.Tx) error {
		for _, s := range statements {
			if _, err := tx.Exec(s); err != nil {
				return err
			}
		}
		return nil
	})
}

// makeRoom ends what fillDisk began.
func (w *world) makeRoom() {
	statements := []string{"PRAGMA max_page_count = 1073741823"}
	if storetest.Postgres() {
		statements = []string{"DROP TRIGGER full_disk ON audit_entries", "DROP FUNCTION disk_is_full()"}
	}
	w.execAll(statements)
}

// Moment 15: the clock goes back an hour. Stored time does not, and nothing
// unknown is sent again until the clock is where it was.
func TestMoment15TheClockGoesBackAnHour(t *testing.T) {
	w := newWorld(t)
	w.fault("drop_after_accept", 1, posts("/payouts"), 0)
	w.fault("500_before", 1000, looks(), 0)
	id := w.payout("p-1")
	w.run(time.Second)
	before := w.load(id).UpdatedAt
	w.clock.Add(-time.Hour)
	w.restart() // also a process that starts with the wrong clock knows how far time had come
	w.run(50 * time.Minute)
	c := w.load(id)
	if n := len(c.Step("create-payout").Attempts); n != 1 || w.db.Now() < before {
		t.Errorf("%d calls by %s, it was %s before\n%s", n, w.db.Now(), before, describe(c))
	}
	if err := w.engine.Healthy(); err == nil {
		t.Error("nothing says that the clock is off")
	}
	w.checkInvariants(t)
	w.run(20 * time.Minute)
	w.noFaults()
	w.run(2 * time.Hour)
	w.expect(id, model.Completed, "create-payout", model.Confirmed)
	if n := w.effects("payouts"); n != 1 {
		t.Errorf("the books show %d payouts", n)
	}
	w.survive(t)
}
