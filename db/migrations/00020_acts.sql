-- +goose Up
-- What people did about an intent is read however much the engine did since.
CREATE INDEX audit_entries_people ON audit_entries (intent_id, id, event) WHERE intent_id <> '' AND actor > 'person-' AND actor < 'person.';
