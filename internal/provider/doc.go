// Package provider is the port to everything outside: what a step may ask of a
// provider, what comes back, and the one client that carries it. A provider is
// one Adapter; each kind of provider has a folder of its own below this one.
//
// The rule of the package: a call is sent at most once, and doubt is always
// model.ResultUnknown. Only Classify reads status codes and network errors.
package provider
