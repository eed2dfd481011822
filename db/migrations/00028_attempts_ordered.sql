-- +goose Up
-- An attempt that a person ordered names them. Those of before do not: they are
-- finished and never change.
ALTER TABLE attempts ADD COLUMN ordered_by TEXT NOT NULL DEFAULT '';
