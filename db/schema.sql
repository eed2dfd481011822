-- The whole schema, for SQLite and PostgreSQL alike. It equals the result of
-- all migrations; a test compares them. Append-only triggers are in sqlite.sql
-- and postgres.sql.
--
-- Times are microseconds since the Unix epoch, UTC; 0 is "none". Money is in
-- minor units of its ISO 4217 currency. Ids are text; hashes and bytes BYTEA.

CREATE TABLE installation (
  one        INTEGER PRIMARY KEY CHECK (one = 1),
  id         TEXT NOT NULL,             -- made once; part of every intent id
  created_at BIGINT NOT NULL,
  latest     BIGINT NOT NULL,           -- the latest stored time: clocks never run back behind it
  key_check  BYTEA                      -- tells the audit log's key from others; NULL until the first start
);

-- One row per start of a process that drives intents.
CREATE TABLE boots (
  id          TEXT PRIMARY KEY,
  host        TEXT NOT NULL,
  pid         INTEGER NOT NULL,
  started_at  BIGINT NOT NULL,
  seen_at     BIGINT NOT NULL,
  dead_at     BIGINT NOT NULL DEFAULT 0, -- since when it is known dead
  declared_by TEXT NOT NULL DEFAULT '',  -- how that is known
  host_id     TEXT NOT NULL DEFAULT '',  -- its machine, as locks tell them apart; '' holds the file's own lock
  workers     INTEGER NOT NULL DEFAULT 0 -- effects and looks that it has under way at most
);
CREATE INDEX boots_alive ON boots (host_id, started_at) WHERE dead_at = 0;

CREATE TABLE accounts (
  id         TEXT PRIMARY KEY,
  created_at BIGINT NOT NULL
);

CREATE TABLE people (
  id            TEXT PRIMARY KEY,
  email         TEXT NOT NULL UNIQUE,
  name          TEXT NOT NULL,
  password_hash TEXT NOT NULL DEFAULT '', -- argon2id, PHC form; '' has none
  created_at    BIGINT NOT NULL,
  disabled_at   BIGINT NOT NULL DEFAULT 0,
  zone          TEXT NOT NULL DEFAULT 'UTC',
  theme         TEXT NOT NULL DEFAULT '',
  density       TEXT NOT NULL DEFAULT '',
  keyboard      BOOLEAN NOT NULL DEFAULT TRUE
);

CREATE TABLE memberships (
  person  TEXT NOT NULL REFERENCES people (id),
  account TEXT NOT NULL REFERENCES accounts (id),
  role    TEXT NOT NULL CHECK (role IN ('operator', 'approver', 'auditor', 'administrator')),
  PRIMARY KEY (person, account, role)
);
CREATE INDEX memberships_account ON memberships (account, role);

CREATE TABLE sessions (
  id_hash     BYTEA PRIMARY KEY,          -- SHA-256 of the cookie's random id
  person      TEXT NOT NULL REFERENCES people (id),
  data        BYTEA NOT NULL,
  created_at  BIGINT NOT NULL,
  seen_at     BIGINT NOT NULL,
  expires_at  BIGINT NOT NULL,
  stepped_up  BIGINT NOT NULL DEFAULT 0,
  revoked_at  BIGINT NOT NULL DEFAULT 0,
  agent       TEXT NOT NULL DEFAULT '',   -- the browser, as it calls itself
  address     TEXT NOT NULL DEFAULT ''    -- where it signed in from
);
CREATE INDEX sessions_person ON sessions (person, expires_at);

CREATE TABLE signin_links (
  token_hash BYTEA PRIMARY KEY,
  person     TEXT NOT NULL REFERENCES people (id),
  created_at BIGINT NOT NULL,
  expires_at BIGINT NOT NULL,
  used_at    BIGINT NOT NULL DEFAULT 0
);

-- One row per failed or counted sign-in try; swept when old.
CREATE TABLE signin_tries (
  id      TEXT PRIMARY KEY,
  subject TEXT NOT NULL,                  -- digest of email or address
  at      BIGINT NOT NULL
);
CREATE INDEX signin_tries_subject ON signin_tries (subject, at);
CREATE INDEX signin_tries_at ON signin_tries (at);

CREATE TABLE api_keys (
  id           TEXT PRIMARY KEY,
  name         TEXT NOT NULL,
  account      TEXT REFERENCES accounts (id), -- NULL for a person's key: it reaches what its person does
  secret_hash  BYTEA NOT NULL UNIQUE,     -- SHA-256 of the key
  prefix       TEXT NOT NULL,             -- its first characters, to tell keys apart
  person       TEXT REFERENCES people (id), -- whose key it is; NULL for a service key
  issued_by    TEXT NOT NULL DEFAULT '',  -- the person who answers for it
  abilities    TEXT NOT NULL,             -- comma-separated, e.g. intents:read,intents:write
  created_at   BIGINT NOT NULL,
  revoked_at   BIGINT NOT NULL DEFAULT 0,
  stepped_up   BIGINT NOT NULL DEFAULT 0,
  used_at      BIGINT NOT NULL DEFAULT 0, -- to the minute
  CHECK ((account IS NULL) <> (person IS NULL))
);
CREATE INDEX api_keys_person ON api_keys (person) WHERE person IS NOT NULL;
CREATE INDEX api_keys_account ON api_keys (account) WHERE account IS NOT NULL;

-- What providers promise, by content: a step stays bound to what it was accepted under.
CREATE TABLE contracts (
  id          TEXT PRIMARY KEY,
  provider    TEXT NOT NULL,
  operation   TEXT NOT NULL,
  body        BYTEA NOT NULL,             -- JSON
  recorded_at BIGINT NOT NULL,
  current     BOOLEAN NOT NULL DEFAULT TRUE
);

