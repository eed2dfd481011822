package store

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"countersign/internal/model"
)

// Where the search path has none, the newest that is installed is taken; where
// there is none at all, the package is named.
func TestPostgresProgramIsFound(t *testing.T) {
	t.Setenv("PATH", t.TempDir())
	dir, before := t.TempDir(), programFolders
	t.Cleanup(func() { programFolders = before })
	programFolders = filepath.Join(dir, "*/bin")
	if _, err := PostgresProgram("pg_dump"); !errors.Is(err, model.Invalid) || !strings.Contains(err.Error(), "postgresql-client") || strings.Contains(err.Error(), "\n") {
		t.Errorf("without one: %v", err)
	}
	for _, version := range []string{"9.6", "16", "15"} {
		bin := filepath.Join(dir, version, "bin")
		if err := errors.Join(os.MkdirAll(bin, 0o700), os.WriteFile(filepath.Join(bin, "pg_dump"), nil, 0o700)); err != nil {
			t.Fatal(err)
		}
	}
	if path, err := PostgresProgram("pg_dump"); err != nil || path != filepath.Join(dir, "16", "bin", "pg_dump") {
		t.Errorf("found %s, %v", path, err)
	}
}

// pg_dump reaches the very server that the console does.
func TestProgramsConnectWhereWeDo(t *testing.T) {
	config, err := postgresConfig("postgres://ada:p%40ss@db.example:6543/pay%20outs?sslmode=require&search_path=ledger")
	if err != nil {
		t.Fatal(err)
	}
	env := connectEnv([]string{"HOME=/root", "PGHOSTADDR=10.0.0.1", "PGHOST=elsewhere"}, config)
	for _, want := range []string{"HOME=/root", "PGHOST=db.example", "PGPORT=6543", "PGUSER=ada", "PGDATABASE=pay outs", "PGPASSWORD=p@ss", "PGSSLMODE=require", "LC_ALL=C"} {
		if !slices.Contains(env, want) {
			t.Errorf("no %s in %v", want, env)
		}
	}
	if strings.Contains(strings.Join(env, "\n"), "PGHOSTADDR") || slices.Index(env, "PGHOST=elsewhere") > slices.Index(env, "PGHOST=db.example") {
		t.Errorf("another server would be reached: %v", env) // the last of a name counts
	}
}
