package bench

import (
	"context"
	"encoding/json"
	"fmt"
	"testing"

	"countersign/internal/actions"
	"countersign/internal/model"
	"countersign/internal/store"
)

// grown is a database with many intents, and one of them that is unknown.
type grown struct {
	*world
	unknown string // id
}

// grow fills a database with copies of one payout: of a thousand one each is
// unknown, waits for an approval, may be retried and settles, and the others are
// completed. Every external step has its attempt, its frozen request and its
// evidence. SQL makes the rows; what they say is what the engine would have
// left, near enough for reading.
func grow(b testing.TB, db *store.DB, intents int) grown {
	b.Helper()
	w := newWorld(b, db)
	first := w.accept(b)
	err := db.Update(context.Background(), func(tx *store.Tx) error {
		_, err := tx.Exec(fates, first, intents)
		for _, query := range growth {
			if err == nil {
				_, err = tx.Exec(query)
			}
		}
		return err
	})
	if err != nil {
		b.Fatal(err)
	}
	return grown{w, fmt.Sprintf("intent-%026d", intents-4)}
}

// accept takes the payout in that the others are copies of.
func (w *world) accept(b testing.TB) (id string) {
	b.Helper()
	accepted, err := w.runner.Accept(context.Background(), w.actor, actions.Submission{Key: "first", Kind: model.KindPayout, Account: account,
		Params: json.RawMessage(`{"payee":{"reference":"rep-1","name":"Ada Rep","destination":"acct_1","email":"ada@example.com"},"amount":84250,"currency":"USD","period":"2026-10"}`)})
	if err != nil {
		b.Fatal(err)
	}
	return accepted.Case.ID
}

// fates is a table of numbers with what becomes of each: remainder 996 is
// unknown, 997 waits for an approval, 998 may be retried, 999 settles, and the
// others are completed. ?1 is the intent to copy, ?2 how many there shall be.
const fates = `CREATE TEMP TABLE fates AS
	WITH RECURSIVE numbers (n) AS (SELECT 0 UNION ALL SELECT n + 1 FROM numbers WHERE n + 1 < ?2)
	SELECT n, printf('intent-%026d', n) AS id, n % 1000 AS fate, 1760000000000000 + n * 60000000 AS at, ?1 AS first FROM numbers`

