package main

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"countersign/internal/actions"
	"countersign/internal/authz"
	"countersign/internal/model"
)

// act does what a person does about a sample. What is refused was done by an
// earlier, interrupted start.
func (s *seeding) act(ctx context.Context, sample sample, d deed) error {
	actor, err := s.actor(ctx, d.who)
	if err != nil {
		return err
	}
	switch d.action {
	case approve, reject:
		err = s.decide(ctx, sample, actor, d)
	case take:
		err = s.runner.Take(ctx, actor, sample.id(s.db.Installation))
	default:
		err = s.confirm(ctx, sample, actor, d)
	}
	if problem, ok := errors.AsType[*model.Error](err); ok && problem.Code == "action-refused" {
		s.logger.Warn("sample act refused", "sample", sample.key, "action", d.action, "because", problem.Message)
		return nil
	}
	if err != nil {
		return fmt.Errorf("%s of %s: %w", d.action, sample.key, err)
	}
	return nil
}

func (s *seeding) confirm(ctx context.Context, sample sample, actor authz.Actor, d deed) error {
	request := actions.PreviewRequest{Intent: sample.id(s.db.Installation), Action: d.action, Step: d.step}
	if d.action == model.MarkExternalResult {
		c, err := s.find(ctx, request.Intent)
		if err != nil {
			return err
		}
		if request.Input, err = happened(c, d.step, s.clock.Now()); err != nil {
			return err
		}
	}
	preview, err := s.runner.Preview(ctx, actor, request)
	if err != nil {
		return err
	}
	_, err = s.runner.Confirm(ctx, actor, preview.ID, actions.Confirmation{Reason: d.reason, Digest: preview.Digest})
	return err
}

// decide signs, or rejects, whatever request is open about a sample.
func (s *seeding) decide(ctx context.Context, sample sample, actor authz.Actor, d deed) error {
	c, err := s.find(ctx, sample.id(s.db.Installation))
	if err != nil {
		return err
	}
	request := c.OpenRequest()
	if request == nil {
		return nil
	}
	answer := s.runner.Approve
	if d.action == reject {
		answer = s.runner.Reject
	}
	_, err = answer(ctx, actor, request.ID, actions.Confirmation{Reason: d.reason, Digest: request.Digest})
	return err
}

// happened is the input of a mark: the payout as the bank's statement shows it.
func happened(c *model.Case, step string, at time.Time) (json.RawMessage, error) {
	s := c.Step(step)
	ref := s.ExternalRef
	for _, e := range s.Evidence {
		ref = cmp.Or(e.Ref, ref)
	}
	day := at.UTC().Format(time.DateOnly)
	return json.Marshal(map[string]any{"result": "happened", "external_ref": ref, "amount": s.Amount, "currency": s.Currency, "date": day,
		"document": map[string]any{"url": "https://bank.example.com/statements/" + day, "sha256": nil}})
}
