-- +goose Up
-- What people write down about an intent; rows are added, never changed.
CREATE TABLE notes (
  id        TEXT PRIMARY KEY,             -- sorts by time
  intent_id TEXT NOT NULL REFERENCES intents (id),
  person    TEXT NOT NULL,                -- id of who wrote it
  name      TEXT NOT NULL,                -- and the name, as it was then
  at        BIGINT NOT NULL,
  text      TEXT NOT NULL CHECK (text <> '')
);
CREATE INDEX notes_intent ON notes (intent_id, id);

-- Filters of the queue under a name, each with an address of its own.
CREATE TABLE views (
  id         TEXT PRIMARY KEY,
  account    TEXT NOT NULL REFERENCES accounts (id),
  person     TEXT NOT NULL REFERENCES people (id),
  maker      TEXT NOT NULL,               -- the name of that person, as it was then
  name       TEXT NOT NULL CHECK (name <> ''),
  query      TEXT NOT NULL,               -- of the queue's address, without "?"
  shared     BOOLEAN NOT NULL,            -- listed for the whole account, else for its maker alone
  created_at BIGINT NOT NULL,
  changed_at BIGINT NOT NULL,
  UNIQUE (account, person, name)
);
CREATE INDEX views_shared ON views (account, name, id) WHERE shared;

-- The calls of the last hours, for the rates of the providers.
CREATE INDEX attempts_calls ON attempts (started_at) WHERE result <> 'done';
-- What a provider has accepted and not finished.
CREATE INDEX steps_settling ON steps (settles_by) WHERE settling;
