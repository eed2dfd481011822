// Package server is the sandbox provider: a bank, a mail service and a dispute
// portal in one HTTP server, with durable books in a SQLite file of its own
// and a fault for every way in which a real provider can fail its caller.
//
// # Effects and books
//
// A POST that executes makes one object and one effect. GET /books lists the
// effects, one line each, in the order in which they happened; replays and
// refusals are not in it. A line is never removed: when its money comes back
// (the payout failed, was returned, or was reversed in full), or a message
// bounced, it gets an
// undone_at. The books are what tests compare with, not the answers.
//
// The operations, as the books and the matches of faults name them:
//
//	payouts           POST /payouts                  201  pending → paid | failed, later perhaps returned
//	payout_reversals  POST /payouts/{id}/reversals   201  succeeded at once
//	credits           POST /credits                  201  as payouts
//	credit_reversals  POST /credits/{id}/reversals   201  succeeded at once
//	disputes          POST /disputes/{id}/responses  202  submitted → won | lost | accepted
//	messages          POST /messages                 202  queued → delivered | bounced
//
// A reversal takes {"reference","amount","currency","metadata"}, may take back
// a part, and is refused with 409 already_reversed or not_reversible, or 422
// amount_too_large, currency_mismatch or destination_mismatch; object_id then
// names the original. It may come while the original is pending; an original
// reversed in full never fails or returns, so that money comes back only once.
//
// Objects are read at /payouts, /credits, /reversals, /disputes/responses and
// /messages, by id below these, or as a list {"items","next_cursor"} narrowed
// by reference (exact), since (RFC 3339) and cursor, at most limit (100) a
// page; reversals of one original and responses to one dispute also where they
// are posted. The reference of a message is its message_id; lists leave a
// message out for its first 30 seconds, its id finds it at once.
//
// # Keys
//
// Payouts, credits and reversals require an Idempotency-Key (1 to 255
// characters of printable ASCII; all share one space). Effect, stored result
// and the bite of a fault are one transaction, synced before any answer. A
// repeat within the retention answers the stored result byte for byte, with
// Idempotent-Replayed: true; the same key with another method, path or body
// is 422 key_reused; while the first is in flight, up to its answer or cut, it
// is 409 key_in_use. What is refused before executing (malformed, 429,
// 500_before) stores nothing. With Stores all, every executed result is stored: a refusal
// too, so that after the cure of an insufficient_funds only a new key can
// succeed, and a 500 after acting. With Stores successes only 2xx are, so that
// a repeat after the others executes again, and after 500_after acts twice.
//
// Dispute responses and messages have no keys: each POST is an effect.
//
// # Faults
//
// POST /faults arms a fault for the next matching requests (times, default 1);
// GET /faults counts its bites; DELETE /faults removes all. Armed faults are in
// the books and outlive a restart. The header Sandbox-Fault: name;ms=N, name
// adds faults to its own request. Every given member of a match must fit; key,
// operation, method and path exactly, reference by prefix. A look-up
// (get_payouts, list_payouts, …) is bitten only if method, operation or path is
// given. Faults that cannot mean anything to a request stay armed. One fault
// per stage bites a request, the oldest first, so that those of one stage take
// turns and those of different stages combine.
//
// The stage of the answer:
//
//	refuse_connect      the port is closed at once for ms, then opened again
//	drop_before_accept  cut, nothing happened
//	drop_after_accept   cut, it happened and its result is stored
//	hang_after_accept   it happened; silent for ms, then cut
//	500_before          500, nothing happened
//	500_after           it happened, 500
//	429                 nothing happened; Retry-After is ms in full seconds
//	truncated_body      it happened; half the body, then cut
//	other_key_echo      it happened; the answer alone names another reference
//	reject_permanent    422 account_closed, of a response dispute_closed, of a
//	                    message mailbox_closed; nothing happened
//	reject_curable      402 insufficient_funds, nothing happened
//	slow                it happened; answered after ms
//
// The other stages:
//
//	wrong_amount_echo      object: object, books and answer carry another amount
//	settle_late            settlement: ms later than usual
//	settle_never           settlement: stays open
//	settle_failed          settlement: failed, lost or bounced
//	settle_then_return     settlement: paid, and ms later returned
//	webhook_twice          webhook: each event of the object twice, with one id
//	webhook_late           webhook: each event ms later
//	webhook_out_of_order   webhook: the first event after the second, or after ms
//	not_found_for_a_while  visibility: look-ups do not find the object for ms
//
// A given ms is real time; defaults are divided by the pace, as are settlement,
// the look-up delay of messages and the waits between deliveries. Retention is
// never divided.
//
// # Webhooks
//
// Every change of status, and every reversal, puts an event
// {"type","timestamp","data"} into an outbox in the same transaction. Events
// are signed by Standard Webhooks, delivered at least once, repeated with
// growing waits until a 2xx for three days, and wait for an address if there
// is none. Their order is usual, not promised.
package server