CREATE TABLE intents (
  id              TEXT PRIMARY KEY,
  account         TEXT NOT NULL REFERENCES accounts (id),
  kind            TEXT NOT NULL CHECK (kind IN ('payout', 'statement', 'dispute', 'compensation')),
  key             TEXT NOT NULL,
  fingerprint     BYTEA NOT NULL,
  params          BYTEA NOT NULL,
  amount          BIGINT NOT NULL DEFAULT 0,
  currency        TEXT NOT NULL DEFAULT '',
  payee           TEXT NOT NULL DEFAULT '',
  payee_ref       TEXT NOT NULL DEFAULT '',
  period          TEXT NOT NULL DEFAULT '',
  look_alike      TEXT NOT NULL DEFAULT '',
  due_by          BIGINT NOT NULL DEFAULT 0,
  state           TEXT NOT NULL CHECK (state IN ('received', 'processing', 'awaiting_approval', 'needs_review',
                    'retryable_failure', 'terminal_failure', 'completed', 'compensating', 'compensated', 'abandoned')),
  reason          TEXT NOT NULL DEFAULT '',
  stuck           TEXT NOT NULL DEFAULT '',
  confirmed       BIGINT NOT NULL DEFAULT 0,
  uncertain       BIGINT NOT NULL DEFAULT 0,
  version         BIGINT NOT NULL DEFAULT 1,
  fence           BIGINT NOT NULL DEFAULT 0,
  lease_worker    TEXT NOT NULL DEFAULT '',
  lease_boot      TEXT NOT NULL DEFAULT '',
  lease_until     BIGINT NOT NULL DEFAULT 0,
  wake_at         BIGINT NOT NULL DEFAULT 0,
  created_at      BIGINT NOT NULL,
  updated_at      BIGINT NOT NULL,
  created_by      TEXT NOT NULL,
  creator         TEXT NOT NULL DEFAULT '',
  uncertain_since BIGINT NOT NULL DEFAULT 0,
  stuck_since     BIGINT NOT NULL DEFAULT 0,
  review_due      BIGINT NOT NULL DEFAULT 0,
  owner           TEXT NOT NULL DEFAULT '',
  owner_name      TEXT NOT NULL DEFAULT '',
  parent          TEXT NOT NULL DEFAULT '',
  parent_step     TEXT NOT NULL DEFAULT '',
  sort_open       BIGINT NOT NULL DEFAULT 0, -- the queue's order; 0 is not in the queue
  UNIQUE (account, kind, key)
);
CREATE INDEX intents_wake ON intents (wake_at) WHERE wake_at > 0;
CREATE INDEX intents_queue ON intents (account, sort_open, id) WHERE sort_open > 0;
CREATE INDEX intents_state ON intents (account, state, created_at, id);
CREATE INDEX intents_created ON intents (account, created_at, id);
CREATE INDEX intents_kind ON intents (account, kind, created_at, id);
CREATE INDEX intents_owner ON intents (account, owner, created_at, id) WHERE owner <> '';
CREATE INDEX intents_age ON intents (account, created_at, id) WHERE sort_open > 0;
CREATE INDEX intents_amount ON intents (account, currency, amount, id) WHERE sort_open > 0;
CREATE INDEX intents_money ON intents (account, amount, currency);
CREATE INDEX intents_uncertain ON intents (account, currency, uncertain_since) WHERE uncertain_since > 0;
CREATE INDEX intents_key ON intents (key);
CREATE INDEX intents_payee ON intents (account, payee);
CREATE INDEX intents_payee_ref ON intents (account, payee_ref);
CREATE INDEX intents_look_alike ON intents (account, look_alike) WHERE look_alike <> '';
CREATE INDEX intents_parent ON intents (parent) WHERE parent <> '';
CREATE INDEX intents_lease_boot ON intents (lease_boot) WHERE lease_boot <> '';

-- An intent under every word of its payee's name, folded: the name from that word on.
CREATE TABLE payee_words (
  account   TEXT NOT NULL,
  word      TEXT NOT NULL,
  intent_id TEXT NOT NULL REFERENCES intents (id),
  PRIMARY KEY (account, word, intent_id)
);
CREATE INDEX payee_words_intent ON payee_words (intent_id, word);

-- An intent under each account and address to which it pays or writes.
CREATE TABLE payee_contacts (
  account   TEXT NOT NULL,
  contact   TEXT NOT NULL, -- an address in small letters
  intent_id TEXT NOT NULL REFERENCES intents (id),
  PRIMARY KEY (account, contact, intent_id)
);

