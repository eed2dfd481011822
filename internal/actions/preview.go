package actions

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"

	"countersign/internal/audit"
	"countersign/internal/authz"
	"countersign/internal/model"
	"countersign/internal/store"
)

// PreviewRequest names an action to plan. Step is a step's name, or "" where the
// action takes none.
type PreviewRequest struct {
	Intent string
	Action string
	Step   string
	Input  json.RawMessage
}

// Preview is a stored plan, as its own actor sees it.
type Preview struct {
	ID        string          `json:"id"`
	Intent    string          `json:"intent"`
	Action    string          `json:"action"`
	Step      *string         `json:"step"`
	Digest    string          `json:"digest"`
	Version   int64           `json:"version"`
	Plan      model.Plan      `json:"plan"`
	People    int             `json:"people"`
	ExpiresAt model.Time      `json:"expires_at"`
	Input     json.RawMessage `json:"-"`
	UsedAt    model.Time      `json:"-"` // 0 until confirmed
	Stored    store.Preview   `json:"-"` // the row behind it, for pages
}

// Preview plans an action on an intent, changes nothing there, and stores the
// plan for its own actor to confirm. Errors: kind NotFound behind an account
// wall; Denied with code "denied" (with an entry) or "step-up-required"; Conflict
// with code "action-refused", "rule" and "because"; Invalid for the input.
func (r *Runner) Preview(ctx context.Context, actor authz.Actor, req PreviewRequest) (Preview, error) {
	action := find(req.Action)
	if action == nil {
		return Preview{}, invalid("/action", "is none of the five actions")
	}
	var row store.Preview
	var account string
	err := patiently(ctx, func(last bool) error {
		return r.db.Rehearse(ctx, func(tx *store.Tx) (err error) {
			row, account, err = r.rehearse(tx, actor, action, req, last)
			return err
		})
	})
	if code := codeOf(err); code == authz.CodeDenied {
		return Preview{}, errors.Join(err, r.noteDenial(ctx, actor, account, action, req, err))
	}
	if err != nil {
		return Preview{}, asProblem(err)
	}
	err = r.db.Update(ctx, func(tx *store.Tx) error {
		row.ID, row.CreatedAt = tx.NewID("preview"), tx.Now()
		if until := tx.Now().Add(r.timing.Preview); row.ExpiresAt == 0 || until < row.ExpiresAt {
			row.ExpiresAt = until
		}
		return tx.InsertPreview(row)
	})
	if err != nil {
		return Preview{}, err
	}
	return previewOf(row)
}

// rehearse plans the action on the intent as it is.
func (r *Runner) rehearse(tx *store.Tx, actor authz.Actor, action *Action, req PreviewRequest, last bool) (row store.Preview, account string, err error) {
	c, err := tx.LockCase(req.Intent)
	if err != nil {
		return row, "", err
	}
	if err := r.entitled(tx, actor, c.Account, action.Needs, notFound("intent", req.Intent)); err != nil {
		return row, c.Account, err
	}
	row, err = r.planOn(tx, actor, action, c, req, last)
	return row, c.Account, err
}

// planOn plans the action on a locked intent, as a preview that is not stored yet.
func (r *Runner) planOn(tx *store.Tx, actor authz.Actor, action *Action, c *model.Case, req PreviewRequest, last bool) (row store.Preview, err error) {
	p, err := r.planning(tx, c, req.Step, req.Input)
	if err != nil {
		return row, err
	}
	if !last && action != reconcile && onlyLooking(c, tx.Now()) {
		return row, errLooking
	}
	plan, err := action.plan(p)
	if err != nil {
		return row, err
	}
	body, err := json.Marshal(plan.Plan)
	if err != nil {
		return row, fmt.Errorf("encode the plan: %w", err)
	}
	return store.Preview{IntentID: c.ID, Account: c.Account, Actor: actor.ID, Action: action.Name, Step: req.Step, Input: orEmpty(req.Input),
		Plan: body, Digest: seal(action.Name, req.Step, c, plan), Version: c.Version, People: plan.People, ExpiresAt: plan.Until}, nil
}

// plan is the action's plan, refused where it needs a second person, or states
// something, while another request already waits for one.
func (a *Action) plan(p *Planning) (Plan, error) {
	if a != mark && a != abandon {
		if err := p.decode(&struct{}{}); err != nil { // the others take no input
			return Plan{}, err
		}
	}
	plan, err := a.Plan(p)
	if open := p.Case.OpenRequest(); err == nil && (plan.People > 1 || a == mark) && open != nil {
		return plan, waitsForOther(open).err()
	}
	return plan, err
}

// waitsForOther is the rule that one request at a time asks about an intent.
func waitsForOther(open *model.Approval) ruling {
	return no("approval.open", "Another request about this intent waits for approval ("+open.ID+"); it must be decided or withdrawn first.")
}

// rightsRule names the rule by which a role may not.
func rightsRule(needs authz.Permission) string { return "rights." + string(needs) }

