package store

import "countersign/internal/model"

// Transfer is one movement between two ledger accounts.
type Transfer struct {
	ID       string     `db:"id"`
	StepKey  string     `db:"step_key"`
	Line     int        `db:"line"`
	IntentID string     `db:"intent_id"`
	Debit    string     `db:"debit"`
	Credit   string     `db:"credit"`
	Amount   int64      `db:"amount"` // minor units
	Currency string     `db:"currency"`
	At       model.Time `db:"at"`
}

// InsertTransfer writes one movement; (step key, line) is unique, so that a step
// posts once.
func (t *Tx) InsertTransfer(row Transfer) error {
	return t.Insert("ledger_transfers", "id, step_key, line, intent_id, debit, credit, amount, currency, at", row)
}

// Transfers lists the movements of an intent.
func (t *Tx) Transfers(intent string) ([]Transfer, error) {
	var list []Transfer
	err := t.Select(&list, "SELECT * FROM ledger_transfers WHERE intent_id = ? ORDER BY at, step_key, line", intent)
	return list, err
}

// Document is an issued statement.
type Document struct {
	StepKey   string     `db:"step_key"`
	IntentID  string     `db:"intent_id"`
	Account   string     `db:"account"`
	Rep       string     `db:"rep"`
	Period    string     `db:"period"`
	Revision  int        `db:"revision"`
	Name      string     `db:"name"`
	MediaType string     `db:"media_type"`
	Body      []byte     `db:"body"`
	SHA256    []byte     `db:"sha256"`
	IssuedAt  model.Time `db:"issued_at"`
	VoidedAt  model.Time `db:"voided_at"`
}

// IssueDocument stores a statement as the next revision of its rep and period.
// standing is the intent whose statement still stands there; then nothing was stored.
func (t *Tx) IssueDocument(d Document) (standing string, err error) {
	var row struct {
		Revision int `db:"revision"`
	}
	if _, err := t.Get(&row, "SELECT COALESCE(MAX(revision), 0) AS revision FROM documents WHERE account = ? AND rep = ? AND period = ?",
		d.Account, d.Rep, d.Period); err != nil {
		return "", err
	}
	if _, err := t.Get(&standing, "SELECT intent_id FROM documents WHERE account = ? AND rep = ? AND period = ? AND voided_at = 0",
		d.Account, d.Rep, d.Period); err != nil || standing != "" {
		return standing, err
	}
	d.Revision = row.Revision + 1
	return "", t.Insert("documents", "step_key, intent_id, account, rep, period, revision, name, media_type, body, sha256, issued_at, voided_at", d)
}

// VoidDocument makes an issued statement void.
func (t *Tx) VoidDocument(stepKey string) error {
	_, err := t.Exec("UPDATE documents SET voided_at = ? WHERE step_key = ? AND voided_at = 0", t.now, stepKey)
	return err
}

// Documents lists the statements that an intent issued.
func (t *Tx) Documents(intent string) ([]Document, error) {
	var list []Document
	err := t.Select(&list, "SELECT * FROM documents WHERE intent_id = ? ORDER BY issued_at", intent)
	return list, err
}

// TakeMessageSlot reserves the one message of this template to this recipient
// under the intent; it fails with kind Conflict where another step has it.
func (t *Tx) TakeMessageSlot(recipient, template, intent, stepKey string) error {
	taken, err := t.Changed("INSERT INTO message_slots (recipient, template, intent_id, step_key) VALUES (?, ?, ?, ?) ON CONFLICT DO NOTHING",
		recipient, template, intent, stepKey)
	if err != nil || taken == 1 {
		return err
	}
	var holder string
	_, err = t.Get(&holder, "SELECT step_key FROM message_slots WHERE recipient = ? AND template = ? AND intent_id = ?", recipient, template, intent)
	if err == nil && holder != stepKey {
		return model.Errorf(model.Conflict, "message-slot", "The message %s was already sent to this recipient by %s.", template, holder)
	}
	return err
}
