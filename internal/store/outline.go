package store

import (
	"strconv"

	"countersign/internal/model"
)

// An outline of a step's record is what a page shows of it and what the rules
// look at, however long the record is:
//
//	attempts: the newest, the first, the newest with an unknown outcome, and all
//	          whose worker was lost
//	evidence: the newest, the last look at the provider before these, and all
//	          that tells something whatever came after it
//
// Every part is found by an index, so that 5,000 attempts cost as much as 50.
// The rules come to the same by an outline, or to something more careful: what
// is planned, confirmed or done reads the whole record under its lock.

// OutlineRows is how many of a step's newest attempts and pieces of evidence an
// outline has at least.
const OutlineRows = 40

// telling is the condition of evidence_telling.
const telling = `(e.source IN ('operator', 'rule', 'late', 'bank_file') OR e.says IN ('happened', 'conflict', 'returned') OR e.says = 'did_not_happen' AND e.attempt = 0)`

// attemptHeads begins a statement with the number up to which a step's attempts
// are older ones; the intents' ids follow. Attempts are numbered from 1, so that
// the newest one's number counts them.
var attemptHeads = `WITH heads AS MATERIALIZED (SELECT s.intent_id, s.name AS step, (SELECT max(n.number) FROM attempts n WHERE n.intent_id = s.intent_id AND n.step = s.name) - ` +
	strconv.Itoa(OutlineRows) + ` AS older FROM steps s WHERE s.intent_id IN `

// attemptOutline ends it. CROSS JOIN keeps SQLite going from the few steps to
// their attempts.
const attemptOutline = `)
	SELECT a.* FROM heads h CROSS JOIN attempts a WHERE a.intent_id = h.intent_id AND a.step = h.step AND a.number > h.older
	UNION ALL SELECT a.* FROM heads h CROSS JOIN attempts a WHERE a.intent_id = h.intent_id AND a.step = h.step AND a.number = 1 AND h.older >= 1
	UNION ALL SELECT a.* FROM heads h CROSS JOIN attempts a WHERE a.intent_id = h.intent_id AND a.step = h.step AND a.lost AND a.number > 1 AND a.number <= h.older
	UNION ALL SELECT a.* FROM heads h CROSS JOIN attempts a WHERE a.intent_id = h.intent_id AND a.step = h.step AND a.number > 1 AND a.number <= h.older
		AND a.number = (SELECT max(u.number) FROM attempts u WHERE u.intent_id = h.intent_id AND u.step = h.step AND u.result = 'unknown' AND NOT u.lost)
	ORDER BY intent_id, step, number`

// evidenceHeads begins a statement with the moment before which a step's evidence
// is older; the intents' ids follow.
var evidenceHeads = `WITH heads AS MATERIALIZED (SELECT s.intent_id, s.name AS step, COALESCE((SELECT n.at FROM evidence n WHERE n.intent_id = s.intent_id AND n.step = s.name
	ORDER BY n.at DESC LIMIT 1 OFFSET ` + strconv.Itoa(OutlineRows-1) + `), 0) AS since FROM steps s WHERE s.intent_id IN `

// olderLook finds the newest look among a step's older evidence.
const olderLook = `(SELECT l.at FROM evidence l WHERE l.intent_id = h.intent_id AND l.step = h.step AND l.at < h.since AND l.source = 'query' ORDER BY l.at DESC LIMIT 1)`

const evidenceOutline = `)
	SELECT e.* FROM heads h CROSS JOIN evidence e WHERE e.intent_id = h.intent_id AND e.step = h.step AND e.at >= h.since
	UNION ALL SELECT e.* FROM heads h CROSS JOIN evidence e WHERE e.intent_id = h.intent_id AND e.step = h.step AND e.at < h.since AND ` + telling + `
	UNION ALL SELECT e.* FROM heads h CROSS JOIN evidence e WHERE e.intent_id = h.intent_id AND e.step = h.step AND h.since > 0
		AND e.at = ` + olderLook + ` AND e.source = 'query' AND NOT ` + telling + `
	ORDER BY intent_id, step, at, id`

// leftOut counts the older evidence of a step.
type leftOut struct {
	IntentID string     `db:"intent_id"`
	Step     string     `db:"step"`
	Since    model.Time `db:"since"` // what is before it is older
	Older    int        `db:"older"`
	Looks    int        `db:"looks"`
}

// evidenceLeft counts in the index, without reading a row of the table.
const evidenceLeft = `) SELECT h.intent_id, h.step, h.since, (SELECT count(*) FROM evidence e WHERE e.intent_id = h.intent_id AND e.step = h.step AND e.at < h.since) AS older,
	(SELECT count(*) FROM evidence e WHERE e.intent_id = h.intent_id AND e.step = h.step AND e.at < h.since AND e.source = 'query') AS looks
	FROM heads h WHERE h.since > 0`

// hangLeft tells the steps what their outline leaves out.
func (g *gathered) hangLeft(byID map[string]*model.Case) {
	for i := range g.steps {
		if s := &g.steps[i]; len(s.Attempts) > 0 {
			s.Left.Attempts = s.Attempts[len(s.Attempts)-1].Number - len(s.Attempts)
		}
	}
	for _, l := range g.left {
		s := byID[l.IntentID].Step(l.Step)
		s.Left.Evidence, s.Left.Looks = l.Older, l.Looks
		for _, e := range s.Evidence {
			if e.At >= l.Since {
				break
			}
			s.Left.Evidence--
			if e.Source == model.FromQuery {
				s.Left.Looks--
			}
		}
	}
}
