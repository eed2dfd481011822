package store

import (
	"bytes"
	"fmt"
	"reflect"
	"slices"

	"countersign/internal/model"
)

// snapshot is a case as it was loaded: what differs from it is saved.
type snapshot struct {
	intent    model.Intent
	steps     map[string]model.Step
	attempts  map[string]int  // finished or open, by step
	open      map[string]bool // steps with an open attempt
	evidence  map[string]int
	frozen    map[string]int
	conflicts map[string]model.Contradiction
}

// LockCase loads an intent whole and locks it until the transaction ends, and
// with a compensation the intent that it undoes: an own lock is taken before the
// parent's, always. The error is of kind NotFound where there is none.
func (t *Tx) LockCase(id string) (*model.Case, error) {
	c, err := t.lockAndLoad(id)
	if err != nil {
		return nil, err
	}
	t.now = max(t.now, c.UpdatedAt+1) // stored by a process whose clock was ahead
	if t.loaded == nil {
		t.loaded = map[string]snapshot{}
	}
	t.loaded[id] = snap(c)
	return c, nil
}

// lockAndLoad takes what LockAhead read, once, or reads now.
func (t *Tx) lockAndLoad(id string) (*model.Case, error) {
	if c, ok := t.ahead[id]; ok {
		delete(t.ahead, id)
		return c, nil
	}
	c := &model.Case{}
	ok, err := t.Get(&c.Intent, "SELECT * FROM intents WHERE id = ?"+t.db.dialect.lock, id)
	if err != nil {
		return nil, err
	}
	if !ok {
		return nil, noIntent(id)
	}
	if err := t.lockParent(c); err != nil {
		return nil, err
	}
	return c, t.loadAll(c)
}

// LockAhead locks many intents and loads them in as few statements as one;
// LockCase of each then finds it here. Nothing but LockCase may lead to a change
// of their rows meanwhile, which is everybody's rule anyway. Compensations are
// left to LockCase: they lock their parent besides.
func (t *Tx) LockAhead(ids []string) error {
	if len(ids) < 2 {
		return nil // LockCase alone is as quick
	}
	var rows []model.Intent
	err := t.Select(&rows, "SELECT * FROM intents WHERE id IN ("+marks(padded(len(ids)))+") AND parent = '' ORDER BY id"+t.db.dialect.lock, pad(ids)...)
	if err != nil {
		return err
	}
	cases := make([]*model.Case, len(rows))
	for i, row := range rows {
		cases[i] = &model.Case{Intent: row}
	}
	if err := t.loadAll(cases...); err != nil {
		return err
	}
	t.ahead = map[string]*model.Case{}
	for _, c := range cases {
		t.ahead[c.ID] = c
	}
	return nil
}

// Case loads an intent whole, to be read, in one statement. The error is of kind
// NotFound where there is none.
func (t *Tx) Case(id string) (*model.Case, error) {
	return t.caseBy(id, (*gathered).read)
}

// Outline is Case with an outline of its record: to be shown, for nothing is
// decided by it.
func (t *Tx) Outline(id string) (*model.Case, error) {
	return t.caseBy(id, (*gathered).outline)
}

func (t *Tx) caseBy(id string, read func(g *gathered, frozen string) error) (*model.Case, error) {
	c, g := &model.Case{}, t.among([]string{id})
	found := false
	err := t.Together(
		func() (err error) {
			found, err = t.Get(&c.Intent, "SELECT * FROM intents WHERE id = ?", id)
			return err
		},
		func() error { return read(g, "*") })
	if err != nil {
		return nil, err
	}
	if !found {
		return nil, noIntent(id)
	}
	return c, g.complete([]*model.Case{c})
}

func noIntent(id string) error {
	return model.Errorf(model.NotFound, "not-found", "There is no intent %s, or it is not yours to see.", id)
}

// lockParent keeps the intent that a compensation undoes from changing.
func (t *Tx) lockParent(c *model.Case) error {
	if c.Parent == "" || t.db.dialect.lock == "" {
		return nil
	}
	var id string
	_, err := t.Get(&id, "SELECT id FROM intents WHERE id = ?"+t.db.dialect.lock, c.Parent)
	return err
}

