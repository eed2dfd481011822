-- +goose Up
-- An attempt names its account, so that the calls of one account are counted
-- however many others make. Attempts of before have none: they are finished and
-- never change, and calls are counted over one day.
ALTER TABLE attempts ADD COLUMN account TEXT NOT NULL DEFAULT '';
DROP INDEX attempts_calls;
CREATE INDEX attempts_calls ON attempts (account, started_at) WHERE result <> 'done';
