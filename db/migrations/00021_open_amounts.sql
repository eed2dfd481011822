-- +goose Up
-- A step has its own part of what is uncertain of its intent, so that no sum over
-- steps counts money twice; and its account, so that what settles in one account
-- is found however much settles in others.
ALTER TABLE steps ADD COLUMN account TEXT NOT NULL DEFAULT '';
ALTER TABLE steps ADD COLUMN open_amount BIGINT NOT NULL DEFAULT 0;

UPDATE steps SET account = (SELECT i.account FROM intents i WHERE i.id = steps.intent_id);

-- What follows is what the rules say of the rows as they are. Unknown, settling or
-- in flight, and not taken back by a confirmed undo:
UPDATE steps SET open_amount = amount
  WHERE amount <> 0 AND (state = 'outcome_unknown' OR state = 'in_progress' AND class IN ('keyed', 'unkeyed', 'message') AND NOT EXISTS (
    SELECT 1 FROM intents child JOIN steps undo ON undo.intent_id = child.id
    WHERE child.parent = steps.intent_id AND child.parent <> '' AND undo.state = 'confirmed' AND steps.operation = CASE undo.operation
      WHEN 'payout.reverse' THEN 'payout.create' WHEN 'credit.reverse' THEN 'credit.create' WHEN 'ledger.reverse' THEN 'ledger.post'
      WHEN 'document.void' THEN 'document.issue' WHEN 'message.send' THEN 'message.send' END));

-- Where an open contradiction shows a larger amount, that one:
UPDATE steps SET open_amount = (SELECT max(e.amount) FROM evidence e WHERE e.intent_id = steps.intent_id AND e.step = steps.name AND e.says = 'conflict' AND e.currency = steps.currency)
  WHERE (open_amount > 0 OR state = 'outcome_unknown') AND (intent_id, name) IN (SELECT intent_id, step FROM conflicts WHERE closed_at = 0)
    AND EXISTS (SELECT 1 FROM evidence e WHERE e.intent_id = steps.intent_id AND e.step = steps.name AND e.says = 'conflict' AND e.currency = steps.currency AND e.amount > steps.open_amount);

-- Of a confirmed movement of money, what an open contradiction shows beside it:
UPDATE steps SET open_amount = COALESCE((
    SELECT max(e.amount - CASE WHEN e.ref = steps.external_ref OR e.status = 'several' THEN steps.moved ELSE 0 END) FROM evidence e
    WHERE e.intent_id = steps.intent_id AND e.step = steps.name AND e.says = 'conflict' AND e.currency = steps.currency
      AND e.amount > CASE WHEN e.ref = steps.external_ref OR e.status = 'several' THEN steps.moved ELSE 0 END), 0)
  WHERE state = 'confirmed' AND operation IN ('payout.create', 'payout.reverse', 'credit.create', 'credit.reverse')
    AND (intent_id, name) IN (SELECT intent_id, step FROM conflicts WHERE closed_at = 0);

DROP INDEX steps_unknown;
CREATE INDEX steps_unknown ON steps (intent_id, currency, open_amount, uncertain_since, provider) WHERE state = 'outcome_unknown';
DROP INDEX steps_settling;
CREATE INDEX steps_settling ON steps (account, settles_by) WHERE settling;
