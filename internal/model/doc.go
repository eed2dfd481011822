// Package model holds what Countersign is about, free of I/O and of clocks:
// intents, their steps, attempts and evidence, the contracts of providers, and
// the rules that say what is known about an effect and what may be done next.
//
// Everything here is a value or a pure function. Time comes in as an argument,
// the database is somebody else's business, and the same inputs always give the
// same answer; so pages, API and engine cannot disagree about what is true.
//
// Conventions: money is an integer of minor units with an ISO 4217 code; a Time
// is microseconds since the Unix epoch in UTC, and zero means "none".
package model
