-- +goose Up
-- An intent's compensations, ended ones too, are read with every look at it.
CREATE INDEX compensations_intent ON compensations (intent_id);