CREATE TABLE steps (
  intent_id       TEXT NOT NULL REFERENCES intents (id),
  name            TEXT NOT NULL,
  position        INTEGER NOT NULL,
  class           TEXT NOT NULL CHECK (class IN ('pure', 'local', 'keyed', 'unkeyed', 'message')),
  operation       TEXT NOT NULL DEFAULT '',
  provider        TEXT NOT NULL DEFAULT '',
  contract_id     TEXT NOT NULL DEFAULT '',
  generation      INTEGER NOT NULL DEFAULT 1 CHECK (generation >= 1),
  wire_key        TEXT NOT NULL DEFAULT '',
  state           TEXT NOT NULL CHECK (state IN ('pending', 'in_progress', 'confirmed', 'failed_safely',
                    'outcome_unknown', 'not_needed')),
  settling        BOOLEAN NOT NULL DEFAULT FALSE,
  settles_by      BIGINT NOT NULL DEFAULT 0,
  failure         TEXT NOT NULL DEFAULT '' CHECK (failure IN ('', 'retryable', 'curable', 'permanent', 'failed_object')),
  code            TEXT NOT NULL DEFAULT '',
  reason          TEXT NOT NULL DEFAULT '',
  amount          BIGINT NOT NULL DEFAULT 0,
  currency        TEXT NOT NULL DEFAULT '',
  external_ref    TEXT NOT NULL DEFAULT '',
  moved           BIGINT NOT NULL DEFAULT 0,
  returned        BIGINT NOT NULL DEFAULT 0,
  tries           INTEGER NOT NULL DEFAULT 0,
  checks          INTEGER NOT NULL DEFAULT 0,
  next_try_at     BIGINT NOT NULL DEFAULT 0,
  next_check_at   BIGINT NOT NULL DEFAULT 0,
  person_only     BOOLEAN NOT NULL DEFAULT FALSE,
  ordered         TEXT NOT NULL DEFAULT '' CHECK (ordered IN ('', 'retry', 'reconcile')),
  order_id        TEXT NOT NULL DEFAULT '',
  order_by        TEXT NOT NULL DEFAULT '',
  order_at        BIGINT NOT NULL DEFAULT 0,
  order_digest    BYTEA,
  people_needed   INTEGER NOT NULL DEFAULT 0,
  rule            TEXT NOT NULL DEFAULT '',
  uncertain_since BIGINT NOT NULL DEFAULT 0,
  changed_at      BIGINT NOT NULL DEFAULT 0,
  account         TEXT NOT NULL DEFAULT '',  -- the intent's
  open_amount     BIGINT NOT NULL DEFAULT 0, -- its own part of the intent's uncertain
  PRIMARY KEY (intent_id, name),
  CHECK ((failure <> '') = (state = 'failed_safely')),
  CHECK (NOT settling OR state = 'in_progress')
);
CREATE INDEX steps_external_ref ON steps (external_ref) WHERE external_ref <> '';
CREATE INDEX steps_in_doubt ON steps (intent_id, currency, open_amount, uncertain_since, provider, state)
  WHERE (state = 'outcome_unknown' OR state <> 'in_progress' AND open_amount > 0);
CREATE INDEX steps_wire_key ON steps (wire_key) WHERE wire_key <> '';
CREATE INDEX steps_settling ON steps (account, settles_by) WHERE settling;

-- One object, one step: an external object confirms at most one step, ever.
CREATE TABLE objects (
  provider     TEXT NOT NULL,
  operation    TEXT NOT NULL,
  external_ref TEXT NOT NULL,
  intent_id    TEXT NOT NULL,
  step         TEXT NOT NULL,
  at           BIGINT NOT NULL,
  PRIMARY KEY (provider, operation, external_ref),
  FOREIGN KEY (intent_id, step) REFERENCES steps (intent_id, name)
);

-- The frozen request of each generation of each external step.
CREATE TABLE generations (
  intent_id    TEXT NOT NULL,
  step         TEXT NOT NULL,
  number       INTEGER NOT NULL CHECK (number >= 1),
  wire_key     TEXT NOT NULL,
  method       TEXT NOT NULL,
  url          TEXT NOT NULL,
  content_type TEXT NOT NULL,
  body         BYTEA NOT NULL,
  body_sha256  BYTEA NOT NULL,
  frozen_at    BIGINT NOT NULL,
  PRIMARY KEY (intent_id, step, number),
  FOREIGN KEY (intent_id, step) REFERENCES steps (intent_id, name)
);

CREATE INDEX generations_wire_key ON generations (wire_key);

CREATE TABLE attempts (
  intent_id   TEXT NOT NULL,
  step        TEXT NOT NULL,
  number      INTEGER NOT NULL CHECK (number >= 1),
  generation  INTEGER NOT NULL,
  wire_key    TEXT NOT NULL,
  trigger_by  TEXT NOT NULL CHECK (trigger_by IN ('engine', 'retry', 'operator', 'recovery')),
  worker      TEXT NOT NULL,
  boot        TEXT NOT NULL,
  fence       BIGINT NOT NULL,
  started_at  BIGINT NOT NULL,
  deadline_at BIGINT NOT NULL,
  finished_at BIGINT NOT NULL DEFAULT 0,
  lost        BOOLEAN NOT NULL DEFAULT FALSE,
  result      TEXT NOT NULL DEFAULT '' CHECK (result IN ('', 'done', 'confirmed', 'accepted', 'not_sent', 'throttled',
                'rejected_permanent', 'rejected_curable', 'failed_after_accepted', 'unknown', 'did_not_happen')),
  code        TEXT NOT NULL DEFAULT '',
  reason      TEXT NOT NULL DEFAULT '',
  request_id  TEXT NOT NULL DEFAULT '',
  connections INTEGER NOT NULL DEFAULT 0,
  bytes_out   BIGINT NOT NULL DEFAULT 0,
  status      INTEGER NOT NULL DEFAULT 0,
  replayed    BOOLEAN NOT NULL DEFAULT FALSE,
  account     TEXT NOT NULL DEFAULT '',       -- the intent's; '' where it was reserved before attempts named it
  ordered_by  TEXT NOT NULL DEFAULT '',       -- the person whose retry it is; '' too where it was reserved before attempts named them
  PRIMARY KEY (intent_id, step, number),
  FOREIGN KEY (intent_id, step) REFERENCES steps (intent_id, name),
  CHECK ((finished_at = 0) = (result = ''))
);
CREATE UNIQUE INDEX attempts_one_open ON attempts (intent_id) WHERE finished_at = 0;
CREATE INDEX attempts_boot_open ON attempts (boot) WHERE finished_at = 0;
CREATE INDEX attempts_request ON attempts (request_id) WHERE request_id <> '';
CREATE INDEX attempts_calls ON attempts (account, started_at) WHERE result <> 'done';
CREATE INDEX attempts_lost ON attempts (intent_id, step, number) WHERE lost;
CREATE INDEX attempts_unknown ON attempts (intent_id, step, number) WHERE result = 'unknown' AND NOT lost;

