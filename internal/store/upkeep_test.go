package store

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"countersign/internal/model"
)

// TestWhatPagesCount runs the counts of the pages on rows of two accounts.
func TestWhatPagesCount(t *testing.T) {
	settling := open("acme", 3)
	db := openLists(t, open("acme", 1), open("acme", 2), settling, open("globex", 4))
	acme := []string{"acme"}
	err := db.Update(t.Context(), func(tx *Tx) error {
		for _, statement := range []string{
			"UPDATE steps SET provider = 'bank', operation = 'payout.create'",
			"UPDATE steps SET state = 'in_progress', settling = TRUE, settles_by = 77, uncertain_since = 0 WHERE intent_id = '" + settling.ID + "'",
			"UPDATE intents SET uncertain_since = 0 WHERE id = '" + settling.ID + "'",
			"INSERT INTO attempts (intent_id, step, number, generation, wire_key, trigger_by, worker, boot, fence, started_at, deadline_at, finished_at, result, account) SELECT intent_id, name, 1, 1, 'w', 'engine', 'w', 'b', 1, 50, 1, 60, 'unknown', account FROM steps",
			"INSERT INTO attempts (intent_id, step, number, generation, wire_key, trigger_by, worker, boot, fence, started_at, deadline_at, finished_at, result, account) SELECT intent_id, name, 2, 1, 'w', 'engine', 'w', 'b', 1, 10, 1, 60, 'accepted', account FROM steps",
			"INSERT INTO conflicts (id, intent_id, step, evidence_id, reason, opened_at) SELECT 'k-' || intent_id, intent_id, name, 'e', 'r', 1 FROM steps",
			"INSERT INTO boots (id, host, pid, started_at, seen_at, workers) VALUES ('b1', 'h', 1, 1, 10, 2), ('b2', 'h', 2, 1, 90, 2), ('b3', 'h', 3, 1, 1, 0)",
			"INSERT INTO contracts (id, provider, operation, body, recorded_at, current) VALUES ('c1', 'bank', 'payout.create', '{}', 1, TRUE), ('c2', 'old', 'payout.create', '{}', 1, FALSE)",
		} {
			if _, err := tx.Exec(statement); err != nil {
				return fmt.Errorf("%.50s: %w", statement, err)
			}
		}
		u, err := tx.Upkeep(acme, 50)
		if want := (Upkeep{Conflicts: 3, Running: 2, Silent: 1}); err != nil || u != want {
			t.Errorf("upkeep %+v (%v)", u, err)
		}
		rows, err := tx.Contradicted(acme, 2)
		if len(rows) != 2 || rows[0].ID != open("acme", 1).ID {
			t.Errorf("contradicted %s (%v)", names(rows), err)
		}
		calls, err := tx.CallsSince(acme, 40)
		if want := (Calls{Provider: "bank", Operation: "payout.create", All: 3, Unknown: 3, First: 50}); err != nil || len(calls) != 1 || calls[0] != want {
			t.Errorf("calls %+v (%v)", calls, err)
		}
		held, crowded, err := tx.Settling(acme)
		if want := (Settling{Provider: "bank", Currency: "EUR", Effects: 1, Amount: 300, FirstDue: 77}); err != nil || len(held) != 1 || held[0] != want || crowded {
			t.Errorf("settling %+v (%v)", held, err)
		}
		parts, looked, err := tx.UncertainParts(acme, model.Time(2).Add(time.Hour))
		if err != nil || looked != 2 || len(parts) != 2 || parts[0].Amount != 200 || parts[0].Kind != model.KindPayout || parts[0].Operation != "payout.create" || parts[1].Age != 1 {
			t.Errorf("parts %+v %d (%v)", parts, looked, err)
		}
		still, err := tx.StillUnknown([]string{open("acme", 1).ID, settling.ID})
		if err != nil || fmt.Sprint(still) != "["+open("acme", 1).ID+":create-payout]" {
			t.Errorf("still %v (%v)", still, err)
		}
		providers, err := tx.CurrentProviders()
		if fmt.Sprint(providers) != "[bank]" {
			t.Errorf("providers %v (%v)", providers, err)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
}

// TestPageCountsUseIndexes: what counts the newest calls and what settles goes by
// an index of just these rows.
func TestPageCountsUseIndexes(t *testing.T) {
	calls, callArgs := callsQuery([]string{"acme"}, 1)
	settling, settlingArgs := settlingQuery([]string{"acme"})
	err := openPlans(t).View(t.Context(), func(tx *Tx) error {
		for index, plan := range map[string]string{
			"attempts_calls (account=? AND started_at>?)": explain(t, tx, calls, callArgs),
			"attempts_calls (account=? AND started_at":    explain(t, tx, unnamedCalls, []any{1}),
			"steps_settling (account=?)":                  explain(t, tx, settling, settlingArgs),
		} {
			if !strings.Contains(plan, index) {
				t.Errorf("%s is not used:\n%s", index, plan)
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}

// TestAQuietAccountsCallsAreCounted: ten thousand newer calls of another account
// hide none of them.
func TestAQuietAccountsCallsAreCounted(t *testing.T) {
	db := openLists(t, open("acme", 1), open("globex", 2))
	err := db.Update(t.Context(), func(tx *Tx) error {
		const call = "INSERT INTO attempts (intent_id, step, number, generation, wire_key, trigger_by, worker, boot, fence, started_at, deadline_at, finished_at, result, account) "
		for _, statement := range []string{
			"UPDATE steps SET provider = 'bank', operation = 'payout.create'",
			call + "VALUES ('intent-acme00001', 'create-payout', 1, 1, 'w', 'engine', 'w', 'b', 1, 50, 1, 60, 'confirmed', 'acme')",
			call + "WITH RECURSIVE n (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM n WHERE n < 10500) SELECT 'intent-globex00002', 'create-payout', n, 1, 'w', 'engine', 'w', 'b', 1, 100 + n, 1, 200 + n, 'confirmed', 'globex' FROM n",
		} {
			if _, err := tx.Exec(statement); err != nil {
				return fmt.Errorf("%.50s: %w", statement, err)
			}
		}
		for account, want := range map[string]Calls{"acme": {All: 1, Went: 1, First: 50}, "globex": {All: MaxCount, Went: MaxCount, First: 601}} {
			want.Provider, want.Operation = "bank", "payout.create"
			if calls, err := tx.CallsSince([]string{account}, 40); err != nil || len(calls) != 1 || calls[0] != want {
				t.Errorf("calls of %s %+v (%v)", account, calls, err)
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}
