package actions

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"maps"
	"slices"

	"countersign/internal/audit"
	"countersign/internal/authz"
	"countersign/internal/model"
	"countersign/internal/store"
	"countersign/internal/workflow"
)

// Submission is one business action as a caller posts it.
type Submission struct {
	Key     string // the idempotency key
	Kind    string
	Account string
	Params  json.RawMessage
}

// Accepted is the one intent of a submission.
type Accepted struct {
	Case *model.Case
	// Replayed: it existed already, and Case is what it is now.
	Replayed bool
}

// Accept makes the intent of a submission, or finds the one that it made
// before. It is durable when Accept returns. Errors: kind NotFound for an
// account that does not exist for the actor; Denied; Invalid for a key, a kind
// or params that cannot be; Conflict with code "idempotency-key-reused" and the
// differing "fields" where the key stands for other params; Busy; Unknown.
func (r *Runner) Accept(ctx context.Context, actor authz.Actor, in Submission) (Accepted, error) {
	d, refused := r.draft(actor, in)
	if d.Params == nil {
		return Accepted{}, r.noteIntakeDenial(ctx, actor, in.Account, refused)
	}
	id := model.IntentID(r.db.Installation, in.Account, in.Kind, in.Key)
	known, err := r.known(ctx, id, d)
	if err != nil || known.Case != nil {
		return known, err
	}
	// Only what is new must obey today's rules and needs a provider: a repeat is
	// answered whatever is refused or configured now.
	if refused != nil {
		return Accepted{}, refused
	}
	if err := r.book.Bind(&d, in.Account); err != nil {
		return Accepted{}, err
	}
	var out Accepted
	err = r.db.Update(ctx, func(tx *store.Tx) (err error) {
		out, err = r.insert(tx, actor, in, d)
		return err
	})
	if errors.Is(err, model.Unknown) {
		return r.whatStands(ctx, id, d, err)
	}
	return out, err
}

// Check says what Accept would find wrong with a submission by itself, and stores
// nothing: kind Denied or Invalid, or nil.
func (r *Runner) Check(actor authz.Actor, in Submission) error {
	_, err := r.draft(actor, in)
	return err
}

// draft checks a submission as far as that goes without the database. Beside an
// error the draft has params only where they may repeat what was accepted before.
func (r *Runner) draft(actor authz.Actor, in Submission) (workflow.Draft, error) {
	if err := actor.May(in.Account, authz.WriteIntents).Err(); err != nil {
		return workflow.Draft{}, err
	}
	if err := model.CheckIntentKey(in.Key); err != nil {
		return workflow.Draft{}, err
	}
	kind, ok := r.book.Kind(in.Kind)
	switch {
	case in.Kind == model.KindCompensation:
		return workflow.Draft{}, invalid("/kind", "is made by the console only: compensate the intent instead")
	case !ok:
		return workflow.Draft{}, invalid("/kind", "is not a known kind")
	}
	d, err := kind.Accept(in.Params)
	if err != nil {
		return d, within("/params", err)
	}
	return d, nil
}

// noteIntakeDenial records that rights stopped a submission; other refusals of
// an input leave no entry.
func (r *Runner) noteIntakeDenial(ctx context.Context, actor authz.Actor, account string, denial error) error {
	if model.KindOf(denial) != model.Denied {
		return denial
	}
	err := r.db.Update(ctx, func(tx *store.Tx) error {
		_, err := r.log.Append(tx, audit.Entry{Actor: entryActor(actor, account), Event: "intent.denied", Account: account, Result: "denied", Reason: denial.Error()})
		return err
	})
	return errors.Join(denial, err)
}

// known finds what an earlier submission made; its Case is nil where there is none.
func (r *Runner) known(ctx context.Context, id string, d workflow.Draft) (out Accepted, err error) {
	err = r.db.View(ctx, func(tx *store.Tx) error {
		out, err = replay(tx, id, d)
		return err
	})
	return out, err
}

// whatStands answers after a commit of which the database did not say whether
// it was kept.
func (r *Runner) whatStands(ctx context.Context, id string, d workflow.Draft, doubt error) (Accepted, error) {
	out, err := r.known(ctx, id, d)
	if err == nil && out.Case == nil {
		err = doubt
	}
	out.Replayed = false // it was not there a moment ago
	return out, err
}

