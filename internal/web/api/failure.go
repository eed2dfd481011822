package api

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"

	"github.com/danielgtaylor/huma/v2"
	"github.com/danielgtaylor/huma/v2/adapters/humaecho"

	"countersign/internal/model"
	"countersign/internal/web/problem"
)

// failure is an error on its way out, in the form of RFC 9457.
type failure struct {
	problem.Problem
	request string
}

func (f *failure) Error() string             { return f.Detail }
func (f *failure) GetStatus() int            { return f.Status }
func (f *failure) ContentType(string) string { return problem.MediaType }

// GetHeaders gives what goes with the status: Retry-After, WWW-Authenticate.
func (f *failure) GetHeaders() http.Header {
	h := http.Header{}
	f.Headers(h)
	return h
}

// MarshalJSON writes the problem document.
func (f *failure) MarshalJSON() ([]byte, error) { return json.Marshal(f.Body(f.request)) }

// Schema documents the problem document.
func (f *failure) Schema(r huma.Registry) *huma.Schema { return schemaOf[Problem](r) }

// Problem documents an answer that refuses. Some have members of their own:
// fields, rule, because, changes, preview, state.
type Problem struct {
	_         struct{} `additionalProperties:"true"`
	Type      string   `json:"type" format:"uri" doc:"https://countersign.invalid/problems/ and the problem's name."`
	Title     string   `json:"title"`
	Status    int      `json:"status"`
	Detail    string   `json:"detail" doc:"A sentence for people."`
	Errors    []Fault  `json:"errors" nullable:"false" doc:"The faulty parts of the input, without their values."`
	RequestID string   `json:"request_id"`
}

// Fault documents one faulty part of an input.
type Fault struct {
	Location string `json:"location"`
	Message  string `json:"message"`
}

// init makes huma's own refusals problems of ours. It has one constructor for
// the whole process, which is to be replaced in this way.
func init() { huma.NewErrorWithContext, huma.NewError = refusal, documented }

// documented only tells huma which type errors have.
func documented(int, string, ...error) huma.StatusError { return &failure{} }

// refusal turns what huma found wrong with a request into a problem. It brings
// the values at fault along; they are left behind.
func refusal(ctx huma.Context, status int, message string, errs ...error) huma.StatusError {
	request := requestID(humaecho.Unwrap(ctx))
	var fields []model.Field
	for _, err := range errs {
		var known *model.Error
		var large *http.MaxBytesError
		var detail *huma.ErrorDetail
		switch {
		case errors.As(err, &known):
			return &failure{problem.Of(known), request}
		case errors.As(err, &large):
			return &failure{problem.Of(large), request}
		case errors.As(err, &detail):
			fields = append(fields, model.Field{Location: detail.Location, Message: detail.Message})
		}
	}
	return &failure{problem.Of(byStatus(status, message).WithFields(fields...)), request}
}

// byStatus is the error that huma means by a status.
func byStatus(status int, message string) *model.Error {
	switch status {
	case http.StatusUnprocessableEntity:
		return model.Errorf(model.Invalid, "invalid-params", "Something in the request is not valid.")
	case http.StatusRequestEntityTooLarge:
		return model.Errorf(model.Invalid, "too-large", "The body is larger than what is taken here; nothing was stored.")
	case http.StatusBadRequest, http.StatusRequestTimeout:
		return model.Errorf(model.Invalid, "invalid-body", "The body cannot be read: %s.", message)
	case http.StatusNotAcceptable:
		return model.Errorf(model.Invalid, "invalid-params", "Answers are JSON; accept application/json.")
	}
	return model.Errorf(model.Internal, "", "%s", message)
}

// fail makes a handler's error a problem, and logs what is ours.
func (a *api) fail(ctx context.Context, op string, err error) error {
	who := callerOf(ctx)
	p := problem.Of(err)
	if p.Status >= http.StatusInternalServerError {
		a.Logger.ErrorContext(ctx, "call failed", "call", op, "request", who.request, "actor", who.actor.ID, "problem", p.Name, "error", err, "cause", errors.Unwrap(err))
	}
	return &failure{p, who.request}
}
