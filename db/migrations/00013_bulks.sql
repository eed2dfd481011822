-- +goose Up
-- What a person has ticked in the queue, over its pages.
CREATE TABLE selections (
  id         TEXT PRIMARY KEY,
  person     TEXT NOT NULL REFERENCES people (id),
  created_at BIGINT NOT NULL
);
CREATE INDEX selections_person ON selections (person, created_at);

CREATE TABLE selected_intents (
  selection_id TEXT NOT NULL REFERENCES selections (id),
  intent_id    TEXT NOT NULL REFERENCES intents (id),
  position     INTEGER NOT NULL,          -- in the order of ticking
  page         TEXT NOT NULL,             -- names the page of the list on which it was ticked
  PRIMARY KEY (selection_id, intent_id)
);

-- One action on a frozen list of intents: previewed, confirmed once, and carried
-- out item by item.
CREATE TABLE bulks (
  id             TEXT PRIMARY KEY,
  account        TEXT NOT NULL,
  actor          TEXT NOT NULL,
  actor_name     TEXT NOT NULL,
  action         TEXT NOT NULL,
  digest         TEXT NOT NULL,           -- over the digests of all plans, in their order
  people         INTEGER NOT NULL,        -- the most that any item takes
  planned        INTEGER NOT NULL,        -- items with a plan
  sums           BYTEA NOT NULL,          -- their money by currency, JSON
  creators       TEXT NOT NULL,           -- who answers for their intents: ids, comma-separated
  state          TEXT NOT NULL CHECK (state IN ('previewed', 'open', 'running', 'done', 'rejected', 'withdrawn', 'dismissed', 'expired')),
  created_at     BIGINT NOT NULL,
  expires_at     BIGINT NOT NULL,         -- of the preview; of the request once people are asked
  used_at        BIGINT NOT NULL DEFAULT 0, -- when it was confirmed
  used_with      TEXT NOT NULL DEFAULT '', -- digest of the confirmation's contents
  reason         TEXT NOT NULL DEFAULT '',
  entry          TEXT NOT NULL DEFAULT '', -- id of the audit entry of the confirmation
  closed_at      BIGINT NOT NULL DEFAULT 0, -- when its last item was done, or the request ended
  closed_because TEXT NOT NULL DEFAULT ''
);
CREATE INDEX bulks_actor ON bulks (actor, created_at, id);
CREATE INDEX bulks_running ON bulks (id) WHERE state = 'running';
CREATE INDEX bulks_open ON bulks (expires_at) WHERE state = 'open';
CREATE INDEX bulks_requests ON bulks (account, state, used_at, id) WHERE people > 1 AND used_at > 0;

-- The items of a list in their order, the excluded ones too.
CREATE TABLE bulk_items (
  bulk_id    TEXT NOT NULL REFERENCES bulks (id),
  position   INTEGER NOT NULL,
  intent_id  TEXT NOT NULL,               -- as it was named: it may be nobody's
  preview_id TEXT NOT NULL DEFAULT '',    -- the sealed plan; '' is excluded
  rule       TEXT NOT NULL,
  because    TEXT NOT NULL,
  step       TEXT NOT NULL DEFAULT '',
  amount     BIGINT NOT NULL DEFAULT 0,
  currency   TEXT NOT NULL DEFAULT '',
  twice      BOOLEAN NOT NULL DEFAULT FALSE, -- it may have happened already
  outcome    TEXT NOT NULL DEFAULT '' CHECK (outcome IN ('', 'executed', 'stale', 'refused', 'denied', 'failed')),
  said       TEXT NOT NULL DEFAULT '',    -- why it was not done
  attempt    INTEGER NOT NULL DEFAULT 0,  -- number of the one attempt that was ordered
  entry      TEXT NOT NULL DEFAULT '',    -- id of the audit entry
  at         BIGINT NOT NULL DEFAULT 0,
  PRIMARY KEY (bulk_id, position)
);
CREATE INDEX bulk_items_intent ON bulk_items (intent_id, bulk_id);

-- What people said on a list that needs another person.
CREATE TABLE bulk_decisions (
  bulk_id TEXT NOT NULL REFERENCES bulks (id),
  person  TEXT NOT NULL,
  name    TEXT NOT NULL,
  says    TEXT NOT NULL CHECK (says IN ('approve', 'reject', 'withdraw')),
  reason  TEXT NOT NULL,
  at      BIGINT NOT NULL,
  PRIMARY KEY (bulk_id, person)
);
