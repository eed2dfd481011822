-- +goose Up
-- What a contradiction shows of a step that had ended without effect may have moved
-- all the same, and is found where an unknown outcome is. What is in progress is not
-- in doubt: it is in flight, or settles.
DROP INDEX steps_in_doubt;
CREATE INDEX steps_in_doubt ON steps (intent_id, currency, open_amount, uncertain_since, provider, state)
  WHERE (state = 'outcome_unknown' OR state <> 'in_progress' AND open_amount > 0);
