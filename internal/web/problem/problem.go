// Package problem says what an error is to the outside: one table maps kinds
// and codes of errors to an HTTP status, a title and a problem type. Pages and
// API answer from it alike; the API in the form of RFC 9457.
package problem

import (
	"context"
	"encoding/json"
	"errors"
	"maps"
	"net/http"
	"strconv"
	"time"

	"github.com/labstack/echo/v4"

	"countersign/internal/model"
)

// Base is what every problem type begins with; the problem's name follows.
const Base = "https://countersign.invalid/problems/"

// MediaType is the content type of a written problem.
const MediaType = "application/problem+json"

// Problem is an error as a caller is told about it. It never holds a value that
// the caller sent, nor anything of ours that is not meant for people.
type Problem struct {
	Name   string        // e.g. "not-found"; Type is Base and this
	Title  string        // the same for every problem of the name
	Status int           // HTTP
	Detail string        // a sentence about this one
	Errors []model.Field // faulty parts of the input; never nil
	Extra  map[string]any
}

// row is one line of the table.
type row struct {
	status int
	title  string
}

// table has every problem name there is.
var table = map[string]row{
	"idempotency-key-missing": {http.StatusBadRequest, "The Idempotency-Key header is missing"},
	"idempotency-key-invalid": {http.StatusBadRequest, "The idempotency key is not acceptable"},
	"idempotency-key-reused":  {http.StatusUnprocessableEntity, "The idempotency key belongs to other params"},
	"invalid-body":            {http.StatusBadRequest, "The body cannot be read"},
	"invalid-params":          {http.StatusUnprocessableEntity, "Something in the input is wrong"},
	"unauthenticated":         {http.StatusUnauthorized, "Not signed in"},
	"denied":                  {http.StatusForbidden, "Not allowed"},
	"self-approval":           {http.StatusForbidden, "Somebody else must approve this"},
	"step-up-required":        {http.StatusForbidden, "A fresh sign-in is needed"},
	"not-found":               {http.StatusNotFound, "Not found"},
	"method-not-allowed":      {http.StatusMethodNotAllowed, "The address does not take this method"},
	"conflict":                {http.StatusConflict, "It contradicts what is already so"},
	"external-ref-used":       {http.StatusConflict, "The external reference belongs to another step"},
	"action-refused":          {http.StatusConflict, "The action is refused"},
	"preview-stale":           {http.StatusConflict, "The intent moved after the preview"},
	"preview-expired":         {http.StatusConflict, "The preview has expired"},
	"preview-consumed":        {http.StatusConflict, "The preview was confirmed with other contents"},
	"digest-mismatch":         {http.StatusConflict, "The digest is not the preview's"},
	"approval-closed":         {http.StatusConflict, "The approval request is closed"},
	"stale":                   {http.StatusConflict, "It moved meanwhile"},
	"intent-archived":         {http.StatusGone, "The intent is archived"},
	"not-acceptable":          {http.StatusNotAcceptable, "The address does not give what was asked for"},
	"too-large":               {http.StatusRequestEntityTooLarge, "The body is too large"},
	"unsupported-media-type":  {http.StatusUnsupportedMediaType, "The body's type is not taken here"},
	"busy":                    {http.StatusServiceUnavailable, "Busy; try again"},
	"outcome-unknown":         {http.StatusServiceUnavailable, "It may or may not have happened"},
	"internal":                {http.StatusInternalServerError, "Internal error"},
}

// byKind names the problem of an error whose code is not in the table.
var byKind = map[model.Kind]string{
	model.Internal: "internal", model.Invalid: "invalid-params", model.Unauthenticated: "unauthenticated",
	model.Denied: "denied", model.NotFound: "not-found", model.Conflict: "conflict", model.Stale: "stale",
	model.Busy: "busy", model.Unknown: "outcome-unknown",
}

// Status gives the HTTP status of a problem name; ok is false for one that does
// not exist.
func Status(name string) (status int, ok bool) {
	r, ok := table[name]
	return r.status, ok
}

