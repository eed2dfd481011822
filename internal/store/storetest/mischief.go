package storetest

import "countersign/internal/store"

// Inserted is what rows are ordered by to have them as they were inserted.
func Inserted() string {
	if Postgres() {
		return "ctid"
	}
	return "rowid"
}

// RefuseInserts makes every further row of a table fail, as a full or broken
// disk does.
func RefuseInserts(tx *store.Tx, table string) error {
	statements := []string{"CREATE TRIGGER broken BEFORE INSERT ON " + table + " BEGIN SELECT RAISE(ABORT, 'disk trouble'); END"}
	if Postgres() {
		statements = []string{
			"CREATE FUNCTION broken() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RAISE EXCEPTION 'disk trouble'; END $$",
			"CREATE TRIGGER broken BEFORE INSERT ON " + table + " FOR EACH ROW EXECUTE FUNCTION broken()",
		}
	}
	for _, statement := range statements {
		if _, err := tx.Exec(statement); err != nil {
			return err
		}
	}
	return nil
}

// AcceptInserts ends what RefuseInserts began.
func AcceptInserts(tx *store.Tx, table string) error { return dropTriggers(tx, table, "broken") }

// DropTriggers takes the triggers out of the way that keep the tables whose
// names begin with prefix append-only, as a database's owner could.
func DropTriggers(tx *store.Tx, prefix string) error { return dropTriggers(tx, prefix+"%", "%") }

// dropTriggers takes two patterns, as of LIKE.
func dropTriggers(tx *store.Tx, table, name string) error {
	list := "SELECT name, tbl_name FROM sqlite_master WHERE type = 'trigger' AND tbl_name LIKE ? AND name LIKE ?"
	if Postgres() {
		list = `SELECT tgname AS name, tgrelid::regclass::text AS tbl_name FROM pg_trigger WHERE NOT tgisinternal AND tgrelid::regclass::text LIKE ? AND tgname LIKE ?`
	}
	var triggers []struct {
		Name  string `db:"name"`
		Table string `db:"tbl_name"`
	}
	if err := tx.Select(&triggers, list, table, name); err != nil {
		return err
	}
	for _, trigger := range triggers {
		statement := "DROP TRIGGER " + trigger.Name
		if Postgres() {
			statement += " ON " + trigger.Table
		}
		if _, err := tx.Exec(statement); err != nil {
			return err
		}
	}
	return nil
}
