package web

import (
	"context"
	"errors"
	"net/http"
	"net/url"
	"strings"

	"github.com/labstack/echo/v4"

	"countersign/internal/model"
	"countersign/internal/web/problem"
	"countersign/web/templates"
)

// fail is the one place where an error becomes an answer: a problem for
// programs, a page for people, the sign-in for whoever is not signed in.
func (s *Server) fail(err error, c echo.Context) {
	r := c.Request()
	p := problem.Of(err)
	if p.Status >= http.StatusInternalServerError {
		s.complain(r, "request failed", p.Name, err)
	}
	if c.Response().Committed {
		panic(http.ErrAbortHandler) // the answer is under way: it is cut, so that nobody takes the part for the whole
	}
	switch {
	case wantsProblem(r):
		problem.Write(c.Response(), r, err, requestID(r))
	case p.Status == http.StatusUnauthorized && r.Method == http.MethodGet && !wantsEvents(r):
		c.Redirect(http.StatusSeeOther, "/signin?next="+url.QueryEscape(localPath(r.URL.RequestURI())))
	default:
		s.failPage(c, p)
	}
}

// wantsProblem reports whether a program asks, which is told in JSON.
func wantsProblem(r *http.Request) bool {
	for _, prefix := range []string{"/v1/", "/webhooks/"} {
		if strings.HasPrefix(r.URL.Path, prefix) {
			return true
		}
	}
	accept := r.Header.Get("Accept")
	return strings.Contains(accept, "json") && !strings.Contains(accept, "text/html")
}

// failPage shows the error as a page, in the frame of whoever is signed in.
func (s *Server) failPage(c echo.Context, p problem.Problem) {
	if r := c.Request(); p.Name == "invalid-body" && r.Context().Err() != nil {
		// A body that did not come in time counts as a caller who left; they may still read.
		c.SetRequest(r.WithContext(context.WithoutCancel(r.Context())))
	}
	v, err := s.visit(c)
	if err != nil {
		v = s.stranger(c)
	}
	p.Headers(c.Response().Header())
	c.Response().Header().Del("WWW-Authenticate") // browsers would ask for a password of their own
	if err := v.show(p.Status, templates.Error(v.errorView(p))); err != nil {
		s.complain(c.Request(), "error page", p.Name, err)
	}
}

// denyForeign refuses a form that another site sent.
func (s *Server) denyForeign(w http.ResponseWriter, r *http.Request) {
	r.Body = http.MaxBytesReader(w, r.Body, formLimit)
	c := echo.New().NewContext(r, w)
	s.fail(foreignForm(), c)
}

// localPath gives a path of this console, or "/" for anything that could lead
// elsewhere.
func localPath(text string) string {
	u, err := url.Parse(text)
	if err != nil || u.IsAbs() || u.Host != "" || !strings.HasPrefix(text, "/") || strings.HasPrefix(text, "//") ||
		strings.ContainsAny(text, "\\\r\n\t") || strings.HasPrefix(u.Path, "//") || strings.HasPrefix(u.Path, "/\\") {
		return "/"
	}
	return text
}

// full reports whether a bound of ours did its work, and nothing broke.
func full(err error) bool {
	var refusal *model.Error
	return errors.As(err, &refusal) && refusal.Kind == model.Busy && refusal.Cause == nil
}

// complain logs what went wrong with a request. One whose reader went away in
// the middle broke nothing: an operator's log must not cry over it.
func (s *Server) complain(r *http.Request, what, problem string, err error) {
	if errors.Is(r.Context().Err(), context.Canceled) {
		s.Logger.Info("the reader left before the answer", "request_id", requestID(r), "path", r.URL.Path)
		return
	}
	if full(err) {
		s.Logger.Info("refused for now: as many as can be", "request_id", requestID(r), "path", r.URL.Path)
		return
	}
	s.Logger.Error(what, "request_id", requestID(r), "path", r.URL.Path, "problem", problem, "error", err)
}
