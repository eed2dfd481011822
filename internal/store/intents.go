package store

import (
	"encoding/hex"
	"maps"
	"slices"

	"countersign/internal/model"
)

// headColumns are a frozen request's columns without its bytes.
const headColumns = "intent_id, step, number, wire_key, method, url, content_type, body_sha256, frozen_at"

// Cases loads what rules need to know about several intents, in as many queries
// as for one: everything of a case but params, frozen bytes and approval
// decisions. rows are the intents as List gave them.
func (t *Tx) Cases(rows []model.Intent) ([]*model.Case, error) {
	list := make([]*model.Case, len(rows))
	byID := map[string]*model.Case{}
	ids := make([]string, len(rows))
	for i, row := range rows {
		list[i] = &model.Case{Intent: row}
		ids[i], byID[row.ID] = row.ID, list[i]
	}
	if len(rows) == 0 {
		return list, nil
	}
	for _, load := range []func([]string, map[string]*model.Case) error{t.addSteps, t.addAttempts, t.addEvidence, t.addHeads, t.addRows} {
		if err := load(ids, byID); err != nil {
			return nil, err
		}
	}
	for _, c := range list {
		if err := t.loadDead(c); err != nil {
			return nil, err
		}
	}
	return list, nil
}

// rowsOf reads the rows of several intents from one table.
func rowsOf[R any](t *Tx, columns, table, order string, ids []string) (rows []R, err error) {
	err = t.Select(&rows, "SELECT "+columns+" FROM "+table+" WHERE intent_id IN ("+marks(len(ids))+") ORDER BY "+order, anys(ids)...)
	return rows, err
}

func (t *Tx) addSteps(ids []string, byID map[string]*model.Case) error {
	steps, err := rowsOf[model.Step](t, "*", "steps", "intent_id, position", ids)
	for i := range steps {
		s := &steps[i]
		if s.Contract, err = t.contract(s.ContractID); err != nil {
			return err
		}
		c := byID[s.IntentID]
		c.Steps = append(c.Steps, s)
	}
	return err
}

func (t *Tx) addAttempts(ids []string, byID map[string]*model.Case) error {
	attempts, err := rowsOf[model.Attempt](t, "*", "attempts", "intent_id, step, number", ids)
	for _, a := range attempts {
		s := byID[a.IntentID].Step(a.Step)
		s.Attempts = append(s.Attempts, a)
	}
	return err
}

func (t *Tx) addEvidence(ids []string, byID map[string]*model.Case) error {
	evidence, err := rowsOf[model.Evidence](t, "*", "evidence", "intent_id, step, at, id", ids)
	for _, e := range evidence {
		s := byID[e.IntentID].Step(e.Step)
		s.Evidence = append(s.Evidence, e)
	}
	return err
}

func (t *Tx) addHeads(ids []string, byID map[string]*model.Case) error {
	heads, err := rowsOf[model.Generation](t, headColumns, "generations", "intent_id, step, number", ids)
	for _, g := range heads {
		s := byID[g.IntentID].Step(g.Step)
		s.Generations = append(s.Generations, g)
	}
	return err
}

// addRows adds what hangs on the intents themselves.
func (t *Tx) addRows(ids []string, byID map[string]*model.Case) error {
	conflicts, err := rowsOf[model.Contradiction](t, "*", "conflicts", "opened_at, id", ids)
	if err != nil {
		return err
	}
	for _, k := range conflicts {
		byID[k.IntentID].Conflicts = append(byID[k.IntentID].Conflicts, k)
	}
	compensations, err := rowsOf[model.Compensation](t, "*", "compensations", "asked_at, id", ids)
	if err != nil {
		return err
	}
	for _, k := range compensations {
		byID[k.IntentID].Compensations = append(byID[k.IntentID].Compensations, k)
	}
	if err := t.addUndone(slices.Collect(maps.Values(byID))...); err != nil {
		return err
	}
	requests, err := rowsOf[model.Approval](t, "*", "approvals", "created_at, id", ids)
	if err != nil {
		return err
	}
	for _, r := range requests {
		byID[r.IntentID].Requests = append(byID[r.IntentID].Requests, r)
	}
	gone, err := rowsOf[model.Abandonment](t, "*", "abandonments", "at", ids)
	for i := range gone {
		byID[gone[i].IntentID].Abandonment = &gone[i]
	}
	if err != nil {
		return err
	}
	return t.addReturned(byID)
}

