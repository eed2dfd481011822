package store

import (
	"bytes"

	"countersign/internal/model"
)

// Webhook is one event as a provider sent it, with where its work stands.
type Webhook struct {
	Provider   string     `db:"provider"`
	EventID    string     `db:"event_id"`
	Type       string     `db:"type"`
	Operation  string     `db:"operation"`
	Ref        string     `db:"ref"`       // the external object
	Reference  string     `db:"reference"` // our reference, where the event names it
	Body       []byte     `db:"body"`
	ReceivedAt model.Time `db:"received_at"`

	Tries int `db:"tries"` // looks that its work has taken so far
}

// InsertWebhook keeps an event for ever and schedules its work; a redelivery
// changes nothing and reports fresh = false.
func (t *Tx) InsertWebhook(w Webhook) (fresh bool, err error) {
	n, err := t.Changed(`INSERT INTO webhooks (provider, event_id, type, operation, ref, reference, body, received_at)
		VALUES (?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT DO NOTHING`,
		w.Provider, w.EventID, w.Type, w.Operation, w.Ref, w.Reference, w.Body, w.ReceivedAt)
	if err != nil || n == 0 {
		return false, err
	}
	_, err = t.Exec("INSERT INTO webhook_work (provider, event_id, due_at) VALUES (?, ?, ?)", w.Provider, w.EventID, t.now)
	return true, err
}

// KeepWebhook is InsertWebhook for whoever wants to know about a redelivery only
// whether it brings the same bytes as the first one, which stay.
func (t *Tx) KeepWebhook(w Webhook) (same bool, err error) {
	fresh, err := t.InsertWebhook(w)
	if err != nil || fresh {
		return true, err
	}
	var first []byte
	_, err = t.Get(&first, "SELECT body FROM webhooks WHERE provider = ? AND event_id = ?", w.Provider, w.EventID)
	return bytes.Equal(first, w.Body), err
}

// DueWebhooks lists the events whose work is due, oldest first.
func (t *Tx) DueWebhooks(limit int) ([]Webhook, error) {
	var list []Webhook
	err := t.Select(&list, `SELECT w.*, k.tries FROM webhook_work k JOIN webhooks w ON w.provider = k.provider AND w.event_id = k.event_id
		WHERE k.due_at > 0 AND k.due_at <= ? ORDER BY k.due_at LIMIT ?`+t.passOver("k"), t.now, limit)
	return list, err
}

// PostponeWebhook schedules the event's work again, after w.Tries looks.
func (t *Tx) PostponeWebhook(w Webhook, at model.Time) error {
	_, err := t.Exec("UPDATE webhook_work SET due_at = ?, tries = ? WHERE provider = ? AND event_id = ? AND settled_at = 0", at, w.Tries, w.Provider, w.EventID)
	return err
}

// SettleWebhook records what became of an event.
func (t *Tx) SettleWebhook(w Webhook, outcome, detail, intent string) error {
	_, err := t.Exec(`UPDATE webhook_work SET due_at = 0, outcome = ?, detail = ?, intent_id = ?, settled_at = ?
		WHERE provider = ? AND event_id = ? AND settled_at = 0`, outcome, detail, intent, t.now, w.Provider, w.EventID)
	return err
}

// FindStep tells which step at a provider a reference or an external object
// belongs to, and of which generation the reference is (0 where only the object is known). The
// texts are "" where nothing of ours fits.
func (t *Tx) FindStep(provider, reference, ref string) (intent, step string, generation int, err error) {
	var row struct {
		IntentID   string `db:"intent_id"`
		Step       string `db:"step"`
		Generation int    `db:"number"`
	}
	if reference != "" {
		if ok, err := t.Get(&row, `SELECT g.intent_id, g.step, g.number FROM generations g JOIN steps s ON s.intent_id = g.intent_id AND s.name = g.step
			WHERE g.wire_key = ? AND s.provider = ?`, reference, provider); ok || err != nil {
			return row.IntentID, row.Step, row.Generation, err
		}
		if id, name, number, err := model.SplitStepKey(reference); err == nil {
			ok, err := t.Get(&row, "SELECT intent_id, name AS step FROM steps WHERE intent_id = ? AND name = ? AND provider = ?", id, name, provider)
			if ok || err != nil {
				return row.IntentID, row.Step, number, err
			}
		}
	}
	if ref == "" {
		return "", "", 0, nil
	}
	_, err = t.Get(&row, "SELECT intent_id, step FROM objects WHERE provider = ? AND external_ref = ?", provider, ref)
	return row.IntentID, row.Step, 0, err
}
