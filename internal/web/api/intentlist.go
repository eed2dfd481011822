package api

import (
	"context"
	"slices"

	"countersign/internal/authz"
	"countersign/internal/model"
	"countersign/internal/store"
)

type listIntentsInput struct {
	State   string `query:"state" enum:"received,processing,awaiting_approval,needs_review,retryable_failure,terminal_failure,completed,compensating,compensated,abandoned,outcome_unknown" doc:"A state; outcome_unknown is open work with a step of unknown outcome, or with money in doubt beside what is confirmed, the oldest first."`
	Kind    string `query:"kind" enum:"payout,statement,dispute,compensation"`
	Account string `query:"account"`
	Q       string `query:"q" maxLength:"255" doc:"What somebody was given: an intent id or key, a step key, a wire key, a provider reference or event, a Message-ID, the id of a preview, approval, list, upload, evidence or audit entry; the beginning of an intent id or key; or a payee, by the beginnings of the words of the name in any order. At most 200 are found; count_capped says that there may be more."`
	Owner   string `query:"owner" doc:"A person's id, me, or none; who is nobody in the accounts is refused."`
	Cursor  string `query:"cursor" maxLength:"512"`
	Limit   int    `query:"limit" minimum:"1" maximum:"200" default:"50"`
}

// filter is what the list selects, cursor and limit aside.
func (in *listIntentsInput) filter(actor authz.Actor) (store.ListFilter, error) {
	accounts, err := accountsWith(actor, in.Account, authz.ReadIntents)
	f := store.ListFilter{Accounts: accounts, Kind: in.Kind, State: in.State, Owner: in.Owner, Order: store.NewestIntent}
	if in.State == "" {
		f.State = store.AnyState
	}
	if in.Owner == "me" {
		f.Owner = actor.ID
	}
	return f, err
}

func (a *api) listIntents(ctx context.Context, in *listIntentsInput) (*listAnswer[Intent], error) {
	f, err := in.filter(actorOf(ctx))
	if err != nil {
		return nil, err
	}
	of := cursorsOf("intents", []any{f.Accounts, f.Kind, f.State, f.Owner, in.Q})
	f.Limit = in.Limit
	if f.From, err = from(of, in.Cursor); err != nil {
		return nil, err
	}
	out := &listAnswer[Intent]{}
	err = a.read(ctx, func(tx *store.Tx) error {
		found, err := find(tx, in.Q, f)
		if err == nil && found.count.N == 0 {
			err = in.checkOwner(tx, f.Accounts)
		}
		if err != nil || len(found.rows) == 0 {
			out.Body = listOf([]Intent{}, nil, found.count)
			return err
		}
		items, err := a.viewer(tx, actorOf(ctx)).intents(found.rows)
		last := &found.rows[len(found.rows)-1]
		out.Body = listOf(items, next(of, f.Key(last), last.ID, found.more), found.count)
		return err
	})
	return out, err
}

// checkOwner refuses an owner who is nobody in the accounts and owns nothing
// there: an empty list would say that a person of whom nobody heard is idle.
func (in *listIntentsInput) checkOwner(tx *store.Tx, accounts []string) error {
	if in.Owner == "" || in.Owner == "me" || in.Owner == store.Nobody {
		return nil
	}
	for _, account := range accounts {
		people, err := tx.People(account)
		if err != nil || slices.ContainsFunc(people, func(p model.Person) bool { return p.ID == in.Owner }) {
			return err
		}
	}
	owned, _, err := tx.List(store.ListFilter{Accounts: accounts, Owner: in.Owner, State: store.AnyState, Order: store.NewestIntent, Limit: 1})
	if err != nil || len(owned) > 0 {
		return err
	}
	return badQuery(model.Field{Location: "query.owner", Message: "is nobody in these accounts; it is a person's id, me or none"})
}

func listOf[T any](items []T, next *string, count store.Counted) List[T] {
	return List[T]{Items: items, NextCursor: next, Count: count.N, CountCapped: count.Capped}
}

// page is what was found for one page.
type page struct {
	rows  []model.Intent
	more  bool
	count store.Counted
}

// find reads a page of the list, or of what a text finds.
func find(tx *store.Tx, text string, f store.ListFilter) (p page, err error) {
	if text != "" {
		return search(tx, text, f)
	}
	if p.rows, p.more, err = tx.List(f); err != nil {
		return p, err
	}
	p.count, err = tx.Count(f)
	return p, err
}

// search cuts a page from all that a text finds, which is never much.
func search(tx *store.Tx, text string, f store.ListFilter) (p page, err error) {
	f.Order = store.NewestIntent
	rows, capped, err := tx.Search(text, f)
	for _, row := range rows {
		if f.State != store.AnyState && f.State != store.StateUnknown && string(row.State) != f.State {
			continue
		}
		p.count.N++
		switch {
		case f.From != nil && !behind(&row, f.From):
		case len(p.rows) == f.Limit:
			p.more = true
		default:
			p.rows = append(p.rows, row)
		}
	}
	p.count.Capped = capped
	return p, err
}

// behind reports whether a row comes after a place in what a search found:
// newest first, then by id.
func behind(row *model.Intent, place *store.Position) bool {
	if int64(row.CreatedAt) != place.Key {
		return int64(row.CreatedAt) < place.Key
	}
	return row.ID > place.ID
}
