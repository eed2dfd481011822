package actions

import (
	"context"
	"encoding/base64"
	"fmt"
	"maps"
	"slices"
	"strings"

	"countersign/internal/audit"
	"countersign/internal/authz"
	"countersign/internal/model"
	"countersign/internal/store"
)

// The states by which orphans are listed.
const (
	OrphansOpen    = "open"
	OrphansSettled = "settled"
	OrphansAll     = "all"
)

// OrphanQuery picks a page of orphans. State "" is open, Sort "" every sort;
// Cursor is that of the page before; Limit is 1 to 200, 0 is 50.
type OrphanQuery struct {
	State  string
	Sort   string
	Cursor string
	Limit  int
}

// OrphanPage is one page of the list, the oldest first. Hidden counts open
// orphans that the reader may not see: nobody can tell whose they are, and their
// providers serve others too.
type OrphanPage struct {
	Items       []store.Orphan
	NextCursor  *string
	Count       int
	CountCapped bool
	Hidden      store.Counted
}

// orphanScope is what an actor sees. An orphan of a known account is seen by who
// reads that account. One of which nobody can tell whose it is, is seen by who
// reads all accounts that its provider serves, since it may be any of theirs; and
// by whoever administers one of them, because somebody must be able to look into
// it and the wiring of providers is their work.
func orphanScope(tx *store.Tx, actor authz.Actor) (seen, hidden store.OrphanFilter, err error) {
	for _, account := range actor.Accounts() {
		if actor.May(account, authz.ReadIntents).Allowed {
			seen.Accounts = append(seen.Accounts, account)
		}
	}
	served, err := tx.ServedAccounts()
	for _, provider := range slices.Sorted(maps.Keys(served)) {
		switch {
		case seesProvider(actor, served[provider]):
			seen.Providers = append(seen.Providers, provider)
		case slices.ContainsFunc(served[provider], actor.Sees):
			hidden.Providers = append(hidden.Providers, provider)
		}
	}
	return seen, hidden, err
}

// seesProvider decides on what a provider has of which nobody knows whose it is.
func seesProvider(actor authz.Actor, served []string) bool {
	if len(served) == 0 {
		return false
	}
	others := slices.ContainsFunc(served, func(account string) bool { return !actor.May(account, authz.ReadIntents).Allowed })
	return !others || slices.ContainsFunc(served, func(account string) bool { return actor.May(account, authz.ManageWorkers).Allowed })
}

// Orphans lists what stands on one side only and the actor may see. The error is
// of kind Invalid for a cursor that is none.
func (r *Runner) Orphans(ctx context.Context, actor authz.Actor, q OrphanQuery) (page OrphanPage, err error) {
	err = r.db.View(ctx, func(tx *store.Tx) error {
		page, err = OrphansIn(tx, actor, q)
		return err
	})
	return page, err
}

// OrphansIn is Orphans, as a transaction sees them.
func OrphansIn(tx *store.Tx, actor authz.Actor, q OrphanQuery) (page OrphanPage, err error) {
	after, err := parseCursor(q.Cursor)
	if err != nil {
		return page, err
	}
	f, hidden, err := orphanScope(tx, actor)
	if err != nil {
		return page, err
	}
	open := false
	hidden.Settled = &open
	f.Sort, f.After, f.Limit = q.Sort, store.OrphanMark{FoundAt: after.At, ID: after.ID}, min(q.Limit, maxLimit)
	if f.Limit <= 0 {
		f.Limit = defaultLimit
	}
	if settled := q.State == OrphansSettled; q.State != OrphansAll {
		f.Settled = &settled
	}
	err = tx.Together(
		func() (err error) { page.Hidden, err = tx.CountOrphans(hidden); return err },
		func() error { return page.fill(tx, f) })
	return page, err
}

// fill reads the page that a filter picks.
func (p *OrphanPage) fill(tx *store.Tx, f store.OrphanFilter) error {
	counted, limit := f, f.Limit+1 // one more tells whether there is a next page
	f.Limit = limit
	err := tx.Together(
		func() error {
			count, err := tx.CountOrphans(counted)
			p.Count, p.CountCapped = count.N, count.Capped
			return err
		},
		func() (err error) { p.Items, err = tx.Orphans(f); return err })
	if err != nil {
		return err
	}
	p.NextCursor = nil
	if len(p.Items) == f.Limit {
		p.Items = p.Items[:f.Limit-1]
		last := p.Items[len(p.Items)-1]
		p.NextCursor = optional(base64.RawURLEncoding.EncodeToString(fmt.Appendf(nil, "%d %s", last.FoundAt, last.ID)))
	}
	return nil
}