// Of says what an error is to the outside. Errors that nobody classified are
// internal, and say nothing of themselves.
func Of(err error) Problem {
	var own *model.Error
	if !errors.As(err, &own) {
		own = foreign(err)
	}
	name := own.Code
	if _, ok := table[name]; !ok || own.Kind == model.Internal {
		name = byKind[own.Kind]
	}
	p := Problem{Name: name, Title: table[name].title, Status: table[name].status, Detail: own.Message,
		Errors: []model.Field{}, Extra: maps.Clone(own.Extra)}
	p.Errors = append(p.Errors, own.Fields...)
	if own.Kind == model.Internal {
		p.Detail, p.Extra, p.Errors = "Something went wrong on our side; nothing about it is known to the caller. Name the request id when you ask.", nil, []model.Field{}
	}
	return p
}

// foreign classifies the errors of the libraries around us.
func foreign(err error) *model.Error {
	var web *echo.HTTPError
	var large *http.MaxBytesError
	switch {
	case errors.As(err, &large):
		return tooLarge(err)
	case errors.As(err, &web):
		return fromEcho(web)
	case errors.Is(err, context.DeadlineExceeded), errors.Is(err, context.Canceled):
		return &model.Error{Kind: model.Busy, Code: "busy", Message: "It took too long and was given up. Try again.", Cause: err}
	}
	return &model.Error{Kind: model.KindOf(err), Message: "Something went wrong.", Cause: err}
}

func fromEcho(err *echo.HTTPError) *model.Error {
	switch err.Code {
	case http.StatusNotFound:
		return model.Errorf(model.NotFound, "not-found", "There is nothing at this address, or nothing that you may see.")
	case http.StatusMethodNotAllowed:
		return model.Errorf(model.Invalid, "method-not-allowed", "This address exists, but it does not take this method.")
	case http.StatusRequestEntityTooLarge:
		return tooLarge(err)
	case http.StatusUnsupportedMediaType:
		return model.Errorf(model.Invalid, "unsupported-media-type", "Send the body as this address expects it.")
	case http.StatusBadRequest:
		return model.Errorf(model.Invalid, "invalid-body", "The request cannot be read.")
	}
	return &model.Error{Kind: model.Internal, Cause: err}
}

func tooLarge(err error) *model.Error {
	return &model.Error{Kind: model.Invalid, Code: "too-large", Message: "The body is larger than what is taken here; nothing was stored.", Cause: err}
}

// Type is the problem's URI.
func (p Problem) Type() string { return Base + p.Name }

// retryAfter is how long a caller of a busy server should wait by default.
const retryAfter = time.Second

// RetryAfter is the wait of a Retry-After header; ok is false where none is
// promised. It stands in Extra as "retry_after", whole seconds, when it is not
// the usual second.
func (p Problem) RetryAfter() (wait time.Duration, ok bool) {
	if p.Status != http.StatusServiceUnavailable {
		return 0, false
	}
	if seconds, given := p.Extra["retry_after"].(int); given {
		return time.Duration(seconds) * time.Second, true
	}
	return retryAfter, true
}

// Body is the problem as RFC 9457 JSON: the standard members, errors,
// request_id, and the problem's own.
func (p Problem) Body(requestID string) map[string]any {
	body := map[string]any{}
	maps.Copy(body, p.Extra)
	maps.Copy(body, map[string]any{"type": p.Type(), "title": p.Title, "status": p.Status, "detail": p.Detail,
		"errors": p.Errors, "request_id": requestID})
	return body
}

// Headers sets what goes with the problem's status.
func (p Problem) Headers(h http.Header) {
	if wait, ok := p.RetryAfter(); ok {
		h.Set("Retry-After", strconv.Itoa(max(int(wait.Seconds()), 1)))
	}
	if p.Status == http.StatusUnauthorized {
		h.Set("WWW-Authenticate", `Bearer realm="countersign"`)
	}
}

// Write answers a request with what err is to the outside.
func Write(w http.ResponseWriter, r *http.Request, err error, requestID string) {
	p := Of(err)
	body, bad := json.Marshal(p.Body(requestID))
	if bad != nil {
		p = Of(bad)
		body, _ = json.Marshal(p.Body(requestID)) // strings and numbers only
	}
	w.Header().Set("Content-Type", MediaType)
	w.Header().Set("Cache-Control", "no-store")
	p.Headers(w.Header())
	w.WriteHeader(p.Status)
	if r.Method != http.MethodHead {
		w.Write(append(body, '\n'))
	}
}
