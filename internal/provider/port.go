package provider

import (
	"context"
	"net/http"
	"time"

	"countersign/internal/model"
)

// Operations lists all operations in the order of the pages.
func Operations() []string {
	return []string{model.PayoutCreate, model.PayoutReverse, model.CreditCreate, model.CreditReverse, model.DisputeRespond, model.MessageSend}
}

// Order is what a step asks of a provider, in the product's own words.
type Order struct {
	Operation   string
	StepKey     string // the durable key, and the reference at the provider
	WireKey     string // the same in the form that the contract allows
	Amount      int64  // minor units
	Currency    string // ISO 4217
	Destination string // account of the payee at the provider
	Object      string // external reference of what is undone, or the dispute answered
	Response    string // "contest" or "accept", of a dispute
	Evidence    []Item
	Message     *Message // of message.send, otherwise nil
	Metadata    map[string]string
}

// Item is one piece of evidence in the answer to a dispute.
type Item struct {
	Type string `json:"type"`
	Text string `json:"text"`
}

// Message is a mail to one recipient.
type Message struct {
	To       string
	Template string // the name of its template, never its text
	Subject  string
	HTML     string
	Text     string
}

// Request is the bytes of one effect as they are frozen. Between generations
// only the key's own field in the body may differ; a key that travels in a
// header is not part of it.
type Request struct {
	Method      string
	URL         string
	ContentType string
	Body        []byte
}

// Expect is what an answer must name before it counts as an answer to us. An
// empty Reference matches nothing; an empty Destination is not compared.
type Expect struct {
	Reference   string // the step key; adapters turn it into the provider's form
	Amount      int64  // minor units
	Currency    string
	Destination string
}

// Call is one send of one frozen request.
type Call struct {
	Request
	Operation string
	WireKey   string
	KeyHeader string // that carries the wire key, by the contract that the step is bound to; "" is none
	RequestID string // ours, in a header and in the attempt
	Expect    Expect
	Deadline  time.Duration // what is left for the whole call
	// FirstByteBefore is asked right before the first byte leaves. Where it says
	// false, nothing is sent and the result is not_sent. Nil allows.
	FirstByteBefore func() bool
}

// Lookup is a question about one effect.
type Lookup struct {
	Operation   string
	WireKey     string
	StepKey     string
	ExternalRef string // where known, that object is read
	Expect      Expect
}

// Event is the content of one verified webhook. It is a hint to go and look:
// the state is always read from the provider.
type Event struct {
	ID        string // unique at the provider
	Type      string
	Operation string // the operation it is about; "" is none of ours
	Ref       string // the external object
	Reference string // our reference, where the event names it
	At        time.Time
}

// Adapter speaks one provider's protocol. All methods may be called at once
// from many goroutines.
type Adapter interface {
	// Contract gives what the provider promises about an operation, and whether
	// it serves it at all.
	Contract(operation string) (model.Contract, bool)
	// Request gives the bytes of an order. It is pure: the same order gives the
	// same bytes. The error is of kind Invalid.
	Request(Order) (Request, error)
	// Send sends at most once. It has no error: doubt is model.ResultUnknown.
	Send(context.Context, Call) model.Outcome
	// Address is where Query would look, for people to see beforehand.
	Address(Lookup) string
	// Query only looks. What it cannot find out is model.FoundNothing.
	Query(context.Context, Lookup) model.Observation
	// Webhook verifies a notice by its signature and time, and reads it. The
	// error is of kind Unauthenticated for a notice that is not the provider's,
	// Invalid for one that cannot be read.
	Webhook(header http.Header, raw []byte, now time.Time) (Event, error)
}
