// Package api is the JSON interface under /v1, described by OpenAPI 3.1 at
// /v1/openapi.json. It decides nothing: who may do what is for package authz,
// what an action does for package actions. What it adds is the form: strict
// JSON in, shapes with every member present out, RFC 9457 problems that never
// repeat a value, and lists that are read by keyset.
package api
