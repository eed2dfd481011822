package web

import (
	"context"
	"fmt"
	"net/http"
	"runtime/debug"
	"strings"
	"time"

	"github.com/labstack/echo/v4"
	"github.com/oklog/ulid/v2"
)

// RequestIDHeader is the answer's header with the request's id.
const RequestIDHeader = "X-Request-Id"

// policy allows pages what they need from this server, and nothing from others.
const policy = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; font-src 'self'; " +
	"connect-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'"

// headers stand on every answer; a handler may replace the caching.
var headers = map[string]string{
	"Content-Security-Policy":      policy,
	"Cache-Control":                "no-store",
	"Referrer-Policy":              "same-origin",
	"X-Content-Type-Options":       "nosniff",
	"X-Frame-Options":              "DENY",
	"Cross-Origin-Opener-Policy":   "same-origin",
	"Cross-Origin-Resource-Policy": "same-origin",
	"Permissions-Policy":           "camera=(), geolocation=(), microphone=()",
}

type requestIDKey struct{}

// requestID is the id of a request, as its answer and its log line have it.
func requestID(r *http.Request) string {
	id, _ := r.Context().Value(requestIDKey{}).(string)
	return id
}

func newRequestID() string { return "req_" + strings.ToLower(ulid.Make().String()) }

// frame gives every request an id and every answer its headers, and writes a
// log line. The path is logged without its query, which may hold secrets.
func (s *Server) frame(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		began := time.Now()
		id := newRequestID()
		for name, value := range headers {
			w.Header().Set(name, value)
		}
		w.Header().Set(RequestIDHeader, id)
		r = r.WithContext(context.WithValue(r.Context(), requestIDKey{}, id))
		method := r.Method
		if method == http.MethodHead {
			r.Method = http.MethodGet // the connection leaves the body out
		}
		answer := &answer{ResponseWriter: w, status: http.StatusOK}
		defer func() { // an answer that is cut off is a request too
			s.Logger.Info("request", "request_id", id, "method", method, "path", r.URL.Path, "status", answer.status,
				"ms", time.Since(began).Milliseconds())
			if s.Observe != nil && !answer.lasts {
				s.Observe(s.routeLabel(answer.route), answer.status, time.Since(began))
			}
		}()
		next.ServeHTTP(answer, r)
	})
}

// answer remembers the status for the log line.
type answer struct {
	http.ResponseWriter
	status int
	route  string // the pattern of the route that answers; "" is none
	lasts  bool   // it is a stream, whose length says nothing about speed
}

// otherRoute stands for every address that is no route of ours: a counter must
// not grow by what strangers ask for.
const otherRoute = "other"

func (s *Server) routeLabel(route string) string {
	if s.known[route] {
		return route
	}
	return otherRoute
}

// WriteHeader notes the status.
func (a *answer) WriteHeader(status int) {
	a.status = status
	a.ResponseWriter.WriteHeader(status)
}

// Unwrap lets http.ResponseController reach the connection.
func (a *answer) Unwrap() http.ResponseWriter { return a.ResponseWriter }

// guard notes which route answers, and turns a panic into an internal error.
func (s *Server) guard(next echo.HandlerFunc) echo.HandlerFunc {
	return func(c echo.Context) (err error) {
		if a, ok := c.Response().Writer.(*answer); ok {
			a.route = c.Path()
		}
		defer func() {
			switch r := recover(); r {
			case nil:
			case http.ErrAbortHandler:
				panic(r)
			default:
				err = fmt.Errorf("panic: %v\n%s", r, debug.Stack())
			}
		}()
		return next(c)
	}
}
