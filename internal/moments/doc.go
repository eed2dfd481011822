// Package moments holds the proof of the product's promise: every ambiguous
// moment (a connection cut after acceptance, a process killed at any commit, a
// webhook before our own answer, …) played through the real engine, the real
// store and the sandbox provider over a real socket, and after each of them a
// restart and a check of every invariant. What really happened is read from the
// provider's own books, never from ours.
//
// The package has no code outside its tests.
package moments
