// Package audit is the record of who did what: entries, their order, and the
// proof that neither was changed afterwards. It holds the only SQL on the audit
// tables.
//
//	Append ──commit──▶ waiting ──Sequence──▶ numbered ──at most 1/s──▶ under a checkpoint
//	   │                  │
//	   └─rollback: none   └─ MAC wrong: stays waiting, for ever, and Trouble says so
//
// An entry is written in the transaction of what it records, so neither exists
// without the other. It has no number yet: numbering there would make every
// transaction wait for every other. A sequencer, one at a time by a lease row,
// takes waiting entries in batches, gives them contiguous numbers and makes them
// leaves of an RFC 6962 tree. The root of that tree, kept outside, is what makes
// a later change visible; an entry younger than the last checkpoint is not yet
// protected against removal.
//
// The canonical bytes (RFC 8785) are the entry. They are stored, hashed and
// exported as they are; the columns beside them only serve to find them, and are
// compared with them before an entry gets its number.
package audit
