package store

import (
	"context"
	"fmt"
	"io/fs"
	"strings"

	"github.com/pressly/goose/v3"
	"github.com/pressly/goose/v3/database"

	schema "countersign/db"
	"countersign/internal/model"
)

// migrate brings the schema up to date and refuses a database that a newer
// version has written.
func (db *DB) migrate(ctx context.Context, file string) error {
	steps, err := fs.Sub(schema.Migrations, "migrations")
	if err != nil {
		return fmt.Errorf("read the migrations: %w", err)
	}
	provider, err := goose.NewProvider(database.DialectSQLite3, db.write.DB, steps, goose.WithDisableGlobalRegistry(true))
	if err != nil {
		return fmt.Errorf("read the migrations: %w", err)
	}
	current, target, err := provider.GetVersions(ctx)
	if err != nil {
		return fmt.Errorf("read the schema version: %w", err)
	}
	if current > target {
		return model.Errorf(model.Invalid, "database", "database %s was written by a newer version (schema %d, this program knows %d); nothing was changed: start the newer program", file, current, target)
	}
	if _, err := provider.Up(ctx); err != nil {
		return fmt.Errorf("bring the schema up to date: %w", err)
	}
	for _, statement := range append(triggers(), fmt.Sprintf("PRAGMA application_id = %d", applicationID)) {
		if _, err := db.write.ExecContext(ctx, statement); err != nil {
			return fmt.Errorf("install the append-only triggers: %w", err)
		}
	}
	return nil
}

// triggers are the statements of the trigger file, one a line.
func triggers() []string {
	var list []string
	for line := range strings.Lines(schema.SQLiteTriggers) {
		if line = strings.TrimSpace(line); line != "" && !strings.HasPrefix(line, "--") {
			list = append(list, line)
		}
	}
	return list
}
