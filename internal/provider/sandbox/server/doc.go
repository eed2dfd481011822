// Package server is the sandbox provider: a simulated bank, mail service and
// dispute portal over HTTP, with durable books.
package server
