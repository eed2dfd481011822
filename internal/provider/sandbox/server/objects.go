package server

import (
	"database/sql"
	"errors"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// The kinds of objects, as their member "object" says them.
const (
	kindPayout   = "payout"
	kindCredit   = "credit"
	kindReversal = "reversal"
	kindResponse = "dispute_response"
	kindMessage  = "message"
)

// object is one thing that the sandbox made, as answers and webhooks show it.
// The members of other kinds are left out.
type object struct {
	ID             string         `json:"id"`
	Object         string         `json:"object"`
	Reference      string         `json:"reference"`
	Amount         *int64         `json:"amount,omitzero"`
	AmountReversed *int64         `json:"amount_reversed,omitzero"`
	Currency       *string        `json:"currency,omitzero"`
	Destination    *string        `json:"destination,omitzero"`
	Source         string         `json:"source,omitzero"`
	Dispute        string         `json:"dispute,omitzero"`
	Type           string         `json:"type,omitzero"`
	MessageID      string         `json:"message_id,omitzero"`
	To             string         `json:"to,omitzero"`
	Template       string         `json:"template,omitzero"`
	Subject        string         `json:"subject,omitzero"`
	Status         string         `json:"status"`
	Created        string         `json:"created"`
	Metadata       jsontext.Value `json:"metadata,omitzero"`
}

// parent is the id that nested lists go by.
func (o *object) parent() string { return o.Source + o.Dispute }

// reversedInFull says that no money of o is left to come back.
func (o *object) reversedInFull() bool {
	return o.Amount != nil && o.AmountReversed != nil && *o.AmountReversed >= *o.Amount
}

// placement is what the books keep about an object beside its document.
type placement struct {
	created, shownAt, listedAt int64
	hook                       fault
}

func insertObject(tx *sql.Tx, o *object, at placement) error {
	_, err := tx.Exec(`INSERT INTO objects (id, kind, reference, parent, created, shown_at, listed_at, hook, hook_ms, document)
		VALUES (?,?,?,?,?,?,?,?,?,?)`, o.ID, o.Object, o.Reference, o.parent(), at.created, at.shownAt, at.listedAt,
		at.hook.name, at.hook.wait.Milliseconds(), document(o))
	return err
}

func saveObject(tx *sql.Tx, o *object) error {
	_, err := tx.Exec(`UPDATE objects SET document=? WHERE id=?`, document(o), o.ID)
	return err
}

// loadObject returns sql.ErrNoRows where there is no such object.
func loadObject(tx *sql.Tx, id string) (*object, error) {
	var text string
	if err := tx.QueryRow(`SELECT document FROM objects WHERE id=?`, id).Scan(&text); err != nil {
		return nil, err
	}
	return parseObject(text)
}

func parseObject(text string) (*object, error) {
	o := new(object)
	return o, json.Unmarshal([]byte(text), o)
}

func document(o *object) string {
	return string(jsonAnswer(0, o).body)
}

// undo marks the effect behind an object as undone, the first time only.
func undo(tx *sql.Tx, id string, at int64) error {
	_, err := tx.Exec(`UPDATE effects SET undone_at=? WHERE object=? AND undone_at IS NULL`, at, id)
	return err
}

// reverse takes amount off the payout or credit that o reverses.
func reverse(tx *sql.Tx, kind string, o *object, at int64) error {
	source, err := loadObject(tx, o.Source)
	if errors.Is(err, sql.ErrNoRows) || (err == nil && source.Object != kind) {
		return notFound("There is no such " + kind + ".")
	}
	if err != nil {
		return err
	}
	if err := reversible(source, o); err != nil {
		return err
	}
	o.Destination = source.Destination
	*source.AmountReversed += *o.Amount
	if source.reversedInFull() {
		if err := undo(tx, source.ID, at); err != nil {
			return err
		}
	}
	return saveObject(tx, source)
}

func reversible(source, o *object) error {
	left := *source.Amount - *source.AmountReversed
	refuse := func(code, message string) error {
		return &problem{status: 409, code: code, message: message, object: source.ID}
	}
	switch {
	case source.Status == "failed" || source.Status == "returned":
		return refuse("not_reversible", "The money has already come back: the "+source.Object+" is "+source.Status+".")
	case left == 0:
		return refuse("already_reversed", "Nothing is left to reverse.")
	case *o.Currency != *source.Currency:
		return &problem{status: 422, code: "currency_mismatch", message: "The original has another currency.", object: source.ID}
	case o.Destination != nil && *o.Destination != *source.Destination:
		return &problem{status: 422, code: "destination_mismatch", message: "The original has another destination.", object: source.ID}
	case *o.Amount > left:
		return &problem{status: 422, code: "amount_too_large", message: "The amount is more than what is left to reverse.", object: source.ID}
	}
	return nil
}