CREATE TABLE evidence (
  id         TEXT PRIMARY KEY,
  intent_id  TEXT NOT NULL,
  step       TEXT NOT NULL,
  attempt    INTEGER NOT NULL DEFAULT 0,
  source     TEXT NOT NULL CHECK (source IN ('response', 'query', 'webhook', 'bank_file', 'operator', 'rule', 'late')),
  says       TEXT NOT NULL CHECK (says IN ('happened', 'did_not_happen', 'inconclusive', 'conflict', 'returned')),
  began_at   BIGINT NOT NULL,
  at         BIGINT NOT NULL,
  by_name    TEXT NOT NULL DEFAULT '',
  ref        TEXT NOT NULL DEFAULT '',
  wire_key   TEXT NOT NULL DEFAULT '',
  amount     BIGINT NOT NULL DEFAULT 0,
  currency   TEXT NOT NULL DEFAULT '',
  status     TEXT NOT NULL DEFAULT '',
  final      BOOLEAN NOT NULL DEFAULT FALSE,
  detail     TEXT NOT NULL DEFAULT '',
  document   TEXT NOT NULL DEFAULT '',
  doc_sha256 TEXT NOT NULL DEFAULT '',
  dated      BIGINT NOT NULL DEFAULT 0,
  FOREIGN KEY (intent_id, step) REFERENCES steps (intent_id, name)
);
CREATE INDEX evidence_step ON evidence (intent_id, step, at, source);
CREATE INDEX evidence_ref ON evidence (ref, intent_id) WHERE ref <> '';
CREATE INDEX evidence_telling ON evidence (intent_id, step, at)
  WHERE source IN ('operator', 'rule', 'late', 'bank_file') OR says IN ('happened', 'conflict', 'returned') OR says = 'did_not_happen' AND attempt = 0;
CREATE INDEX evidence_document ON evidence (document) WHERE document <> '';

CREATE TABLE conflicts (
  id          TEXT PRIMARY KEY,
  intent_id   TEXT NOT NULL,
  step        TEXT NOT NULL,
  evidence_id TEXT NOT NULL,
  reason      TEXT NOT NULL,
  opened_at   BIGINT NOT NULL,
  closed_at   BIGINT NOT NULL DEFAULT 0,
  closed_by   TEXT NOT NULL DEFAULT '',
  FOREIGN KEY (intent_id, step) REFERENCES steps (intent_id, name)
);
CREATE INDEX conflicts_intent ON conflicts (intent_id);
CREATE UNIQUE INDEX conflicts_one_open ON conflicts (intent_id, step) WHERE closed_at = 0;

CREATE TABLE abandonments (
  intent_id TEXT PRIMARY KEY REFERENCES intents (id),
  at        BIGINT NOT NULL,
  by_name   TEXT NOT NULL,
  reason    TEXT NOT NULL
);

CREATE TABLE previews (
  id          TEXT PRIMARY KEY,
  intent_id   TEXT NOT NULL REFERENCES intents (id),
  account     TEXT NOT NULL,
  actor       TEXT NOT NULL,
  action      TEXT NOT NULL,
  step        TEXT NOT NULL DEFAULT '',
  input       BYTEA NOT NULL,
  plan        BYTEA NOT NULL,
  digest      TEXT NOT NULL,
  version     BIGINT NOT NULL,
  people      INTEGER NOT NULL,
  created_at  BIGINT NOT NULL,
  expires_at  BIGINT NOT NULL,
  used_at     BIGINT NOT NULL DEFAULT 0,
  used_with   TEXT NOT NULL DEFAULT '',   -- digest of the confirm's contents
  receipt     BYTEA                       -- the first answer, JSON
);
CREATE INDEX previews_intent ON previews (intent_id, created_at);

CREATE TABLE approvals (
  id             TEXT PRIMARY KEY,
  state          TEXT NOT NULL CHECK (state IN ('open', 'approved', 'rejected', 'withdrawn', 'dismissed', 'expired', 'executed')),
  action         TEXT NOT NULL,
  intent_id      TEXT NOT NULL REFERENCES intents (id),
  account        TEXT NOT NULL,
  step           TEXT NOT NULL DEFAULT '',
  preview_id     TEXT NOT NULL DEFAULT '',
  digest         TEXT NOT NULL,
  plan           BYTEA NOT NULL,
  input          BYTEA NOT NULL,
  reason         TEXT NOT NULL DEFAULT '',
  requested_by   TEXT NOT NULL DEFAULT '',
  requester_name TEXT NOT NULL DEFAULT '',
  needed         INTEGER NOT NULL CHECK (needed BETWEEN 1 AND 2),
  created_at     BIGINT NOT NULL,
  expires_at     BIGINT NOT NULL,
  closed_at      BIGINT NOT NULL DEFAULT 0,
  closed_because TEXT NOT NULL DEFAULT '',
  version        BIGINT NOT NULL
);
CREATE INDEX approvals_list ON approvals (account, state, created_at, id);
CREATE INDEX approvals_soonest ON approvals (account, expires_at, id) WHERE state = 'open';
CREATE INDEX approvals_intent ON approvals (intent_id, created_at);
CREATE UNIQUE INDEX approvals_one_open ON approvals (intent_id) WHERE state = 'open';

CREATE TABLE approval_decisions (
  approval_id TEXT NOT NULL REFERENCES approvals (id),
  person      TEXT NOT NULL,
  name        TEXT NOT NULL,
  says        TEXT NOT NULL CHECK (says IN ('approve', 'reject', 'withdraw')),
  reason      TEXT NOT NULL,
  at          BIGINT NOT NULL,
  receipt     BYTEA,                      -- the first answer, JSON: a repeat gets the same
  PRIMARY KEY (approval_id, person)
);

