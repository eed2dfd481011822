-- +goose Up
-- What a contradiction shows beside a confirmed movement of money may have moved as
-- well. It is in doubt from that moment on, and found where an unknown outcome is.
UPDATE steps SET uncertain_since = (SELECT min(k.opened_at) FROM conflicts k WHERE k.intent_id = steps.intent_id AND k.step = steps.name AND k.closed_at = 0)
  WHERE state = 'confirmed' AND open_amount > 0
    AND (intent_id, name) IN (SELECT intent_id, step FROM conflicts WHERE closed_at = 0);

UPDATE intents SET uncertain_since = (SELECT min(s.uncertain_since) FROM steps s
    WHERE s.intent_id = intents.id AND s.uncertain_since > 0 AND (s.state = 'outcome_unknown' OR s.state = 'confirmed' AND s.open_amount > 0))
  WHERE id IN (SELECT intent_id FROM steps WHERE state = 'confirmed' AND open_amount > 0 AND uncertain_since > 0);

UPDATE intents SET sort_open = uncertain_since
  WHERE id IN (SELECT intent_id FROM steps WHERE state = 'confirmed' AND open_amount > 0 AND uncertain_since > 0);

DROP INDEX steps_unknown;
CREATE INDEX steps_in_doubt ON steps (intent_id, currency, open_amount, uncertain_since, provider, state)
  WHERE (state = 'outcome_unknown' OR state = 'confirmed' AND open_amount > 0);
