package store

import (
	"context"
	"database/sql"
	"database/sql/driver"
	"errors"
	"fmt"
	"io"
	"net"
	"regexp"
	"strings"
	"syscall"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/stdlib"
	"github.com/jmoiron/sqlx"
	"github.com/pressly/goose/v3/database"

	schema "countersign/db"
	"countersign/internal/model"
)

// The most connections that one process holds to PostgreSQL. Effects under way
// hold none, so few serve many workers; ten processes stay far below the
// server's own default of a hundred.
const (
	maxConnections  = 12
	idleConnections = 6
)

// sessionSettings are what every connection asks of the server. A commit is on
// disk before it is answered. A process that is stopped inside a transaction
// must not hold an intent's row for ever: the server ends its transaction, and
// with it everything that it meant to write.
//
// Every statement of the hot paths goes by an index. On tables that have grown
// since they were last analysed the planner thinks otherwise, keeps that plan, and
// the cost of an intent grows with the tables: measured, 14 ms instead of 0.1.
// So reading a whole table is its last choice; where there is no index it still
// can, and compiling such a plan is never worth it.
var sessionSettings = map[string]string{
	"application_name":                    "countersign",
	"timezone":                            "UTC",
	"synchronous_commit":                  "on",
	"enable_seqscan":                      "off",
	"jit":                                 "off",
	"lock_timeout":                        "5s",
	"idle_in_transaction_session_timeout": "10s",
	"tcp_keepalives_idle":                 "30",
	"tcp_keepalives_interval":             "10",
	"tcp_keepalives_count":                "3",
}

var postgresDialect = dialect{
	name:      "PostgreSQL",
	goose:     database.DialectPostgres,
	text:      func(migration string) string { return jsonOfBytes(byteOrder(migration)) },
	triggers:  schema.PostgresTriggers,
	alone:     underAdvisoryLock,
	lock:      " FOR UPDATE",
	share:     " FOR SHARE",
	bytes:     "BYTEA",
	array:     func(list []string) string { return "json_build_array(" + strings.Join(list, ", ") + ")::text" },
	hex:       func(expression string) string { return "encode(" + expression + ", 'hex')" },
	elements:  "json_array_elements_text(CAST(CAST(? AS TEXT) AS JSON)) AS each (value)",
	gather:    func(expression string) string { return "CAST(json_agg(" + expression + ") AS TEXT)" },
	snapshot:  sql.TxOptions{ReadOnly: true, Isolation: sql.LevelRepeatableRead},
	now:       "SELECT (extract(epoch FROM clock_timestamp()) * 1000000)::bigint",
	fault:     postgresFault,
	undecided: postgresUndecided,
}

// openPostgres opens the database that a connection string names. The database
// itself must exist and be empty or ours.
func openPostgres(ctx context.Context, dsn string, opts Options) (*DB, error) {
	config, err := postgresConfig(dsn)
	if err != nil {
		return nil, err
	}
	db := &DB{opts: opts, dialect: postgresDialect, place: placeOf(config), listen: config}
	db.write = sqlx.NewDb(stdlib.OpenDB(*config), "pgx")
	db.write.SetMaxOpenConns(maxConnections)
	db.write.SetMaxIdleConns(idleConnections)
	db.write.SetConnMaxIdleTime(5 * time.Minute)
	db.read = db.write
	if err := db.reachable(ctx); err != nil {
		return nil, errors.Join(err, db.Close())
	}
	return db, nil
}

// postgresConfig reads a connection string, and adds what every connection asks for.
func postgresConfig(dsn string) (*pgx.ConnConfig, error) {
	config, err := pgx.ParseConfig(dsn)
	if err != nil {
		return nil, model.Errorf(model.Invalid, "database", "the database address cannot be read: %s; say postgres://USER:PASSWORD@HOST:PORT/NAME", withoutSecret(err))
	}
	for name, value := range sessionSettings {
		config.RuntimeParams[name] = value
	}
	return config, nil
}

// placeOf says where a database is, for people; never with a password.
func placeOf(c *pgx.ConnConfig) string {
	return fmt.Sprintf("%s on %s:%d", c.Database, c.Host, c.Port)
}

// withoutSecret says a parse error without the address that it quotes.
func withoutSecret(err error) string {
	_, reason, found := strings.Cut(err.Error(), "`: ")
	if !found {
		return "it is no connection string"
	}
	return reason
}

// reachable says in one line why the server does not answer, and refuses a
// database that is another program's.
func (db *DB) reachable(ctx context.Context) error {
	var tables, ours int
	err := db.write.QueryRowContext(ctx, `SELECT count(*), count(*) FILTER (WHERE table_name = 'installation')
		FROM information_schema.tables WHERE table_schema = current_schema() AND table_name NOT LIKE 'goose%'`).Scan(&tables, &ours)
	switch {
	case err != nil:
		return unanswered(db.place, err)
	case tables > 0 && ours == 0:
		return foreign(db.place)
	}
	return nil
}

