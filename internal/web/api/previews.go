package api

import (
	"context"
	"encoding/json"
	"net/http"
	"time"

	"countersign/internal/actions"
	"countersign/internal/model"
	"countersign/internal/store"
)

func (a *api) previewRoutes() {
	post := operation("create-preview", http.MethodPost, "/intents/{id}/previews", "Plans one of the five actions, changes nothing, "+
		"and stores the plan for its own actor to confirm. An action that the state refuses is action-refused.", http.StatusConflict)
	post.DefaultStatus = http.StatusCreated
	route(a, post, a.createPreview)
	route(a, operation("get-preview", http.MethodGet, "/previews/{id}", "A stored preview, for its own actor only."), a.getPreview)
	route(a, operation("confirm-preview", http.MethodPost, "/previews/{id}/confirm", "Carries out exactly the previewed plan, or nothing, "+
		"once. A repeat with the same contents gets the same answer.", http.StatusConflict), a.confirm)
}

// newPreview is the body that asks for a preview.
type newPreview struct {
	Action string          `json:"action" enum:"retry_unfinished,reconcile,mark_external_result,compensate,abandon"`
	Step   *string         `json:"step" required:"false" doc:"A step's name; null for retry_unfinished and abandon."`
	Input  json.RawMessage `json:"input" required:"false" doc:"Of mark_external_result and abandon."`
}

type createPreviewInput struct {
	ID   string `path:"id"`
	Body strict[newPreview]
}

type previewAnswer struct {
	Location string `header:"Location"`
	Body     Preview
}

func (a *api) createPreview(ctx context.Context, in *createPreviewInput) (*previewAnswer, error) {
	asked := in.Body.value
	if asked.Action == "" {
		return nil, missing("/action")
	}
	request := actions.PreviewRequest{Intent: in.ID, Action: asked.Action, Input: asked.Input}
	if asked.Step != nil {
		request.Step = *asked.Step
	}
	p, err := a.Runner.Preview(ctx, actorOf(ctx), request)
	if err != nil {
		return nil, err
	}
	return &previewAnswer{Location: location("previews", p.ID), Body: previewOf(p)}, nil
}

type byID struct {
	ID string `path:"id"`
}

type shownPreview struct{ Body Preview }

func (a *api) getPreview(ctx context.Context, in *byID) (*shownPreview, error) {
	p, err := a.Runner.GetPreview(ctx, actorOf(ctx), in.ID)
	if err != nil {
		return nil, err
	}
	return &shownPreview{previewOf(p)}, nil
}

// confirmation is a person's word on a plan.
type confirmation struct {
	Reason string `json:"reason" minLength:"8" maxLength:"2000"`
	Digest string `json:"digest" doc:"Of the plan that was looked at."`
}

type confirmInput struct {
	ID   string `path:"id"`
	Body strict[confirmation]
}

type receiptAnswer struct{ Body Receipt }

func (a *api) confirm(ctx context.Context, in *confirmInput) (*receiptAnswer, error) {
	receipt, err := a.Runner.Confirm(ctx, actorOf(ctx), in.ID, actions.Confirmation(in.Body.value))
	if err != nil {
		return nil, err
	}
	return a.carriedOut(ctx, receipt), nil
}

// carriedOut wakes the engine and gives it a moment, so that a caller who looks
// next sees what came of it.
func (a *api) carriedOut(ctx context.Context, receipt actions.Receipt) *receiptAnswer {
	if receipt.Outcome == actions.Executed {
		a.Wake()
		a.await(ctx, receipt.Intent)
	}
	return &receiptAnswer{Receipt(receipt)}
}

const lookEvery = 50 * time.Millisecond

// await returns when the engine has done what people ordered on the intent, or
// when the wait is over: the receipt is good either way.
func (a *api) await(ctx context.Context, intent string) {
	ctx, cancel := context.WithTimeout(ctx, a.Wait)
	defer cancel()
	for a.ordered(ctx, intent) {
		select {
		case <-time.After(lookEvery):
		case <-ctx.Done():
			return
		}
	}
}

// ordered reports whether an order of a person waits or is being carried out.
func (a *api) ordered(ctx context.Context, intent string) (waits bool) {
	err := a.read(ctx, func(tx *store.Tx) error {
		c, err := tx.Case(intent)
		if err != nil {
			return err
		}
		_, open := c.OpenAttempt()
		waits = open != nil
		for _, s := range c.Steps {
			waits = waits || s.Ordered != model.NoOrder
		}
		return nil
	})
	return err == nil && waits
}
