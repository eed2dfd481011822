package store

import (
	"slices"

	"countersign/internal/model"
)

const (
	bulkColumns = `id, account, actor, actor_name, action, digest, people, planned, sums, creators, state, created_at, expires_at, bank_file`
	itemColumns = `bulk_id, position, intent_id, preview_id, rule, because, step, amount, currency, twice`
)

// InsertBulk stores a list that nobody has confirmed yet, with its items and the
// previews of those that have one.
func (t *Tx) InsertBulk(b model.Bulk, previews []Preview) error {
	if err := t.Insert("bulks", bulkColumns, b); err != nil {
		return err
	}
	if err := t.Add("previews", previewColumns, previews); err != nil {
		return err
	}
	return t.Add("bulk_items", itemColumns, b.Items)
}

// Bulk finds a list with its items and what people said on it; the error is of
// kind NotFound. Whose it is, the caller looks at.
func (t *Tx) Bulk(id string) (model.Bulk, error) { return t.bulk(id, "") }

// LockBulk is Bulk, and nobody else changes the list's own row until the
// transaction ends. It is locked after the intents of a transaction, never before.
func (t *Tx) LockBulk(id string) (model.Bulk, error) { return t.bulk(id, t.db.dialect.lock) }

func (t *Tx) bulk(id, lock string) (b model.Bulk, err error) {
	var ok bool
	var items []model.BulkItem
	var decisions []model.ApprovalDecision
	err = t.Together(
		func() (err error) { ok, err = t.Get(&b, "SELECT * FROM bulks WHERE id = ?"+lock, id); return err },
		func() error {
			return t.Select(&items, "SELECT * FROM bulk_items WHERE bulk_id = ? ORDER BY position", id)
		},
		func() error {
			return t.Select(&decisions, `SELECT bulk_id AS approval_id, person, name, says, reason, at FROM bulk_decisions
				WHERE bulk_id = ? ORDER BY at, person`, id)
		})
	if err == nil && !ok {
		err = model.Errorf(model.NotFound, "not-found", "There is no list %s, or it is not yours to see.", id)
	}
	b.Items, b.Decisions = items, decisions
	return b, err
}

// UseBulk records the confirmation of a list, once. The error is of kind Stale
// where it was confirmed already.
func (t *Tx) UseBulk(b model.Bulk) error {
	n, err := t.Changed("UPDATE bulks SET state = ?, used_at = ?, used_with = ?, reason = ?, expires_at = ?, entry = ? WHERE id = ? AND used_at = 0",
		b.State, b.UsedAt, b.UsedWith, b.Reason, b.ExpiresAt, b.Entry, b.ID)
	if err == nil && n != 1 {
		return model.Errorf(model.Stale, "preview-consumed", "The list %s is used.", b.ID)
	}
	return err
}

// MoveBulk moves a list from one state to the next; moved is false where it was
// not in the first any more. because tells how it ended, "" where it goes on.
func (t *Tx) MoveBulk(id string, from, to model.BulkState, because string) (moved bool, err error) {
	closed := t.now
	if to == model.BulkRunning {
		closed = 0
	}
	n, err := t.Changed("UPDATE bulks SET state = ?, closed_at = ?, closed_because = ? WHERE id = ? AND state = ?", to, closed, because, id, from)
	return n == 1, err
}

// BulkItemOpen reports whether an item has no result yet. The caller has locked
// its intent, under which alone the result is written.
func (t *Tx) BulkItemOpen(bulk string, position int) (open bool, err error) {
	_, err = t.Get(&open, "SELECT outcome = '' FROM bulk_items WHERE bulk_id = ? AND position = ?", bulk, position)
	return open, err
}

// EndBulkItem records what became of an item, once. The error is of kind Stale
// where it has a result.
func (t *Tx) EndBulkItem(i model.BulkItem) error {
	n, err := t.Changed("UPDATE bulk_items SET outcome = ?, said = ?, attempt = ?, entry = ?, at = ? WHERE bulk_id = ? AND position = ? AND outcome = ''",
		i.Outcome, i.Said, i.Attempt, i.Entry, i.At, i.BulkID, i.Position)
	if err == nil && n != 1 {
		return model.Errorf(model.Stale, "stale", "Item %d of %s has a result.", i.Position, i.BulkID)
	}
	return err
}

