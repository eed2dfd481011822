package server

import (
	"crypto/rand"
	"errors"
	"net/http"
	"strconv"
	"strings"
	"time"

	"github.com/go-json-experiment/json"
)

// timeFormat is RFC 3339 in UTC with microseconds.
const timeFormat = "2006-01-02T15:04:05.000000Z"

// answer is a response that is decided but not yet sent.
type answer struct {
	status   int
	body     []byte
	replayed bool
	// retryAfter is for a 429 alone; zero means no such header.
	retryAfter time.Duration
}

// problem is a refusal in the sandbox's error form.
type problem struct {
	status  int
	code    string
	message string
	object  string // the object that the refusal is about, or ""
}

func (p *problem) Error() string { return p.code + ": " + p.message }

func (p *problem) answer() answer {
	type inner struct {
		Code    string  `json:"code"`
		Message string  `json:"message"`
		Object  *string `json:"object_id"`
	}
	in := inner{Code: p.code, Message: p.message}
	if p.object != "" {
		in.Object = &p.object
	}
	return jsonAnswer(p.status, map[string]inner{"error": in})
}

func invalid(message string) *problem {
	return &problem{status: http.StatusUnprocessableEntity, code: "invalid_params", message: message}
}

func notFound(message string) *problem {
	return &problem{status: http.StatusNotFound, code: "not_found", message: message}
}

func internalProblem() *problem {
	return &problem{status: http.StatusInternalServerError, code: "internal_error",
		message: "Something went wrong at our end."}
}

// jsonAnswer marshals values of this package's own types, which cannot fail.
func jsonAnswer(status int, v any) answer {
	body, err := json.Marshal(v)
	if err != nil {
		panic(err)
	}
	return answer{status: status, body: append(body, '\n')}
}

// head writes the headers of a, with the length of the whole body.
func (s *Server) head(w http.ResponseWriter, a answer) {
	h := w.Header()
	h.Set("Content-Type", "application/json")
	h.Set("Content-Length", strconv.Itoa(len(a.body)))
	h.Set("Date", s.cfg.Now().UTC().Format(http.TimeFormat))
	h.Set("Request-Id", newID("req"))
	if a.replayed {
		h.Set("Idempotent-Replayed", "true")
	}
	if a.retryAfter > 0 {
		seconds := (a.retryAfter + time.Second - 1) / time.Second
		h.Set("Retry-After", strconv.FormatInt(int64(seconds), 10))
	}
	w.WriteHeader(a.status)
}

func (s *Server) send(w http.ResponseWriter, a answer) {
	s.head(w, a)
	if _, err := w.Write(a.body); err != nil {
		s.log.Debug("sandbox: the caller left before the answer", "error", err)
	}
}

// fail answers a refusal as it is, anything else as an internal error.
func (s *Server) fail(w http.ResponseWriter, r *http.Request, err error) {
	if p, ok := errors.AsType[*problem](err); ok {
		s.send(w, p.answer())
		return
	}
	s.log.Error("sandbox: request failed", "method", r.Method, "path", r.URL.Path, "error", err)
	s.send(w, internalProblem().answer())
}

func newID(prefix string) string { return prefix + "_" + strings.ToLower(rand.Text()) }

func micros(t time.Time) int64 { return t.UnixMicro() }

func stamp(us int64) string { return time.UnixMicro(us).UTC().Format(timeFormat) }
