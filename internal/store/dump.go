package store

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"

	"countersign/internal/model"
)

// programFolders is where Debian puts PostgreSQL's programs, one folder per version.
var programFolders = "/usr/lib/postgresql/*/bin"

// PostgresProgram finds a program of PostgreSQL: the one that the search path
// names, else the newest that Debian's packages brought. The error is of kind
// Invalid and names the packages.
func PostgresProgram(name string) (path string, err error) {
	if path, err := exec.LookPath(name); err == nil {
		return path, nil
	}
	found, _ := filepath.Glob(filepath.Join(programFolders, name)) // the pattern is well formed
	newest := -1.0
	for _, candidate := range found {
		version, err := strconv.ParseFloat(filepath.Base(filepath.Dir(filepath.Dir(candidate))), 64) // "16", "9.6"
		if err == nil && version > newest {
			path, newest = candidate, version
		}
	}
	if path == "" {
		return "", model.Errorf(model.Invalid, "program", "%s is not installed here: install the package postgresql-client (Debian, Ubuntu), postgresql (Fedora) or libpq (Homebrew), of the server's version or newer; nothing was made", name)
	}
	return path, nil
}

// dumpHead opens the script that a copy is. It is one transaction, so that no
// restoring ends half-way, before the mark, whatever options psql is given.
const dumpHead = `-- A copy of the Countersign database %s, made by console backup. Restore it into
-- a new database: createdb NAME && psql -d NAME -v ON_ERROR_STOP=1 -f THIS-FILE.
-- A console that is started on it sends nothing until its restore hold is lifted.
BEGIN;
`

// dumpTail marks the copy once all else is restored; pg_dump leaves an empty
// search path behind.
const dumpTail = `
SET search_path = %s;
%s;
COMMIT;
`

// fillPostgres makes the draft a script that restores one snapshot of a
// PostgreSQL database. pg_dump writes into it by itself, however large it gets.
func fillPostgres(ctx context.Context, dsn string, draft *os.File) (m CopyMark, err error) {
	program, err := PostgresProgram("pg_dump")
	if err != nil {
		return m, err
	}
	config, err := postgresConfig(dsn)
	if err != nil {
		return m, err
	}
	// The snapshot is kept open, idle, for as long as pg_dump may need it.
	config.RuntimeParams["idle_in_transaction_session_timeout"] = "0"
	conn, err := pgx.ConnectConfig(ctx, config)
	if err != nil {
		return m, unanswered(placeOf(config), err)
	}
	defer conn.Close(context.WithoutCancel(ctx))
	s, err := takeSnapshot(ctx, conn, placeOf(config))
	if err != nil {
		return m, err
	}
	if _, err := fmt.Fprintf(draft, dumpHead, strings.ReplaceAll(placeOf(config), "\n", " ")); err != nil {
		return m, fmt.Errorf("write the backup: %w", err)
	}
	if err := dump(ctx, program, config, s.id, draft); err != nil {
		return m, err
	}
	mark := strings.Join(strings.Fields(fmt.Sprintf(markCopy, s.mark.MadeAt, "", `'\x'::bytea`)), " ")
	if _, err := fmt.Fprintf(draft, dumpTail, pgx.Identifier{s.schema}.Sanitize(), mark); err != nil {
		return m, fmt.Errorf("write the backup: %w", err)
	}
	return s.mark, nil
}

// dumped is a moment of a PostgreSQL database that other connections can read too.
type dumped struct {
	id     string
	schema string
	mark   CopyMark // as it will stand in the copy
}

// takeSnapshot exports a snapshot; it lasts until the connection ends.
func takeSnapshot(ctx context.Context, conn *pgx.Conn, place string) (s dumped, err error) {
	if _, err := conn.Exec(ctx, "BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY"); err != nil {
		return s, unanswered(place, err)
	}
	var ours, marks bool
	var began time.Time
	if err := conn.QueryRow(ctx, `SELECT now(), COALESCE(current_schema(), ''), to_regclass('installation') IS NOT NULL, to_regclass('copy_mark') IS NOT NULL`).
		Scan(&began, &s.schema, &ours, &marks); err != nil {
		return s, unanswered(place, err)
	}
	switch {
	case !ours:
		return s, model.Errorf(model.Invalid, "backup", "database %s is no console's, so no backup was made; name another with --db", place)
	case !marks:
		return s, model.Errorf(model.Invalid, "backup", "database %s is of an older version, whose copies cannot be marked, so no backup was made; run console migrate first", place)
	}
	s.mark.MadeAt = model.At(began)
	err = conn.QueryRow(ctx, `SELECT COALESCE(MAX(idx) + 1, 0), COALESCE((SELECT MAX(size) FROM audit_checkpoints), 0),
		COALESCE((SELECT root FROM audit_checkpoints ORDER BY size DESC LIMIT 1), ''), pg_export_snapshot() FROM audit_log`).
		Scan(&s.mark.LogSize, &s.mark.CheckpointSize, &s.mark.CheckpointRoot, &s.id)
	if err != nil {
		return s, unanswered(place, err)
	}
	return s, nil
}

// saidMost bounds what is kept of a program's complaints.
const saidMost = 4 << 10

// first keeps the beginning of what is written to it.
type first struct{ bytes.Buffer }

func (f *first) Write(p []byte) (int, error) {
	f.Buffer.Write(p[:max(0, min(len(p), saidMost-f.Len()))])
	return len(p), nil
}

// dump has pg_dump append a snapshot to the draft. Where to connect and the
// password go by the environment, which no other user of the machine can read.
func dump(ctx context.Context, program string, config *pgx.ConnConfig, snapshot string, draft *os.File) error {
	cmd := exec.CommandContext(ctx, program, "--format=plain", "--no-owner", "--no-privileges", "--no-tablespaces", "--no-password",
		"--encoding=UTF8", "--lock-wait-timeout=60s", "--snapshot="+snapshot)
	var said first
	cmd.Env, cmd.Stdout, cmd.Stderr = connectEnv(os.Environ(), config), draft, &said
	if err := cmd.Run(); err != nil {
		if ctx.Err() != nil {
			return ctx.Err()
		}
		return model.Errorf(model.Invalid, "backup", "pg_dump could not copy database %s, so no backup was made: %s", placeOf(config), complaint(said.String(), err))
	}
	return nil
}

// complaint shortens what pg_dump said to one line.
func complaint(said string, err error) string {
	var lines []string
	for line := range strings.Lines(said) {
		line = strings.TrimSpace(line)
		for _, prefix := range []string{"pg_dump: ", "error: ", "detail: ", "hint: "} {
			line = strings.TrimPrefix(line, prefix)
		}
		if line != "" {
			lines = append(lines, line)
		}
	}
	if len(lines) == 0 {
		return err.Error()
	}
	text := strings.Join(lines[:min(3, len(lines))], "; ")
	if strings.Contains(text, "server version mismatch") {
		text += "; install the package postgresql-client of the server's version or newer"
	}
	return text
}
