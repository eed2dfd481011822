package actions

import (
	"context"
	"strings"
	"unicode/utf8"

	"countersign/internal/audit"
	"countersign/internal/authz"
	"countersign/internal/model"
	"countersign/internal/store"
)

// Limits of a view, in characters and bytes.
const (
	maxViewName  = 60
	maxViewQuery = 2000
)

// SaveView keeps a filter of the queue under a name, for the account or listed
// for the actor alone. The same name and filter again is the same view. Errors:
// kind NotFound behind an account wall, Denied for who is no person, Invalid for
// a name that is none or that another view of theirs has, Conflict where they
// have as many as one may have.
func (r *Runner) SaveView(ctx context.Context, actor authz.Actor, v store.View) (made store.View, err error) {
	if v.Name, err = viewName(v.Name); err != nil {
		return made, err
	}
	if len(v.Query) > maxViewQuery || !utf8.ValidString(v.Query) {
		return made, invalid("/query", "is longer than a view can hold")
	}
	v.Person, v.Maker = actor.ID, actor.Name
	var denial error
	err = r.db.Update(ctx, func(tx *store.Tx) error {
		if denial, err = r.mayKeepView(tx, actor, v); err != nil || denial != nil {
			return err
		}
		if n, err := tx.CountViews(v.Account, actor.ID); err != nil || n >= store.MaxViews {
			return orTooMany(err)
		}
		saved, taken, err := tx.AddView(v)
		if made = saved; err != nil || taken == nil {
			return r.noteView(tx, actor, "view.created", saved, err)
		}
		if made = *taken; taken.Query != v.Query || taken.Shared != v.Shared {
			return invalid("/name", "is that of another view of yours; rename or delete that one first")
		}
		return nil
	})
	if err == nil {
		err = denial
	}
	return made, err
}

// mayKeepView decides whether the actor may keep a view; a denial is noted.
func (r *Runner) mayKeepView(tx *store.Tx, actor authz.Actor, v store.View) (denial, err error) {
	entry := audit.Entry{Actor: entryActor(actor, v.Account), Event: "view.denied", Account: v.Account, Detail: map[string]any{"name": v.Name}}
	if denial, err = r.refusedBy(tx, actor, entry, authz.ReadIntents, notFound("account", v.Account)); err != nil || denial != nil {
		return denial, err
	}
	if actor.Type != model.ActorPerson {
		return r.noted(tx, entry, authz.Decision{Code: authz.CodeDenied, Rule: "service-key-limits", Because: "A service key keeps no views; a person does."}.Err())
	}
	return nil, nil
}

func orTooMany(err error) error {
	if err != nil {
		return err
	}
	return model.Errorf(model.Conflict, "conflict", "You have %d views of this account, which is the most one may have: delete one first.", store.MaxViews)
}

// viewName is a name as it is kept. The error is of kind Invalid.
func viewName(name string) (string, error) {
	name = strings.TrimSpace(name)
	switch {
	case model.Visible(name) == 0:
		return "", invalid("/name", "is empty: a view needs one to be found by")
	case !utf8.ValidString(name) || strings.ContainsFunc(name, model.Disruptive):
		return "", invalid("/name", "holds characters that a name cannot have")
	case utf8.RuneCountInString(name) > maxViewName:
		return "", invalid("/name", "is longer than 60 characters")
	}
	return name, nil
}

// noteView writes the entry of what became of a view.
func (r *Runner) noteView(tx *store.Tx, actor authz.Actor, event string, v store.View, err error) error {
	if err != nil {
		return err
	}
	_, err = r.log.Append(tx, audit.Entry{Actor: entryActor(actor, v.Account), Event: event, Account: v.Account, Result: "done",
		Detail: map[string]any{"view": v.ID, "name": v.Name, "query": v.Query, "shared": v.Shared}})
	return err
}

// RenameView gives a view another name and audience. Errors: kind NotFound behind
// an account wall, Denied for who neither made it nor manages the account's
// people, Invalid for a name that is none or that another view of its maker has.
func (r *Runner) RenameView(ctx context.Context, actor authz.Actor, id, name string, shared bool) error {
	clean, fault := viewName(name)
	return r.onView(ctx, actor, id, func(tx *store.Tx, v store.View) error {
		if fault != nil || v.Name == clean && v.Shared == shared {
			return fault
		}
		v.Name, v.Shared = clean, shared
		taken, err := tx.ChangeView(v)
		if err == nil && taken {
			err = invalid("/name", "is that of another view of "+v.Maker)
		}
		return r.noteView(tx, actor, "view.changed", v, err)
	})
}

// DeleteView takes a view away. Errors are those of RenameView.
func (r *Runner) DeleteView(ctx context.Context, actor authz.Actor, id string) error {
	return r.onView(ctx, actor, id, func(tx *store.Tx, v store.View) error {
		dropped, err := tx.DropView(id)
		if err != nil || !dropped {
			return err
		}
		return r.noteView(tx, actor, "view.deleted", v, nil)
	})
}

// onView changes a view of the actor's, or of an account whose people they manage.
func (r *Runner) onView(ctx context.Context, actor authz.Actor, id string, do func(*store.Tx, store.View) error) error {
	var denial error
	err := r.db.Update(ctx, func(tx *store.Tx) error {
		denial = nil
		v, err := tx.View(id, actor.Accounts())
		if err != nil {
			return err
		}
		needs := authz.ReadIntents
		if v.Person != actor.ID {
			needs = authz.ManagePeople
		}
		entry := audit.Entry{Actor: entryActor(actor, v.Account), Event: "view.denied", Account: v.Account, Detail: map[string]any{"view": v.ID}}
		if denial, err = r.refusedBy(tx, actor, entry, needs, notFound("view", id)); err != nil || denial != nil {
			return err
		}
		return do(tx, v)
	})
	if err == nil {
		err = denial
	}
	return err
}

// MayChangeView decides whether the actor may rename or delete a view.
func MayChangeView(actor authz.Actor, v store.View) bool {
	return v.Person == actor.ID && actor.Sees(v.Account) || actor.May(v.Account, authz.ManagePeople).Allowed
}
