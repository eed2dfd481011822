package actions

import (
	"context"

	"countersign/internal/alert"
	"countersign/internal/audit"
	"countersign/internal/authz"
	"countersign/internal/model"
	"countersign/internal/store"
)

// shownBoots bounds how many older processes a hold's state names.
const shownBoots = 50

// HoldState is a restore hold with what is still to be done about it.
type HoldState struct {
	Hold    *model.Hold // nil where the database was never restored
	Lifters []model.HoldLifter
	Older   []store.Boot   // processes from before the hold that are not known to be dead
	Open    int            // effects that are unknown at present, capped
	Missing *model.Refusal // why it cannot be lifted yet; nil is that it can
}

// ReadHold reads the newest restore hold. Everybody who is signed in may know it.
func ReadHold(tx *store.Tx) (s HoldState, err error) {
	if s.Hold, err = tx.Hold(); err != nil || s.Hold == nil {
		return s, err
	}
	if s.Lifters, err = tx.Lifters(s.Hold.ID); err != nil {
		return s, err
	}
	if s.Older, err = tx.OlderBoots(s.Hold.Since, shownBoots); err != nil {
		return s, err
	}
	if s.Open, err = tx.RestoredUnknown(); err != nil {
		return s, err
	}
	s.Missing = s.Hold.MayLift(tx.Now())
	return s, nil
}

// DeclareEnded records that a person has made sure that every process which
// drove this installation before the hold is ended. Errors: Denied for whoever
// is no administrator ("step-up-required" without a fresh sign-in), Invalid for
// the reason, Conflict with code "action-refused" where there is nothing to
// declare. Every refusal leaves one entry.
func (r *Runner) DeclareEnded(ctx context.Context, actor authz.Actor, reason string) error {
	in := Confirmation{Reason: reason}
	if err := in.check(); err != nil {
		return err
	}
	return r.onHold(ctx, actor, "hold.processes_ended", in.Reason, func(tx *store.Tx, h model.Hold) (map[string]any, *model.Refusal, error) {
		if h.DeadAt != 0 {
			return nil, &model.Refusal{Rule: "hold.ended-already", Because: "Every older process is known to be ended already."}, nil
		}
		after := h
		after.DeadAt, after.DeadBy, after.DeadBecause = tx.Now(), actor.Name, in.Reason
		if err := tx.MoveHold(h, after); err != nil {
			return nil, nil, err
		}
		return map[string]any{"hold": h.ID}, nil, tx.EndOlderBoots(h.Since, actor.Name)
	})
}

// LiftHold records that an administrator wants the hold lifted; the second,
// another person, lifts it. Errors are those of DeclareEnded; for the same
// person once more it is Denied with code "self-approval".
func (r *Runner) LiftHold(ctx context.Context, actor authz.Actor, reason string) (lifted bool, err error) {
	in := Confirmation{Reason: reason}
	if err := in.check(); err != nil {
		return false, err
	}
	err = r.onHold(ctx, actor, "hold.lift_requested", in.Reason, func(tx *store.Tx, h model.Hold) (map[string]any, *model.Refusal, error) {
		lifted = false
		if refusal := h.MayLift(tx.Now()); refusal != nil {
			return nil, refusal, nil
		}
		added, err := tx.AddLifter(model.HoldLifter{HoldID: h.ID, Person: actor.Responsible(), Name: actor.Name, Reason: in.Reason, At: tx.Now()})
		if err != nil {
			return nil, nil, err
		}
		if !added {
			return nil, &model.Refusal{Rule: samePerson, Because: "You asked for it already; another administrator lifts it with you."}, nil
		}
		lifters, err := tx.Lifters(h.ID)
		if err != nil || len(lifters) < model.LiftersNeeded {
			return map[string]any{"hold": h.ID}, nil, err
		}
		lifted = true
		return map[string]any{"hold": h.ID}, nil, r.lift(tx, h, lifters)
	})
	return lifted && err == nil, err
}

// samePerson is the rule that two different people lift a hold.
const samePerson = "hold.same-person"

// lift ends the hold; the engine then wakes what was held.
func (r *Runner) lift(tx *store.Tx, h model.Hold, lifters []model.HoldLifter) error {
	names := ""
	for i, l := range lifters {
		if i > 0 {
			names += " and "
		}
		names += l.Name
	}
	after := h
	after.LiftedAt, after.LiftedBecause, after.Phase, after.Reached = tx.Now(), "lifted by "+names, model.HoldWake, ""
	if err := tx.MoveHold(h, after); err != nil {
		return err
	}
	if err := alert.End(tx, model.HoldAlarm(h), "The hold was "+after.LiftedBecause+"."); err != nil {
		return err
	}
	_, err := r.log.Append(tx, audit.Entry{Actor: audit.Actor{Type: string(model.ActorEngine), ID: "engine", Name: "engine"}, Event: "hold.lifted",
		Result: "lifted", Reason: "The restore hold was " + after.LiftedBecause + ".", Detail: map[string]any{"hold": h.ID, "by": names}})
	return err
}

// onHold does an act of an administrator on the hold that is on, with its entry:
// what was done, refused by the state, or denied by rights.
func (r *Runner) onHold(ctx context.Context, actor authz.Actor, event, reason string,
	act func(*store.Tx, model.Hold) (map[string]any, *model.Refusal, error)) error {
	var refused error
	err := r.db.Update(ctx, func(tx *store.Tx) error {
		refused = nil
		entry := audit.Entry{Event: event, Reason: reason, Result: "done"}
		account, err := r.administrator(tx, actor)
		entry.Actor = entryActor(actor, account)
		if err != nil {
			if model.KindOf(err) != model.Denied {
				return err
			}
			refused = err
			entry.Event, entry.Result, entry.Policy = event+".denied", codeOf(err), ruleOf(err)
			_, err = r.log.Append(tx, entry)
			return err
		}
		h, err := tx.Hold()
		if err != nil {
			return err
		}
		refusal := h.MayLift(tx.Now())
		if h.On() {
			if entry.Detail, refusal, err = act(tx, *h); err != nil {
				return err
			}
		}
		if refusal != nil {
			refused = refusalOf(refusal)
			entry.Event, entry.Result, entry.Policy = event+".refused", codeOf(refused), refusal.Rule
		}
		_, err = r.log.Append(tx, entry)
		return err
	})
	if err != nil {
		return err
	}
	return refused
}

// refusalOf is a refusal as the API names it.
func refusalOf(r *model.Refusal) error {
	if r.Rule == samePerson {
		return model.Errorf(model.Denied, authz.CodeSelfApproval, "%s", r.Because).With("rule", r.Rule)
	}
	return model.Errorf(model.Conflict, "action-refused", "%s", r.Because).With("rule", r.Rule).With("because", r.Because)
}

// administrator finds the account in which the actor is an administrator now,
// freshly signed in. A hold is about the whole installation, so any will do.
func (r *Runner) administrator(tx *store.Tx, actor authz.Actor) (account string, err error) {
	denied := model.Errorf(model.Denied, authz.CodeDenied, "Only administrators may decide about a restore hold.").With("rule", rightsRule(authz.LiftHold))
	for _, account := range actor.Accounts() {
		err := r.entitled(tx, actor, account, authz.LiftHold, denied)
		if err == nil || codeOf(err) == authz.CodeStepUp {
			return account, err
		}
		if model.KindOf(err) != model.Denied {
			return "", err
		}
	}
	return "", denied
}
