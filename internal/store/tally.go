package store

import "countersign/internal/model"

// Tally counts the open work of a person's accounts by whom it waits for. Capped
// tells that there is more than MaxCount, of which the first were counted.
type Tally struct {
	Open     int  `db:"n_open"`     // everything in the queue
	Waiting  int  `db:"n_waiting"`  // for approvers
	Review   int  `db:"n_review"`   // a decision is proposed to an operator
	Unowned  int  `db:"n_unowned"`  // of these, what nobody has taken
	Past     int  `db:"n_past"`     // of these, past the deadline of its review
	Mine     int  `db:"n_mine"`     // taken by the person
	MinePast int  `db:"n_minepast"` // of theirs, past its deadline
	MineSoon int  `db:"n_minesoon"` // of theirs, at its deadline soon
	Capped   bool `db:"-"`
}

// waits tells whether a row of intents waits for an approver.
const waits = `((state || '') = 'awaiting_approval' OR EXISTS (SELECT 1 FROM approvals asked WHERE asked.intent_id = intents.id AND asked.state = 'open'))`

// tallyQuery looks at each open intent once, found by the queue's index.
const tallyQuery = `SELECT count(*) AS n_open, COALESCE(sum(waiting), 0) AS n_waiting, COALESCE(sum(review), 0) AS n_review,
	COALESCE(sum(CASE WHEN owner = '' THEN review ELSE 0 END), 0) AS n_unowned,
	COALESCE(sum(CASE WHEN review_due <= ? THEN review ELSE 0 END), 0) AS n_past,
	COALESCE(sum(mine), 0) AS n_mine,
	COALESCE(sum(CASE WHEN review_due <= ? THEN mine * review ELSE 0 END), 0) AS n_minepast,
	COALESCE(sum(CASE WHEN review_due > ? AND review_due <= ? THEN mine * review ELSE 0 END), 0) AS n_minesoon
	FROM (SELECT owner, review_due, CASE WHEN owner = ? THEN 1 ELSE 0 END AS mine, CASE WHEN ` + waits + ` THEN 1 ELSE 0 END AS waiting,
		CASE WHEN state = 'needs_review' AND NOT ` + waits + ` THEN 1 ELSE 0 END AS review
		FROM intents WHERE account IN (`

// Tally counts the open work of the accounts for a person. soon is the moment up
// to which a deadline is near.
func (t *Tx) Tally(accounts []string, person string, soon model.Time) (c Tally, err error) {
	if len(accounts) == 0 {
		return c, nil
	}
	args := append([]any{t.now, t.now, t.now, soon, person}, anys(accounts)...)
	_, err = t.Get(&c, tallyQuery+marks(len(accounts))+") AND sort_open > 0 LIMIT ?) AS looked", append(args, MaxCount+1)...)
	if c.Capped = c.Open > MaxCount; c.Capped {
		c.Open = MaxCount
	}
	return c, err
}

// Beside is what a list says of an intent beside its own rows.
type Beside struct {
	ID     string     `db:"id"`
	Alike  int        `db:"alike"` // others with the same payee, amount and period, counted up to MaxAlike
	Other  string     `db:"other"` // one of them
	Note   string     `db:"note"`  // the newest note; "" is none
	NoteBy string     `db:"note_by"`
	NoteAt model.Time `db:"note_at"`

	Transit int64 `db:"transit"` // minor units of its uncertain money that were accepted and are not final
}

// MaxAlike is how far the look-alikes of a row are counted.
const MaxAlike = 100

// besideQuery goes from the few intents of a page to what stands beside each.
func besideQuery(ids []string) (query string, args []any) {
	return `SELECT i.id, (SELECT count(*) FROM (SELECT 1 FROM intents o WHERE o.account = i.account AND o.look_alike = i.look_alike AND o.look_alike <> ''
			AND o.id <> i.id LIMIT ?) AS others) AS alike,
		COALESCE((SELECT o.id FROM intents o WHERE o.account = i.account AND o.look_alike = i.look_alike AND o.look_alike <> '' AND o.id <> i.id LIMIT 1), '') AS other,
		COALESCE(n.text, '') AS note, COALESCE(n.name, '') AS note_by, COALESCE(n.at, 0) AS note_at,
		COALESCE((SELECT sum(s.open_amount) FROM steps s WHERE s.intent_id = i.id AND s.settling), 0) AS transit
		FROM intents i LEFT JOIN notes n ON n.id = (SELECT max(m.id) FROM notes m WHERE m.intent_id = i.id)
		WHERE i.id IN (` + marks(padded(len(ids))) + `)`, append([]any{MaxAlike + 1}, pad(ids)...)
}

// Beside tells of the intents of a list, by id, how many look alike, what was
// noted last, and how much money is in transit.
func (t *Tx) Beside(ids []string) (map[string]Beside, error) {
	found := make(map[string]Beside, len(ids))
	if len(ids) == 0 {
		return found, nil
	}
	var list []Beside
	query, args := besideQuery(ids)
	err := t.Select(&list, query, args...)
	for _, b := range list {
		found[b.ID] = b
	}
	return found, err
}
