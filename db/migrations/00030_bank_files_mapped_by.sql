-- +goose Up
-- Who named the columns answers for what a list of the file says.
ALTER TABLE bank_files ADD COLUMN mapped_by TEXT NOT NULL DEFAULT '';
