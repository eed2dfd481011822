-- +goose Up
-- Where the sweep of one operation at one provider stands: it lists what the
-- provider made and compares that with ours, both ways.
CREATE TABLE sweeps (
  provider   TEXT NOT NULL,
  operation  TEXT NOT NULL,
  lists      BOOLEAN NOT NULL,            -- whether the provider can list it at all
  asked      BIGINT NOT NULL DEFAULT 0,   -- list back to here at the next pass
  due_at     BIGINT NOT NULL DEFAULT 0,
  phase      TEXT NOT NULL DEFAULT '' CHECK (phase IN ('', 'listing', 'comparing')),
  since      BIGINT NOT NULL DEFAULT 0,   -- of the pass under way
  began_at   BIGINT NOT NULL DEFAULT 0,
  cursor     TEXT NOT NULL DEFAULT '',    -- where it goes on
  listed     BIGINT NOT NULL DEFAULT 0,   -- objects so far
  done_since BIGINT NOT NULL DEFAULT 0,   -- of the last whole pass
  done_began BIGINT NOT NULL DEFAULT 0,
  done_at    BIGINT NOT NULL DEFAULT 0,
  trouble    TEXT NOT NULL DEFAULT '',    -- why the pass does not go on, or ''
  tries      INTEGER NOT NULL DEFAULT 0,  -- failures in a row
  PRIMARY KEY (provider, operation)
);

-- What the lists showed, by the key that each object names.
CREATE TABLE seen_objects (
  provider     TEXT NOT NULL,
  operation    TEXT NOT NULL,
  external_ref TEXT NOT NULL,
  reference    TEXT NOT NULL,             -- as the provider has it
  step_key     TEXT NOT NULL,             -- the same as a step key of ours, or ''
  amount       BIGINT NOT NULL,
  currency     TEXT NOT NULL,
  status       TEXT NOT NULL,             -- the provider's own word
  made_at      BIGINT NOT NULL,           -- by the provider's clock
  seen_at      BIGINT NOT NULL,           -- when a list showed it last
  PRIMARY KEY (provider, operation, external_ref)
);
CREATE INDEX seen_objects_step_key ON seen_objects (step_key) WHERE step_key <> '';
CREATE INDEX seen_objects_reference ON seen_objects (reference);
CREATE INDEX seen_objects_age ON seen_objects (provider, operation, seen_at);

-- Objects that the sweep found to differ from what a step says: each is read
-- by its own id, and only that is evidence.
CREATE TABLE sweep_looks (
  provider     TEXT NOT NULL,
  operation    TEXT NOT NULL,
  external_ref TEXT NOT NULL,
  intent_id    TEXT NOT NULL,
  step         TEXT NOT NULL,
  generation   INTEGER NOT NULL DEFAULT 0, -- whose key the object names; 0 is not known
  why          TEXT NOT NULL CHECK (why IN ('differs', 'missing')),
  listed_as    TEXT NOT NULL DEFAULT '',  -- what the list said: a repeat of it is no news
  asked_at     BIGINT NOT NULL,
  due_at       BIGINT NOT NULL,           -- 0 once it is settled
  tries        INTEGER NOT NULL DEFAULT 0,
  missed_at    BIGINT NOT NULL DEFAULT 0, -- when the provider first did not know it
  outcome      TEXT NOT NULL DEFAULT '' CHECK (outcome IN ('', 'applied', 'missing', 'unanswered', 'moot')),
  settled_at   BIGINT NOT NULL DEFAULT 0,
  PRIMARY KEY (provider, operation, external_ref),
  FOREIGN KEY (intent_id, step) REFERENCES steps (intent_id, name)
);
CREATE INDEX sweep_looks_due ON sweep_looks (due_at) WHERE due_at > 0;
CREATE INDEX objects_at ON objects (provider, operation, at, external_ref);

-- What stands on one side only: a provider's object without an intent, or an
-- intent without its object.
CREATE TABLE orphans (
  id           TEXT PRIMARY KEY,
  sort         TEXT NOT NULL CHECK (sort IN ('unknown_object', 'missing_object')),
  provider     TEXT NOT NULL,
  operation    TEXT NOT NULL,             -- '' where the provider's word is none of ours
  external_ref TEXT NOT NULL,
  reference    TEXT NOT NULL,             -- as the provider has it
  named_intent TEXT NOT NULL DEFAULT '',  -- the intent id that the reference names, known here or not
  intent_id    TEXT NOT NULL DEFAULT '',  -- ours, of a missing object
  step         TEXT NOT NULL DEFAULT '',
  account      TEXT NOT NULL DEFAULT '',  -- of that intent; '' where nobody can tell
  amount       BIGINT NOT NULL DEFAULT 0,
  currency     TEXT NOT NULL DEFAULT '',
  status       TEXT NOT NULL DEFAULT '',
  made_at      BIGINT NOT NULL DEFAULT 0,
  found_by     TEXT NOT NULL CHECK (found_by IN ('sweep', 'webhook')),
  event        TEXT NOT NULL DEFAULT '',  -- the webhook's id
  found_at     BIGINT NOT NULL,
  settled_at   BIGINT NOT NULL DEFAULT 0,
  settled_by   TEXT NOT NULL DEFAULT '',  -- person id, or engine
  settler      TEXT NOT NULL DEFAULT '',  -- the name
  note         TEXT NOT NULL DEFAULT '',  -- the reason
  taken_by     TEXT NOT NULL DEFAULT '',  -- the intent that it turned out to belong to
  UNIQUE (provider, operation, external_ref, sort)
);
CREATE INDEX orphans_list ON orphans (provider, account, found_at, id);
CREATE INDEX orphans_open ON orphans (provider, account, found_at, id) WHERE settled_at = 0;
CREATE INDEX orphans_named ON orphans (named_intent) WHERE named_intent <> '' AND settled_at = 0;

-- Which accounts a provider serves or ever served; '*' is all without routes of
-- their own.
CREATE TABLE provider_accounts (
  provider TEXT NOT NULL,
  account  TEXT NOT NULL,
  PRIMARY KEY (provider, account)
);