CREATE TABLE compensations (
  id          TEXT PRIMARY KEY,
  intent_id   TEXT NOT NULL,
  step        TEXT NOT NULL,
  generation  INTEGER NOT NULL CHECK (generation >= 1),
  approval_id TEXT NOT NULL DEFAULT '',
  child_id    TEXT NOT NULL DEFAULT '',
  state       TEXT NOT NULL CHECK (state IN ('asked', 'open', 'done', 'ended', 'withdrawn')),
  asked_at    BIGINT NOT NULL,
  FOREIGN KEY (intent_id, step) REFERENCES steps (intent_id, name)
);
CREATE UNIQUE INDEX compensations_one ON compensations (intent_id, step) WHERE state IN ('asked', 'open', 'done');
CREATE INDEX compensations_intent ON compensations (intent_id);
CREATE INDEX compensations_child ON compensations (child_id) WHERE child_id <> '';

-- Double entry: each row moves one amount from one account to another, so
-- debits equal credits by construction; ledger_postings shows both sides.
CREATE TABLE ledger_transfers (
  id        TEXT PRIMARY KEY,
  step_key  TEXT NOT NULL,
  line      INTEGER NOT NULL CHECK (line >= 1),
  intent_id TEXT NOT NULL REFERENCES intents (id),
  debit     TEXT NOT NULL,
  credit    TEXT NOT NULL,
  amount    BIGINT NOT NULL CHECK (amount > 0 AND amount <= 9007199254740991),
  currency  TEXT NOT NULL CHECK (length(currency) = 3),
  at        BIGINT NOT NULL,
  UNIQUE (step_key, line),
  CHECK (debit <> credit)
);
CREATE VIEW ledger_postings AS
  SELECT id, step_key, line, intent_id, debit AS ledger_account, amount AS debit, 0 AS credit, currency, at FROM ledger_transfers
  UNION ALL
  SELECT id, step_key, line, intent_id, credit, 0, amount, currency, at FROM ledger_transfers;

-- Issued statements; one standing per account, rep and period.
CREATE TABLE documents (
  step_key   TEXT PRIMARY KEY,
  intent_id  TEXT NOT NULL REFERENCES intents (id),
  account    TEXT NOT NULL,
  rep        TEXT NOT NULL,
  period     TEXT NOT NULL,
  revision   INTEGER NOT NULL CHECK (revision >= 1),
  name       TEXT NOT NULL,
  media_type TEXT NOT NULL,
  body       BYTEA NOT NULL,
  sha256     BYTEA NOT NULL,
  issued_at  BIGINT NOT NULL,
  voided_at  BIGINT NOT NULL DEFAULT 0
);
CREATE UNIQUE INDEX documents_standing ON documents (account, rep, period) WHERE voided_at = 0;
CREATE INDEX documents_intent ON documents (intent_id);

-- A message is sent once per recipient, template and intent.
CREATE TABLE message_slots (
  recipient TEXT NOT NULL,
  template  TEXT NOT NULL,
  intent_id TEXT NOT NULL REFERENCES intents (id),
  step_key  TEXT NOT NULL,
  PRIMARY KEY (recipient, template, intent_id)
);

CREATE TABLE uploads (
  id          TEXT PRIMARY KEY,
  account     TEXT NOT NULL,
  person      TEXT NOT NULL,
  name        TEXT NOT NULL,
  media_type  TEXT NOT NULL,
  body        BYTEA NOT NULL,
  sha256      BYTEA NOT NULL,
  uploaded_at BIGINT NOT NULL
);

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
  mapped_by   TEXT NOT NULL DEFAULT '',   -- id of who named the columns last; they answer for what a list says
  UNIQUE (account, sha256)
);
CREATE INDEX bank_files_account ON bank_files (account, uploaded_at, id);
CREATE INDEX bank_files_mapped ON bank_files (account, mapped_at) WHERE mapped_at > 0;
CREATE INDEX bank_files_upload ON bank_files (upload);

-- Every event a provider ever sent us, once, unchanged; applied later.
CREATE TABLE webhooks (
  provider    TEXT NOT NULL,
  event_id    TEXT NOT NULL,
  type        TEXT NOT NULL,
  operation   TEXT NOT NULL DEFAULT '',
  ref         TEXT NOT NULL DEFAULT '',
  reference   TEXT NOT NULL DEFAULT '',
  body        BYTEA NOT NULL,
  received_at BIGINT NOT NULL,
  PRIMARY KEY (provider, event_id)
);
CREATE TABLE webhook_work (
  provider   TEXT NOT NULL,
  event_id   TEXT NOT NULL,
  due_at     BIGINT NOT NULL,             -- 0 once it is settled
  tries      INTEGER NOT NULL DEFAULT 0,
  outcome    TEXT NOT NULL DEFAULT '',    -- applied, orphan, nothing_new
  detail     TEXT NOT NULL DEFAULT '',
  intent_id  TEXT NOT NULL DEFAULT '',
  settled_at BIGINT NOT NULL DEFAULT 0,
  PRIMARY KEY (provider, event_id),
  FOREIGN KEY (provider, event_id) REFERENCES webhooks (provider, event_id)
);
CREATE INDEX webhook_work_event ON webhook_work (event_id);
CREATE INDEX webhook_work_due ON webhook_work (due_at) WHERE due_at > 0;

