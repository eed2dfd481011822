package bench

// fates is a table of numbers with what becomes of each: 996 is unknown, 997
// waits for an approval, 998 may be retried, 999 settles, and 0 is completed. ?1
// is the intent to copy, ?2 how many there shall be, ?3 from which on they are
// open, ?4 the time of the last; they are a minute apart.
const fates = `CREATE TEMP TABLE fates AS
	WITH RECURSIVE numbers (n) AS (SELECT 0 UNION ALL SELECT n + 1 FROM numbers WHERE n + 1 < ?2)
	SELECT n, printf('intent-%026d', n) AS id, CASE WHEN n < ?3 THEN 0 ELSE 996 + n % 4 END AS fate, ?4 - (?2 - n) * 60000000 AS at, ?1 AS first FROM numbers`

// growth are the statements that make rows of fates, in order. The copied intent
// has not been worked on, so conditions on a step's state leave it out.
var growth = []string{
	`INSERT INTO intents (id, account, kind, key, fingerprint, params, amount, currency, payee, payee_ref, period, look_alike, state, reason,
			stuck, confirmed, uncertain, version, created_at, updated_at, created_by, creator, uncertain_since, stuck_since, review_due, owner, owner_name, sort_open)
		SELECT f.id, i.account, i.kind, 'key-' || f.n, i.fingerprint, i.params, 1000 + f.n % 90000, CASE f.n % 3 WHEN 0 THEN 'USD' WHEN 1 THEN 'EUR' ELSE 'JPY' END,
			printf('Rep %07d', f.n / 20), 'rep-' || f.n / 20, i.period, hex(f.n / 2),
			CASE f.fate WHEN 996 THEN 'needs_review' WHEN 997 THEN 'awaiting_approval' WHEN 998 THEN 'retryable_failure' WHEN 999 THEN 'processing' ELSE 'completed' END, '',
			CASE f.fate WHEN 996 THEN 'create-payout' WHEN 997 THEN 'approve-payout' WHEN 998 THEN 'create-payout' ELSE '' END,
			CASE WHEN f.fate = 0 THEN 1000 + f.n % 90000 ELSE 0 END, CASE WHEN f.fate IN (996, 999) THEN 1000 + f.n % 90000 ELSE 0 END, 9, f.at, f.at + 5000000,
			i.created_by, i.creator, CASE f.fate WHEN 996 THEN f.at ELSE 0 END, CASE WHEN f.fate BETWEEN 997 AND 998 THEN f.at ELSE 0 END,
			CASE WHEN f.fate BETWEEN 996 AND 998 THEN f.at + 86400000000 ELSE 0 END,
			CASE WHEN f.n % 50 = 0 THEN (SELECT person FROM made) ELSE '' END, CASE WHEN f.n % 50 = 0 THEN 'Priya Raman' ELSE '' END,
			CASE WHEN f.fate = 996 THEN f.at WHEN f.fate BETWEEN 997 AND 998 THEN f.at + (1 << 56) ELSE 0 END
		FROM fates AS f JOIN intents AS i ON i.id = f.first`,
	`INSERT INTO payee_words (account, word, intent_id) SELECT i.account, lower(i.payee), i.id FROM fates AS f JOIN intents AS i ON i.id = f.id ORDER BY 1, 2, 3`,
	`INSERT INTO payee_words (account, word, intent_id) SELECT i.account, substr(i.payee, 5), i.id FROM fates AS f JOIN intents AS i ON i.id = f.id ORDER BY 1, 2, 3`,
	`INSERT INTO steps (intent_id, name, position, class, operation, provider, contract_id, wire_key, state, settling, settles_by, failure, code, amount, currency,
			external_ref, moved, tries, people_needed, rule, uncertain_since, changed_at, account, open_amount)
		SELECT f.id, s.name, s.position, s.class, s.operation, s.provider, s.contract_id, CASE s.wire_key WHEN '' THEN '' ELSE f.id || ':' || s.name END,
			CASE WHEN f.fate = 0 THEN 'confirmed'
				WHEN s.name = 'verify-payee' THEN 'confirmed'
				WHEN s.name = 'approve-payout' THEN CASE f.fate WHEN 997 THEN 'in_progress' ELSE 'confirmed' END
				WHEN s.name = 'create-payout' THEN CASE f.fate WHEN 996 THEN 'outcome_unknown' WHEN 997 THEN 'pending' WHEN 998 THEN 'failed_safely' ELSE 'in_progress' END
				ELSE 'pending' END,
			s.name = 'create-payout' AND f.fate = 999, CASE WHEN s.name = 'create-payout' AND f.fate = 999 THEN f.at + 3600000000 ELSE 0 END,
			CASE WHEN s.name = 'create-payout' AND f.fate = 998 THEN 'curable' ELSE '' END, CASE WHEN s.name = 'create-payout' AND f.fate = 998 THEN 'insufficient_funds' ELSE '' END,
			CASE s.amount WHEN 0 THEN 0 ELSE i.amount END, CASE s.currency WHEN '' THEN '' ELSE i.currency END,
			CASE WHEN s.name = 'create-payout' AND f.fate IN (0, 999) THEN 'po_' || f.n ELSE '' END,
			CASE WHEN s.name = 'create-payout' AND f.fate = 0 THEN i.amount ELSE 0 END,
			CASE WHEN s.name = 'create-payout' AND f.fate <> 997 THEN CASE f.fate WHEN 996 THEN 6 ELSE 2 END ELSE 0 END,
			s.people_needed, s.rule, CASE WHEN s.name = 'create-payout' AND f.fate = 996 THEN f.at ELSE 0 END, f.at,
			i.account, CASE WHEN s.name = 'create-payout' AND f.fate IN (996, 999) THEN i.amount ELSE 0 END
		FROM fates AS f JOIN intents AS i ON i.id = f.id CROSS JOIN steps AS s WHERE s.intent_id = f.first`,
	`INSERT INTO generations (intent_id, step, number, wire_key, method, url, content_type, body, body_sha256, frozen_at)
		SELECT intent_id, name, 1, wire_key, 'POST', 'http://127.0.0.1:9/payouts', 'application/json', zeroblob(300), zeroblob(32), changed_at
		FROM steps WHERE class IN ('keyed', 'message') AND state <> 'pending'`,
	`INSERT INTO attempts (intent_id, step, number, generation, wire_key, trigger_by, worker, boot, fence, started_at, deadline_at, finished_at, result, code, connections, bytes_out, status)
		WITH RECURSIVE tries (number) AS (SELECT 1 UNION ALL SELECT number + 1 FROM tries WHERE number < (SELECT busy FROM made)),
			tried (intent_id, step, number) AS (
				SELECT intent_id, name, number FROM steps CROSS JOIN (SELECT 1 AS number UNION ALL SELECT 2) WHERE state NOT IN ('pending', 'outcome_unknown')
				UNION ALL SELECT intent_id, name, number FROM fates AS f CROSS JOIN steps AS s ON s.intent_id = f.id AND s.state = 'outcome_unknown'
					CROSS JOIN tries WHERE f.fate = 996 AND number <= CASE f.id WHEN (SELECT max(id) FROM fates WHERE fate = 996) THEN (SELECT busy FROM made) ELSE 6 END)
		SELECT s.intent_id, s.name, t.number, 1, s.wire_key, 'engine', 'w-1', 'boot', t.number, s.changed_at + t.number * 1000000, s.changed_at + t.number * 1000000 + 35000000,
			s.changed_at + t.number * 1000000 + 400000,
			CASE WHEN s.class NOT IN ('keyed', 'message') THEN 'done' WHEN s.state = 'outcome_unknown' THEN 'unknown' WHEN s.state = 'failed_safely' THEN 'rejected_curable'
				WHEN t.number = 1 THEN 'not_sent' WHEN s.settling THEN 'accepted' ELSE 'confirmed' END, '', 1, 600, 201
		FROM tried AS t CROSS JOIN steps AS s WHERE s.intent_id = t.intent_id AND s.name = t.step`,
	`INSERT INTO evidence (id, intent_id, step, attempt, source, says, began_at, at, ref, amount, currency)
		SELECT 'evidence-' || a.intent_id || a.step || a.number, a.intent_id, a.step, a.number, 'response', CASE a.result WHEN 'confirmed' THEN 'happened' ELSE 'inconclusive' END,
			a.started_at, a.finished_at, s.external_ref, s.amount, s.currency
		FROM attempts AS a CROSS JOIN steps AS s ON s.intent_id = a.intent_id AND s.name = a.step WHERE a.result IN ('confirmed', 'unknown')`,
	`INSERT INTO approvals (id, state, action, intent_id, account, step, digest, plan, input, reason, requested_by, requester_name, needed, created_at, expires_at, closed_at, version)
		SELECT 'approval-' || f.id, CASE f.fate WHEN 0 THEN 'executed' ELSE 'open' END, 'approve_intent', f.id, i.account, 'approve-payout', hex(f.n), CAST('{"calls":[]}' AS BLOB),
			CAST('{}' AS BLOB), 'it is due', 'person-x', 'Payroll', 1, f.at, f.at + 86400000000, CASE f.fate WHEN 0 THEN f.at + 1 ELSE 0 END, 9
		FROM fates AS f JOIN intents AS i ON i.id = f.id WHERE f.fate = 997 OR f.fate = 0 AND f.n % 33 = 0`,
	`INSERT INTO approval_decisions (approval_id, person, name, says, reason, at)
		SELECT id, 'person-y', 'Ingrid Solheim', 'approve', 'seen', closed_at FROM approvals WHERE state = 'executed'`,
	`CREATE TEMP TABLE entries AS
		WITH events (k, event) AS (VALUES (0, 'intent.accepted'), (1, 'step.confirmed'), (2, 'intent.completed')),
			one AS (SELECT id, actor, account, intent_id, CAST(canonical AS TEXT) AS canonical, mac FROM audit_entries WHERE intent_id <> '' LIMIT 1)
		SELECT (SELECT entries FROM made) + f.n * 3 + e.k AS idx, printf('audit-%026d', f.n * 3 + e.k) AS id, f.at + e.k AS at,
			CASE WHEN e.k = 0 AND f.n % 50 = 0 THEN (SELECT person FROM made) WHEN e.k = 0 THEN o.actor ELSE 'engine' END AS actor, e.event, o.account, f.id AS intent_id,
			replace(replace(replace(o.canonical, o.id, printf('audit-%026d', f.n * 3 + e.k)), o.intent_id, f.id), '"intent.accepted"', '"' || e.event || '"') AS canonical, o.mac
		FROM fates AS f CROSS JOIN events AS e CROSS JOIN one AS o`,
	`INSERT INTO audit_entries (id, at, actor, event, account, intent_id, canonical, mac) SELECT id, at, actor, event, account, intent_id, CAST(canonical AS BLOB), mac FROM entries`,
	`INSERT INTO audit_log (idx, entry_id, account, event, intent_id, actor, at, leaf_hash) SELECT idx, id, account, event, intent_id, actor, at, randomblob(32) FROM entries`,
	`DROP TABLE entries`,
	`DELETE FROM audit_waiting`,
	`DROP TRIGGER audit_nodes_no_delete`,
	`DELETE FROM audit_nodes`,
	`INSERT INTO audit_nodes (level, idx, hash) WITH RECURSIVE
		sizes (level, size) AS (SELECT 1, (SELECT max(idx) + 1 FROM audit_log) / 2 UNION ALL SELECT level + 1, size / 2 FROM sizes WHERE size > 1),
		nodes (level, idx, size) AS (SELECT level, 0, size FROM sizes WHERE size > 0 UNION ALL SELECT level, idx + 1, size FROM nodes WHERE idx + 1 < size)
		SELECT level, idx, randomblob(32) FROM nodes`,
	`INSERT INTO audit_checkpoints (size, root, at, signed) SELECT max(idx) + 1, randomblob(32), max(at), x'' FROM audit_log`,
	`DROP TABLE made`,
	`DROP TABLE fates`,
}
