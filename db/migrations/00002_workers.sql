-- +goose Up
-- Many processes on many machines: which machine a start is on, and how a dead
-- start's leases are found.
ALTER TABLE boots ADD COLUMN host_id TEXT NOT NULL DEFAULT '';
ALTER TABLE boots ADD COLUMN workers INTEGER NOT NULL DEFAULT 0;
CREATE INDEX boots_alive ON boots (host_id, started_at) WHERE dead_at = 0;
CREATE INDEX intents_lease_boot ON intents (lease_boot) WHERE lease_boot <> '';
-- All processes hold the same key of the audit log: the first one's is noted here.
ALTER TABLE installation ADD COLUMN key_check BYTEA;
