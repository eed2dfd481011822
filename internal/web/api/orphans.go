package api

import (
	"context"
	"net/http"

	"countersign/internal/actions"
	"countersign/internal/authz"
	"countersign/internal/store"
)

func (a *api) orphanRoutes() {
	route(a, operation("list-orphans", http.MethodGet, "/orphans", "What stands on one side only, the oldest first: a provider's object that no intent "+
		"here explains, or a confirmed step whose object the provider does not know."), a.listOrphans)
	route(a, operation("get-orphan", http.MethodGet, "/orphans/{id}", "One orphan."), a.getOrphan)
	route(a, operation("settle-orphan", http.MethodPost, "/orphans/{id}/settle", "Records what a person found out about an orphan. It changes no step "+
		"and sends nothing.", http.StatusConflict), a.settleOrphan)
}

// Orphan stands on one side only, until somebody settles what it is.
type Orphan struct {
	ID         string  `json:"id"`
	Kind       string  `json:"kind" enum:"unknown_object,missing_object"`
	Provider   string  `json:"provider"`
	Operation  *string `json:"operation" doc:"Null where the provider's word is none of ours."`
	Object     string  `json:"external_ref"`
	Reference  *string `json:"reference" doc:"As the provider has it."`
	Account    *string `json:"account" doc:"Null where nobody can tell whose it is."`
	Intent     *string `json:"intent" doc:"Whose object is missing."`
	Step       *string `json:"step"`
	Amount     *int64  `json:"amount" doc:"Minor units."`
	Currency   *string `json:"currency"`
	Status     *string `json:"status" doc:"The provider's own word."`
	CreatedAt  *string `json:"created_at" format:"date-time" doc:"By the provider's clock."`
	FoundBy    string  `json:"found_by" enum:"sweep,webhook"`
	FoundAt    *string `json:"found_at" format:"date-time"`
	SettledAt  *string `json:"settled_at" format:"date-time"`
	SettledBy  *string `json:"settled_by"`
	Reason     *string `json:"reason" doc:"Why it was settled."`
	TakenBy    *string `json:"taken_by" doc:"The intent that it turned out to belong to."`
	MaySettle  *bool   `json:"may_settle" doc:"Whether the caller may settle it; null in lists."`
	MayBecause *string `json:"may_because"`
}

func orphanOf(o store.Orphan) Orphan {
	return Orphan{ID: o.ID, Kind: o.Sort, Provider: o.Provider, Operation: text(o.Operation), Object: o.ExternalRef, Reference: text(o.Reference),
		Account: text(o.Account), Intent: text(o.IntentID), Step: text(o.Step), Amount: amountIn(o.Amount, o.Currency), Currency: text(o.Currency),
		Status: text(o.Status), CreatedAt: moment(o.MadeAt), FoundBy: o.FoundBy, FoundAt: moment(o.FoundAt), SettledAt: moment(o.SettledAt),
		SettledBy: text(o.Settler), Reason: text(o.Note), TakenBy: text(o.TakenBy)}
}

type listOrphansInput struct {
	State  string `query:"state" enum:"open,settled,all" default:"open"`
	Kind   string `query:"kind" enum:"unknown_object,missing_object"`
	Cursor string `query:"cursor" maxLength:"512"`
	Limit  int    `query:"limit" minimum:"1" maximum:"200" default:"50"`
}

func (a *api) listOrphans(ctx context.Context, in *listOrphansInput) (*listAnswer[Orphan], error) {
	if _, err := accountsWith(actorOf(ctx), "", authz.ReadIntents); err != nil {
		return nil, err
	}
	page, err := a.Runner.Orphans(ctx, actorOf(ctx), actions.OrphanQuery{State: in.State, Sort: in.Kind, Cursor: in.Cursor, Limit: in.Limit})
	if err != nil {
		return nil, err
	}
	out := &listAnswer[Orphan]{List[Orphan]{Items: []Orphan{}, NextCursor: page.NextCursor, Count: page.Count, CountCapped: page.CountCapped}}
	for _, o := range page.Items {
		out.Body.Items = append(out.Body.Items, orphanOf(o))
	}
	return out, nil
}

type orphanAnswer struct{ Body Orphan }

func (a *api) getOrphan(ctx context.Context, in *byID) (*orphanAnswer, error) {
	o, may, err := a.Runner.Orphan(ctx, actorOf(ctx), in.ID)
	if err != nil {
		return nil, err
	}
	out := &orphanAnswer{orphanOf(o)}
	open := may.Allowed && o.SettledAt == 0
	out.Body.MaySettle, out.Body.MayBecause = &open, text(may.Because)
	if o.SettledAt != 0 {
		out.Body.MayBecause = text("It is settled already.")
	}
	return out, nil
}

// settlement is what a person says an orphan is.
type settlement struct {
	Reason string  `json:"reason" minLength:"8" maxLength:"2000"`
	Intent *string `json:"intent" required:"false" doc:"The intent that it belongs to, where that is known."`
}

type settleOrphanInput struct {
	ID   string `path:"id"`
	Body strict[settlement]
}

func (a *api) settleOrphan(ctx context.Context, in *settleOrphanInput) (*orphanAnswer, error) {
	said := actions.Settlement{Reason: in.Body.value.Reason}
	if in.Body.value.Intent != nil {
		said.Intent = *in.Body.value.Intent
	}
	o, err := a.Runner.SettleOrphan(ctx, actorOf(ctx), in.ID, said)
	if err != nil {
		return nil, err
	}
	return &orphanAnswer{orphanOf(o)}, nil
}
