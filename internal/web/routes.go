package web

import (
	"errors"
	"net/http"
	"time"

	"github.com/labstack/echo/v4"

	"countersign/internal/model"
	"countersign/internal/store"
	"countersign/web/static"
)

// How large bodies may be.
const (
	formLimit    = 64 << 10
	uploadLimit  = 32 << 20 // what is over a document and the form around it is read away
	webhookLimit = 1 << 20
	queryLimit   = 16 << 10 // of what stands behind the ? of an address
)

// bodyWithin is how long the body of a form or a webhook may take; a file has the
// whole time of its request.
const bodyWithin = 15 * time.Second

// route is one address of the console. page serves whoever is signed in; a POST
// of it carries the session's token. open serves everybody. beside reads something
// that the page begins with, in one statement with the session.
type route struct {
	method, path string
	limit        int64 // of the body; formLimit when 0
	beside       func(*visit, *store.Tx) error
	page         func(*visit) error
	open         func(*visit) error
}

const (
	get  = http.MethodGet
	post = http.MethodPost
)

// routes lists every address but the API's, which registers its own.
func (s *Server) routes() []route {
	list := []route{
		{method: get, path: "/healthz", open: (*visit).healthz},
		{method: get, path: "/readyz", open: (*visit).readyz},
		{method: get, path: "/metrics", open: (*visit).metrics},
	}
	if s.Probes {
		return list
	}
	list = append(list, []route{
		{method: post, path: "/webhooks/:provider", limit: webhookLimit, open: (*visit).webhook},
		{method: get, path: static.Prefix + "*", open: (*visit).static},
		{method: get, path: "/signin", open: (*visit).signInForm},
		{method: post, path: "/signin", open: (*visit).signIn},
		{method: get, path: "/signin/link", open: (*visit).signInLinkForm},
		{method: post, path: "/signin/link", open: (*visit).signInLink},
		{method: post, path: "/kept", open: (*visit).takeKept},
		{method: post, path: "/signout", page: (*visit).signOut},
		{method: get, path: "/stepup", page: (*visit).stepUpForm},
		{method: post, path: "/stepup", page: (*visit).stepUp},
	}...)
	list = append(list, pageRoutes...)
	if s.Demo != nil {
		list = append(list, route{method: get, path: "/guide", page: (*visit).guide}, route{method: get, path: "/guide/statement.xml", page: (*visit).sampleStatement})
	}
	if s.Demo != nil && s.Demo.Lab != nil {
		list = append(list, []route{
			{method: get, path: "/lab", page: (*visit).labPage},
			{method: post, path: "/lab", page: (*visit).runLab},
			{method: post, path: "/lab/disarm", page: (*visit).disarmLab},
		}...)
	}
	return list
}