// entitled reads the actor's rights as they are in this transaction.
func (r *Runner) entitled(tx *store.Tx, actor authz.Actor, account string, needs authz.Permission, hidden error) error {
	if !actor.Sees(account) {
		return hidden
	}
	fresh, err := tx.Refresh(model.Actor(actor))
	if err != nil {
		return err
	}
	now := authz.Actor(fresh)
	if may := now.May(account, needs); !may.Allowed {
		may.Code = authz.CodeDenied // they saw it when they began
		may.Rule = rightsRule(needs)
		return may.Err()
	}
	return authz.StepUpNeeded(now, needs, tx.Now()).Err()
}

// planning collects what a plan may look at.
func (r *Runner) planning(tx *store.Tx, c *model.Case, step string, input json.RawMessage) (*Planning, error) {
	p := &Planning{Case: c, Input: input, Timing: r.timing, Tiers: r.tiers, Now: tx.Now(), Book: r.book, tx: tx}
	if step == "" {
		return p, nil
	}
	if p.Step = c.Step(step); p.Step == nil {
		return nil, invalid("/step", "is no step of this intent")
	}
	return p, nil
}

// GetPreview gives a stored preview to its own actor; to others it does not exist.
func (r *Runner) GetPreview(ctx context.Context, actor authz.Actor, id string) (p Preview, err error) {
	return r.PreviewWith(ctx, actor, id, func(*store.Tx, store.Preview) error { return nil })
}

// PreviewWith is GetPreview, and reads also what a page shows beside it, in the
// same transaction.
func (r *Runner) PreviewWith(ctx context.Context, actor authz.Actor, id string, also func(*store.Tx, store.Preview) error) (p Preview, err error) {
	err = r.db.View(ctx, func(tx *store.Tx) error {
		row, err := ownPreview(tx, actor, id)
		if err != nil {
			return err
		}
		if p, err = previewOf(row); err != nil {
			return err
		}
		return also(tx, row)
	})
	return p, err
}

func ownPreview(tx *store.Tx, actor authz.Actor, id string) (store.Preview, error) {
	row, err := tx.Preview(id)
	if err == nil && (row.Actor != actor.ID || actor.Type != model.ActorPerson) {
		err = notFound("preview", id)
	}
	return row, err
}

func previewOf(row store.Preview) (Preview, error) {
	p := Preview{ID: row.ID, Intent: row.IntentID, Action: row.Action, Digest: row.Digest, Version: row.Version, People: row.People,
		ExpiresAt: row.ExpiresAt, Input: row.Input, UsedAt: row.UsedAt, Stored: row}
	if row.Step != "" {
		p.Step = &row.Step
	}
	if err := json.Unmarshal(row.Plan, &p.Plan); err != nil {
		return p, fmt.Errorf("read the plan of %s: %w", row.ID, err)
	}
	return p, nil
}

// orEmpty stores an absent input as an empty object.
func orEmpty(input json.RawMessage) []byte {
	if len(input) == 0 || string(input) == "null" {
		return []byte("{}")
	}
	return input
}

// asProblem gives a refusal its form for outside.
func asProblem(err error) error {
	var r *model.Refusal
	if errors.As(err, &r) {
		return refused(r)
	}
	return err
}

// codeOf is the problem's name, "" where the error has none.
func codeOf(err error) string {
	var known *model.Error
	if errors.As(err, &known) {
		return known.Code
	}
	return ""
}

// noteDenial records, in a transaction of its own, that rights stopped an action.
func (r *Runner) noteDenial(ctx context.Context, actor authz.Actor, account string, action *Action, req PreviewRequest, denial error) error {
	return r.db.Update(ctx, func(tx *store.Tx) error {
		_, err := r.log.Append(tx, audit.Entry{Actor: entryActor(actor, account), Event: "action." + action.Name + ".denied", Account: account,
			Intent: req.Intent, StepKey: stepKey(tx, req.Intent, req.Step), Result: "denied", Policy: ruleOf(denial), Reason: denial.Error()})
		return err
	})
}

// stepKey is a step's key in its present generation, "" without a step.
func stepKey(tx *store.Tx, intent, step string) string {
	generation, err := tx.StepGeneration(intent, step)
	if step == "" || err != nil || generation == 0 {
		return ""
	}
	return model.StepKey(intent, step, generation)
}

// ruleOf is the rule that an error names, "" where it names none.
func ruleOf(err error) string {
	var known *model.Error
	if errors.As(err, &known) {
		rule, _ := known.Extra["rule"].(string)
		return rule
	}
	return ""
}

// Moved tells what is different from a preview of the actor's own that is not
// used yet, on its intent as it was read; nothing where confirming it would
// still do exactly that. It changes nothing.
func (r *Runner) Moved(ctx context.Context, actor authz.Actor, p Preview, c *model.Case) (changes []string, err error) {
	if p.UsedAt != 0 {
		return nil, nil
	}
	err = r.db.View(ctx, func(tx *store.Tx) error {
		t := &confirming{Runner: r, tx: tx, actor: actor, preview: p.Stored, c: c, action: find(p.Action)}
		_, _, err := t.replan()
		var moved *model.Error
		if errors.As(err, &moved) && moved.Kind == model.Stale {
			changes, _ = moved.Extra["changes"].([]string)
			return nil
		}
		return err
	})
	return changes, err
}
