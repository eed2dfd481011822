package actions

import (
	"context"
	"slices"

	"countersign/internal/audit"
	"countersign/internal/authz"
	"countersign/internal/model"
	"countersign/internal/store"
)

// Take makes the actor the owner of an intent, whoever was before. Errors: kind
// NotFound behind an account wall, Denied.
func (r *Runner) Take(ctx context.Context, actor authz.Actor, intent string) error {
	return r.own(ctx, actor, intent, func(*store.Tx, *model.Case) (change, error) {
		return change{event: "owner.taken", owner: actor.ID, name: actor.Name}, nil
	})
}

// Release gives an intent back to the account's operators. Errors are those of Take.
func (r *Runner) Release(ctx context.Context, actor authz.Actor, intent string) error {
	return r.own(ctx, actor, intent, func(*store.Tx, *model.Case) (change, error) { return change{event: "owner.released"}, nil })
}

// HandOver makes another operator of the account the owner of an intent: to is
// their id or address, note what they should know, or "". Handing over to oneself
// is to take. Errors are those of Take, and Invalid for who is no operator of the
// account or for a note that is none.
func (r *Runner) HandOver(ctx context.Context, actor authz.Actor, intent, to, note string) error {
	text, err := noteText(note, "/note")
	if err != nil {
		return err
	}
	return r.own(ctx, actor, intent, func(tx *store.Tx, c *model.Case) (change, error) {
		heir, err := operator(tx, c.Account, to)
		if err != nil {
			return change{}, err
		}
		if heir.ID == actor.ID {
			return change{event: "owner.taken", owner: actor.ID, name: actor.Name, note: text}, nil
		}
		return change{event: "owner.handed_over", owner: heir.ID, name: heir.Name, note: text}, nil
	})
}

// operator finds who may own intents of an account, by id or address.
func operator(tx *store.Tx, account, who string) (model.Person, error) {
	people, err := tx.People(account)
	if err != nil {
		return model.Person{}, err
	}
	able := authz.WhoMay(people, account, authz.TakeOwnership)
	at := slices.IndexFunc(able, func(p model.Person) bool { return p.ID == who || p.Email == store.NormalEmail(who) })
	if at < 0 {
		return model.Person{}, invalid("/owner", "is no operator of "+account)
	}
	return able[at], nil
}

// change is what becomes of an intent's owner: owner and name are "" where nobody
// has it any more, note is what is noted besides.
type change struct{ event, owner, name, note string }

// own changes the owner. Nothing that a plan's digest covers moves, and an owner
// who stays leaves no entry of it.
func (r *Runner) own(ctx context.Context, actor authz.Actor, intent string, whose func(*store.Tx, *model.Case) (change, error)) error {
	var denial error
	err := r.db.Update(ctx, func(tx *store.Tx) error {
		denial = nil
		c, err := tx.LockCase(intent)
		if err != nil {
			return err
		}
		entry := audit.Entry{Actor: entryActor(actor, c.Account), Event: "owner.denied", Account: c.Account, Intent: c.ID}
		if denial, err = r.refusedBy(tx, actor, entry, authz.TakeOwnership, notFound("intent", intent)); err != nil || denial != nil {
			return err
		}
		to, err := whose(tx, c)
		if err != nil {
			return err
		}
		return r.disown(tx, actor, c, entry, to)
	})
	if err != nil {
		return err
	}
	return denial
}

// refusedBy asks whether the actor has a right as it is now; a denial is noted by
// the entry and given back, other errors end the transaction.
func (r *Runner) refusedBy(tx *store.Tx, actor authz.Actor, entry audit.Entry, needs authz.Permission, hidden error) (denial, err error) {
	if denial = r.entitled(tx, actor, entry.Account, needs, hidden); denial == nil {
		return nil, nil
	}
	return r.noted(tx, entry, denial)
}

// noted notes a denial by the entry and gives it back; other errors end the
// transaction.
func (r *Runner) noted(tx *store.Tx, entry audit.Entry, why error) (denial, err error) {
	if model.KindOf(why) != model.Denied {
		return nil, why
	}
	entry.Result, entry.Policy = authz.CodeDenied, ruleOf(why)
	_, err = r.log.Append(tx, entry)
	return why, err
}

// disown gives the locked intent its new owner, with the entries, and writes the
// note also where the owner stays.
func (r *Runner) disown(tx *store.Tx, actor authz.Actor, c *model.Case, entry audit.Entry, to change) error {
	if c.Owner != to.owner {
		if err := r.give(tx, c, entry, to); err != nil {
			return err
		}
	}
	if to.note == "" {
		return nil
	}
	_, err := r.write(tx, actor, c, to.note)
	return err
}

// give changes the owner of the locked intent, with its entry.
func (r *Runner) give(tx *store.Tx, c *model.Case, entry audit.Entry, to change) error {
	entry.Event, entry.Result, entry.Detail = to.event, "done", map[string]any{"from": c.OwnerName, "to": to.name}
	c.Owner, c.OwnerName = to.owner, to.name
	if err := r.log.Record(tx, c, entry.Actor, r.timing); err != nil {
		return err
	}
	_, err := r.log.Append(tx, entry)
	return err
}