// growth are the statements that make rows of fates, in order. The copied intent
// has not been worked on, so conditions on a step's state leave it out.
var growth = []string{
	`INSERT INTO intents (id, account, kind, key, fingerprint, params, amount, currency, payee, payee_ref, period, look_alike, state, reason,
			stuck, confirmed, uncertain, version, created_at, updated_at, created_by, creator, uncertain_since, stuck_since, review_due, sort_open)
		SELECT f.id, i.account, i.kind, 'key-' || f.n, i.fingerprint, i.params, 1000 + f.n % 90000, CASE f.n % 3 WHEN 0 THEN 'USD' WHEN 1 THEN 'EUR' ELSE 'JPY' END,
			'Rep ' || f.n % 5000, 'rep-' || f.n % 5000, i.period, hex(f.n % 5000),
			CASE f.fate WHEN 996 THEN 'needs_review' WHEN 997 THEN 'awaiting_approval' WHEN 998 THEN 'retryable_failure' WHEN 999 THEN 'processing' ELSE 'completed' END, '',
			CASE f.fate WHEN 996 THEN 'create-payout' WHEN 997 THEN 'approve-payout' WHEN 998 THEN 'create-payout' ELSE '' END,
			CASE WHEN f.fate < 996 THEN 1000 + f.n % 90000 ELSE 0 END, CASE f.fate WHEN 996 THEN 1000 + f.n % 90000 ELSE 0 END, 9, f.at, f.at + 5000000,
			i.created_by, i.creator, CASE f.fate WHEN 996 THEN f.at ELSE 0 END, CASE WHEN f.fate BETWEEN 997 AND 998 THEN f.at ELSE 0 END,
			CASE WHEN f.fate BETWEEN 996 AND 998 THEN f.at + 86400000000 ELSE 0 END,
			CASE WHEN f.fate = 996 THEN f.at WHEN f.fate BETWEEN 997 AND 998 THEN f.at + (1 << 56) ELSE 0 END
		FROM fates AS f JOIN intents AS i ON i.id = f.first`,
	`INSERT INTO steps (intent_id, name, position, class, operation, provider, contract_id, wire_key, state, settling, settles_by, failure, code, amount, currency,
			external_ref, moved, tries, people_needed, rule, uncertain_since, changed_at)
		SELECT f.id, s.name, s.position, s.class, s.operation, s.provider, s.contract_id, CASE s.wire_key WHEN '' THEN '' ELSE f.id || ':' || s.name END,
			CASE WHEN f.fate < 996 THEN 'confirmed'
				WHEN s.name = 'verify-payee' THEN 'confirmed'
				WHEN s.name = 'approve-payout' THEN CASE f.fate WHEN 997 THEN 'in_progress' ELSE 'confirmed' END
				WHEN s.name = 'create-payout' THEN CASE f.fate WHEN 996 THEN 'outcome_unknown' WHEN 997 THEN 'pending' WHEN 998 THEN 'failed_safely' ELSE 'in_progress' END
				ELSE 'pending' END,
			s.name = 'create-payout' AND f.fate = 999, CASE WHEN s.name = 'create-payout' AND f.fate = 999 THEN f.at + 3600000000 ELSE 0 END,
			CASE WHEN s.name = 'create-payout' AND f.fate = 998 THEN 'curable' ELSE '' END, CASE WHEN s.name = 'create-payout' AND f.fate = 998 THEN 'insufficient_funds' ELSE '' END,
			CASE s.amount WHEN 0 THEN 0 ELSE i.amount END, CASE s.currency WHEN '' THEN '' ELSE i.currency END,
			CASE WHEN s.name = 'create-payout' AND (f.fate < 996 OR f.fate = 999) THEN 'po_' || f.n ELSE '' END,
			CASE WHEN s.name = 'create-payout' AND f.fate < 996 THEN i.amount ELSE 0 END,
			CASE WHEN s.name = 'create-payout' AND f.fate <> 997 THEN CASE f.fate WHEN 996 THEN 6 ELSE 1 END ELSE 0 END,
			s.people_needed, s.rule, CASE WHEN s.name = 'create-payout' AND f.fate = 996 THEN f.at ELSE 0 END, f.at
		FROM fates AS f JOIN intents AS i ON i.id = f.id JOIN steps AS s ON s.intent_id = f.first`,
	`INSERT INTO generations (intent_id, step, number, wire_key, method, url, content_type, body, body_sha256, frozen_at)
		SELECT intent_id, name, 1, wire_key, 'POST', 'http://127.0.0.1:9/payouts', 'application/json', zeroblob(300), zeroblob(32), changed_at
		FROM steps WHERE class IN ('keyed', 'message') AND state <> 'pending'`,
	`INSERT INTO attempts (intent_id, step, number, generation, wire_key, trigger_by, worker, boot, fence, started_at, deadline_at, finished_at, result, code, connections, bytes_out, status)
		WITH tries (number) AS (VALUES (1), (2), (3), (4), (5), (6))
		SELECT s.intent_id, s.name, t.number, 1, s.wire_key, 'engine', 'w-1', 'boot', t.number, s.changed_at + t.number * 1000000, s.changed_at + t.number * 1000000 + 35000000,
			s.changed_at + t.number * 1000000 + 400000,
			CASE WHEN s.class NOT IN ('keyed', 'message') THEN 'done' WHEN s.state = 'outcome_unknown' THEN 'unknown' WHEN s.state = 'failed_safely' THEN 'rejected_curable'
				WHEN s.settling THEN 'accepted' ELSE 'confirmed' END, '', 1, 600, 201
		FROM steps AS s JOIN tries AS t ON t.number <= max(s.tries, 1) WHERE s.state <> 'pending'`,
	`INSERT INTO evidence (id, intent_id, step, attempt, source, says, began_at, at, ref, amount, currency)
		SELECT 'evidence-' || a.intent_id || a.step || a.number, a.intent_id, a.step, a.number, 'response', CASE a.result WHEN 'confirmed' THEN 'happened' ELSE 'inconclusive' END,
			a.started_at, a.finished_at, s.external_ref, s.amount, s.currency
		FROM attempts AS a JOIN steps AS s ON s.intent_id = a.intent_id AND s.name = a.step WHERE a.result IN ('confirmed', 'unknown')`,
	`DROP TABLE fates`,
}