func snap(c *model.Case) snapshot {
	s := snapshot{intent: c.Intent, steps: map[string]model.Step{}, attempts: map[string]int{}, open: map[string]bool{},
		evidence: map[string]int{}, frozen: map[string]int{}, conflicts: map[string]model.Contradiction{}}
	for _, step := range c.Steps {
		s.steps[step.Name] = *step
		s.attempts[step.Name] = len(step.Attempts)
		s.open[step.Name] = step.OpenAttempt() != nil
		s.evidence[step.Name] = len(step.Evidence)
		s.frozen[step.Name] = len(step.Generations)
	}
	for _, k := range c.Conflicts {
		s.conflicts[k.ID] = k
	}
	return s
}

// The columns of the rows that a case consists of.
const (
	intentColumns = `id, account, kind, key, fingerprint, params, amount, currency, payee, payee_ref, period, look_alike, due_by,
		state, reason, stuck, confirmed, uncertain, version, fence, lease_worker, lease_boot, lease_until, wake_at,
		created_at, updated_at, created_by, creator, uncertain_since, stuck_since, review_due, owner, owner_name,
		parent, parent_step, sort_open`
	stepColumns = `intent_id, name, position, class, operation, provider, contract_id, generation, wire_key, state, settling,
		settles_by, failure, code, reason, amount, currency, external_ref, moved, returned, tries, checks, next_try_at,
		next_check_at, person_only, ordered, order_id, order_by, order_at, order_digest, people_needed, rule,
		uncertain_since, changed_at, account, open_amount`
	attemptColumns = `intent_id, step, number, generation, wire_key, trigger_by, worker, boot, fence, started_at, deadline_at,
		finished_at, lost, result, code, reason, request_id, connections, bytes_out, status, replayed, account, ordered_by`
	evidenceColumns = `id, intent_id, step, attempt, source, says, began_at, at, by_name, ref, wire_key, amount, currency,
		status, final, detail, document, doc_sha256, dated`
	generationColumns = `intent_id, step, number, wire_key, method, url, content_type, body, body_sha256, frozen_at`
	conflictColumns   = `id, intent_id, step, evidence_id, reason, opened_at, closed_at, closed_by`
)

// How the rows of a case change. An intent's keys are those that it was read
// with, and an attempt is finished once: what somebody else wrote is not undone.
var (
	intentChange = newChange("intents", `state, reason, stuck, confirmed, uncertain, version, fence, lease_worker, lease_boot, lease_until,
		wake_at, updated_at, uncertain_since, stuck_since, review_due, owner, owner_name, sort_open`, "id, version, fence")
	stepChange = newChange("steps", `generation, wire_key, state, settling, settles_by, failure, code, reason, external_ref, moved, returned,
		tries, checks, next_try_at, next_check_at, person_only, ordered, order_id, order_by, order_at, order_digest, people_needed, rule,
		uncertain_since, changed_at, open_amount`, "intent_id, name")
	attemptChange = newChange("attempts", "finished_at, lost, result, code, reason, connections, bytes_out, status, replayed",
		"intent_id, step, number, finished_at")
)

// InsertCase stores a new intent with its steps. inserted is false, and nothing
// is stored, when its identity exists already.
func (t *Tx) InsertCase(c *model.Case) (inserted bool, err error) {
	inserted, err = t.InsertNew("intents", intentColumns, c.Intent)
	if err != nil || !inserted {
		return false, err
	}
	if err := t.Insert("payee_words", "account, word, intent_id", payeeWords(&c.Intent)); err != nil {
		return false, err
	}
	if err := t.Insert("payee_contacts", "account, contact, intent_id", payeeContacts(c)); err != nil {
		return false, err
	}
	return true, t.Insert("steps", stepColumns, c.Steps)
}

// SaveCase stores what changed since LockCase by the end of the transaction,
// which fails with kind Stale where somebody else's write came between.
func (t *Tx) SaveCase(c *model.Case) error {
	old, ok := t.loaded[c.ID]
	if !ok {
		return fmt.Errorf("intent %s was not locked in this transaction", c.ID)
	}
	if t.saved[c.ID] { // its rows wait already: they change once in a statement
		if err := t.flush(); err != nil {
			return err
		}
	}
	if t.saved == nil {
		t.saved = map[string]bool{}
	}
	t.saved[c.ID] = true
	t.saveIntent(c, old)
	for _, s := range c.Steps {
		if err := t.saveStep(s, old); err != nil {
			return err
		}
	}
	for _, k := range c.Conflicts {
		if err := t.saveConflict(k, old); err != nil {
			return err
		}
	}
	t.loaded[c.ID] = snap(c)
	return nil
}