// addReturned learns of which compensations the money came back by itself.
func (t *Tx) addReturned(byID map[string]*model.Case) error {
	var parents []string
	for _, c := range byID {
		if c.Parent != "" {
			parents = append(parents, c.Parent)
		}
	}
	if len(parents) == 0 {
		return nil
	}
	var returned []string
	if err := t.Select(&returned, "SELECT intent_id FROM steps WHERE intent_id IN ("+marks(len(parents))+") AND returned > 0", anys(parents)...); err != nil {
		return err
	}
	for _, c := range byID {
		for _, parent := range returned {
			c.ParentReturned = c.ParentReturned || c.Parent == parent
		}
	}
	return nil
}

// Intent reads an intent's row without its params, where it is of one of the
// accounts. The error is of kind NotFound, and the same, for one that is not.
func (t *Tx) Intent(id string, accounts []string) (row model.Intent, err error) {
	ok := false
	if len(accounts) > 0 {
		ok, err = t.Get(&row, "SELECT "+rowColumns+" FROM intents WHERE id = ? AND account IN ("+marks(len(accounts))+")",
			append([]any{id}, anys(accounts)...)...)
	}
	if err == nil && !ok {
		err = model.Errorf(model.NotFound, "not-found", "There is no intent %s, or it is not yours to see.", id)
	}
	return row, err
}

// Resembling gives other intents of the account with the same kind, payee,
// amount and period, at most limit; LookAlikes counts them.
func (t *Tx) Resembling(c *model.Case, limit int) (rows []model.Intent, err error) {
	if c.LookAlike == "" {
		return nil, nil
	}
	err = t.Select(&rows, "SELECT "+rowColumns+" FROM intents WHERE account = ? AND look_alike = ? AND look_alike <> '' AND id <> ? LIMIT ?",
		c.Account, c.LookAlike, c.ID, limit)
	return rows, err
}

// Linked gives the intent that this one undoes and those that undo it.
func (t *Tx) Linked(c *model.Case) (rows []model.Intent, err error) {
	err = t.Select(&rows, "SELECT "+rowColumns+" FROM intents WHERE id = ? UNION ALL SELECT "+rowColumns+
		" FROM intents WHERE parent = ? AND parent <> ''", c.Parent, c.ID)
	return rows, err
}

// DocumentHead is an issued statement without its bytes.
type DocumentHead struct {
	StepKey  string     `db:"step_key"`
	Account  string     `db:"account"`
	Period   string     `db:"period"`
	Revision int        `db:"revision"`
	Name     string     `db:"name"`
	Size     int64      `db:"size"`
	SHA256   []byte     `db:"sha256"`
	IssuedAt model.Time `db:"issued_at"`
	VoidedAt model.Time `db:"voided_at"`
}

// Hash is the document's SHA-256 in hex.
func (d DocumentHead) Hash() string { return hex.EncodeToString(d.SHA256) }

// DocumentHeads lists the statements that an intent issued, oldest first.
func (t *Tx) DocumentHeads(intent string) (list []DocumentHead, err error) {
	err = t.Select(&list, `SELECT step_key, account, period, revision, name, length(body) AS size, sha256, issued_at, voided_at
		FROM documents WHERE intent_id = ? ORDER BY issued_at`, intent)
	return list, err
}

// Document reads an issued statement by its step key, where it is of one of the
// accounts; the error is of kind NotFound.
func (t *Tx) Document(stepKey string, accounts []string) (d Document, err error) {
	ok := false
	if len(accounts) > 0 {
		ok, err = t.Get(&d, "SELECT * FROM documents WHERE step_key = ? AND account IN ("+marks(len(accounts))+")", append([]any{stepKey}, anys(accounts)...)...)
	}
	if err == nil && !ok {
		err = model.Errorf(model.NotFound, "not-found", "There is no such document, or it is not yours to see.")
	}
	return d, err
}

// Intents reads the rows of intents by id, without their params, in no order.
func (t *Tx) Intents(ids []string) (rows []model.Intent, err error) {
	if len(ids) == 0 {
		return nil, nil
	}
	err = t.Select(&rows, "SELECT "+rowColumns+" FROM intents WHERE id IN ("+marks(len(ids))+")", anys(ids)...)
	return rows, err
}
