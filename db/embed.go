// Package db holds the schema, its migrations and the append-only triggers.
package db

import "embed"

// Migrations are the numbered steps that lead to the schema, for both databases.
//
//go:embed migrations/*.sql
var Migrations embed.FS

// Schema is the whole schema; it equals the result of all migrations.
//
//go:embed schema.sql
var Schema string

// SQLiteTriggers make the append-only tables append-only on SQLite.
//
//go:embed sqlite.sql
var SQLiteTriggers string

// PostgresTriggers make the append-only tables append-only on PostgreSQL.
//
//go:embed postgres.sql
var PostgresTriggers string
