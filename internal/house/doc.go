// Package house keeps the rules of the house: who may import whom, which
// modules of others are used and why, how long a file or a function may grow,
// and what must not stand in the text at all. It holds tests only.
//
// The folder gotest beside it is the runner of `make test`.
package house
