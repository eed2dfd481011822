-- +goose Up
-- What waits for a signature is listed with the soonest ending first.
CREATE INDEX approvals_soonest ON approvals (account, expires_at, id) WHERE state = 'open';
