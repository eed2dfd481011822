-- Append-only tables, SQLite. Applied after the schema, idempotent.
CREATE TRIGGER IF NOT EXISTS audit_entries_no_update BEFORE UPDATE ON audit_entries BEGIN SELECT RAISE(ABORT, 'audit entries never change'); END;
CREATE TRIGGER IF NOT EXISTS audit_entries_no_delete BEFORE DELETE ON audit_entries BEGIN SELECT RAISE(ABORT, 'audit entries are never deleted'); END;
CREATE TRIGGER IF NOT EXISTS audit_log_no_update BEFORE UPDATE ON audit_log BEGIN SELECT RAISE(ABORT, 'the audit log never changes'); END;
CREATE TRIGGER IF NOT EXISTS audit_log_no_delete BEFORE DELETE ON audit_log BEGIN SELECT RAISE(ABORT, 'the audit log is never deleted'); END;
CREATE TRIGGER IF NOT EXISTS audit_nodes_no_update BEFORE UPDATE ON audit_nodes BEGIN SELECT RAISE(ABORT, 'the audit tree never changes'); END;
CREATE TRIGGER IF NOT EXISTS audit_nodes_no_delete BEFORE DELETE ON audit_nodes BEGIN SELECT RAISE(ABORT, 'the audit tree is never deleted'); END;
CREATE TRIGGER IF NOT EXISTS audit_checkpoints_no_update BEFORE UPDATE ON audit_checkpoints BEGIN SELECT RAISE(ABORT, 'checkpoints never change'); END;
CREATE TRIGGER IF NOT EXISTS audit_checkpoints_no_delete BEFORE DELETE ON audit_checkpoints BEGIN SELECT RAISE(ABORT, 'checkpoints are never deleted'); END;
CREATE TRIGGER IF NOT EXISTS evidence_no_update BEFORE UPDATE ON evidence BEGIN SELECT RAISE(ABORT, 'evidence never changes'); END;
CREATE TRIGGER IF NOT EXISTS evidence_no_delete BEFORE DELETE ON evidence BEGIN SELECT RAISE(ABORT, 'evidence is never deleted'); END;
CREATE TRIGGER IF NOT EXISTS attempts_no_update BEFORE UPDATE ON attempts WHEN OLD.finished_at <> 0 BEGIN SELECT RAISE(ABORT, 'finished attempts never change'); END;
CREATE TRIGGER IF NOT EXISTS attempts_no_delete BEFORE DELETE ON attempts BEGIN SELECT RAISE(ABORT, 'attempts are never deleted'); END;
CREATE TRIGGER IF NOT EXISTS generations_no_update BEFORE UPDATE ON generations BEGIN SELECT RAISE(ABORT, 'frozen requests never change'); END;
CREATE TRIGGER IF NOT EXISTS generations_no_delete BEFORE DELETE ON generations BEGIN SELECT RAISE(ABORT, 'frozen requests are never deleted'); END;
CREATE TRIGGER IF NOT EXISTS webhooks_no_update BEFORE UPDATE ON webhooks BEGIN SELECT RAISE(ABORT, 'received events never change'); END;
CREATE TRIGGER IF NOT EXISTS webhooks_no_delete BEFORE DELETE ON webhooks BEGIN SELECT RAISE(ABORT, 'received events are never deleted'); END;
CREATE TRIGGER IF NOT EXISTS ledger_no_update BEFORE UPDATE ON ledger_transfers BEGIN SELECT RAISE(ABORT, 'the ledger never changes'); END;
CREATE TRIGGER IF NOT EXISTS ledger_no_delete BEFORE DELETE ON ledger_transfers BEGIN SELECT RAISE(ABORT, 'the ledger is never deleted'); END;
