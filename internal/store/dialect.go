package store

import (
	"context"
	"database/sql"
	"strings"

	"github.com/pressly/goose/v3/database"
)

// fault is what a database's error means for the transaction that met it.
type fault int

const (
	noFault   fault = iota // nothing that the database says about itself
	passing                // refused before anything was kept: run the transaction again
	full                   // the disk is full
	gone                   // the connection or the server is gone
	duplicate              // a unique key that another transaction took meanwhile
)

// dialect is everything in which the two databases differ.
type dialect struct {
	name string
	// goose is the migrations' dialect; text changes a migration for the database.
	goose database.Dialect
	text  func(migration string) string
	// triggers make the append-only tables append-only; idempotent.
	triggers string
	// statistics takes what the planner chooses by; "" where the database does so.
	statistics string
	// alone runs the preparation of a database while no other process does.
	alone func(ctx context.Context, db *DB, fn func() error) error
	// Row locks, as they end a SELECT: SQLite's one writer needs none.
	lock, share string
	// bytes is the type of bytes in a CAST.
	bytes string
	// array makes a JSON array of expressions, and hex text of one that is bytes.
	array func(expressions []string) string
	hex   func(expression string) string
	// elements is a table of the texts in a JSON array, one argument, as each.value;
	// gather makes a JSON array of a column's values.
	elements string
	gather   func(expression string) string
	// snapshot is how a transaction reads on one snapshot.
	snapshot sql.TxOptions
	// now reads the database's own clock, in microseconds; "" takes the process's.
	now string
	// fault tells what an error means.
	fault func(error) fault
	// undecided reports whether a failed commit may have been kept.
	undecided func(error) bool
}

// prefixEnd is the smallest text behind every text that begins with prefix, so
// that a prefix search is a range on an index.
func prefixEnd(prefix string) string {
	return prefix + "\U0010FFFF"
}

// marks gives n question marks for an IN list.
func marks(n int) string {
	return strings.TrimSuffix(strings.Repeat("?,", n), ",")
}

// verb is the beginning of a statement, enough to tell which one failed.
func verb(query string) string {
	words := strings.Fields(query)
	return strings.ToLower(strings.Join(words[:min(len(words), 4)], " "))
}
