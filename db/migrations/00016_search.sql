-- +goose Up
-- What a letter or a colleague names: an object or a link that only evidence
-- has, an event of a provider, and a payee by the words of the name in any order.
CREATE INDEX evidence_ref ON evidence (ref, intent_id) WHERE ref <> '';
CREATE INDEX webhook_work_event ON webhook_work (event_id);
CREATE INDEX payee_words_intent ON payee_words (intent_id, word);