// DecideBulk records one person's word on a list; said is false where they have
// spoken already.
func (t *Tx) DecideBulk(d model.ApprovalDecision) (said bool, err error) {
	n, err := t.Changed(`INSERT INTO bulk_decisions (bulk_id, person, name, says, reason, at) VALUES (?, ?, ?, ?, ?, ?)
		ON CONFLICT DO NOTHING`, d.ApprovalID, d.Person, d.Name, d.Says, d.Reason, d.At)
	return n == 1, err
}

// ListedAct is what a list that other people had signed did about an intent.
type ListedAct struct {
	BulkID string     `db:"bulk_id"`
	Step   string     `db:"step"` // name of the step that was acted on, or ""
	Action string     `db:"action"`
	At     model.Time `db:"done_at"` // when it was done
	Signer string     `db:"name"`
	Reason string     `db:"reason"` // of the signer
	Signed model.Time `db:"signed_at"`
}

// ListedActs lists what signed lists did about an intent, one row for each
// signature, in the order of signing; at most the newest 200.
func (t *Tx) ListedActs(intent string) (acts []ListedAct, err error) {
	err = t.Select(&acts, `SELECT m.bulk_id, m.step, l.action, m.at AS done_at, d.name, d.reason, d.at AS signed_at
		FROM bulk_items m JOIN bulks l ON l.id = m.bulk_id JOIN bulk_decisions d ON d.bulk_id = m.bulk_id
		WHERE m.intent_id = ? AND m.outcome = 'executed' AND d.says = 'approve' ORDER BY d.at DESC, d.person DESC LIMIT 200`, intent)
	slices.Reverse(acts)
	return acts, err
}

// BulkMoved lists the positions of the items whose intents moved since they were
// planned and that have no result yet: they would not be done.
func (t *Tx) BulkMoved(id string) (positions []int, err error) {
	err = t.Select(&positions, `SELECT b.position FROM bulk_items b JOIN previews p ON p.id = b.preview_id JOIN intents i ON i.id = b.intent_id
		WHERE b.bulk_id = ? AND b.outcome = '' AND (i.version <> p.version OR p.used_at <> 0) ORDER BY b.position`, id)
	return positions, err
}

// bulkStands goes from the items of a list to the few rows that tell of each.
const bulkStands = `SELECT b.position, i.look_alike, COALESCE(s.state, '') AS state, COALESCE(s.settling, FALSE) AS settling,
	COALESCE(s.ordered <> '' AND s.order_id = b.preview_id, FALSE) AS ordered,
	EXISTS (SELECT 1 FROM attempts a WHERE a.intent_id = b.intent_id AND a.step = b.step AND a.finished_at = 0) AS open,
	COALESCE((SELECT sum(o.open_amount) FROM steps o WHERE o.intent_id = b.intent_id AND (b.step = '' OR o.name = b.step) AND o.state <> 'in_progress'), 0) AS uncertain,
	COALESCE((SELECT sum(o.open_amount) FROM steps o WHERE o.intent_id = b.intent_id AND (b.step = '' OR o.name = b.step) AND o.settling), 0) AS transit
	FROM bulk_items b JOIN intents i ON i.id = b.intent_id LEFT JOIN steps s ON s.intent_id = b.intent_id AND s.name = b.step
	WHERE b.bulk_id = ? AND b.preview_id <> '' ORDER BY b.position`

// BulkStands tells where what the planned items of a list act on stands now.
func (t *Tx) BulkStands(id string) (stands []model.BulkStand, err error) {
	err = t.Select(&stands, bulkStands, id)
	return stands, err
}

// UnfinishedBulks lists the lists that are being carried out.
func (t *Tx) UnfinishedBulks(limit int) (ids []string, err error) {
	err = t.Select(&ids, "SELECT id FROM bulks WHERE state = 'running' ORDER BY id LIMIT ?", limit)
	return ids, err
}

// ExpiredBulks lists the requests about lists whose time is over.
func (t *Tx) ExpiredBulks(limit int) (ids []string, err error) {
	err = t.Select(&ids, "SELECT id FROM bulks WHERE state = 'open' AND expires_at <= ? ORDER BY expires_at LIMIT ?", t.now, limit)
	return ids, err
}

// Previews finds many previews, by id.
func (t *Tx) Previews(ids []string) (map[string]Preview, error) {
	found := map[string]Preview{}
	if len(ids) == 0 {
		return found, nil
	}
	var rows []Preview
	err := t.Select(&rows, "SELECT * FROM previews WHERE id IN ("+marks(padded(len(ids)))+")", pad(ids)...)
	for _, row := range rows {
		found[row.ID] = row
	}
	return found, err
}
