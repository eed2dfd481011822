// Package alert tells people what waits for them: which causes stand, each in
// one row for ever, and their delivery by webhook and mail.
//
// The life of an alert:
//
//	cause made ─▶ raised, in the transaction that makes the cause
//	                 │ planned: a delivery for each channel (one process, by lease)
//	                 ▼
//	              delivery: reserved (try + 1, next try) ─▶ sent ─▶ delivered
//	                 ▲                                   └─ failed ─┐
//	                 └──────────────────────────────────────────────┴▶ given up
//	cause gone ─▶ ended, in the transaction that takes the cause away
//
// A cause is raised where it is made, not found by looking for it: no table is
// searched, the cost is that of the row, and a cause that is there has its alert.
// Only deadlines pass by themselves; an index over them is polled.
//
// A process that dies between the reservation of a try and its end leaves a
// delivery that is tried again, with the same id: a receiver tells it by that.
package alert
