-- +goose Up
-- A bank's file that a person uploaded, to be set beside the steps. What it says
-- is read anew from the upload's bytes.
CREATE TABLE bank_files (
  id          TEXT PRIMARY KEY,
  account     TEXT NOT NULL REFERENCES accounts (id),
  person      TEXT NOT NULL,              -- id of who uploaded it
  person_name TEXT NOT NULL,              -- and the name, as it was then
  upload      TEXT NOT NULL REFERENCES uploads (id),
  sha256      BYTEA NOT NULL,             -- of the bytes: the same file is one row
  size        INTEGER NOT NULL,           -- in bytes
  name        TEXT NOT NULL,
  format      TEXT NOT NULL,
  mapping     BYTEA,                      -- JSON: what the columns of a CSV hold; NULL until somebody says
  statements  INTEGER NOT NULL DEFAULT 0,
  lines       INTEGER NOT NULL DEFAULT 0,
  bank_number TEXT NOT NULL DEFAULT '',   -- of the account, as the bank writes it
  from_day    TEXT NOT NULL DEFAULT '',   -- first and last booking, YYYY-MM-DD
  to_day      TEXT NOT NULL DEFAULT '',
  uploaded_at BIGINT NOT NULL,
  mapped_at   BIGINT NOT NULL DEFAULT 0,
  UNIQUE (account, sha256)
);
CREATE INDEX bank_files_account ON bank_files (account, uploaded_at, id);
CREATE INDEX bank_files_mapped ON bank_files (account, mapped_at) WHERE mapped_at > 0;
CREATE INDEX bank_files_upload ON bank_files (upload);

-- The bank's file that a list was made of.
ALTER TABLE bulks ADD COLUMN bank_file TEXT NOT NULL DEFAULT '';
CREATE INDEX bulks_bank_file ON bulks (bank_file, used_at) WHERE bank_file <> '';