// replay compares a submission with the stored intent of its identity.
func replay(tx *store.Tx, id string, d workflow.Draft) (Accepted, error) {
	stored, ok, err := tx.StoredIntent(id)
	if err != nil || !ok {
		return Accepted{}, err
	}
	if !bytes.Equal(stored.Fingerprint, d.Fingerprint[:]) {
		return Accepted{}, model.Errorf(model.Conflict, "idempotency-key-reused",
			"This idempotency key stands for an intent with other params; the first ones stay.").
			With("fields", differing(stored.Params, d.Params))
	}
	c, err := tx.Case(id)
	return Accepted{Case: c, Replayed: true}, err
}

// notMeaningful are the members that may differ between repeats.
var notMeaningful = []string{"memo", "requested_at", "trace_id"}

// differing names the top-level members that differ, never their values. Both
// texts are in RFC 8785 form.
func differing(first, second []byte) []string {
	var a, b map[string]json.RawMessage
	names := []string{}
	if errors.Join(json.Unmarshal(first, &a), json.Unmarshal(second, &b)) != nil {
		return names
	}
	all := maps.Clone(a)
	maps.Copy(all, b)
	for name := range all {
		if !bytes.Equal(a[name], b[name]) && !slices.Contains(notMeaningful, name) {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	return names
}

// insert stores a new intent, or finds that somebody was faster.
func (r *Runner) insert(tx *store.Tx, actor authz.Actor, in Submission, d workflow.Draft) (Accepted, error) {
	c := newCase(tx, in.Account, in.Kind, in.Key, d)
	c.CreatedBy, c.Creator = byline(actor), actor.Responsible()
	if s := c.ApprovalStep(); s != nil {
		s.PeopleNeeded, s.Rule = r.tiers.People(c.Amount, c.Currency)
	}
	c.Derive(r.timing, tx.Now())
	inserted, err := tx.InsertCase(c)
	if err != nil {
		return Accepted{}, err
	}
	if !inserted {
		return replay(tx, c.ID, d)
	}
	if _, err = r.log.Append(tx, acceptedEntry(c, entryActor(actor, in.Account))); err != nil {
		return Accepted{}, err
	}
	return r.takeOrphans(tx, c)
}

// takeOrphans gives a new intent what a sweep found under its keys: after a
// restore, callers post again what the provider has done already.
func (r *Runner) takeOrphans(tx *store.Tx, c *model.Case) (Accepted, error) {
	engine := authz.Engine()
	taken, err := r.log.TakeOrphans(tx, c.ID, entryActor(engine, c.Account), r.timing)
	if err == nil && taken {
		c, err = tx.Case(c.ID)
	}
	return Accepted{Case: c}, err
}

// byline names who posted an intent, for people.
func byline(a authz.Actor) string {
	switch {
	case a.Type == model.ActorKey:
		return "key " + a.Name
	case a.Email != "":
		return a.Email
	}
	return a.Name
}

// newCase gives a draft its identity, and every step its keys.
func newCase(tx *store.Tx, account, kind, key string, d workflow.Draft) *model.Case {
	c := &model.Case{Intent: model.Intent{ID: model.IntentID(tx.Installation(), account, kind, key), Account: account, Kind: kind, Key: key,
		Fingerprint: d.Fingerprint[:], Params: d.Params, Amount: d.Amount, Currency: d.Currency, Payee: d.Payee, PayeeRef: d.PayeeRef,
		Period: d.Period, LookAlike: d.LookAlike, DueBy: d.DueBy, Version: 1, CreatedAt: tx.Now()}}
	c.Contacts = d.Contacts
	for i := range d.Steps {
		s := d.Steps[i]
		s.IntentID, s.Account, s.Position, s.Generation = c.ID, account, i+1, max(s.Generation, 1)
		if s.State == "" {
			s.State = model.Pending
		}
		s.WireKey = workflow.WireKey(&s)
		c.Steps = append(c.Steps, &s)
	}
	return c
}

// acceptedEntry records that an intent was accepted, without its params: those
// may be personal.
func acceptedEntry(c *model.Case, by audit.Actor) audit.Entry {
	e := audit.Entry{Actor: by, Event: "intent.accepted", Account: c.Account, Intent: c.ID, Result: string(c.State),
		Detail: map[string]any{"kind": c.Kind, "key": c.Key, "amount": c.Amount, "currency": c.Currency}}
	if s := c.ApprovalStep(); s != nil {
		e.Policy = s.Rule
	}
	return e
}
