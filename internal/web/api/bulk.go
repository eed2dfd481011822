package api

import (
	"context"
	"net/http"
	"time"

	"countersign/internal/actions"
	"countersign/internal/authz"
	"countersign/internal/model"
)

func (a *api) bulkRoutes() {
	post := operation("create-bulk-preview", http.MethodPost, "/bulk-previews", "Plans an action on each of up to 500 intents, changes none of "+
		"them, and freezes the list for its own actor to confirm. What the action's rules refuse is excluded, with the rule. Never for "+
		"mark_external_result and compensate.", http.StatusConflict)
	post.DefaultStatus = http.StatusCreated
	route(a, post, a.createBulk)
	route(a, operation("list-bulk-previews", http.MethodGet, "/bulk-previews", "Lists that people were asked to sign, newest first, without their items."), a.listBulks)
	route(a, operation("get-bulk-preview", http.MethodGet, "/bulk-previews/{id}", "A list with a verdict, a plan and a result per item. Before it is "+
		"confirmed, for its own actor only; then for whoever sees the account's approval requests."), a.getBulk)
	for _, d := range []struct {
		id, word, does string
		do             func(context.Context, authz.Actor, string, actions.Confirmation) (actions.List, error)
	}{
		{"confirm-bulk-preview", "confirm", "Carries out the plan of every item, each by itself and once, or asks for another person. What is not done " +
			"within some seconds goes on afterwards: ask again for its results. A repeat with the same contents changes nothing.", a.Runner.ConfirmBulk},
		{"approve-bulk-preview", "approve", "Signs a list that needs another person, as a whole.", a.Runner.ApproveBulk},
		{"reject-bulk-preview", "reject", "Refuses a list as a whole, with a reason.", a.Runner.RejectBulk},
		{"withdraw-bulk-preview", "withdraw", "Takes one's own request about a list back, with a reason.", a.Runner.WithdrawBulk},
	} {
		route(a, operation(d.id, http.MethodPost, "/bulk-previews/{id}/"+d.word, d.does, http.StatusConflict), a.bulkBy(d.do))
	}
}

// newBulk is the body that asks for a list.
type newBulk struct {
	Action      string   `json:"action" enum:"retry_unfinished,reconcile,abandon"`
	Intents     []string `json:"intents" nullable:"false" minItems:"1" maxItems:"500" doc:"Ids, in the order in which they are done."`
	Acknowledge []string `json:"acknowledge" required:"false" doc:"Of abandon: the step keys of effects that stand or may stand, as for one intent. An intent with one that is not named is excluded."`
}

type createBulkInput struct{ Body strict[newBulk] }

type newBulkAnswer struct {
	Location string `header:"Location"`
	Body     BulkPreview
}

type bulkAnswer struct{ Body BulkPreview }

func (a *api) createBulk(ctx context.Context, in *createBulkInput) (*newBulkAnswer, error) {
	asked := in.Body.value
	switch {
	case asked.Action == "":
		return nil, missing("/action")
	case asked.Intents == nil:
		return nil, missing("/intents")
	}
	b, elsewhere, err := a.Runner.PreviewBulk(ctx, actorOf(ctx), actions.BulkRequest(asked))
	if err != nil {
		return nil, err
	}
	shape, err := a.bulk(ctx, b.ID)
	shape.Elsewhere = elsewhere
	return &newBulkAnswer{Location: location("bulk-previews", b.ID), Body: shape}, err
}

func (a *api) getBulk(ctx context.Context, in *byID) (*bulkAnswer, error) {
	shape, err := a.bulk(ctx, in.ID)
	return &bulkAnswer{shape}, err
}

// bulkBy takes a person's word on a list, and waits some seconds for the results
// of its items.
func (a *api) bulkBy(do func(context.Context, authz.Actor, string, actions.Confirmation) (actions.List, error)) func(context.Context, *confirmInput) (*bulkAnswer, error) {
	return func(ctx context.Context, in *confirmInput) (*bulkAnswer, error) {
		l, err := do(ctx, actorOf(ctx), in.ID, actions.Confirmation(in.Body.value))
		if err != nil {
			return nil, err
		}
		a.awaitBulk(ctx, l.Bulk)
		shape, err := a.bulk(ctx, in.ID)
		return &bulkAnswer{shape}, err
	}
}

// bulkWaits is how much longer a list is waited for than one action.
const bulkWaits = 5

// awaitBulk returns when every item has its result, or when the wait is over.
func (a *api) awaitBulk(ctx context.Context, b model.Bulk) {
	ctx, cancel := context.WithTimeout(ctx, bulkWaits*a.Wait)
	defer cancel()
	for b.State == model.BulkRunning {
		select {
		case <-time.After(lookEvery):
		case <-ctx.Done():
			return
		}
		l, err := a.Runner.GetBulk(ctx, actorOf(ctx), b.ID)
		if err != nil {
			return
		}
		b = l.Bulk
	}
}

// bulk shapes a list as the caller may see it.
func (a *api) bulk(ctx context.Context, id string) (BulkPreview, error) {
	l, err := a.Runner.GetBulk(ctx, actorOf(ctx), id)
	if err != nil {
		return BulkPreview{}, err
	}
	plans, err := a.Runner.Plans(ctx, l.Items)
	if err != nil {
		return BulkPreview{}, err
	}
	return bulkOf(l, plans), nil
}

func (a *api) listBulks(ctx context.Context, in *listApprovalsInput) (*listAnswer[BulkRequest], error) {
	if _, err := accountsWith(actorOf(ctx), "", authz.ReadApprovals); err != nil {
		return nil, err
	}
	page, err := a.Runner.BulkRequests(ctx, actorOf(ctx), actions.BulkQuery(*in))
	if err != nil {
		return nil, err
	}
	out := &listAnswer[BulkRequest]{List[BulkRequest]{Items: []BulkRequest{}, NextCursor: page.NextCursor, Count: page.Count.N, CountCapped: page.Count.Capped}}
	for _, b := range page.Items {
		out.Body.Items = append(out.Body.Items, bulkRequestOf(b, page.Now))
	}
	return out, nil
}
