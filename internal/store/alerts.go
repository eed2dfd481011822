package store

import "countersign/internal/model"

// Alert is one cause that somebody is told about.
type Alert struct {
	ID        string     `db:"id"`
	Cause     string     `db:"cause"` // unique for ever
	Kind      string     `db:"kind"`
	Account   string     `db:"account"`   // "" is the whole installation
	IntentID  string     `db:"intent_id"` // "" where it is about none
	Step      string     `db:"step"`
	Text      string     `db:"text"`
	Amount    int64      `db:"amount"`   // minor units
	Currency  string     `db:"currency"` // "" where no money is meant
	RaisedAt  model.Time `db:"raised_at"`
	Deadline  model.Time `db:"deadline"`   // of the review; 0 is none
	RemindAt  model.Time `db:"remind_at"`  // when it becomes overdue; 0 once that was raised
	PlannedAt model.Time `db:"planned_at"` // when its deliveries were made; 0 before
	EndedAt   model.Time `db:"ended_at"`   // 0 while it stands
	EndedBy   string     `db:"ended_by"`
}

const alertColumns = `id, cause, kind, account, intent_id, step, text, amount, currency, raised_at, deadline, remind_at,
	planned_at, ended_at, ended_by`

// Each of these is read from an index of its own.
const (
	standingOfIntent = "SELECT * FROM alerts WHERE intent_id = ? AND intent_id <> '' AND ended_at = 0 ORDER BY raised_at, id"
	lapsedQuery      = "SELECT * FROM alerts WHERE remind_at > 0 AND remind_at <= ? ORDER BY remind_at LIMIT ?"
	unplannedQuery   = "SELECT * FROM alerts WHERE planned_at = 0 ORDER BY raised_at, id LIMIT ?"
)

// InsertAlert keeps a new alert, with an id and a time of its own; fresh is
// false, and nothing is stored, when its cause has one already.
func (t *Tx) InsertAlert(a Alert) (fresh bool, err error) {
	a.ID, a.RaisedAt, a.PlannedAt, a.EndedAt = t.NewID("alert"), t.now, 0, 0
	return t.InsertNew("alerts", alertColumns, a)
}

// StandingAlerts are the alerts about an intent whose causes stand.
func (t *Tx) StandingAlerts(intent string) ([]Alert, error) {
	var list []Alert
	err := t.Select(&list, standingOfIntent, intent)
	return list, err
}

// EndAlert records that a cause stands no more, and why; ended is false where
// it did not stand.
func (t *Tx) EndAlert(cause, why string) (ended bool, err error) {
	n, err := t.Changed("UPDATE alerts SET ended_at = ?, ended_by = ?, remind_at = 0 WHERE cause = ? AND ended_at = 0", t.now, why, cause)
	return n == 1, err
}

// LapsedAlerts are standing alerts whose deadline has passed, and that was not
// raised yet; at most limit, the longest overdue first.
func (t *Tx) LapsedAlerts(limit int) ([]Alert, error) {
	var list []Alert
	err := t.Select(&list, lapsedQuery, t.now, limit)
	return list, err
}

// AlertReminded records that the passing of an alert's deadline was raised.
func (t *Tx) AlertReminded(id string) error {
	_, err := t.Exec("UPDATE alerts SET remind_at = 0 WHERE id = ?", id)
	return err
}

// RenewCause ends the alert of a condition that may come back: its row keeps the
// name of the cause with the time behind it, so that the name is free again.
func (t *Tx) RenewCause(cause, why string) (ended bool, err error) {
	n, err := t.Changed(`UPDATE alerts SET ended_at = ?, ended_by = ?, remind_at = 0, cause = cause || ':' || raised_at
		WHERE cause = ? AND ended_at = 0`, t.now, why, cause)
	return n == 1, err
}

// AlertStands reports whether a cause has an alert that has not ended.
func (t *Tx) AlertStands(cause string) (bool, error) {
	var id string
	return t.Get(&id, "SELECT id FROM alerts WHERE cause = ? AND ended_at = 0", cause)
}