-- Where the sweep of one operation at one provider stands: it lists what the
-- provider made and compares that with ours, both ways.
CREATE TABLE sweeps (
  provider   TEXT NOT NULL,
  operation  TEXT NOT NULL,
  lists      BOOLEAN NOT NULL,            -- whether the provider can list it at all
  asked      BIGINT NOT NULL DEFAULT 0,   -- list back to here at the next pass
  due_at     BIGINT NOT NULL DEFAULT 0,
  phase      TEXT NOT NULL DEFAULT '' CHECK (phase IN ('', 'listing', 'comparing')),
  since      BIGINT NOT NULL DEFAULT 0,   -- of the pass under way
  began_at   BIGINT NOT NULL DEFAULT 0,
  cursor     TEXT NOT NULL DEFAULT '',    -- where it goes on
  listed     BIGINT NOT NULL DEFAULT 0,   -- objects so far
  done_since BIGINT NOT NULL DEFAULT 0,   -- of the last whole pass
  done_began BIGINT NOT NULL DEFAULT 0,
  done_at    BIGINT NOT NULL DEFAULT 0,
  trouble    TEXT NOT NULL DEFAULT '',    -- why the pass does not go on, or ''
  tries      INTEGER NOT NULL DEFAULT 0,  -- failures in a row
  PRIMARY KEY (provider, operation)
);

-- What the lists showed, by the key that each object names.
CREATE TABLE seen_objects (
  provider     TEXT NOT NULL,
  operation    TEXT NOT NULL,
  external_ref TEXT NOT NULL,
  reference    TEXT NOT NULL,             -- as the provider has it
  step_key     TEXT NOT NULL,             -- the same as a step key of ours, or ''
  amount       BIGINT NOT NULL,
  currency     TEXT NOT NULL,
  status       TEXT NOT NULL,             -- the provider's own word
  made_at      BIGINT NOT NULL,           -- by the provider's clock
  seen_at      BIGINT NOT NULL,           -- when a list showed it last
  PRIMARY KEY (provider, operation, external_ref)
);
CREATE INDEX seen_objects_step_key ON seen_objects (step_key) WHERE step_key <> '';
CREATE INDEX seen_objects_reference ON seen_objects (reference);
CREATE INDEX seen_objects_age ON seen_objects (provider, operation, seen_at);

-- Objects that the sweep found to differ from what a step says: each is read
-- by its own id, and only that is evidence.
CREATE TABLE sweep_looks (
  provider     TEXT NOT NULL,
  operation    TEXT NOT NULL,
  external_ref TEXT NOT NULL,
  intent_id    TEXT NOT NULL,
  step         TEXT NOT NULL,
  generation   INTEGER NOT NULL DEFAULT 0, -- whose key the object names; 0 is not known
  why          TEXT NOT NULL CHECK (why IN ('differs', 'missing')),
  listed_as    TEXT NOT NULL DEFAULT '',  -- what the list said: a repeat of it is no news
  asked_at     BIGINT NOT NULL,
  due_at       BIGINT NOT NULL,           -- 0 once it is settled
  tries        INTEGER NOT NULL DEFAULT 0,
  missed_at    BIGINT NOT NULL DEFAULT 0, -- when the provider first did not know it
  outcome      TEXT NOT NULL DEFAULT '' CHECK (outcome IN ('', 'applied', 'missing', 'unanswered', 'moot')),
  settled_at   BIGINT NOT NULL DEFAULT 0,
  PRIMARY KEY (provider, operation, external_ref),
  FOREIGN KEY (intent_id, step) REFERENCES steps (intent_id, name)
);
CREATE INDEX sweep_looks_due ON sweep_looks (due_at) WHERE due_at > 0;
CREATE INDEX objects_at ON objects (provider, operation, at, external_ref);

-- What stands on one side only: a provider's object without an intent, or an
-- intent without its object.
CREATE TABLE orphans (
  id           TEXT PRIMARY KEY,
  sort         TEXT NOT NULL CHECK (sort IN ('unknown_object', 'missing_object')),
  provider     TEXT NOT NULL,
  operation    TEXT NOT NULL,             -- '' where the provider's word is none of ours
  external_ref TEXT NOT NULL,
  reference    TEXT NOT NULL,             -- as the provider has it
  named_intent TEXT NOT NULL DEFAULT '',  -- the intent id that the reference names, known here or not
  intent_id    TEXT NOT NULL DEFAULT '',  -- ours, of a missing object
  step         TEXT NOT NULL DEFAULT '',
  account      TEXT NOT NULL DEFAULT '',  -- of that intent; '' where nobody can tell
  amount       BIGINT NOT NULL DEFAULT 0,
  currency     TEXT NOT NULL DEFAULT '',
  status       TEXT NOT NULL DEFAULT '',
  made_at      BIGINT NOT NULL DEFAULT 0,
  found_by     TEXT NOT NULL CHECK (found_by IN ('sweep', 'webhook')),
  event        TEXT NOT NULL DEFAULT '',  -- the webhook's id
  found_at     BIGINT NOT NULL,
  settled_at   BIGINT NOT NULL DEFAULT 0,
  settled_by   TEXT NOT NULL DEFAULT '',  -- person id, or engine
  settler      TEXT NOT NULL DEFAULT '',  -- the name
  note         TEXT NOT NULL DEFAULT '',  -- the reason
  taken_by     TEXT NOT NULL DEFAULT '',  -- the intent that it turned out to belong to
  UNIQUE (provider, operation, external_ref, sort)
);
CREATE INDEX orphans_list ON orphans (found_at, id);
CREATE INDEX orphans_open ON orphans (found_at, id) WHERE settled_at = 0;
CREATE INDEX orphans_named ON orphans (named_intent) WHERE named_intent <> '' AND settled_at = 0;

-- Which accounts a provider serves or ever served; '*' is all without routes of
-- their own.
CREATE TABLE provider_accounts (
  provider TEXT NOT NULL,
  account  TEXT NOT NULL,
  PRIMARY KEY (provider, account)
);

