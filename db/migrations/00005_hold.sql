-- +goose Up
-- The mark of a copy that console backup made; empty in every living database.
-- A start finds it, opens a restore hold and takes it away.
CREATE TABLE copy_mark (
  one             INTEGER PRIMARY KEY CHECK (one = 1),
  made_at         BIGINT NOT NULL,
  place           TEXT NOT NULL,          -- host and lock of the original; '' on PostgreSQL
  log_size        BIGINT NOT NULL,        -- numbered entries in the copy
  checkpoint_size BIGINT NOT NULL,        -- the newest checkpoint in it, 0 is none
  checkpoint_root BYTEA NOT NULL
);

-- Where a boot drove the database: the host and the lock that it held.
CREATE TABLE boot_places (
  boot  TEXT PRIMARY KEY REFERENCES boots (id),
  place TEXT NOT NULL
);

-- Every time that this database was found to be restored. While one is not
-- lifted, nothing is sent.
CREATE TABLE holds (
  id            TEXT PRIMARY KEY,
  one           INTEGER NOT NULL DEFAULT 1 CHECK (one = 1),
  cause         TEXT NOT NULL CHECK (cause IN ('copy', 'older', 'differs')),
  since         BIGINT NOT NULL,
  restored_from BIGINT NOT NULL,          -- the time of the database's last numbered entry
  sweep_from    BIGINT NOT NULL,          -- providers are searched from here on
  kept_size     BIGINT NOT NULL,          -- the log as it was found
  kept_root     BYTEA NOT NULL,
  old_size      BIGINT NOT NULL,          -- the log as it is known from outside
  old_root      BYTEA NOT NULL,
  call_us       BIGINT NOT NULL,          -- how long a call of an older process can take
  settle_us     BIGINT NOT NULL,          -- how long providers then work on it
  dead_at       BIGINT NOT NULL DEFAULT 0, -- since when every older process is known dead
  dead_by       TEXT NOT NULL DEFAULT '',
  dead_because  TEXT NOT NULL DEFAULT '',
  phase         TEXT NOT NULL CHECK (phase IN ('doubt', 'sweep', 'check', 'wait', 'wake', 'over')),
  reached       TEXT NOT NULL DEFAULT '', -- the last intent that the phase has dealt with
  turned        BIGINT NOT NULL DEFAULT 0, -- steps made unknown so far
  sweep_asked   BIGINT NOT NULL DEFAULT 0, -- when the search that counts was asked for
  swept_at      BIGINT NOT NULL DEFAULT 0, -- when it was complete
  lifted_at     BIGINT NOT NULL DEFAULT 0,
  lifted_because TEXT NOT NULL DEFAULT ''
);
CREATE UNIQUE INDEX holds_one_open ON holds (one) WHERE lifted_at = 0;
CREATE INDEX holds_since ON holds (since);

-- Who wants a hold lifted: two different administrators.
CREATE TABLE hold_lifters (
  hold_id TEXT NOT NULL REFERENCES holds (id),
  person  TEXT NOT NULL,
  name    TEXT NOT NULL,
  reason  TEXT NOT NULL,
  at      BIGINT NOT NULL,
  PRIMARY KEY (hold_id, person)
);