// unanswered says in one line why a server refuses, or does not answer.
func unanswered(place string, err error) error {
	var refused *pgconn.PgError
	if errors.As(err, &refused) && !serverGone(refused.Code) {
		return model.Errorf(model.Invalid, "database", "database %s refuses: %s", place, refused.Message)
	}
	return &model.Error{Kind: model.Busy, Code: "busy", Message: "database " + place + " does not answer: " + strings.Join(strings.Fields(err.Error()), " "), Cause: err}
}

// textType finds the type of text columns in a migration.
var textType = regexp.MustCompile(`\bTEXT\b`)

// byteOrder gives every text column the order of its bytes, as SQLite has it:
// ranges of prefixes and positions in lists mean the same whatever locale the
// database was made with.
func byteOrder(migration string) string {
	return textType.ReplaceAllString(migration, `TEXT COLLATE "C"`)
}

// jsonCast finds a cast of bytes to JSON in a migration.
var jsonCast = regexp.MustCompile(`CAST\(([a-z.]+) AS JSON\)`)

// jsonOfBytes writes such casts as PostgreSQL has them.
func jsonOfBytes(migration string) string {
	return jsonCast.ReplaceAllString(migration, `CAST(convert_from($1, 'UTF8') AS JSON)`)
}

// preparing is the advisory lock under which one process at a time prepares a
// database ("CSGN").
const preparing = applicationID

// underAdvisoryLock runs fn while no other process prepares the database. The
// lock goes with its connection, so a dead process holds up nobody.
func underAdvisoryLock(ctx context.Context, db *DB, fn func() error) (err error) {
	conn, err := db.write.Conn(ctx)
	if err != nil {
		return fmt.Errorf("lock for the migrations: %w", err)
	}
	defer conn.Close()
	// Another process may take its time: no limit but the caller's.
	if _, err := conn.ExecContext(ctx, "SET lock_timeout = 0"); err != nil {
		return fmt.Errorf("lock for the migrations: %w", err)
	}
	if _, err := conn.ExecContext(ctx, "SELECT pg_advisory_lock($1)", preparing); err != nil {
		return fmt.Errorf("lock for the migrations: %w", err)
	}
	defer func() {
		end := context.WithoutCancel(ctx)
		_, unlock := conn.ExecContext(end, "SELECT pg_advisory_unlock($1)", preparing)
		_, reset := conn.ExecContext(end, "RESET lock_timeout")
		err = errors.Join(err, unlock, reset)
	}()
	return fn()
}

// postgresFault tells what an error of PostgreSQL or of its connection means.
// Codes: https://www.postgresql.org/docs/current/errcodes-appendix.html.
func postgresFault(err error) fault {
	var said *pgconn.PgError
	if errors.As(err, &said) {
		switch {
		case said.Code == "40001", said.Code == "40P01", said.Code == "55P03": // serialization, deadlock, lock timeout
			return passing
		case said.Code == "23505":
			return duplicate
		case strings.HasPrefix(said.Code, "53"): // disk full, out of memory, too many connections
			if said.Code == "53100" {
				return full
			}
			return passing
		case serverGone(said.Code):
			return gone
		}
		return noFault
	}
	if connectionGone(err) {
		return gone
	}
	return noFault
}

// serverGone reports whether a code says that the server goes away or is not
// there yet, or ended this connection.
func serverGone(code string) bool {
	return strings.HasPrefix(code, "57P") || strings.HasPrefix(code, "08") || code == "25P03" || code == "25P04"
}

// connectionGone reports whether an error is the connection's, not the statement's.
func connectionGone(err error) bool {
	var connecting *pgconn.ConnectError
	var network net.Error
	if errors.As(err, &connecting) {
		return true
	}
	for _, end := range []error{driver.ErrBadConn, sql.ErrConnDone, io.EOF, io.ErrUnexpectedEOF, net.ErrClosed, syscall.ECONNRESET, syscall.EPIPE} {
		if errors.Is(err, end) {
			return true
		}
	}
	if errors.As(err, &network) {
		return !errors.Is(err, context.Canceled) && !errors.Is(err, context.DeadlineExceeded)
	}
	return err != nil && strings.Contains(err.Error(), "conn closed")
}

// postgresUndecided: the server's own refusal of a commit is a rollback, unless
// it says that it is going away; everything else may have been kept.
func postgresUndecided(err error) bool {
	var said *pgconn.PgError
	if errors.As(err, &said) {
		return serverGone(said.Code)
	}
	return !errors.Is(err, pgx.ErrTxCommitRollback)
}
