package model

import (
	"errors"
	"fmt"
)

// Kind says what sort of failure an Error is. Each kind maps to one HTTP
// status and one page, in one table of internal/web.
type Kind int

// The kinds. Internal is the zero value: an error that nobody classified is
// ours, and its text is not for the caller.
const (
	Internal        Kind = iota
	Invalid              // the input is wrong; repeating it cannot help
	Unauthenticated      // we do not know who asks
	Denied               // we know who asks, and they may not
	NotFound             // it does not exist, or not for this caller
	Conflict             // it contradicts what is already so
	Stale                // it was decided on a state that has moved
	Busy                 // not now; the same call may succeed later
	Unknown              // it may or may not have happened; ask again by the same id
)

// Error makes a Kind usable as a target of errors.Is: errors.Is(err, model.Stale).
func (k Kind) Error() string {
	return [...]string{"internal", "invalid", "unauthenticated", "denied", "not found",
		"conflict", "stale", "busy", "unknown"}[k]
}

// Field names one faulty part of an input and what is wrong with it, never the
// value itself: values may be personal or secret.
type Field struct {
	Location string `json:"location"`
	Message  string `json:"message"`
}

// Error is a failure that a person or a program is told about. Message is a
// sentence for people; Code is the problem type's name in the API.
type Error struct {
	Kind    Kind
	Code    string
	Message string
	Fields  []Field
	// Extra holds further members of the problem document ("rule", "changes", …).
	Extra map[string]any
	Cause error
}

// Error gives the sentence for people, followed by the fields at fault.
func (e *Error) Error() string {
	text := e.Message
	for _, f := range e.Fields {
		text += "; " + f.Location + ": " + f.Message
	}
	return text
}

// Unwrap keeps the cause reachable for errors.Is and errors.As.
func (e *Error) Unwrap() error { return e.Cause }

// Is reports whether target is this error's Kind.
func (e *Error) Is(target error) bool {
	k, ok := target.(Kind)
	return ok && k == e.Kind
}

// Errorf makes an Error with a sentence. A %w operand becomes its cause.
func Errorf(kind Kind, code, format string, args ...any) *Error {
	err := fmt.Errorf(format, args...)
	return &Error{Kind: kind, Code: code, Message: err.Error(), Cause: errors.Unwrap(err)}
}

// WithFields returns the error with the named faults added.
func (e *Error) WithFields(fields ...Field) *Error {
	e.Fields = append(e.Fields, fields...)
	return e
}

// With returns the error with one more member of its problem document.
func (e *Error) With(name string, value any) *Error {
	if e.Extra == nil {
		e.Extra = map[string]any{}
	}
	e.Extra[name] = value
	return e
}

// KindOf tells the kind of any error; errors that carry none are Internal.
func KindOf(err error) Kind {
	var e *Error
	if errors.As(err, &e) {
		return e.Kind
	}
	var k Kind
	if errors.As(err, &k) {
		return k
	}
	return Internal
}
