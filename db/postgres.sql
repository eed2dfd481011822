-- Append-only tables, PostgreSQL. Applied after the schema, idempotent: what is
-- there already takes no lock, so that a start disturbs no running process.
CREATE OR REPLACE FUNCTION countersign_append_only() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  RAISE EXCEPTION '% never changes: % refused', TG_TABLE_NAME, lower(TG_OP) USING ERRCODE = 'integrity_constraint_violation';
END $$;

CREATE OR REPLACE FUNCTION countersign_finished_attempt() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF OLD.finished_at <> 0 THEN
    RAISE EXCEPTION 'finished attempts never change' USING ERRCODE = 'integrity_constraint_violation';
  END IF;
  RETURN NEW;
END $$;

DO $$
DECLARE
  name TEXT;
BEGIN
  FOREACH name IN ARRAY ARRAY['audit_entries', 'audit_log', 'audit_nodes', 'audit_checkpoints', 'evidence', 'generations', 'webhooks', 'ledger_transfers', 'notes'] LOOP
    IF NOT EXISTS (SELECT 1 FROM pg_trigger WHERE tgname = name || '_append_only' AND tgrelid = name::regclass) THEN
      EXECUTE format('CREATE TRIGGER %I BEFORE UPDATE OR DELETE OR TRUNCATE ON %I FOR EACH STATEMENT EXECUTE FUNCTION countersign_append_only()', name || '_append_only', name);
    END IF;
  END LOOP;
  IF NOT EXISTS (SELECT 1 FROM pg_trigger WHERE tgname = 'attempts_append_only' AND tgrelid = 'attempts'::regclass) THEN
    CREATE TRIGGER attempts_append_only BEFORE DELETE OR TRUNCATE ON attempts FOR EACH STATEMENT EXECUTE FUNCTION countersign_append_only();
    CREATE TRIGGER attempts_finished BEFORE UPDATE ON attempts FOR EACH ROW EXECUTE FUNCTION countersign_finished_attempt();
  END IF;
END $$;