func (t *Tx) saveIntent(c *model.Case, old snapshot) {
	if reflect.DeepEqual(c.Intent, old.intent) {
		return
	}
	t.change(intentChange, c.State, c.Reason, c.Stuck, c.Confirmed, c.Uncertain, c.Version, c.Fence,
		c.LeaseWorker, c.LeaseBoot, c.LeaseUntil, c.WakeAt, c.UpdatedAt, c.UncertainSince, c.StuckSince,
		c.ReviewDue, c.Owner, c.OwnerName, c.SortOpen, c.ID, old.intent.Version, old.intent.Fence)
}

func (t *Tx) saveStep(s *model.Step, old snapshot) error {
	if before := old.steps[s.Name]; !sameRow(*s, before) {
		t.updateStep(s)
		if s.ExternalRef != "" && s.ExternalRef != before.ExternalRef {
			if err := t.TakeObject(s, s.ExternalRef); err != nil {
				return err
			}
		}
	}
	if err := t.Add("generations", generationColumns, s.Generations[old.frozen[s.Name]:]); err != nil {
		return err
	}
	if err := t.saveAttempts(s, old); err != nil {
		return err
	}
	return t.Add("evidence", evidenceColumns, s.Evidence[old.evidence[s.Name]:])
}

// sameRow compares the columns of two steps, not what hangs on them.
func sameRow(a, b model.Step) bool {
	same := bytes.Equal(a.OrderDigest, b.OrderDigest)
	a.OrderDigest, b.OrderDigest = nil, nil
	a.Attempts, b.Attempts, a.Evidence, b.Evidence, a.Generations, b.Generations = nil, nil, nil, nil, nil, nil
	a.Contract, b.Contract = model.Contract{}, model.Contract{}
	return same && reflect.DeepEqual(a, b)
}

func (t *Tx) updateStep(s *model.Step) {
	t.change(stepChange, s.Generation, s.WireKey, s.State, s.Settling, s.SettlesBy, s.Failure, s.Code,
		s.Reason, s.ExternalRef, s.Moved, s.Returned, s.Tries, s.Checks, s.NextTryAt, s.NextCheckAt,
		s.PersonOnly, s.Ordered, s.OrderID, s.OrderBy, s.OrderAt, s.OrderDigest, s.PeopleNeeded, s.Rule,
		s.UncertainSince, s.ChangedAt, s.Open, s.IntentID, s.Name)
}

func (t *Tx) saveAttempts(s *model.Step, old snapshot) error {
	known := old.attempts[s.Name]
	if old.open[s.Name] && s.Attempts[known-1].FinishedAt != 0 {
		a := &s.Attempts[known-1]
		t.change(attemptChange, a.FinishedAt, a.Lost, a.Result, a.Code, a.Reason, a.Connections, a.BytesOut, a.Status, a.Replayed,
			a.IntentID, a.Step, a.Number, model.Time(0))
	}
	return t.Add("attempts", attemptColumns, s.Attempts[known:])
}

func (t *Tx) saveConflict(k model.Contradiction, old snapshot) error {
	before, known := old.conflicts[k.ID]
	switch {
	case !known:
		return t.Insert("conflicts", conflictColumns, k)
	case before != k:
		_, err := t.Exec("UPDATE conflicts SET closed_at = ?, closed_by = ? WHERE id = ? AND closed_at = 0", k.ClosedAt, k.ClosedBy, k.ID)
		return err
	}
	return nil
}

// TakeObject makes an external object, or the bank line that a document names,
// this step's for ever; kind Conflict where it is another's.
func (t *Tx) TakeObject(s *model.Step, ref string) error {
	if s.Provider == "" {
		return nil
	}
	taken, err := t.Changed(`INSERT INTO objects (provider, operation, external_ref, intent_id, step, at) VALUES (?, ?, ?, ?, ?, ?)
		ON CONFLICT DO NOTHING`, s.Provider, s.Operation, ref, s.IntentID, s.Name, t.now)
	if err != nil || taken == 1 {
		return err
	}
	owner, err := t.ObjectOwner(s.Provider, s.Operation, ref)
	if err == nil && !slices.Contains([]string{"", s.IntentID + ":" + s.Name}, owner) {
		return model.Errorf(model.Conflict, "external-ref-used", "The object %s already belongs to %s.", ref, owner)
	}
	return err
}

// ObjectOwner tells which step, as <intent id>:<step name>, an external object
// belongs to; "" is none.
func (t *Tx) ObjectOwner(provider, operation, ref string) (string, error) {
	var owner string
	_, err := t.Get(&owner, "SELECT intent_id || ':' || step FROM objects WHERE provider = ? AND operation = ? AND external_ref = ?",
		provider, operation, ref)
	return owner, err
}