-- What people write down about an intent; rows are added, never changed.
CREATE TABLE notes (
  id        TEXT PRIMARY KEY,             -- sorts by time
  intent_id TEXT NOT NULL REFERENCES intents (id),
  person    TEXT NOT NULL,                -- id of who wrote it
  name      TEXT NOT NULL,                -- and the name, as it was then
  at        BIGINT NOT NULL,
  text      TEXT NOT NULL CHECK (text <> '')
);
CREATE INDEX notes_intent ON notes (intent_id, id);

-- Filters of the queue under a name, each with an address of its own.
CREATE TABLE views (
  id         TEXT PRIMARY KEY,
  account    TEXT NOT NULL REFERENCES accounts (id),
  person     TEXT NOT NULL REFERENCES people (id),
  maker      TEXT NOT NULL,               -- the name of that person, as it was then
  name       TEXT NOT NULL CHECK (name <> ''),
  query      TEXT NOT NULL,               -- of the queue's address, without "?"
  shared     BOOLEAN NOT NULL,            -- listed for the whole account, else for its maker alone
  created_at BIGINT NOT NULL,
  changed_at BIGINT NOT NULL,
  UNIQUE (account, person, name)
);
CREATE INDEX views_shared ON views (account, name, id) WHERE shared;

-- ---- The audit log: rows are added, never changed ---------------------------

CREATE TABLE audit_entries (
  id        TEXT PRIMARY KEY,
  at        BIGINT NOT NULL,
  actor     TEXT NOT NULL,                -- id, for filters
  event     TEXT NOT NULL,
  account   TEXT NOT NULL,
  intent_id TEXT NOT NULL DEFAULT '',
  canonical BYTEA NOT NULL,               -- the entry itself, RFC 8785 JSON
  mac       BYTEA NOT NULL                -- HMAC-SHA256 by a key outside the database
);
CREATE INDEX audit_entries_intent ON audit_entries (intent_id, id) WHERE intent_id <> '';
CREATE INDEX audit_entries_account ON audit_entries (account, id);
CREATE INDEX audit_entries_people ON audit_entries (intent_id, id, event) WHERE intent_id <> '' AND actor > 'person-' AND actor < 'person.';

-- Entries that wait for their number; the sequencer takes rows out again.
CREATE TABLE audit_waiting (
  entry_id TEXT PRIMARY KEY REFERENCES audit_entries (id)
);

CREATE TABLE audit_log (
  idx       BIGINT PRIMARY KEY CHECK (idx >= 0),
  entry_id  TEXT NOT NULL UNIQUE REFERENCES audit_entries (id),
  account   TEXT NOT NULL,
  event     TEXT NOT NULL,
  intent_id TEXT NOT NULL,
  actor     TEXT NOT NULL,
  at        BIGINT NOT NULL,
  leaf_hash BYTEA NOT NULL                -- RFC 6962: SHA-256(0x00 || canonical)
);
CREATE INDEX audit_log_account ON audit_log (account, idx);
CREATE INDEX audit_log_intent ON audit_log (intent_id, idx) WHERE intent_id <> '';
CREATE INDEX audit_log_event ON audit_log (account, event, idx);
CREATE INDEX audit_log_actor ON audit_log (account, actor, idx);

-- Hashes of complete subtrees of the RFC 6962 tree: proofs are a few reads.
CREATE TABLE audit_nodes (
  level INTEGER NOT NULL,
  idx   BIGINT NOT NULL,
  hash  BYTEA NOT NULL,
  PRIMARY KEY (level, idx)
);

CREATE TABLE audit_checkpoints (
  size   BIGINT PRIMARY KEY,
  root   BYTEA NOT NULL,
  at     BIGINT NOT NULL,
  signed BYTEA NOT NULL                   -- the signed note; empty where no signing key is set
);

-- Work of which there is one doer at a time, in any process.
CREATE TABLE leases (
  name    TEXT PRIMARY KEY,
  holder  TEXT NOT NULL,
  fence   BIGINT NOT NULL,
  until   BIGINT NOT NULL
);

-- ---- Alerts ----------------------------------------------------------------

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

-- ---- Backup and restore ------------------------------------------------------

-- The mark of a copy that console backup made; empty in every living database.
-- A start finds it, opens a restore hold and takes it away.
CREATE TABLE copy_mark (
  one             INTEGER PRIMARY KEY CHECK (one = 1),
  made_at         BIGINT NOT NULL,
  place           TEXT NOT NULL,          -- host and lock of the original; '' on PostgreSQL
  log_size        BIGINT NOT NULL,        -- numbered entries in the copy
  checkpoint_size BIGINT NOT NULL,        -- the newest checkpoint in it, 0 is none
  checkpoint_root BYTEA NOT NULL
);

-- Where a boot drove the database: the host and the lock that it held.
CREATE TABLE boot_places (
  boot  TEXT PRIMARY KEY REFERENCES boots (id),
  place TEXT NOT NULL
);

-- Every time that this database was found to be restored. While one is not
-- lifted, nothing is sent.
CREATE TABLE holds (
  id            TEXT PRIMARY KEY,
  one           INTEGER NOT NULL DEFAULT 1 CHECK (one = 1),
  cause         TEXT NOT NULL CHECK (cause IN ('copy', 'older', 'differs')),
  since         BIGINT NOT NULL,
  restored_from BIGINT NOT NULL,          -- the time of the database's last numbered entry
  sweep_from    BIGINT NOT NULL,          -- providers are searched from here on
  kept_size     BIGINT NOT NULL,          -- the log as it was found
  kept_root     BYTEA NOT NULL,
  old_size      BIGINT NOT NULL,          -- the log as it is known from outside
  old_root      BYTEA NOT NULL,
  call_us       BIGINT NOT NULL,          -- how long a call of an older process can take
  settle_us     BIGINT NOT NULL,          -- how long providers then work on it
  dead_at       BIGINT NOT NULL DEFAULT 0, -- since when every older process is known dead
  dead_by       TEXT NOT NULL DEFAULT '',
  dead_because  TEXT NOT NULL DEFAULT '',
  phase         TEXT NOT NULL CHECK (phase IN ('doubt', 'sweep', 'check', 'wait', 'wake', 'over')),
  reached       TEXT NOT NULL DEFAULT '', -- the last intent that the phase has dealt with
  turned        BIGINT NOT NULL DEFAULT 0, -- steps made unknown so far
  sweep_asked   BIGINT NOT NULL DEFAULT 0, -- when the search that counts was asked for
  swept_at      BIGINT NOT NULL DEFAULT 0, -- when it was complete
  lifted_at     BIGINT NOT NULL DEFAULT 0,
  lifted_because TEXT NOT NULL DEFAULT ''
);
CREATE UNIQUE INDEX holds_one_open ON holds (one) WHERE lifted_at = 0;
CREATE INDEX holds_since ON holds (since);

