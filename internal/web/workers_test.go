package web

import (
	"context"
	"strings"
	"testing"
	"time"

	"countersign/internal/engine"
	"countersign/internal/model"
	"countersign/internal/store"
)

// elsewhere makes a start of a process on another machine, seen just now.
func (w *world) elsewhere(id string) string {
	w.Helper()
	w.update(func(tx *store.Tx) error {
		if _, ok, err := tx.Boot(id); ok || err != nil {
			return err
		}
		return tx.InsertBoot(store.Boot{ID: id, Host: "finance-2", PID: 4711, StartedAt: tx.Now(), SeenAt: tx.Now(), HostID: "host-b", Workers: 8})
	})
	return id
}

// lose makes a payout whose call a worker on another machine had under way when
// it fell silent, and gives the intent and that worker's boot.
func (w *world) lose(account, key string) (id, boot string) {
	w.Helper()
	host, err := store.EnterHost(w.TempDir())
	w.must(err)
	cfg := w.engine.Config
	cfg.Host = host
	far := engine.New(cfg)
	w.must(far.Start(w.Context()))
	w.fault(map[string]string{"method": "POST", "path": "/payouts"}, "hang_after_accept", 1)
	id = w.accept(key, account, key, 90_050)
	ctx, die := context.WithCancel(w.Context())
	over := make(chan bool)
	go func() {
		for far.Pass(ctx) > 0 {
		}
		close(over)
	}()
	for until := time.Now().Add(10 * time.Second); w.openAttempt(id) == ""; time.Sleep(5 * time.Millisecond) {
		if time.Now().After(until) {
			w.Fatal("nothing was sent")
		}
	}
	die()
	<-over
	w.fault(map[string]string{"method": "GET"}, "500_before", 1000)
	w.fault(map[string]string{"method": "POST", "path": "/payouts"}, "500_before", 1000)
	w.wait(2 * time.Minute)
	w.work()
	return id, far.Boot()
}

// openAttempt names the boot of the attempt under way, if there is one.
func (w *world) openAttempt(id string) (boot string) {
	w.Helper()
	w.must(w.db.View(w.Context(), func(tx *store.Tx) error {
		c, err := tx.Case(id)
		if err != nil {
			return err
		}
		if s, a := c.OpenAttempt(); a != nil && s.Class.Effect() {
			boot = a.Boot
		}
		return nil
	}))
	return boot
}

func TestDeclaringAWorkerDead(t *testing.T) {
	w := newWorld(t)
	id, boot := w.lose("acme", "run-1")
	ada, olga := w.browse("Ada"), w.browse("Olga")
	path := declarePath(boot)
	olga.wants(olga.get("/intents/"+id), 200, "is not known to be dead and may still send", "a worker that was lost may still send")
	ada.wants(ada.get("/intents/"+id), 200, `declares it dead`)
	ada.wants(ada.get("/workers"), 200, "Silent", "for longer than a lease", "Declare dead")
	ada.wants(ada.get(path), 200, "First end the process on its machine", "kill -9", "did not happen", "Declare it dead")
	olga.wants(olga.get(path), 403, "Refused: Only administrators of acme may manage workers")
	olga.wants(olga.post(path, "reason", because), 403, "Only administrators of acme")
	ada.wants(ada.post(path, "reason", "no"), 422, "The reason is shorter than 8 characters", "Nothing was changed")
	ada.wants(ada.follow(ada.post(path, "reason", "I switched finance-2 off at nine")), 200, "Declared dead.", "declared dead by Ada, administrator", "Dead, newest first")
	ada.wants(ada.post(path, "reason", "I switched finance-2 off at nine"), 409, "known to be dead since", "worker.dead-already")
	w.work()
	olga.wants(olga.get("/intents/"+id), 200, "“Not found” is final")
	if p := olga.get("/intents/" + id); strings.Contains(p.text(), "may still send") {
		t.Error("the intent still waits for a worker that is dead")
	}
	w.must(w.db.View(w.Context(), func(tx *store.Tx) error {
		c, err := tx.Case(id)
		if err != nil {
			return err
		}
		if at, ok := c.NotFoundFinalAt(c.Step("create-payout")); !ok || at <= model.At(w.now()) {
			t.Errorf("“not found” is final from %v, %v", at, ok)
		}
		return nil
	}))
	audrey := w.browse("Audrey")
	audrey.wants(audrey.get("/audit?event=worker"), 200, "worker.declared_dead", "worker.declare_dead.denied", "worker.declare_dead.refused", "I switched finance-2 off at nine")
}

// Whoever declares a living one dead must mean it: it is named once more.
func TestDeclaringALivingWorkerDead(t *testing.T) {
	w := newWorld(t)
	boot := w.elsewhere("boot-b")
	ada := w.browse("Ada")
	path := declarePath(boot)
	ada.wants(ada.get(path), 200, "it is very likely alive", "Type its id")
	for _, typed := range []string{"", "boot-a"} {
		kept := ada.post(path, "reason", because, "confirm", typed)
		ada.wants(kept, 422, "What you typed is not the id of this process", because)
	}
	ada.follow(ada.post(path, "reason", because, "confirm", " "+boot))
	ada.wants(ada.get("/workers"), 200, "declared dead by Ada, administrator")
	ada.wants(ada.get(declarePath("boot-none")), 404)
	ada.wants(ada.post(declarePath("boot-none"), "reason", because), 404)
}

func TestTheProcessThatAnswersIsAlive(t *testing.T) {
	w := newWorld(t)
	w.run.ServedBy(w.engine.Boot())
	ada := w.browse("Ada")
	w.wait(time.Hour)
	path := declarePath(w.engine.Boot())
	ada.wants(ada.get("/workers"), 200, "Silent")
	if p := ada.get("/workers"); strings.Contains(p.text(), "Declare dead") {
		t.Error("the process that answers is offered to be declared dead")
	}
	ada = w.browse("Ada")
	ada.wants(ada.get(path), 200, "Refused: This is the process that answers you", "worker.answers-you")
	ada.wants(ada.post(path, "reason", because, "confirm", w.engine.Boot()), 409, "worker.answers-you")
}

func TestDeclaringDeadNeedsAFreshFactor(t *testing.T) {
	w := newWorld(t)
	boot := w.elsewhere("boot-b")
	ada := w.browse("Ada")
	w.wait(16 * time.Minute)
	kept := ada.post(declarePath(boot), "reason", because)
	ada.wants(kept, 403, "Confirm that it is you. Nothing was changed.", because)
	w.must(w.db.View(w.Context(), func(tx *store.Tx) error {
		b, _, err := tx.Boot(boot)
		if b.DeadAt != 0 {
			t.Error("declared dead without a fresh factor")
		}
		return err
	}))
}

// What a process has in its hands decides who may declare it dead.
func TestDeclaringDeadAcrossAccounts(t *testing.T) {
	w := newWorld(t)
	_, boot := w.lose("globex", "run-1")
	ada := w.browse("Ada")
	ada.wants(ada.get(declarePath(boot)), 403, "an account in its hands that you do not administer")
	ada.wants(ada.post(declarePath(boot), "reason", because), 403, "worker.other-accounts")
	w.update(func(tx *store.Tx) error { return tx.Grant(w.ids["Ada"], "globex", model.RoleAdministrator) })
	ada.follow(ada.post(declarePath(boot), "reason", because))
	ada.wants(ada.get("/workers"), 200, "declared dead by Ada, administrator")
}
