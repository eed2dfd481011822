package actions

import (
	"context"
	"slices"
	"strings"

	"countersign/internal/audit"
	"countersign/internal/authz"
	"countersign/internal/model"
	"countersign/internal/store"
)

// Worker is one start of a process that drives intents, as somebody sees it. It
// serves every account; Leases counts the live ones of the reader's accounts.
type Worker struct {
	store.Boot
	Leases int
	// Silent is set where nobody knows it dead, and it was not seen for longer
	// than a lease.
	Silent bool
	Own    bool // it is the process that answers
}

// WorkerPage is one page of the list: those first that are not known to be dead,
// then the newest.
type WorkerPage struct {
	Items       []Worker
	NextCursor  *string
	Count       int
	CountCapped bool
}

// Workers lists a page of starts; cursor is that of the page before, limit 1 to
// 200, 0 is 50. The error is of kind Denied for a service key.
func (r *Runner) Workers(ctx context.Context, actor authz.Actor, cursor string, limit int) (page WorkerPage, err error) {
	return r.WorkersWith(ctx, actor, cursor, limit, func(*store.Tx) error { return nil })
}

// WorkersWith is Workers, and reads also what a page shows beside them, in the
// same transaction.
func (r *Runner) WorkersWith(ctx context.Context, actor authz.Actor, cursor string, limit int, also func(*store.Tx) error) (page WorkerPage, err error) {
	if err := personal(actor); err != nil {
		return page, err
	}
	if limit = min(limit, maxLimit); limit <= 0 {
		limit = defaultLimit
	}
	err = r.db.View(ctx, func(tx *store.Tx) error {
		return tx.Together(
			func() error {
				count, err := tx.CountBoots()
				page.Count, page.CountCapped = count.N, count.Capped
				return err
			},
			func() error { return r.fillWorkers(tx, actor, &page, cursor, limit) },
			func() error { return also(tx) })
	})
	return page, err
}

func (r *Runner) fillWorkers(tx *store.Tx, actor authz.Actor, page *WorkerPage, cursor string, limit int) error {
	boots, err := tx.Boots(cursor, limit+1)
	if err != nil {
		return err
	}
	if len(boots) > limit {
		boots = boots[:limit]
		page.NextCursor = optional(boots[limit-1].ID)
	}
	page.Items, err = r.workersOf(tx, actor, boots)
	return err
}

// personal refuses a service key, which runs nothing and ends nothing.
func personal(actor authz.Actor) error {
	if actor.Type == model.ActorPerson {
		return nil
	}
	return authz.Decision{Code: authz.CodeDenied, Rule: "service-key-limits",
		Because: "A service key may not see workers; a person may, with a key of their own."}.Err()
}

// workersOf adds to starts what the actor may know of their leases.
func (r *Runner) workersOf(tx *store.Tx, actor authz.Actor, boots []store.Boot) ([]Worker, error) {
	ids := make([]string, len(boots))
	for i, b := range boots {
		ids[i] = b.ID
	}
	accounts := slices.DeleteFunc(actor.Accounts(), func(a string) bool { return !actor.May(a, authz.ReadIntents).Allowed })
	leases, err := tx.LeasesOf(ids, accounts)
	if err != nil {
		return nil, err
	}
	list := make([]Worker, len(boots))
	for i, b := range boots {
		list[i] = Worker{Boot: b, Leases: leases[b.ID], Silent: b.DeadAt == 0 && r.silent(tx, b), Own: b.ID == r.boot}
	}
	return list, nil
}

// silent reports whether a start was not seen for as long as a lease runs.
func (r *Runner) silent(tx *store.Tx, b store.Boot) bool {
	return tx.Now().Sub(b.SeenAt) > r.timing.Lease
}

// Worker gives one start, and whether the actor may declare it dead now. Errors:
// kind NotFound, Denied for a service key.
func (r *Runner) Worker(ctx context.Context, actor authz.Actor, id string) (w Worker, may authz.Decision, err error) {
	if err := personal(actor); err != nil {
		return w, may, err
	}
	err = r.db.View(ctx, func(tx *store.Tx) error {
		b, err := bootOf(tx, id)
		if err != nil {
			return err
		}
		return tx.Together(
			func() error {
				list, err := r.workersOf(tx, actor, []store.Boot{b})
				if err == nil {
					w = list[0]
				}
				return err
			},
			func() (err error) { may, _, err = r.mayDeclare(tx, actor, b); return err })
	})
	return w, may, err
}

func bootOf(tx *store.Tx, id string) (store.Boot, error) {
	b, ok, err := tx.Boot(id)
	if err == nil && !ok {
		err = model.Errorf(model.NotFound, authz.CodeNotFound, "There is no worker process %s.", id)
	}
	return b, err
}

// codeRefused is what a state refuses, whoever asks.
const codeRefused = "action-refused"

// mayDeclare decides whether the actor may declare a start dead, and names the
// accounts in whose log that stands. A start serves every account. Its death
// takes work away, and opens the way to "did not happen", in those accounts whose
// work it has in its hands: the actor must administer each of these. Where there
// is none, any administrator will do.
func (r *Runner) mayDeclare(tx *store.Tx, actor authz.Actor, b store.Boot) (may authz.Decision, accounts []string, err error) {
	may, administered := administers(actor)
	if !may.Allowed {
		return may, nil, nil
	}
	concerned, err := tx.BootConcerns(b.ID)
	if err != nil {
		return may, nil, err
	}
	if slices.ContainsFunc(concerned, func(a string) bool { return !slices.Contains(administered, a) }) {
		return authz.Decision{Code: authz.CodeDenied, Rule: "worker.other-accounts", Because: "This process also has work of an account in its hands " +
			"that you do not administer. Somebody who administers all of them must declare it dead; console user add gives that role."}, nil, nil
	}
	if len(concerned) == 0 {
		concerned = administered[:1]
	}
	if refusal := r.undead(b); refusal != nil {
		return authz.Decision{Code: codeRefused, Rule: refusal.rule, Because: refusal.because}, concerned, nil
	}
	return may, concerned, nil
}

