-- +goose Up
-- What somebody is told about, once per cause. A row is raised in the
-- transaction that makes its cause, by whichever process that is.
CREATE TABLE alerts (
  id         TEXT PRIMARY KEY,
  cause      TEXT NOT NULL UNIQUE,       -- names the cause: never two rows for one
  kind       TEXT NOT NULL,
  account    TEXT NOT NULL,              -- '' is the whole installation
  intent_id  TEXT NOT NULL DEFAULT '',
  step       TEXT NOT NULL DEFAULT '',
  text       TEXT NOT NULL,
  amount     BIGINT NOT NULL DEFAULT 0,
  currency   TEXT NOT NULL DEFAULT '',
  raised_at  BIGINT NOT NULL,
  deadline   BIGINT NOT NULL DEFAULT 0,  -- of the review
  remind_at  BIGINT NOT NULL DEFAULT 0,  -- when it becomes overdue; 0 once that was raised or cannot be
  planned_at BIGINT NOT NULL DEFAULT 0,  -- when its deliveries were made
  ended_at   BIGINT NOT NULL DEFAULT 0,
  ended_by   TEXT NOT NULL DEFAULT ''    -- why its cause stands no more
);
CREATE INDEX alerts_standing ON alerts (account, raised_at, id) WHERE ended_at = 0;
CREATE INDEX alerts_account ON alerts (account, raised_at, id);
CREATE INDEX alerts_intent ON alerts (intent_id, raised_at) WHERE intent_id <> '';
CREATE INDEX alerts_remind ON alerts (remind_at) WHERE remind_at > 0;
CREATE INDEX alerts_unplanned ON alerts (raised_at, id) WHERE planned_at = 0;

-- One row per alert and channel.
CREATE TABLE alert_deliveries (
  alert_id     TEXT NOT NULL REFERENCES alerts (id),
  channel      TEXT NOT NULL CHECK (channel IN ('webhook', 'mail')),
  tries        INTEGER NOT NULL DEFAULT 0,
  next_at      BIGINT NOT NULL,           -- 0 once it is delivered or given up
  delivered_at BIGINT NOT NULL DEFAULT 0,
  given_up_at  BIGINT NOT NULL DEFAULT 0,
  last_error   TEXT NOT NULL DEFAULT '',
  PRIMARY KEY (alert_id, channel),
  CHECK (next_at > 0 OR delivered_at > 0 OR given_up_at > 0)
);
CREATE INDEX alert_deliveries_due ON alert_deliveries (channel, next_at) WHERE next_at > 0;
CREATE INDEX alert_deliveries_given_up ON alert_deliveries (given_up_at) WHERE given_up_at > 0;

-- What waits for people already is told like what comes.
INSERT INTO alerts (id, cause, kind, account, intent_id, step, text, amount, currency, raised_at, deadline, remind_at)
SELECT 'alert-' || id, 'review:' || id || ':' || stuck_since || ':earlier', 'review', account, id, stuck, reason, amount, currency,
  stuck_since, review_due, review_due
FROM intents WHERE state = 'needs_review';
