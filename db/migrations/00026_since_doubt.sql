-- +goose Up
-- An effect is uncertain since its outcome became unknown, not since it was sent:
-- one that was in transit for weeks is not weeks in doubt in its first second.
UPDATE steps SET uncertain_since = 0 WHERE uncertain_since <> 0 AND state <> 'outcome_unknown';
UPDATE steps SET uncertain_since = changed_at WHERE state = 'outcome_unknown';
UPDATE intents SET uncertain_since = (SELECT min(s.uncertain_since) FROM steps s WHERE s.intent_id = intents.id AND s.state = 'outcome_unknown')
  WHERE id IN (SELECT intent_id FROM steps WHERE state = 'outcome_unknown');
UPDATE intents SET sort_open = uncertain_since WHERE uncertain_since > 0;
