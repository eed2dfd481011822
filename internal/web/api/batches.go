package api

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"

	"github.com/danielgtaylor/huma/v2"

	"countersign/internal/actions"
	"countersign/internal/model"
	"countersign/internal/store"
	"countersign/internal/web/problem"
)

func (a *api) batchRoutes() {
	op := operation("create-intent-batch", http.MethodPost, "/intent-batches", "Accepts up to 1,000 intents, each for itself: what "+
		"one is refused for does not touch the others. Answers are in the order of the items.")
	op.MaxBodyBytes = maxBatch + 1
	op.RequestBody = &huma.RequestBody{Required: true, Content: map[string]*huma.MediaType{
		"application/json": {Schema: schemaOf[documentedBatch](a.huma.OpenAPI().Components.Schemas)}}}
	route(a, op, a.createBatch)
}

// batch is the body. Its items are read one by one, so that a fault in one of
// them is that one's answer.
type batch struct {
	Items []json.RawMessage `json:"items"`
}

// documentedBatch is the body as it is documented.
type documentedBatch struct {
	Items []batchItem `json:"items" nullable:"false" maxItems:"1000"`
}

type batchItem struct {
	Key     string          `json:"key" doc:"The item's idempotency key."`
	Kind    string          `json:"kind" enum:"payout,statement,dispute"`
	Account string          `json:"account"`
	Params  json.RawMessage `json:"params"`
}

// submission reads one item.
func submission(raw json.RawMessage) (actions.Submission, error) {
	var item batchItem
	if err := model.DecodeStrict(raw, &item); err != nil {
		return actions.Submission{}, err
	}
	if item.Key == "" {
		return actions.Submission{}, model.Errorf(model.Invalid, "idempotency-key-missing", "The item has no key.")
	}
	return newIntent{item.Kind, item.Account, item.Params}.submission(item.Key)
}

// BatchResult is what became of one item.
type BatchResult struct {
	Status  int           `json:"status" doc:"As the item alone would be answered."`
	Intent  *BatchIntent  `json:"intent"`
	Problem *BatchProblem `json:"problem"`
}

// BatchIntent is the item's intent, null where it was refused.
type BatchIntent struct {
	_ struct{} `nullable:"true"`
	Intent
}

// BatchProblem is why the item was refused, or null.
type BatchProblem struct{ body map[string]any }

// MarshalJSON writes the problem document.
func (p *BatchProblem) MarshalJSON() ([]byte, error) { return json.Marshal(p.body) }

// Schema documents a problem or null.
func (p *BatchProblem) Schema(r huma.Registry) *huma.Schema {
	return &huma.Schema{OneOf: []*huma.Schema{schemaOf[Problem](r), {Type: "null"}}}
}

type batchAnswer struct {
	Body struct {
		Items []BatchResult `json:"items" nullable:"false"`
	}
}

type createBatchInput struct{ Body strict[batch] }

func (a *api) createBatch(ctx context.Context, in *createBatchInput) (*batchAnswer, error) {
	items := in.Body.value.Items
	switch {
	case items == nil:
		return nil, missing("/items")
	case len(items) > actions.MaxBatch:
		return nil, model.Errorf(model.Invalid, "too-large", "A batch holds at most %d items; nothing was stored.", actions.MaxBatch)
	}
	results := a.acceptAll(ctx, items)
	out := &batchAnswer{}
	out.Body.Items = make([]BatchResult, 0, len(results))
	err := a.read(ctx, func(tx *store.Tx) error {
		v := a.viewer(tx, actorOf(ctx))
		for _, r := range results {
			shape, err := v.result(r, callerOf(ctx).request)
			if err != nil {
				return err
			}
			out.Body.Items = append(out.Body.Items, shape)
		}
		return nil
	})
	return out, err
}

// acceptAll accepts every item that can be read.
func (a *api) acceptAll(ctx context.Context, items []json.RawMessage) []actions.Result {
	results := make([]actions.Result, len(items))
	var list []actions.Submission
	var at []int
	for i, raw := range items {
		asked, err := submission(raw)
		if results[i].Err = err; err == nil {
			list, at = append(list, asked), append(at, i)
		}
	}
	isNew := false
	for i, r := range a.Runner.AcceptBatch(ctx, actorOf(ctx), list) {
		results[at[i]] = r
		isNew = isNew || r.Err == nil && !r.Replayed
	}
	if isNew {
		a.Wake()
	}
	return results
}

// result shapes what became of one item.
func (v *viewer) result(r actions.Result, request string) (BatchResult, error) {
	if r.Err != nil {
		p := problem.Of(r.Err)
		return BatchResult{Status: p.Status, Problem: &BatchProblem{p.Body(request)}}, nil
	}
	status := http.StatusCreated
	if r.Replayed {
		status = http.StatusOK
	}
	shape, err := v.intent(r.Case)
	if err != nil {
		return BatchResult{}, fmt.Errorf("show intent %s: %w", r.Case.ID, err)
	}
	return BatchResult{Status: status, Intent: &BatchIntent{Intent: shape}}, nil
}
