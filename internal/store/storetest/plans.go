package storetest

import (
	"regexp"
	"slices"
	"strings"
	"testing"

	"countersign/internal/store"
)

// grows names the tables that grow with use: no page reads one from end to end.
const grows = "intents|payee_words|payee_contacts|steps|objects|generations|attempts|evidence|conflicts|abandonments|previews|approvals|approval_decisions|compensations|" +
	"ledger_transfers|documents|uploads|bank_files|webhooks|webhook_work|seen_objects|sweep_looks|orphans|notes|audit_entries|audit_waiting|audit_log|audit_nodes|" +
	"audit_checkpoints|alerts|alert_deliveries|selected_intents|bulks|bulk_items|bulk_decisions|sessions"

var (
	named = regexp.MustCompile(`(?i)\b(?:FROM|JOIN|,)\s*(` + grows + `)\b(?:\s+AS)?(?:\s+([a-z_]+)\b)?`)
	scans = regexp.MustCompile(`^SCAN (\w+)(?: USING (?:COVERING )?INDEX (\w+))?`)
)

// Scans gives the lines of a statement's plan on SQLite that read a table which
// grows from end to end. few are the partial indexes that may be read whole.
func Scans(t testing.TB, tx *store.Tx, s store.Statement, few ...string) (lines []string) {
	t.Helper()
	for _, part := range s.Parts {
		lines = append(lines, Scans(t, tx, part, few...)...)
	}
	if len(s.Parts) > 0 || strings.Contains(s.Query, "WHERE 1 = 0") {
		return lines
	}
	tables := map[string]string{}
	for _, m := range named.FindAllStringSubmatch(s.Query, -1) {
		tables[m[1]], tables[m[2]] = m[1], m[1]
	}
	for _, line := range Plan(t, tx, s) {
		m := scans.FindStringSubmatch(line)
		if m == nil || tables[m[1]] == "" || slices.Contains(few, m[2]) || strings.Contains(s.Query, ") AS "+m[1]+" ") {
			continue
		}
		lines = append(lines, line+" of "+tables[m[1]]+" in "+s.Query)
	}
	return lines
}

// Plan gives the lines of a statement's plan on SQLite.
func Plan(t testing.TB, tx *store.Tx, s store.Statement) (lines []string) {
	t.Helper()
	var plan []struct {
		ID      int    `db:"id"`
		Parent  int    `db:"parent"`
		NotUsed int    `db:"notused"`
		Detail  string `db:"detail"`
	}
	if err := tx.Select(&plan, "EXPLAIN QUERY PLAN "+s.Query, s.Args...); err != nil {
		t.Fatalf("%v\n%s", err, s.Query)
	}
	for _, row := range plan {
		lines = append(lines, row.Detail)
	}
	return lines
}