// Orphan gives one orphan, and whether the actor may settle it. The error is of
// kind NotFound for one that is not the actor's to see.
func (r *Runner) Orphan(ctx context.Context, actor authz.Actor, id string) (o store.Orphan, may authz.Decision, err error) {
	err = r.db.View(ctx, func(tx *store.Tx) error {
		o, may, err = seenOrphan(tx, actor, id)
		return err
	})
	return o, may, err
}

// seenOrphan reads an orphan that the actor may see, and decides whether they may
// settle it: with the right in its account, or, where nobody can tell the account,
// in one that its provider serves.
func seenOrphan(tx *store.Tx, actor authz.Actor, id string) (o store.Orphan, may authz.Decision, err error) {
	if o, err = tx.Orphan(id); err != nil {
		return o, may, err
	}
	scope, _, err := orphanScope(tx, actor)
	if err != nil {
		return o, may, err
	}
	if o.Account != "" {
		if !slices.Contains(scope.Accounts, o.Account) {
			return o, may, notFound("orphan", id)
		}
		return o, actor.May(o.Account, authz.SettleOrphans), nil
	}
	if !slices.Contains(scope.Providers, o.Provider) {
		return o, may, notFound("orphan", id)
	}
	served, err := tx.ServedAccounts()
	for _, account := range served[o.Provider] {
		if d := actor.May(account, authz.SettleOrphans); !may.Allowed && (d.Allowed || d.Code == authz.CodeDenied) {
			may = d
		}
	}
	return o, may, err
}

// Settlement is what a person says an orphan is: a reason of at least 8
// characters, and the intent that it belongs to, or "".
type Settlement struct {
	Reason string `json:"reason"`
	Intent string `json:"intent"`
}

// SettleOrphan records what a person found out about an orphan. It changes no
// step and sends nothing. Errors: kind NotFound for one that is not the actor's
// to see, Denied, Invalid for a reason that says too little or an intent that is
// not theirs, Conflict where somebody settled it before.
func (r *Runner) SettleOrphan(ctx context.Context, actor authz.Actor, id string, in Settlement) (o store.Orphan, err error) {
	in.Intent = strings.TrimSpace(in.Intent)
	said := Confirmation{Reason: in.Reason}
	var denial error
	err = r.db.Update(ctx, func(tx *store.Tx) error {
		denial = nil
		now, err := tx.Refresh(model.Actor(actor))
		if err != nil {
			return err
		}
		fresh := authz.Actor(now)
		var may authz.Decision
		if o, may, err = seenOrphan(tx, fresh, id); err != nil {
			return err
		}
		if may.Allowed {
			may = authz.StepUpNeeded(fresh, authz.SettleOrphans, tx.Now())
		}
		if denial = may.Err(); denial != nil {
			return r.noteOrphanDenial(tx, actor, o, may)
		}
		if err := said.check(); err != nil {
			return err
		}
		if err := theirIntent(tx, fresh, in.Intent); err != nil {
			return err
		}
		settled, err := r.log.SettleOrphan(tx, o, entryActor(fresh, o.Account), said.Reason, in.Intent)
		if err != nil {
			return err
		}
		if !settled {
			return model.Errorf(model.Conflict, "conflict", "%s settled this orphan before; what they wrote stays.", o.Settler)
		}
		o, err = tx.Orphan(id)
		return err
	})
	if err == nil {
		err = denial
	}
	return o, err
}

// theirIntent refuses an intent that the actor cannot see.
func theirIntent(tx *store.Tx, actor authz.Actor, intent string) error {
	if intent == "" {
		return nil
	}
	c, err := tx.Case(intent)
	if model.KindOf(err) == model.NotFound || err == nil && !actor.May(c.Account, authz.ReadIntents).Allowed {
		return invalid("/intent", "is no intent of your accounts")
	}
	return err
}

func (r *Runner) noteOrphanDenial(tx *store.Tx, actor authz.Actor, o store.Orphan, may authz.Decision) error {
	_, err := r.log.Append(tx, audit.Entry{Actor: entryActor(actor, o.Account), Event: "orphan.settle.denied", Account: o.Account, Intent: o.IntentID,
		Result: may.Code, Policy: may.Rule, Detail: map[string]any{"orphan": o.ID}})
	return err
}
