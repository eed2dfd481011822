// Package web is what people and programs see of the product over HTTP: the
// pages, the webhooks of providers, health and, registered by its own package,
// the API.
//
// Nothing is decided here. A request becomes an actor and a form; what may be
// done comes from package actions as a verdict, a preview or an error, and what
// a page says follows from the model. A GET changes nothing; a POST carries the
// session's token and answers 303. No request calls a provider.
package web
