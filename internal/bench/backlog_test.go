package bench

import (
	"context"
	"fmt"
	"testing"
	"time"

	"countersign/internal/store"
)

// How many other intents wait in the two databases that are compared, and how
// many intents each measurement drives to their end.
var (
	fewWaiting  = 1_000
	manyWaiting = size("COUNTERSIGN_BENCH_WAITING", 1_000_000)
	perTurn     = size("COUNTERSIGN_BENCH_TURN", 250)
)

// turns is how often the two databases take turns.
const turns = 3

// BenchmarkBacklog measures what an intent costs while few and while very many
// others wait: for a time far off, for their next try, for an approval. The two
// databases take turns. The ratios are many by few, of time and of processor
// time; the cost of an intent must not grow with the backlog.
func BenchmarkBacklog(b *testing.B) {
	for _, place := range places() {
		b.Run(place.name, func(b *testing.B) {
			for b.Loop() {
				few, many := newWaiting(b, place, fewWaiting), newWaiting(b, place, manyWaiting)
				var atFew, atMany spent
				for range turns {
					atFew.add(few.turn(b))
					atMany.add(many.turn(b))
				}
				b.ReportMetric(milliseconds(atFew.cpu)/float64(turns*perTurn), "few-cpu-ms/intent")
				b.ReportMetric(milliseconds(atMany.cpu)/float64(turns*perTurn), "many-cpu-ms/intent")
				b.ReportMetric(float64(atMany.cpu)/float64(atFew.cpu), "cpu-ratio")
				b.ReportMetric(float64(atMany.wall)/float64(atFew.wall), "ratio")
				b.ReportMetric(0, "ns/op")
			}
		})
	}
}

func (s *spent) add(more spent) {
	s.wall, s.cpu, s.commits = s.wall+more.wall, s.cpu+more.cpu, s.commits+more.commits
}

// turn takes some intents in and drives them to their end.
func (r *rig) turn(b testing.TB) spent {
	b.Helper()
	r.backlog(b, perTurn)
	return r.drive(b, perTurn)
}

// newWaiting is an installation in which n intents wait, copies of one payout
// made by SQL, with the steps that say what for. One turn warms it up.
func newWaiting(b testing.TB, p place, n int) *rig {
	b.Helper()
	r := newRig(b, p.open(b), crew{1, 16})
	first := r.accept(b)
	err := r.db.Update(context.Background(), func(tx *store.Tx) error {
		far := int64(tx.Now().Add(1000 * time.Hour))
		for from := 0; from < n; from += waitingAtOnce {
			upTo := min(from+waitingAtOnce, n)
			if _, err := tx.Exec(waitingIntents, from, upTo-1, far, first); err != nil {
				return err
			}
			if _, err := tx.Exec(waitingSteps, from, upTo-1, far, first); err != nil {
				return err
			}
		}
		return nil
	})
	if err == nil { // both databases do this by themselves where such a backlog grows
		err = r.db.Update(context.Background(), func(tx *store.Tx) error { _, err := tx.Exec("ANALYZE"); return err })
	}
	if err != nil {
		b.Fatal(fmt.Errorf("fill: %w", err))
	}
	r.turn(b)
	return r
}

// waitingAtOnce is how many are made by one statement.
const waitingAtOnce = 50_000

// Of four intents one waits for an approval and three for times far off, all of
// them different: for a next try, for an object to settle, for a next check.
const (
	waitingIntents = `INSERT INTO intents (id, account, kind, key, fingerprint, params, amount, currency, payee, payee_ref, period, look_alike,
			state, stuck, version, fence, wake_at, created_at, updated_at, created_by, creator, stuck_since, sort_open)
		WITH RECURSIVE numbers (n) AS (SELECT CAST(? AS BIGINT) UNION ALL SELECT n + 1 FROM numbers WHERE n < ?)
		SELECT 'intent-w' || (100000000 + n), i.account, i.kind, 'waits-' || n, i.fingerprint, i.params, 1000 + n % 90000, i.currency,
			'Rep ' || (n % 5000), 'rep-' || (n % 5000), i.period, 'like-' || (n % 5000),
			CASE n % 4 WHEN 0 THEN 'awaiting_approval' WHEN 1 THEN 'retryable_failure' ELSE 'processing' END, 'create-payout', 4, 2,
			CAST(? AS BIGINT) + n, i.created_at - n, i.updated_at, i.created_by, i.creator, 0, CASE n % 4 WHEN 0 THEN 1 + n ELSE 0 END
		FROM numbers JOIN intents AS i ON i.id = ?`
	waitingSteps = `INSERT INTO steps (intent_id, name, position, class, operation, provider, contract_id, wire_key, state, settling, settles_by,
			amount, currency, people_needed, rule, next_check_at, account, open_amount)
		WITH RECURSIVE numbers (n) AS (SELECT CAST(? AS BIGINT) UNION ALL SELECT n + 1 FROM numbers WHERE n < ?)
		SELECT 'intent-w' || (100000000 + n), s.name, s.position, s.class, s.operation, s.provider, s.contract_id,
			CASE s.wire_key WHEN '' THEN '' ELSE 'w' || (100000000 + n) || s.name END,
			CASE WHEN s.name = 'create-payout' AND n % 4 = 2 THEN 'in_progress' WHEN s.position <= 2 AND n % 4 <> 0 THEN 'confirmed' ELSE 'pending' END,
			s.name = 'create-payout' AND n % 4 = 2, 0, s.amount, s.currency, s.people_needed, s.rule, CASE WHEN s.name = 'create-payout' THEN CAST(? AS BIGINT) ELSE 0 END,
			s.account, CASE WHEN s.name = 'create-payout' AND n % 4 = 2 THEN s.amount ELSE 0 END
		FROM numbers JOIN steps AS s ON s.intent_id = ?`
)
