-- +goose Up
-- What a rep or a letter says: how much it was, where the money went, and to
-- which address the remittance was sent.
CREATE INDEX intents_money ON intents (account, amount, currency);

CREATE TABLE payee_contacts (
  account   TEXT NOT NULL,
  contact   TEXT NOT NULL,
  intent_id TEXT NOT NULL REFERENCES intents (id),
  PRIMARY KEY (account, contact, intent_id)
);

-- A cast to JSON is written as each database reads it.
INSERT INTO payee_contacts (account, contact, intent_id) SELECT DISTINCT account, contact, id FROM (
  SELECT account, id, CAST(params AS JSON) -> 'payee' ->> 'destination' AS contact FROM intents WHERE kind = 'payout' UNION ALL
  SELECT account, id, lower(CAST(params AS JSON) -> 'payee' ->> 'email') FROM intents WHERE kind = 'payout' UNION ALL
  SELECT account, id, lower(CAST(params AS JSON) -> 'rep' ->> 'email') FROM intents WHERE kind = 'statement' UNION ALL
  SELECT account, id, CAST(params AS JSON) -> 'credit' -> 'payee' ->> 'destination' FROM intents WHERE kind = 'dispute' UNION ALL
  SELECT account, id, lower(CAST(params AS JSON) -> 'credit' -> 'payee' ->> 'email') FROM intents WHERE kind = 'dispute' UNION ALL
  SELECT i.account, i.id, lower(CAST(i.params AS JSON) -> 'notify' ->> n.at) FROM intents i
    CROSS JOIN (WITH RECURSIVE up (at) AS (SELECT 0 UNION ALL SELECT at + 1 FROM up WHERE at < 19) SELECT at FROM up) n WHERE i.kind = 'dispute'
) AS named WHERE contact <> '';

-- What undoes an intent is found as that intent is.
INSERT INTO payee_contacts (account, contact, intent_id) SELECT i.account, p.contact, i.id FROM intents i JOIN payee_contacts p ON p.intent_id = i.parent WHERE i.parent <> '';