// administers lists the accounts whose workers the actor may manage, with the
// decision on the first of them, or a refusal.
func administers(actor authz.Actor) (may authz.Decision, accounts []string) {
	may = authz.Decision{Code: authz.CodeDenied, Rule: "role-missing", Because: "You have no role in any account."}
	for _, account := range actor.Accounts() {
		switch d := actor.May(account, authz.ManageWorkers); {
		case d.Allowed && len(accounts) == 0:
			may, accounts = d, []string{account}
		case d.Allowed:
			accounts = append(accounts, account)
		case len(accounts) == 0:
			may = d
		}
	}
	return may, accounts
}

// undead rules out what is surely alive, or known to be dead.
func (r *Runner) undead(b store.Boot) *ruling {
	var refusal ruling
	switch {
	case b.DeadAt != 0:
		refusal = no("worker.dead-already", "This process is known to be dead since "+b.DeadAt.String()+": "+b.DeclaredBy+".")
	case b.ID == r.boot:
		refusal = no("worker.answers-you", "This is the process that answers you, so it is alive. End it on its machine and ask another one.")
	default:
		return nil
	}
	return &refusal
}

// Declaration is what a person says who declares a worker's process dead: a
// reason of at least 8 characters and, where it was seen within the length of a
// lease, its id once more.
type Declaration struct{ Reason, Confirm string }

// DeclareDead records that a start is dead, on the word of a person who ended
// it: what it held is recovered at once, whatever it still brings is late, and
// when its deadlines have passed nothing of it can be on its way. Errors: kind
// NotFound, Denied, Conflict where the state refuses it (action-refused),
// Invalid for a reason that says too little or an id that was not repeated.
func (r *Runner) DeclareDead(ctx context.Context, actor authz.Actor, id string, in Declaration) (w Worker, err error) {
	said := Confirmation{Reason: in.Reason}
	var refusal error
	err = r.db.Update(ctx, func(tx *store.Tx) error {
		refusal = nil
		now, err := tx.Refresh(model.Actor(actor))
		if err != nil {
			return err
		}
		fresh := authz.Actor(now)
		b, err := bootOf(tx, id)
		if err != nil {
			return err
		}
		may, accounts, err := r.mayDeclare(tx, fresh, b)
		if err != nil {
			return err
		}
		if may.Allowed {
			may = authz.StepUpNeeded(fresh, authz.ManageWorkers, tx.Now())
		}
		if !may.Allowed {
			refusal = refusedWorker(may)
			return r.noteUndeclared(tx, fresh, b, may, accounts)
		}
		if err := said.check(); err != nil {
			return err
		}
		if !r.silent(tx, b) && strings.TrimSpace(in.Confirm) != b.ID {
			return invalid("/confirm", "is not the id of this process, which was seen a moment ago")
		}
		w, err = r.bury(tx, fresh, b, said.Reason, accounts)
		return err
	})
	if err == nil {
		err = refusal
	}
	return w, err
}

func refusedWorker(may authz.Decision) error {
	if may.Code == codeRefused {
		return refused(&model.Refusal{Rule: may.Rule, Because: may.Because})
	}
	return may.Err()
}

// bury makes the start dead, with an entry in the log of each account.
func (r *Runner) bury(tx *store.Tx, actor authz.Actor, b store.Boot, reason string, accounts []string) (w Worker, err error) {
	buried, err := tx.Bury(b.ID, actor.Name+", administrator")
	if err != nil {
		return w, err
	}
	if !buried { // known dead since it was read: it ended in order, or its machine said so
		return w, model.Errorf(model.Stale, "stale", "This process has just been found dead otherwise; nothing was changed by you.")
	}
	if b, err = bootOf(tx, b.ID); err != nil {
		return w, err
	}
	for _, account := range accounts {
		if _, err := r.log.Append(tx, audit.Entry{Actor: entryActor(actor, account), Event: "worker.declared_dead", Account: account, Reason: reason,
			Result: "done", Detail: bootDetail(b)}); err != nil {
			return w, err
		}
	}
	return Worker{Boot: b}, nil
}

func bootDetail(b store.Boot) map[string]any {
	return map[string]any{"boot": b.ID, "host": b.Host, "pid": b.PID, "started_at": b.StartedAt.String(), "seen_at": b.SeenAt.String()}
}

// noteUndeclared records a declaration that rights or state refused, where the
// actor has an account.
func (r *Runner) noteUndeclared(tx *store.Tx, actor authz.Actor, b store.Boot, may authz.Decision, accounts []string) error {
	event := "worker.declare_dead.denied"
	if may.Code == codeRefused {
		event = "worker.declare_dead.refused"
	}
	if len(accounts) == 0 {
		accounts = actor.Accounts()[:min(1, len(actor.Accounts()))]
	}
	for _, account := range accounts {
		if _, err := r.log.Append(tx, audit.Entry{Actor: entryActor(actor, account), Event: event, Account: account, Result: may.Code,
			Policy: may.Rule, Detail: bootDetail(b)}); err != nil {
			return err
		}
	}
	return nil
}
