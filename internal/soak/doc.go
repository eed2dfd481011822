// Package soak holds the proof that nothing accepted is lost and nothing is paid
// twice when processes die: real programs (two that serve, two that only work)
// on one PostgreSQL server and beside one sandbox provider, with clients that
// post all the while and ask again where they got no answer. Processes are
// killed and stopped at random, the provider and PostgreSQL too. At the end
// everything is told by the API, the database, the audit log and the provider's
// own books.
//
// The package has no code outside its tests. A run is short; with
// COUNTERSIGN_SOAK=10m in the environment it goes on for so long.
package soak
