package store

import (
	"regexp"
	"testing"
)

// wholeTable is a plan's line that reads a table from end to end, or sorts.
var wholeTable = regexp.MustCompile(`(?m)^SCAN (steps|alerts|alert_deliveries|webhook_work|intents)( [a-z]+)?$|USE TEMP B-TREE FOR ORDER BY`)

// Metrics and alerts are read from indexes: none of them grows with the tables.
func TestGaugesAndAlertsUseTheirIndex(t *testing.T) {
	db := openPlans(t)
	queries := map[string]struct {
		query string
		args  []any
	}{
		"unknown":    {unknownQuery, []any{MaxCount}},
		"standing":   {standingQuery, []any{MaxCount}},
		"inbox":      {inboxQuery, []any{MaxCount}},
		"deliveries": {deliveriesQuery, []any{MaxCount}},
		"given up":   {givenUpQuery, []any{MaxCount}},
		"states":     {stateQuery(2), []any{"acme", "globex", "completed", MaxCount}},
		"of intent":  {standingOfIntent, []any{"intent-1"}},
		"lapsed":     {lapsedQuery, []any{5, 10}},
		"unplanned":  {unplannedQuery, []any{10}},
		"due":        {dueDeliveriesQuery, []any{"mail", 5, 10}},
		"anything":   {alertsDueQuery, nil},
		"page":       {"SELECT * FROM alerts WHERE account = ? AND ended_at = 0 AND (raised_at, id) < (?, ?) ORDER BY raised_at DESC, id DESC LIMIT ?", []any{"acme", 5, "x", 10}},
	}
	err := db.View(t.Context(), func(tx *Tx) error {
		for name, q := range queries {
			if plan := explain(t, tx, q.query, q.args); wholeTable.MatchString(plan) {
				t.Errorf("%s:\n%s", name, plan)
			}
		}
		if plan := explain(t, tx, "SELECT * FROM alerts ORDER BY text", nil); !wholeTable.MatchString(plan) {
			t.Errorf("this test would not notice a whole table:\n%s", plan)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}
