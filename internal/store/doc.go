// Package store keeps everything in one SQL database: embedded SQLite here,
// the same statements for PostgreSQL. It holds every SQL statement of the
// product but those on the audit tables.
//
// Writing goes through Update, one transaction under the single writer; reading
// through View, on a pool that cannot write. A transaction never calls a
// provider, a mail server or anything else that can hang.
//
// Whoever writes a row of an intent first locks the intent (LockCase); rows are
// locked in the order intent, preview, rights, limits, audit.
package store
