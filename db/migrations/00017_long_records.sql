-- +goose Up
-- A page reads the newest of a step's attempts and evidence, and these of the
-- older ones: what decides something whatever came after it.
CREATE INDEX attempts_lost ON attempts (intent_id, step, number) WHERE lost;
CREATE INDEX attempts_unknown ON attempts (intent_id, step, number) WHERE result = 'unknown' AND NOT lost;
CREATE INDEX evidence_telling ON evidence (intent_id, step, at)
  WHERE source IN ('operator', 'rule', 'late', 'bank_file') OR says IN ('happened', 'conflict', 'returned') OR says = 'did_not_happen' AND attempt = 0;
-- Looks at a provider are counted without reading them.
DROP INDEX evidence_step;
CREATE INDEX evidence_step ON evidence (intent_id, step, at, source);