// pageRoutes are the pages of whoever is signed in.
var pageRoutes = []route{
	{method: get, path: "/", page: (*visit).queue},
	{method: post, path: "/views", page: (*visit).saveView},
	{method: get, path: "/views/:id", beside: (*visit).readView, page: (*visit).openView},
	{method: post, path: "/views/:id", beside: (*visit).readView, page: (*visit).changeView},
	{method: get, path: "/live", page: (*visit).liveStream},
	{method: get, path: "/intents/:id", page: (*visit).intent},
	{method: post, path: "/intents/:id/owner", page: (*visit).owned},
	{method: post, path: "/intents/:id/notes", page: (*visit).addNote},
	{method: get, path: "/intents/:id/actions/:action", page: (*visit).actionForm},
	{method: post, path: "/intents/:id/actions/:action", limit: uploadLimit, page: (*visit).makePreview},
	{method: get, path: "/previews/:id", page: (*visit).preview},
	{method: post, path: "/previews/:id/confirm", page: (*visit).confirm},
	{method: get, path: "/previews/:id/result", page: (*visit).result},
	{method: get, path: "/approvals", page: (*visit).approvals},
	{method: get, path: "/approvals/:id", page: (*visit).approval},
	{method: post, path: "/approvals/:id/approve", page: (*visit).approve},
	{method: post, path: "/approvals/:id/reject", page: (*visit).reject},
	{method: post, path: "/approvals/:id/withdraw", page: (*visit).withdraw},
	{method: post, path: selectionsPath, page: (*visit).tick},
	{method: get, path: "/selections/:id", page: (*visit).selection},
	{method: post, path: "/bulk", page: (*visit).newBulk},
	{method: get, path: "/bulk/:id", page: (*visit).bulk},
	{method: post, path: "/bulk/:id/confirm", page: (*visit).confirmBulk},
	{method: post, path: "/bulk/:id/approve", page: (*visit).approveBulk},
	{method: post, path: "/bulk/:id/reject", page: (*visit).rejectBulk},
	{method: post, path: "/bulk/:id/withdraw", page: (*visit).withdrawBulk},
	{method: post, path: "/bulk/:id/go-on", page: (*visit).goOn},
	{method: get, path: "/uncertain", page: (*visit).uncertainty},
	{method: get, path: "/uncertain/file", page: (*visit).uncertainFile},
	{method: get, path: reconcilePath, page: (*visit).reconcile},
	{method: post, path: reconcilePath, limit: uploadLimit, page: (*visit).takeBankFile},
	{method: get, path: "/reconcile/:id", page: (*visit).bankFile},
	{method: post, path: "/reconcile/:id/mapping", page: (*visit).mapBankFile},
	{method: post, path: "/reconcile/:id/preview", page: (*visit).previewBankFile},
	{method: post, path: "/reconcile/:id/contradiction", page: (*visit).recordContradiction},
	{method: get, path: "/orphans", page: (*visit).orphans},
	{method: get, path: "/orphans/:id", page: (*visit).orphan},
	{method: post, path: "/orphans/:id/settle", page: (*visit).settleOrphan},
	{method: get, path: "/audit", page: (*visit).audit},
	{method: get, path: "/audit/export", page: (*visit).auditExport},
	{method: get, path: "/audit/export/file", page: (*visit).auditFile},
	{method: get, path: "/audit/:index", page: (*visit).auditEntry},
	{method: get, path: "/documents/:stepkey", page: (*visit).document},
	{method: get, path: "/uploads/:id", page: (*visit).upload},
	{method: get, path: "/providers", page: (*visit).providers},
	{method: get, path: "/workers", page: (*visit).workers},
	{method: get, path: "/workers/:id/declare-dead", page: (*visit).declareForm},
	{method: post, path: "/workers/:id/declare-dead", page: (*visit).declareDead},
	{method: get, path: "/admin/alerts", page: (*visit).alerts},
	{method: get, path: "/admin/people", page: (*visit).people},
	{method: get, path: "/admin/hold", page: (*visit).holdPage},
	{method: post, path: "/admin/hold/ended", page: (*visit).endOlder},
	{method: post, path: "/admin/hold/lift", page: (*visit).liftHold},
	{method: get, path: "/help", page: (*visit).help},
	{method: get, path: "/me", page: (*visit).me},
	{method: post, path: "/me/settings", page: (*visit).saveSettings},
	{method: post, path: "/me/keys", page: (*visit).keys},
	{method: post, path: "/me/sessions/revoke", page: (*visit).endSession},
}

// serve is how echo calls a route.
func (s *Server) serve(r route) echo.HandlerFunc {
	limit := r.limit
	if limit == 0 {
		limit = formLimit
	}
	return func(c echo.Context) error {
		req := c.Request()
		if len(req.URL.RawQuery) > queryLimit {
			return model.Errorf(model.Invalid, "too-large", "The address has more behind its ? than is taken here.")
		}
		req.Body = http.MaxBytesReader(c.Response(), req.Body, limit)
		if r.method == post && limit != uploadLimit {
			s.hurry(c, s.bodyWithin)
		}
		if r.open != nil {
			return r.open(s.stranger(c))
		}
		v, err := s.visitWith(c, r.beside)
		if err != nil {
			return err
		}
		if r.method == post {
			if err := v.checkForm(); err != nil {
				return err
			}
			s.hurry(c, 0)
		}
		err = r.page(v)
		if r.method == post && err == nil {
			v.forget()
		}
		return err
	}
}

// hurry bounds how long the caller may take over the body from now on; 0 lifts the
// bound, since the server would take its end for the caller's leaving.
func (s *Server) hurry(c echo.Context, within time.Duration) {
	var until time.Time
	if within > 0 {
		until = time.Now().Add(within)
	}
	// A connection that knows no deadlines is a test's own.
	_ = http.NewResponseController(c.Response()).SetReadDeadline(until)
}

// checkForm reads the body and refuses a form that this session was not given.
func (v *visit) checkForm() error {
	if err := v.readForm(); err != nil {
		return err
	}
	err := v.sessions.CheckToken(v.r, v.r.PostFormValue("csrf"))
	var refusal *model.Error
	if errors.As(err, &refusal) {
		return refusal.With("rule", ruleOtherToken)
	}
	return err
}