-- Who wants a hold lifted: two different administrators.
CREATE TABLE hold_lifters (
  hold_id TEXT NOT NULL REFERENCES holds (id),
  person  TEXT NOT NULL,
  name    TEXT NOT NULL,
  reason  TEXT NOT NULL,
  at      BIGINT NOT NULL,
  PRIMARY KEY (hold_id, person)
);

-- ---- Acting on many ----------------------------------------------------------

-- What a person has ticked in the queue, over its pages.
CREATE TABLE selections (
  id         TEXT PRIMARY KEY,
  person     TEXT NOT NULL REFERENCES people (id),
  created_at BIGINT NOT NULL
);
CREATE INDEX selections_person ON selections (person, created_at);

CREATE TABLE selected_intents (
  selection_id TEXT NOT NULL REFERENCES selections (id),
  intent_id    TEXT NOT NULL REFERENCES intents (id),
  position     INTEGER NOT NULL,          -- in the order of ticking
  page         TEXT NOT NULL,             -- names the page of the list on which it was ticked
  PRIMARY KEY (selection_id, intent_id)
);

-- One action on a frozen list of intents: previewed, confirmed once, and carried
-- out item by item.
CREATE TABLE bulks (
  id             TEXT PRIMARY KEY,
  account        TEXT NOT NULL,
  actor          TEXT NOT NULL,
  actor_name     TEXT NOT NULL,
  action         TEXT NOT NULL,
  digest         TEXT NOT NULL,           -- over the digests of all plans, in their order
  people         INTEGER NOT NULL,        -- the most that any item takes
  planned        INTEGER NOT NULL,        -- items with a plan
  sums           BYTEA NOT NULL,          -- their money by currency, JSON
  creators       TEXT NOT NULL,           -- who answers for their intents: ids, comma-separated
  state          TEXT NOT NULL CHECK (state IN ('previewed', 'open', 'running', 'done', 'rejected', 'withdrawn', 'dismissed', 'expired')),
  created_at     BIGINT NOT NULL,
  expires_at     BIGINT NOT NULL,         -- of the preview; of the request once people are asked
  used_at        BIGINT NOT NULL DEFAULT 0, -- when it was confirmed
  used_with      TEXT NOT NULL DEFAULT '', -- digest of the confirmation's contents
  reason         TEXT NOT NULL DEFAULT '',
  entry          TEXT NOT NULL DEFAULT '', -- id of the audit entry of the confirmation
  closed_at      BIGINT NOT NULL DEFAULT 0, -- when its last item was done, or the request ended
  closed_because TEXT NOT NULL DEFAULT '',
  bank_file      TEXT NOT NULL DEFAULT ''  -- id of the bank's file that it was made of
);
CREATE INDEX bulks_running ON bulks (id) WHERE state = 'running';
CREATE INDEX bulks_open ON bulks (expires_at) WHERE state = 'open';
CREATE INDEX bulks_requests ON bulks (account, state, used_at, id) WHERE people > 1 AND used_at > 0;
CREATE INDEX bulks_bank_file ON bulks (bank_file, used_at) WHERE bank_file <> '';

-- The items of a list in their order, the excluded ones too.
CREATE TABLE bulk_items (
  bulk_id    TEXT NOT NULL REFERENCES bulks (id),
  position   INTEGER NOT NULL,
  intent_id  TEXT NOT NULL,               -- as it was named: it may be nobody's
  preview_id TEXT NOT NULL DEFAULT '',    -- the sealed plan; '' is excluded
  rule       TEXT NOT NULL,
  because    TEXT NOT NULL,
  step       TEXT NOT NULL DEFAULT '',
  amount     BIGINT NOT NULL DEFAULT 0,
  currency   TEXT NOT NULL DEFAULT '',
  twice      BOOLEAN NOT NULL DEFAULT FALSE, -- it may have happened already
  outcome    TEXT NOT NULL DEFAULT '' CHECK (outcome IN ('', 'executed', 'stale', 'refused', 'denied', 'failed')),
  said       TEXT NOT NULL DEFAULT '',    -- why it was not done
  attempt    INTEGER NOT NULL DEFAULT 0,  -- number of the one attempt that was ordered
  entry      TEXT NOT NULL DEFAULT '',    -- id of the audit entry
  at         BIGINT NOT NULL DEFAULT 0,
  PRIMARY KEY (bulk_id, position)
);
CREATE INDEX bulk_items_intent ON bulk_items (intent_id, bulk_id);

-- What people said on a list that needs another person.
CREATE TABLE bulk_decisions (
  bulk_id TEXT NOT NULL REFERENCES bulks (id),
  person  TEXT NOT NULL,
  name    TEXT NOT NULL,
  says    TEXT NOT NULL CHECK (says IN ('approve', 'reject', 'withdraw')),
  reason  TEXT NOT NULL,
  at      BIGINT NOT NULL,
  PRIMARY KEY (bulk_id, person)
);
