package store

import (
	"context"
	"fmt"
	"io"
	"io/fs"
	"strings"

	"github.com/pressly/goose/v3"

	schema "countersign/db"
	"countersign/internal/model"
)

// migrate brings the schema up to date and refuses a database that a newer
// version has written.
func (db *DB) migrate(ctx context.Context) error {
	steps, err := fs.Sub(schema.Migrations, "migrations")
	if err != nil {
		return fmt.Errorf("read the migrations: %w", err)
	}
	provider, err := goose.NewProvider(db.dialect.goose, db.write.DB, adapted{steps, db.dialect.text}, goose.WithDisableGlobalRegistry(true))
	if err != nil {
		return fmt.Errorf("read the migrations: %w", err)
	}
	current, target, err := provider.GetVersions(ctx)
	if err != nil {
		return fmt.Errorf("read the schema version: %w", err)
	}
	if current > target {
		return model.Errorf(model.Invalid, "database", "database %s was written by a newer version (schema %d, this program knows %d); nothing was changed: start the newer program", db.place, current, target)
	}
	if _, err := provider.Up(ctx); err != nil {
		return fmt.Errorf("bring the schema up to date: %w", err)
	}
	if _, err := db.write.ExecContext(ctx, db.dialect.triggers); err != nil {
		return fmt.Errorf("install the append-only triggers: %w", err)
	}
	return nil
}

// adapted are the migrations as one database wants them.
type adapted struct {
	fs.FS
	text func(string) string
}

// Open implements fs.FS.
func (a adapted) Open(name string) (fs.File, error) {
	file, err := a.FS.Open(name)
	if err != nil || !strings.HasSuffix(name, ".sql") {
		return file, err
	}
	raw, err := io.ReadAll(file)
	if err != nil {
		return nil, fmt.Errorf("read %s: %w", name, err)
	}
	return adaptedFile{file, strings.NewReader(a.text(string(raw)))}, nil
}

// adaptedFile reads the changed text.
type adaptedFile struct {
	fs.File
	text *strings.Reader
}

func (f adaptedFile) Read(p []byte) (int, error) { return f.text.Read(p) }
