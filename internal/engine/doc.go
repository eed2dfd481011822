// Package engine drives intents: it claims them, reserves and sends their
// effects, asks providers about what is uncertain, applies webhooks, and takes
// over what a lost worker left behind.
//
// The life of one intent under the engine:
//
//	          due                       one transaction
//	(asleep) ─────▶ claim: fence+1 ─▶ advance: local steps run here,
//	    ▲                              until an effect or a look is next
//	    │                                  │ reserve: attempt and frozen
//	    │ nothing due: release             ▼ bytes are committed
//	    └──────────────── settle ◀──── call the provider, no transaction
//	                        │ same fence: result, evidence, state, and
//	                        │ the next reservation in the same commit
//	                        └ other fence: kept as late evidence only
//
// Claims go in batches, and results that come in while a commit is under way
// are settled together in the next: see settleTogether.
//
// What recovery finds, by where a process died: before the commit of a claim,
// nothing; after it, an open attempt, which becomes unknown for an effect and
// did_not_happen for local work, since local work commits with its own end;
// after the call but before the settle, the same open attempt. In every case
// the rules of the model decide what follows, never the engine.
//
// A lease is renewed by every reservation and is longer than any call, so a
// worker never calls without one. The first byte of an effect leaves only
// before the attempt's deadline, which was measured from before the claim.
package engine
