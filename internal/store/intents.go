package store

import (
	"cmp"
	"encoding/hex"
	"slices"

	"countersign/internal/model"
)

// headColumns are a frozen request's columns without its bytes.
const headColumns = "intent_id, step, number, wire_key, method, url, content_type, body_sha256, frozen_at"

// Cases loads what rules need to know about several intents, in as many
// statements as for one: everything of a case but params and frozen bytes. rows
// are the intents as List gave them.
func (t *Tx) Cases(rows []model.Intent) ([]*model.Case, error) {
	return t.casesBy(rows, (*gathered).read)
}

// Outlines is Cases with an outline of each record: to be shown, for nothing is
// decided by it.
func (t *Tx) Outlines(rows []model.Intent) ([]*model.Case, error) {
	return t.casesBy(rows, (*gathered).outline)
}

// OutlinesBy is Outlines of the intents with these ids, in their order.
func (t *Tx) OutlinesBy(ids []string) (list []*model.Case, err error) {
	if len(ids) == 0 {
		return nil, nil
	}
	var rows []model.Intent
	g := t.among(ids)
	err = t.Together(
		func() (err error) { rows, err = t.Intents(ids); return err },
		func() error { return g.outline(headColumns) })
	if err != nil {
		return nil, err
	}
	for _, row := range rows {
		list = append(list, &model.Case{Intent: row})
	}
	slices.SortFunc(list, func(a, b *model.Case) int { return cmp.Compare(slices.Index(ids, a.ID), slices.Index(ids, b.ID)) })
	return list, g.complete(list)
}

func (t *Tx) casesBy(rows []model.Intent, read func(g *gathered, frozen string) error) ([]*model.Case, error) {
	list := make([]*model.Case, len(rows))
	ids := make([]string, len(rows))
	for i, row := range rows {
		list[i], ids[i] = &model.Case{Intent: row}, row.ID
	}
	if len(rows) == 0 {
		return list, nil
	}
	g := t.among(ids)
	if err := read(g, headColumns); err != nil {
		return nil, err
	}
	return list, g.complete(list)
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

// alikeOf finds the intents that look like one of which only the id is known.
const alikeOf = " FROM intents i CROSS JOIN intents o WHERE i.id = ? AND o.account = i.account AND o.look_alike = i.look_alike AND o.look_alike <> '' AND o.id <> i.id LIMIT ?"

// AlikeIntent is an intent that looks like another, with when a provider last
// confirmed money of it; 0 where none did.
type AlikeIntent struct {
	model.Intent
	PaidAt model.Time `db:"paid_at"`
}

// paidAt is when the last of an intent's effects that moved money was confirmed.
const paidAt = `COALESCE((SELECT max(changed_at) FROM steps s WHERE s.intent_id = intents.id AND s.state = 'confirmed' AND s.moved > 0
	AND s.class IN ('keyed', 'unkeyed')), 0) AS paid_at`

// Alike is LookAlikes and Resembling of an intent that is not read yet.
func (t *Tx) Alike(intent string, limit int) (n Counted, rows []AlikeIntent, err error) {
	err = t.Together(
		func() (err error) {
			n, err = t.counted("SELECT count(*) FROM (SELECT 1"+alikeOf+") AS alike", intent, MaxCount+1)
			return err
		},
		func() error {
			return t.Select(&rows, "SELECT "+rowColumns+", "+paidAt+" FROM intents WHERE id IN (SELECT * FROM (SELECT o.id"+alikeOf+") AS alike) ORDER BY id", intent, limit)
		})
	return n, rows, err
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
	err = t.Select(&rows, "SELECT "+rowColumns+" FROM intents WHERE id IN ("+marks(padded(len(ids)))+")", pad(ids)...)
	return rows, err
}
